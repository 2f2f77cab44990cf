"""``karat compare-metrics``: which metrics follow judgements best, and which differ for sure."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.common.messages import warn
from karat.cli.common.meta_options import (
    alpha_option,
    lower_is_better_option,
    metrics_option,
    one_coefficient_option,
    one_level_option,
    shared_options,
    show,
    test_option,
    trials_option,
)
from karat.cli.common.outputs import OutputOption


@click.command("compare-metrics")
@shared_options
@click.option("--dependent", required=True, metavar="NAME", help="the judgement to follow")
@metrics_option("a score to compare", required=True)
@lower_is_better_option
@one_level_option
@one_coefficient_option
@test_option
@click.option(
    "--correction",
    type=click.Choice(["holm", "benjamini-hochberg", "none"]),
    default="holm",
    show_default=True,
    help="for testing all pairs",
)
@alpha_option("significance of the rank clusters")
@trials_option
@click.option(
    "--plot-significance",
    cls=OutputOption,
    metavar="PATH.svg",
    help="draw who beats whom (.svg, or .png with karat[png])",
)
@click.option(
    "--plot-correlations",
    cls=OutputOption,
    metavar="PATH.svg",
    help="draw how the metrics correlate with each other",
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
    show(result.summary(), json_path, lambda tables: tables.metric_ranking(result))
