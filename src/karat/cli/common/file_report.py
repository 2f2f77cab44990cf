"""What ``karat analyze``, ``validate`` and ``inspect`` share: ask, then print."""

from __future__ import annotations

import click

from karat.cli.common.file_command import verb_command
from karat.core.commands import Inquiry, Job
from karat.core.files.writing import indented_json


def inquiry_command(verb: str, help: str, *, gold: bool = False) -> click.Command:
    """A command that answers a question: text for people, JSON for programs."""
    return verb_command(
        verb,
        help,
        _run,
        options=[click.Option(["--json", "as_json"], is_flag=True, help="print JSON")],
        gold=gold,
    )


def _run(action: Inquiry, job: Job, *, as_json: bool) -> int:
    answer = action.answer(job)
    if as_json:
        click.echo(indented_json(answer.document), nl=False)
    elif answer.text:
        click.echo(answer.text)
    return 1 if answer.failed else 0
