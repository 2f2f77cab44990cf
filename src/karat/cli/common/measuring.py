"""Measuring files by metrics, as the commands with a metric do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any

import click
import msgspec

from karat.cli.common.printing import progress_bar, warn
from karat.core.files.opener import Source
from karat.core.files.writing import whole_file
from karat.core.metric import Metric
from karat.core.options import Mode, OnError
from karat.core.pairing.sides import readable_kinds
from karat.core.reading.streams import only_once
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.engine.files import pooled
from karat.engine.jobs import Jobs
from karat.errors import OptionError, about, counted

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.cluster import Cluster
    from karat.engine.jobs import Log
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
    jobs: Jobs = 1
    quiet: bool = False
    verbose: bool = False
    resume: Folder | None = None
    machines: Cluster | None = None

    @property
    def log(self) -> Log | None:
        """The function that prints the lines of ``--verbose``, or None."""
        return _log if self.verbose else None

    @property
    def reading(self) -> dict[str, Any]:
        """How files are read, as arguments of `evaluate` and the like."""
        names = ("format", "gold_format", "format_options", "on_error", "jobs")
        return {name: getattr(self, name) for name in names}

    def executor(self) -> Executor | None:
        """The workers of the cluster that was asked for."""
        return None if self.machines is None else self.machines.executor()

    def clustered(self, cluster: str | None) -> Request:
        """The same request where items are to be clustered by a field.

        By ids: then several items may have one. In tables of scores, the field is none.
        """
        if not cluster:
            return self
        fields = [name for name in cluster.split("+") if name != "id"]
        options = dict(self.format_options)
        if fields and any("scores" in readable_kinds(type(each)) for each in self.metrics):
            options["group_field"] = tuple(fields)
        samples = self.pair == "auto" and "id" in cluster.split("+")
        return msgspec.structs.replace(
            self, pair="samples" if samples else self.pair, format_options=options
        )

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
        # A bar and lines would write over each other.
        with progress_bar(f"{metric.name} {system}", self.quiet or self.verbose) as progress:
            result = evaluate(
                metric,
                system=system,
                gold=self.gold,
                pair=self.pair,
                **self.reading,
                progress=progress,
                executor=self.executor(),
                resume=self.resume,
                log=self.log,
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
            warn(
                [f"{system}: {counted(result.skipped, 'item was', 'items were')} left out"],
                self.quiet,
            )
        return result

    def measure_systems(self, metric: Metric[Any, Any]) -> list[Evaluation]:
        """Each system by one metric; one file may hold several, which its records name."""
        if len(self.system) == 1:
            return self.measure(metric, self.system[0], by_system=True).by_system()
        return [self.measure(metric, path) for path in self.system]

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


def _log(line: str) -> None:
    click.echo(line, err=True)


@contextmanager
def open_outputs(paths: Mapping[str, str | None]) -> Iterator[dict[str, IO[bytes]]]:
    """A stream for each output that has a path; all appear, or none."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(whole_file(path)) for name, path in paths.items() if path}
