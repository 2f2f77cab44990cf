"""What commands that measure share: runs with a progress bar, warnings, JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any

from karat.cli.common.messages import warn
from karat.core.files.opener import Source
from karat.core.files.writing import indented_json, whole_file
from karat.core.metric import Metric
from karat.core.reading import only_once
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.engine.files import pooled
from karat.engine.run import Progress
from karat.errors import OptionError, about


def measure(
    metric: Metric[Any, Any],
    system: str,
    gold: Sequence[str],
    format_options: Mapping[str, Any],
    quiet: bool,
    by_system: bool = False,
    **options: Any,
) -> Evaluation:
    """One system by one metric, with a progress bar on a terminal.

    `by_system` says that the systems of a file are shown each by itself.
    """
    with progress_bar(f"{metric.name} {system}", quiet) as progress:
        result = evaluate(
            metric,
            system=system,
            gold=gold,
            format_options=format_options,
            progress=progress,
            **options,
        )
    if by_system:
        told = pooled(result)
        result.warnings = [warning for warning in result.warnings if warning not in told]
    golds = [Source(each).name for each in gold]
    for warning in result.remarks:
        named = any(about(name, warning) == warning for name in golds)
        warn([warning if named else about(result.system, warning)], quiet)
    if result.skipped:
        warn([f"{system}: {result.skipped} items were left out"], quiet)
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

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        MofNCompleteColumn(),
        Elapsed(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done: bar.advance(task, done)


@contextmanager
def open_outputs(paths: Mapping[str, str | None]) -> Iterator[dict[str, IO[bytes]]]:
    """A stream for each output that is wanted; all appear, or none."""
    wanted = {name: path for name, path in paths.items() if path}
    with ExitStack() as stack:
        yield {name: stack.enter_context(whole_file(path)) for name, path in wanted.items()}


def write_json(path: str, document: Any) -> None:
    with whole_file(path) as stream:
        stream.write(indented_json(document))


def check_one_run(what: str, metrics: Sequence[Any], systems: Sequence[str]) -> None:
    """For outputs that hold one run."""
    count = len(metrics) * len(systems)
    if count != 1:
        raise OptionError(
            f"{what} holds one run, but there are {count}: give one system and one metric",
            code="K321",
        )


def check_stdin(
    metrics: Sequence[Any], systems: Sequence[str], golds: Sequence[str], again: bool = False
) -> None:
    """Refuses at once what would read standard input more than once."""
    once = 2 if again else 1
    wanted = once * len(metrics) * (systems.count("-") + golds.count("-") * len(systems))
    if wanted > 1:
        raise only_once("<stdin>")
