"""What commands that measure share: runs with a progress bar, warnings, JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click
import msgspec

from karat.core.evaluation import Evaluation
from karat.core.metric import Metric
from karat.core.writing import whole_file
from karat.engine import evaluate
from karat.engine.run import Progress
from karat.errors import OptionError


def measure(
    metric: Metric[Any, Any],
    system: str,
    gold: Sequence[str],
    format_options: Mapping[str, Any],
    quiet: bool,
    **options: Any,
) -> Evaluation:
    """One system by one metric, with a progress bar on a terminal."""
    with progress_bar(f"{metric.name} {system}", quiet) as progress:
        result = evaluate(
            metric,
            system=system,
            gold=gold,
            format_options=format_options,
            progress=progress,
            **options,
        )
    if not quiet:
        for warning in result.remarks:
            click.echo(f"warning: {system}: {warning}", err=True)
        if result.skipped:
            click.echo(f"warning: {system}: {result.skipped} items were left out", err=True)
    return result


@contextmanager
def progress_bar(title: str, quiet: bool) -> Iterator[Progress | None]:
    """A bar that counts pairs; nothing unless standard error is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), Elapsed())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done: bar.advance(task, done)


def write_json(path: str, document: Any) -> None:
    with whole_file(path) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def only_one(what: str, evaluations: Sequence[Evaluation]) -> Evaluation:
    """The one evaluation there is, for outputs that hold one."""
    if len(evaluations) != 1:
        raise OptionError(
            f"{what} holds one run, but there are {len(evaluations)}: "
            "give one system and one metric",
            code="K321",
        )
    return evaluations[0]
