"""How metrics follow judgements: ``karat correlate``, ``significance``, ``compare-metrics``, …

Also what makes one table of several results (``correlation-table``) or one test (``conjunction``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.common.options import (
    COEFFICIENTS,
    CONFIDENCE,
    DEPENDENT,
    JSON,
    LEVEL,
    LOWER_IS_BETTER,
    META,
    QUIET,
    RESAMPLES,
    SEVERAL_LEVELS,
    TEST,
    TRIALS,
    TWO_METRICS,
    OutputOption,
    WholeNumber,
    alpha_option,
    chosen,
    metrics_option,
)
from karat.cli.common.printing import show_meta, warn
from karat.core.files.writing import whole_file
from karat.errors import OptionError, counted

if TYPE_CHECKING:
    from karat.meta.correlating import CorrelationResult


@click.command(
    "correlate",
    params=[
        *META,
        click.Option(["--metrics", "pairs"], nargs=2, multiple=True, metavar="A B", help="correlate the score A with the score B; may be repeated"),
        metrics_option("a score to correlate with --dependent"),
        click.Option(["--dependent"], metavar="NAME", help="the judgement that the -m scores should follow"),
        SEVERAL_LEVELS[0],
        click.Option(["--coefficient", "coefficients"], multiple=True, type=click.Choice([*COEFFICIENTS, "spa"]), help="may be repeated; spa is soft pairwise accuracy of systems  [default: pearson, spearman and kendall]"),
        click.Option(["--interval", "method"], type=click.Choice(["bootstrap-both", "bootstrap-system", "bootstrap-input", "fisher", "none"]), default="bootstrap-both", show_default=True, help="method of the intervals"),
        CONFIDENCE,
        click.Option(["--one-tailed"], is_flag=True, help="give the whole error rate to each of the two bounds"),
        RESAMPLES,
        LOWER_IS_BETTER,
        click.Option(["--given"], multiple=True, metavar="NAME", help="a score to hold fixed, such as a length: coefficients are partial; may be repeated"),
        click.Option(["--weights", "weight"], metavar="NAME", help="a score that says how much each output counts, such as the number of its judges"),
        click.Option(["--pairwise"], is_flag=True, help="also the share of pairs that both order the same way, with plain and with calibrated ties"),
        OutputOption(["--plot-systems"], metavar="PATH.svg", help="draw the systems' means (.svg, or .png with karat[png])"),
        OutputOption(["--plot-outputs"], metavar="PATH.svg", help="draw all scores"),
        OutputOption(["--plot-distribution"], metavar="PATH.svg", help="draw the resampled values of the first level and coefficient"),
    ],
)  # fmt: skip
def correlate(
    files: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    metrics: tuple[str, ...],
    dependent: str | None,
    who: Any,
    levels: tuple[str, ...],
    coefficients: tuple[str, ...],
    one_tailed: bool,
    lower_is_better: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
    plot_systems: str | None,
    plot_outputs: str | None,
    plot_distribution: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Correlate scores with judgements, with intervals.

    FILES are JSON lines with instance_id, summarizer_id, summarizer_type and
    metrics, as karat score writes them; records of one output are merged. Files
    of item scores that karat evaluate scores reads work, too (a log,
    a table, what --items writes); NAME=FILE names their system.
    Nested names are joined by _ (rouge-1_recall), lists count by their mean.

    The summary level is the mean over inputs of the correlation of the systems'
    scores, the system level correlates the systems' means, the global level all
    scores at once. bootstrap-both resamples systems and inputs; use it
    to generalise to other systems and inputs. bootstrap-input is too narrow for
    other systems; fisher assumes normal, independent scores.
    """
    from karat.meta.correlating import correlate as run
    from karat.meta.table import ScoreTable

    table = ScoreTable.read(files)
    asked = _pairs_asked(pairs, table.expand(metrics), dependent)
    unused = set(lower_is_better) - {name for pair in asked for name in pair}
    if unused:
        raise OptionError(
            f"{', '.join(sorted(unused))} cannot be lower-is-better: it is not correlated",
            code="K383",
        )
    results = [
        run(
            table,
            first,
            second,
            who=who,
            two_tailed=not one_tailed,
            lower_is_better=[name for name in lower_is_better if name in (first, second)],
            **chosen(levels, coefficients),
            **options,
        )
        for first, second in asked
    ]
    warn([*table.warnings, *(note for result in results for note in result.warnings)], quiet)
    _plot(results, plot_systems, plot_outputs, plot_distribution)
    documents = [result.summary() for result in results]
    show_meta(documents, json_path, lambda tables: map(tables.correlations, results))


