"""``karat compare-metrics``: which metrics follow judgements best, and which differ for sure."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.judging import (
    lower_is_better_option,
    one_coefficient_option,
    one_level_option,
    shared_options,
    trials_option,
    warn,
)
from karat.cli.running import write_json
from karat.cli.significance import METHODS
from karat.version import VERSION


@click.command("compare-metrics")
@shared_options
@click.option("--dependent", required=True, metavar="NAME", help="the judgement to follow")
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    required=True,
    metavar="NAME",
    help="a score to compare; repeat it; * stands for anything",
)
@lower_is_better_option
@one_level_option
@one_coefficient_option
@click.option(
    "--test",
    "method",
    type=click.Choice(METHODS),
    default="permutation-both",
    show_default=True,
    help="how p-values are made",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "benjamini-hochberg", "none"]),
    default="holm",
    show_default=True,
    help="for testing all pairs",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="level of significance of the rank clusters",
)
@trials_option
@click.option(
    "--plot-significance",
    metavar="PATH.svg",
    help="draw who beats whom (.svg, or .png with karat[png])",
)
@click.option(
    "--plot-correlations", metavar="PATH.svg", help="draw how the metrics correlate with each other"
)
def compare_metrics(
    files: tuple[str, ...],
    dependent: str,
    metrics: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
    plot_significance: str | None,
    plot_correlations: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Compare all pairs of metrics and rank them in clusters.

    Only outputs that have all metrics and the judgement count. A new rank begins
    where every metric above differs significantly from every metric below.
    """
    from karat.meta.comparing import compare_metrics as run
    from karat.meta.table import ScoreTable
    from karat.report import charts

    table = ScoreTable.read(files)
    names = [name for name in table.expand(metrics) if name != dependent]
    result = run(table, dependent, names, **options)
    warn([*table.warnings, *result.warnings], quiet)
    if plot_significance:
        charts.write(plot_significance, charts.significance_map(result))
    if plot_correlations:
        every = [*names, dependent]
        found = table.matrices(every, options["who"]).turned(options["lower_is_better"])
        level, coefficient = options["level"], options["coefficient"]
        charts.write(plot_correlations, charts.metric_map(every, found.values, level, coefficient))
    if json_path:
        write_json(json_path, {"karat": VERSION, **result.summary()})
    if json_path != "-":
        from karat.report import meta_tables, tables

        tables.console().print(meta_tables.metric_ranking(result))
