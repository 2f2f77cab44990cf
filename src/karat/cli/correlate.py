"""``karat correlate``: how well does a metric follow people's judgements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from karat.cli.common.measuring import write_json
from karat.cli.common.messages import warn
from karat.cli.common.meta_options import (
    chosen,
    confidence_option,
    level_options,
    lower_is_better_option,
    metrics_option,
    pairs_asked,
    shared_options,
)
from karat.cli.common.outputs import OutputOption
from karat.errors import OptionError
from karat.version import VERSION

if TYPE_CHECKING:
    from karat.meta.correlating import CorrelationResult


@click.command("correlate")
@shared_options
@click.option(
    "--metrics",
    "pairs",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="correlate the score A with the score B; repeat it for several pairs",
)
@metrics_option("a score to correlate with --dependent")
@click.option("--dependent", metavar="NAME", help="the judgement that the -m scores should follow")
@level_options
@click.option(
    "--interval",
    "method",
    type=click.Choice(["bootstrap-both", "bootstrap-system", "bootstrap-input", "fisher", "none"]),
    default="bootstrap-both",
    show_default=True,
    help="how intervals are made",
)
@confidence_option
@click.option(
    "--one-tailed", is_flag=True, help="give the whole error rate to each of the two bounds"
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="how many bootstrap resamples",
)
@lower_is_better_option
@click.option(
    "--given",
    multiple=True,
    metavar="NAME",
    help="a score to hold fixed, such as a length: coefficients are partial; repeat it for several",
)
@click.option(
    "--weights",
    "weight",
    metavar="NAME",
    help="a score that says how much each output counts, such as the number of its judges",
)
@click.option(
    "--pairwise",
    is_flag=True,
    help="also how often pairs are ordered alike, with ties and with calibrated ties",
)
@click.option(
    "--plot-systems",
    cls=OutputOption,
    metavar="PATH.svg",
    help="draw the systems' means (.svg, or .png with karat[png])",
)
@click.option("--plot-outputs", cls=OutputOption, metavar="PATH.svg", help="draw all scores")
@click.option(
    "--plot-distribution",
    cls=OutputOption,
    metavar="PATH.svg",
    help="draw the resampled values of the first level and coefficient",
)
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
    metrics, as karat score writes them; records of one output are merged.
    Nested names are joined by _ (rouge-1_recall), lists count by their mean.

    The summary level is the mean over inputs of the correlation of the systems'
    scores, the system level correlates the systems' means, the global level all
    scores at once. bootstrap-both is the interval to generalise from: it
    resamples systems and inputs. bootstrap-input is too narrow where other
    systems are meant; fisher assumes normal, independent scores.
    """
    from karat.meta.correlating import correlate as run
    from karat.meta.table import ScoreTable

    table = ScoreTable.read(files)
    asked = pairs_asked(pairs, table.expand(metrics), dependent)
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
    if json_path:
        documents = [{"karat": VERSION, **result.summary()} for result in results]
        write_json(json_path, documents[0] if len(documents) == 1 else documents)
    if json_path != "-":
        from karat.report import meta_tables, tables

        console = tables.console()
        for result in results:
            console.print(meta_tables.correlations(result))


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
        charts.write(resampled, charts.bootstrap_distribution(result, level, coefficient))