def _pairs_asked(
    pairs: Iterable[tuple[str, str]], metrics: list[str], dependent: str | None
) -> list[tuple[str, str]]:
    """The pairs of scores to correlate."""
    result = list(pairs)
    if metrics and not dependent:
        raise OptionError("-m needs --dependent, the score to follow", code="K386")
    if dependent and not metrics:
        raise OptionError("--dependent needs metrics: give them with -m", code="K386")
    result += [(name, dependent) for name in metrics if dependent and name != dependent]
    if not result:
        raise OptionError(
            "there is nothing to correlate",
            code="K386",
            advice="give --metrics A B, or --dependent B and -m A for each metric",
        )
    return result


def _plot(
    results: Sequence[CorrelationResult],
    systems: str | None,
    outputs: str | None,
    resampled: str | None,
) -> None:
    """Writes the charts that are asked for."""
    if not (systems or outputs or resampled):
        return
    from karat.report import charts

    if len(results) != 1:
        raise OptionError(f"a plot shows one pair of scores, not {len(results)}", code="K351")
    (result,) = results
    if systems:
        charts.write(systems, charts.system_scatter(result))
    if outputs:
        charts.write(outputs, charts.global_scatter(result))
    if resampled:
        level = next(iter(result.levels))
        coefficient = next(iter(result.levels[level].estimates))
        if coefficient == "spa":
            raise OptionError("spa is not drawn: name another coefficient first", code="K351")
        charts.write(resampled, charts.bootstrap_distribution(result, level, coefficient))


@click.command(
    "correlation-table",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[CORRELATION.json]..."),
        click.Option(["-c", "--correlation", "labelled"], nargs=3, multiple=True, metavar="FILE METRIC DATASET", help="a file with the labels of its row and its columns"),
        LEVEL,
        click.Option(["--format"], type=click.Choice(["markdown", "html", "latex", "tsv"]), default="markdown", show_default=True, help="html, markdown, latex (booktabs) or tsv"),
        click.Option(["--digits"], type=WholeNumber(0, 10), default=2, show_default=True, help="decimals"),
        click.Option(["--intervals/--no-intervals"], default=False, show_default=True, help="show the intervals"),
        click.Option(["--stars/--no-stars"], default=True, show_default=True, help="mark what differs significantly from 0"),
        click.Option(["--best/--no-best"], default=True, show_default=True, help="mark the best of each column"),
        OutputOption(["-o", "--output"], default="-", metavar="PATH", help="where the table goes (default: standard output)"),
    ],
)  # fmt: skip
def correlation_table(
    files: tuple[str, ...],
    labelled: tuple[tuple[str, str, str], ...],
    level: Any,
    output: str,
    **options: Any,
) -> None:
    """Make one table from the results of karat correlate.

    One row per metric, and for each data set its coefficients. A file
    without labels is labelled with the name of its metric and its own name.
    """
    from karat.meta.correlating import FIELDS, read_correlations
    from karat.report.meta_tables import Entry
    from karat.report.meta_tables import correlation_table as make

    entries = [
        Entry(document, str(document["metric1"]), Path(path).name.removesuffix(".json"))
        for path in files
        for document in read_correlations(path)
    ]
    for path, metric, dataset in labelled:
        documents = read_correlations(path)
        if len(documents) != 1:
            raise OptionError(
                f"{path} holds {counted(len(documents), 'result')}, one label does not fit them",
                code="K352",
                advice="give the file without -c",
            )
        entries.append(Entry(documents[0], metric, dataset))
    if not entries:
        raise OptionError("there are no correlations: give files", code="K352")
    with whole_file(output) as stream:
        stream.write(make(entries, FIELDS[level], **options).encode())


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
