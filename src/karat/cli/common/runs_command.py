"""Commands that take a metric and files, or saved runs in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from karat.cli.common.metric_command import MetricCommand, Run
from karat.cli.common.options import QUIET, WRITE_CONFIG, OutputOption
from karat.cli.common.printing import flag_name
from karat.core.files.writing import refuse_replacing
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation


class RunsOrMetricCommand(MetricCommand):
    """Takes a metric, or saved runs in its place; `of_runs` does with runs what is to be done."""

    def __init__(
        self,
        name: str,
        help: str,
        options: Sequence[click.Option],
        run: Run,
        *,
        of_runs: Callable[..., int | None],
        options_of_runs: Sequence[click.Option],
        metavar: str | None = None,
    ) -> None:
        super().__init__(name, help, options, run)
        self.of_runs = of_runs
        self.options_of_runs = [*options_of_runs, QUIET, WRITE_CONFIG]
        self.runs_metavar = metavar

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        return self.with_runs(name) if _is_run(name) else super().get_command(ctx, name)

    def with_runs(self, first: str) -> click.Command:
        """The command for saved runs, of which this is the first."""

        def callback(runs: tuple[str, ...], write_config: str | None, **options: Any) -> int | None:
            paths = [first, *runs]
            for option in self.options_of_runs:
                if isinstance(option, OutputOption):
                    name = str(option.name)
                    target = write_config if name == WRITE_CONFIG.name else options[name]
                    flag = flag_name(name.removesuffix("_path"))
                    refuse_replacing(target or "-", flag, dict.fromkeys(paths, "the run is"))
            status = self.of_runs([Evaluation.load(path) for path in paths], **options)
            if write_config:
                from karat.cli.common.configuration import write_config as write

                write(write_config, str(self.name), {"runs": paths}, click.get_current_context())
            return status

        paths = click.Argument(["runs"], nargs=-1, required=True, metavar=self.runs_metavar)
        return click.Command(first, callback=callback, params=[paths, *self.options_of_runs])


def _is_run(name: str) -> bool:
    try:
        with Path(name).open("rb") as stream:
            return stream.read(len(store.MAGIC)) == store.MAGIC
    except OSError:
        return False
