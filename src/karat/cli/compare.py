"""``karat compare``: is A better than B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from karat.cli.common.measuring import check_stdin, measure, write_json
from karat.cli.common.metric_command import MetricCommand, reading_options
from karat.core.files.writing import refuse_replacing
from karat.core.metric import Metric
from karat.core.runs import store
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.errors import OptionError
from karat.report import tables
from karat.stats.paired_tests import TESTS


def _run(
    metrics: Sequence[Metric[Any, Any]],
    format_options: Mapping[str, Any],
    *,
    gold: Sequence[str],
    system: Sequence[str],
    format: str | None,
    gold_format: str | None,
    pair: str,
    on_error: str,
    jobs: int,
    quiet: bool,
    **options: Any,
) -> None:
    check_stdin(metrics, system, gold)
    runs = [
        [
            measure(
                metric,
                path,
                gold,
                format_options,
                quiet,
                format=format,
                gold_format=gold_format,
                pair=pair,
                on_error=on_error,
                jobs=jobs,
            )
            for path in system
        ]
        for metric in metrics
    ]
    _compare(runs, **options)


def _compare(
    runs: Sequence[Sequence[Evaluation]],
    *,
    score: str | None,
    test: Any,
    trials: int,
    alpha: float,
    confidence: float,
    seed: int,
    json_path: str | None,
) -> None:
    if any(len(each) < 2 for each in runs):
        raise OptionError(
            "a comparison needs at least two systems", code="K322", advice="repeat -s"
        )
    rankings = [
        Ranking(each, score, alpha=alpha, test=test, trials=trials, level=confidence, seed=seed)
        for each in runs
    ]
    if json_path:
        documents = [ranking.summary() for ranking in rankings]
        write_json(json_path, documents[0] if len(documents) == 1 else documents)
    if json_path != "-":
        console = tables.console()
        for ranking in rankings:
            console.print(tables.ranking(ranking))


_TESTING = [
    click.Option(["--score"], metavar="NAME", help="the score to compare by (the metric's main one when left out)"),
    click.Option(["--test"], type=click.Choice(TESTS), default="auto", help="the paired test; auto is an exact permutation test for few items, else approximate randomisation", show_default=True),
    click.Option(["--trials"], type=click.IntRange(1), default=10_000, help="how many random trials the test makes", show_default=True),
    click.Option(["--alpha"], type=click.FloatRange(0, 1), default=0.05, help="level of significance of the rank clusters", show_default=True),
]  # fmt: skip


class CompareCommand(MetricCommand):
    """Takes a metric, or saved runs in its place."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        if not _is_run(name):
            return super().get_command(ctx, name)
        kept = [o for o in reading_options() if o.name in ("seed", "confidence", "json_path")]

        def callback(runs: tuple[str, ...], **options: Any) -> None:
            refuse_replacing(options["json_path"] or "-", "--json", {name: "the run is"})
            _compare([[Evaluation.load(path) for path in (name, *runs)]], **options)

        paths = click.Argument(["runs"], nargs=-1, required=True)
        return click.Command(name, callback=callback, params=[paths, *kept, *_TESTING])


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
    [*reading_options(), *_TESTING],
    _run,
)
