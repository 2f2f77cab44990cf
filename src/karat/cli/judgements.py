"""Human judgements: ``karat agreement``, ``pairwise``, ``fit`` and ``predict``."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.common.options import (
    CONFIDENCE,
    FILES,
    JSON,
    LOWER_IS_BETTER,
    QUIET,
    SEED,
    WHO,
    NumberRange,
    OutputOption,
    WholeNumber,
    metrics_option,
)
from karat.cli.common.printing import show_meta, warn
from karat.core.files.writing import whole_file
from karat.errors import counted


@click.command(
    "agreement",
    params=[
        FILES,
        click.Option(["--score"], required=True, metavar="NAME", help="a score that is a list, one rating per annotator"),
        click.Option(["--scale"], type=click.Choice(["nominal", "ordinal", "interval", "masi"]), default="ordinal", show_default=True, help="what ratings are: names, ranks, numbers, or sets of labels"),
        CONFIDENCE,
        click.Option(["--resamples"], type=WholeNumber(1), default=1000, show_default=True, help="how many bootstrap resamples and random splits"),
        SEED,
        JSON,
    ],
)  # fmt: skip
def agreement(files: tuple[str, ...], json_path: str | None, **options: Any) -> None:
    """Measure how far annotators agree.

    Krippendorff's alpha with an interval over outputs, Cohen's kappa (the mean
    of all pairs, plain and with quadratic weights), Fleiss' kappa where all
    outputs have equally many ratings, and the correlation of random halves of
    the annotators. The place in a list stands for an annotator; for alpha,
    Fleiss' kappa and split halves it need not always be the same person.
    """
    from karat.meta.annotators import agreement as run

    result = run(files, **options)
    show_meta([result.summary()], json_path, lambda tables: [tables.agreement(result)])


@click.command(
    "pairwise",
    params=[
        click.Argument(["judgements"], nargs=-1, required=True, metavar="JUDGEMENTS..."),
        click.Option(["--scores"], multiple=True, metavar="FILE", help="scores of outputs, as karat score writes them; may be repeated"),
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


@click.command(
    "fit",
    params=[
        FILES,
        click.Option(["-f", "--feature", "features"], multiple=True, required=True, metavar="NAME", help="a score to predict from; may be repeated; * matches anything, s3 for the six of S3"),
        click.Option(["--target"], required=True, metavar="NAME", help="the judgement to predict"),
        OutputOption(["-o", "--output"], required=True, metavar="FIT.json", help="where the fit goes"),
        click.Option(["--name"], default="fitted", show_default=True, help="what the predicted score is called"),
        WHO,
        click.Option(["--penalty"], type=NumberRange(0, min_open=True), help="penalty on large weights  [default: by leaving out inputs]"),
        QUIET,
    ],
)  # fmt: skip
def fit(
    files: tuple[str, ...],
    features: tuple[str, ...],
    target: str,
    output: str,
    quiet: bool,
    **options: Any,
) -> None:
    """Learn to predict a judgement from scores, as S3 does from its features.

    Files are those of karat correlate: scores of outputs, and judgements. The
    fit is a ridge regression on standardised scores; its quality is estimated on
    inputs that were left out. karat predict applies it to other scores.
    """
    from karat.meta.fitting import fit as run
    from karat.meta.fitting import with_s3, write_fit
    from karat.meta.table import ScoreTable

    table = ScoreTable.read(files)
    found = run(table, table.expand(with_s3(features)), target, **options)
    write_fit(found, output)
    warn(table.warnings, quiet)
    pearson = "undefined" if found.pearson is None else f"{found.pearson:.4f}"
    click.echo(
        f"{found.name}: {counted(found.records, 'output')}, {counted(len(found.features), 'score')}; on inputs left "
        f"out, r with {target} {pearson}, mean error {found.error:.4f}"
    )
    for feature, weight in zip(found.features, found.weights, strict=True):
        click.echo(f"  {weight:+.6g} x {feature}")
    click.echo(f"  {found.intercept:+.6g}")


@click.command(
    "predict",
    params=[
        click.Argument(["model"], metavar="FIT.json"),
        FILES,
        OutputOption(["-o", "--output"], required=True, metavar="PATH", help="where the scores go"),
    ],
)  # fmt: skip
def predict(model: str, files: tuple[str, ...], output: str) -> None:
    """Score outputs by a fit, from files of the scores that it was made from."""
    from karat.meta.fitting import predict as run
    from karat.meta.fitting import read_fit
    from karat.meta.records import write_records

    records = list(run(read_fit(model), files))
    with whole_file(output) as stream:
        write_records(records, stream)
    click.echo(f"{output}: {counted(len(records), 'output')}", err=True)
