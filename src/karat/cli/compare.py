"""``karat compare``: is A better than B."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from karat.cli.common.measuring import Request
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import CONFIDENCE, JSON, READING, RUNNING, SCORE, SEED
from karat.cli.common.printing import show
from karat.core.files.writing import refuse_replacing
from karat.core.runs import store
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.errors import OptionError
from karat.stats.paired_tests import TESTS


def _run(request: Request, **options: Any) -> None:
    request.check_stdin()
    runs = [
        [request.measure(metric, path) for path in request.system] for metric in request.metrics
    ]
    _compare(runs, **options)


def _compare(
    runs: Sequence[Sequence[Evaluation]],
    *,
    score: str | None,
    confidence: float,
    json_path: str | None,
    **options: Any,
) -> None:
    if any(len(each) < 2 for each in runs):
        raise OptionError(
            "a comparison needs at least two systems", code="K322", advice="repeat -s"
        )
    rankings = [Ranking(each, score, level=confidence, **options) for each in runs]
    documents = [ranking.summary() for ranking in rankings]
    show(documents, json_path, lambda tables: map(tables.ranking, rankings))


_TESTING = [
    SCORE,
    click.Option(["--test"], type=click.Choice(TESTS), default="auto", help="the paired test; auto is an exact permutation test for few items, else approximate randomisation", show_default=True),
    click.Option(["--trials"], type=click.IntRange(1), default=10_000, help="how many random trials the test makes", show_default=True),
    click.Option(["--alpha"], type=click.FloatRange(0, 1), default=0.05, help="level of significance of the rank clusters", show_default=True),
    CONFIDENCE,
    SEED,
    JSON,
]  # fmt: skip


class CompareCommand(MetricCommand):
    """Takes a metric, or saved runs in its place."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        if not _is_run(name):
            return super().get_command(ctx, name)

        def callback(runs: tuple[str, ...], **options: Any) -> None:
            refuse_replacing(options["json_path"] or "-", "--json", {name: "the run is"})
            _compare([[Evaluation.load(path) for path in (name, *runs)]], **options)

        paths = click.Argument(["runs"], nargs=-1, required=True)
        return click.Command(name, callback=callback, params=[paths, *_TESTING])


def _is_run(name: str) -> bool:
    try:
        with Path(name).open("rb") as stream:
            return stream.read(len(store.MAGIC)) == store.MAGIC
    except OSError:
        return False


compare = CompareCommand(
    "compare",
    "Is one system really better than another?\n\n"
    "Measures each SYSTEM file against GOLD and tests every difference on the same "
    "items. In place of a metric and files, two or more saved runs may be given: "
    "karat compare A.run B.run",
    [*READING, *RUNNING, *_TESTING],
    _run,
)
