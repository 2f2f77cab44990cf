"""``karat convert``: from one format to another."""

from __future__ import annotations

import click

from karat.cli.verb_command import verb_command
from karat.core.verbs import Conversion, Job
from karat.core.writing import whole_file


def _run(action: Conversion, job: Job, *, output: str) -> None:
    assert job.writer is not None
    with whole_file(output) as stream:
        job.writer.write(action.convert(job), stream)
    action.finish(job)


convert = verb_command(
    "convert",
    "Write files in another format, changed on the way as asked.\n\n"
    "Formats are told from names and content; --from and --to name them. "
    "karat list formats shows them all.",
    _run,
    options=[
        click.Option(["-o", "--output"], default="-", metavar="FILE", help="where to write (- is standard output)", show_default=True),
    ],
    writes=True,
)  # fmt: skip
