"""``karat correlate``: how well does a metric follow people's judgements."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.judging import chosen, level_options, pairs_asked, shared_options, warn
from karat.cli.running import write_json
from karat.version import VERSION


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
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="a score to correlate with --dependent; * stands for anything",
)
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
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="level of the intervals",
)
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
def correlate(
    files: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    metrics: tuple[str, ...],
    dependent: str | None,
    who: Any,
    levels: tuple[str, ...],
    coefficients: tuple[str, ...],
    one_tailed: bool,
    json_path: str | None,
    quiet: bool,
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
    results = [
        run(
            table,
            first,
            second,
            who=who,
            two_tailed=not one_tailed,
            **chosen(levels, coefficients),
            **options,
        )
        for first, second in pairs_asked(pairs, table.expand(metrics), dependent)
    ]
    warn([*table.warnings, *(note for result in results for note in result.warnings)], quiet)
    if json_path:
        documents = [{"karat": VERSION, **result.summary()} for result in results]
        write_json(json_path, documents[0] if len(documents) == 1 else documents)
    if json_path != "-":
        from karat.report import meta_tables, tables

        console = tables.console()
        for result in results:
            console.print(meta_tables.correlations(result))
