"""People's judgements: ``karat agreement`` of annotators, and ``karat pairwise`` preferences."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.common.options import (
    CONFIDENCE,
    FILES,
    JSON,
    LOWER_IS_BETTER,
    SEED,
    NumberRange,
    metrics_option,
)
from karat.cli.common.printing import show_meta


@click.command(
    "agreement",
    params=[
        FILES,
        click.Option(["--score"], required=True, metavar="NAME", help="a score that is a list, one rating per annotator"),
        click.Option(["--scale"], type=click.Choice(["nominal", "ordinal", "interval", "masi"]), default="ordinal", show_default=True, help="what ratings are: names, ranks, numbers, or sets of labels"),
        CONFIDENCE,
        click.Option(["--resamples"], type=click.IntRange(1), default=1000, show_default=True, help="how many bootstrap resamples and random splits"),
        SEED,
        JSON,
    ],
)  # fmt: skip
def agreement(files: tuple[str, ...], json_path: str | None, **options: Any) -> None:
    """Measure how far annotators agree.

    Krippendorff's alpha with an interval over outputs, Cohen's kappa (the mean
    of all pairs, plain and with quadratic weights), Fleiss' kappa where all
    outputs have equally many ratings, and the correlation of random halves of
    the annotators. The place in a list stands for an annotator; alpha, Fleiss'
    kappa and split halves do not mind if it is not always the same person.
    """
    from karat.meta.annotators import agreement as run

    result = run(files, **options)
    show_meta([result.summary()], json_path, lambda tables: [tables.agreement(result)])


@click.command(
    "pairwise",
    params=[
        click.Argument(["judgements"], nargs=-1, required=True, metavar="JUDGEMENTS..."),
        click.Option(["--scores"], multiple=True, metavar="FILE", help="scores of outputs, as karat score writes them; repeat it"),
        metrics_option("a score to compare with the judgements"),
        LOWER_IS_BETTER,
        click.Option(["--prior"], type=NumberRange(0), default=0.0, show_default=True, help="wins and losses of each system against an average one, added to the data"),
        CONFIDENCE,
        SEED,
        JSON,
    ],
)  # fmt: skip
def pairwise(
    judgements: tuple[str, ...],
    scores: tuple[str, ...],
    metrics: tuple[str, ...],
    confidence: float,
    json_path: str | None,
    **options: Any,
) -> None:
    """Rank systems by judgements of pairs, and metrics by how they agree with them.

    JUDGEMENTS are tables (CSV or TSV) with instance_id, system_a, system_b and
    winner: a system, a, b, or tie. Strengths are those of Bradley and Terry; their
    intervals have a prior of 0.5 unless another is given, and resample inputs
    where these have several judgements.
    Accuracy is the share of judgements that a metric's scores agree with, ties
    included; calibrated, small differences of the metric count as ties.
    """
    from karat.meta.preferences import compare_preferences, read_preferences
    from karat.meta.table import ScoreTable

    table = ScoreTable.read(scores) if scores else None
    names = table.expand(metrics) if table else list(metrics)
    found = read_preferences(judgements)
    result = compare_preferences(found, table, names, level=confidence, **options)
    show_meta([result.summary()], json_path, lambda tables: [tables.preferences(result)])
