"""Measuring files by metrics, as the commands with a metric do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any

import msgspec

from karat.cli.common.printing import warn
from karat.core.files.opener import Source
from karat.core.files.writing import whole_file
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.reading import only_once
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.engine.files import pooled
from karat.engine.run import Progress
from karat.errors import OptionError, about

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.cluster import Cluster
    from karat.engine.resume import Folder


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Which files to measure by which metrics, and how the files are read."""

    metrics: Sequence[Metric[Any, Any]]
    system: Sequence[str]
    gold: Sequence[str] = ()
    format: str | None = None
    gold_format: str | None = None
    format_options: Mapping[str, Any] = {}
    pair: Mode = "auto"
    on_error: OnError = "auto"
    jobs: int = 1
    quiet: bool = False
    resume: Folder | None = None
    cluster: Cluster | None = None

    def executor(self) -> Executor | None:
        """The workers of the cluster that was asked for."""
        return None if self.cluster is None else self.cluster.executor()

    def measure(
        self,
        metric: Metric[Any, Any],
        system: str,
        *,
        by: Sequence[str] = (),
        by_system: bool = False,
        **options: Any,
    ) -> Evaluation:
        """One system by one metric, with a progress bar on a terminal, and warnings.

        `by` are the fields whose groups are shown, and `by_system` says that the field which
        tells the systems of a file apart is among them.
        """
        with progress_bar(f"{metric.name} {system}", self.quiet) as progress:
            result = evaluate(
                metric,
                system=system,
                gold=self.gold,
                format=self.format,
                gold_format=self.gold_format,
                format_options=self.format_options,
                pair=self.pair,
                on_error=self.on_error,
                jobs=self.jobs,
                progress=progress,
                executor=self.executor(),
                resume=self.resume,
                **options,
            )
        if by_system or result.system_field in by:
            told = pooled(result)
            result.warnings = [warning for warning in result.warnings if warning not in told]
        golds = [Source(each).name for each in self.gold]
        for warning in result.remarks:
            named = any(about(name, warning) == warning for name in golds)
            warn([warning if named else about(result.system, warning)], self.quiet)
        if result.skipped:
            warn([f"{system}: {result.skipped} items were left out"], self.quiet)
        return result

    def check_stdin(self, *, again: bool = False) -> None:
        """Refuses at once what would read standard input more than once."""
        of_all = self.system.count("-") + self.gold.count("-") * len(self.system)
        if (2 if again else 1) * len(self.metrics) * of_all > 1:
            raise only_once("<stdin>")

    def check_one_run(self, what: str) -> None:
        """For outputs that hold one run."""
        count = len(self.metrics) * len(self.system)
        if count != 1:
            raise OptionError(
                f"{what} holds one run, but there are {count}: give one system and one metric",
                code="K321",
            )


@contextmanager
def progress_bar(title: str, quiet: bool) -> Iterator[Progress | None]:
    """A bar that counts pairs; nothing unless standard error is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        Elapsed(),
        Remaining(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, rate="")
        yield Bar(title, lambda done, **shown: bar.update(task, advance=done, **shown))


class Bar:
    """Progress as it is shown: pairs and chunks done, how many in a second, and what is left."""

    def __init__(self, title: str, show: Callable[..., None]) -> None:
        import time

        self._title, self._show = title, show
        self._clock = time.monotonic
        self._begun = self._clock()
        self._pairs = self._done = self._chunks = 0

    def begin(self, pairs: int, chunks: int) -> None:
        """So much is to be done."""
        self._begun = self._clock()
        self._pairs, self._chunks, self._done = 0, chunks, 0
        self._show(0, total=pairs, completed=0, description=self._title, rate="")

    def __call__(self, done: int) -> None:
        self._pairs += done
        self._done += 1
        seconds = max(1e-9, self._clock() - self._begun)
        chunks = f" (chunk {self._done:,} of {self._chunks:,})" if self._chunks else ""
        rate = f"{self._pairs / seconds:,.0f}/s"
        self._show(done, description=f"{self._title}{chunks}", rate=rate)


@contextmanager
def open_outputs(paths: Mapping[str, str]) -> Iterator[dict[str, IO[bytes]]]:
    """A stream for each output; all appear, or none."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(whole_file(path)) for name, path in paths.items()}
