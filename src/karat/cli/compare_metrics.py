"""Which metrics follow judgements best: ``karat significance``, ``compare-metrics``, ``conjunction``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from karat.cli.common.options import (
    COEFFICIENTS,
    DEPENDENT,
    JSON,
    LEVEL,
    LOWER_IS_BETTER,
    META,
    QUIET,
    SEVERAL_LEVELS,
    TEST,
    TRIALS,
    TWO_METRICS,
    OutputOption,
    alpha_option,
    chosen,
    metrics_option,
)
from karat.cli.common.printing import show_meta, warn


@click.command(
    "significance",
    params=[
        *META,
        DEPENDENT,
        TWO_METRICS,
        LOWER_IS_BETTER,
        *SEVERAL_LEVELS,
        TEST,
        alpha_option("significance"),
        click.Option(["--two-tailed"], is_flag=True, help="test equality rather than whether A is better"),
        TRIALS,
    ],
)  # fmt: skip
def significance(
    files: tuple[str, ...],
    metrics: tuple[str, str],
    dependent: str,
    levels: tuple[str, ...],
    coefficients: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Test whether metric A follows a judgement better than metric B.

    One-tailed by default: the null hypothesis is that A correlates no better
    than B. permutation-both exchanges single scores of the two metrics and is
    the most powerful test for systems; bootstrap tests resample systems, inputs
    or both; williams assumes normal, independent scores, which these are not.
    """
    from karat.meta.comparing import significance as run
    from karat.meta.table import ScoreTable

    table = ScoreTable.read(files)
    first, second = metrics
    result = run(table, dependent, first, second, **chosen(levels, coefficients), **options)
    warn([*table.warnings, *result.warnings], quiet)
    show_meta([result.summary()], json_path, lambda tables: [tables.significance(result)])


@click.command(
    "compare-metrics",
    params=[
        *META,
        DEPENDENT,
        metrics_option("a score to compare", required=True),
        LOWER_IS_BETTER,
        LEVEL,
        click.Option(["--coefficient"], type=click.Choice([*COEFFICIENTS, "spa"]), default="kendall", show_default=True, help="correlation coefficient; spa is soft pairwise accuracy of systems"),
        TEST,
        click.Option(["--correction"], type=click.Choice(["holm", "benjamini-hochberg", "none"]), default="holm", show_default=True, help="correction for testing all pairs"),
        alpha_option("significance of the rank clusters"),
        TRIALS,
        OutputOption(["--plot-significance"], metavar="PATH.svg", help="draw which metric is better than which (.svg, or .png with karat[png])"),
        OutputOption(["--plot-correlations"], metavar="PATH.svg", help="draw how the metrics correlate with each other"),
    ],
)  # fmt: skip
def compare_metrics(
    files: tuple[str, ...],
    dependent: str,
    metrics: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
    plot_significance: str | None,
    plot_correlations: str | None,
    **options: Any,
) -> None:
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
        # Soft pairwise accuracy of two metrics is no correlation.
        level, coefficient = options["level"], options["coefficient"].replace("spa", "kendall")
        charts.write(plot_correlations, charts.metric_map(every, found.values, level, coefficient))
    show_meta([result.summary()], json_path, lambda tables: [tables.metric_ranking(result)])


@click.command(
    "conjunction",
    params=[
        click.Argument(["files"], nargs=-1, required=True, metavar="TEST.json..."),
        click.Option(["--name", "names"], multiple=True, metavar="NAME", help="a name for each file, in order  [default: the file names]"),
        click.Option(["--method"], type=click.Choice(["bonferroni", "holm", "benjamini-hochberg", "fisher"]), default="bonferroni", show_default=True, help="fisher is for tests on independent data"),
        alpha_option("significance"),
        JSON,
        QUIET,
    ],
)  # fmt: skip
def conjunction(
    files: tuple[str, ...],
    names: tuple[str, ...],
    method: Any,
    alpha: float,
    json_path: str | None,
    quiet: bool,
) -> None:
    """Count in how many of several significance tests there is an effect.

    TEST.json are the results of karat significance, one for each data set or
    each rival metric. k is how many of them have an effect, at the given level
    for all together (Dror et al. 2017).
    """
    from karat.meta.comparing import conjunction as run
    from karat.meta.correlating import read_tests

    tests = [read_tests(path) for path in files]
    labels = names or tuple(Path(path).name.removesuffix(".json") for path in files)
    result = run(tests, labels, alpha=alpha, method=method)
    if method == "fisher":
        warn(["fisher's count holds only if no two tests share data"], quiet)
    show_meta([result], json_path, lambda tables: [tables.conjunctions(result)])
