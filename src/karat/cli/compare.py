"""``karat compare``: is A better than B."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from karat.cli.common.measuring import Request, open_outputs
from karat.cli.common.metric_command import RunsOrMetricCommand
from karat.cli.common.options import (
    CLUSTER,
    CONFIDENCE,
    JSON,
    JSON_LINES,
    MEASURING,
    SCORE,
    SEED,
    WRITE_CONFIG,
    NumberRange,
    OutputOption,
    WholeNumber,
)
from karat.cli.common.printing import one_or_all, show, warn, write_json
from karat.core.files.writing import json_lines
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.errors import OptionError
from karat.stats.paired_tests import TESTS


def _run(request: Request, **options: Any) -> None:
    request.check_stdin()
    request = request.clustered(options["cluster"])
    runs = [request.measure_systems(metric) for metric in request.metrics]
    _compare(runs, quiet=request.quiet, **options)


def _compare(
    runs: Sequence[Sequence[Evaluation]],
    *,
    score: str | None,
    confidence: float,
    json_path: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    if any(len(each) < 2 for each in runs):
        raise OptionError(
            "a comparison needs at least two systems",
            code="K322",
            advice="repeat -s; where one file holds several systems, a field of its records tells "
            "whose they are (``system_field``)",
        )
    named = {name: options.pop(name) for name in ("json_lines", "tsv", "markdown", "latex")}
    paths = {name: path for name, path in named.items() if path}
    rankings = [Ranking(each, score, level=confidence, **options) for each in runs]
    for ranking in rankings:
        warn(ranking.remarks, quiet)
    for each in runs:
        warn(each[0].cluster_remarks(options["cluster"]), quiet)
        if any(run.by_position for run in each):
            warn(["the items have no ids: they are paired by position"], quiet)
    documents = [ranking.summary() for ranking in rankings]
    if paths:
        from karat.report import exports

        with open_outputs(paths) as streams:
            for name, stream in streams.items():
                if name == "json_lines":
                    stream.write(json_lines(documents))
                else:
                    stream.write(getattr(exports, f"ranking_{name}")(rankings).encode())
        if "-" in paths.values():
            if json_path:
                write_json(json_path, one_or_all(documents))
            return
    show(documents, json_path, lambda tables: map(tables.ranking, rankings))


_TESTING = [
    SCORE,
    click.Option(["--test"], type=click.Choice(TESTS), default="auto", help="the paired test; auto is an exact permutation test for few items, else approximate randomisation", show_default=True),
    click.Option(["--trials"], type=WholeNumber(1), default=10_000, help="how many random trials the test makes", show_default=True),
    click.Option(["--alpha"], type=NumberRange(0, 1), default=0.05, help="level of significance of the rank clusters", show_default=True),
    CONFIDENCE,
    SEED,
    CLUSTER,
    JSON,
    JSON_LINES,
    OutputOption(["--tsv"], metavar="PATH", help="write a tab-separated row for each pair"),
    OutputOption(["--markdown"], metavar="PATH", help="write the tables as Markdown; * marks what is significant"),
    OutputOption(["--latex"], metavar="PATH", help="write the tables for LaTeX (booktabs); * marks what is significant"),
]  # fmt: skip


compare = RunsOrMetricCommand(
    "compare",
    "Is one system really better than another?\n\n"
    "Measures each SYSTEM file against GOLD and tests every difference on the same "
    "items. In place of a metric and files, two or more saved runs may be given: "
    "karat compare A.run B.run",
    [*MEASURING, *_TESTING, WRITE_CONFIG],
    _run,
    of_runs=lambda runs, **options: _compare([runs], **options),
    options_of_runs=_TESTING,
)
