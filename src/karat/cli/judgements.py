"""Human judgements: ``karat agreement``, ``pairwise``, ``fit``, ``predict`` and ``power``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from karat.cli.common.options import (
    BETWEEN_0_AND_1,
    CLUSTER,
    COEFFICIENT,
    COEFFICIENTS,
    CONFIDENCE,
    DEPENDENT,
    FILES,
    JSON,
    LEVEL,
    LOWER_IS_BETTER,
    QUIET,
    SCORE,
    SEED,
    TWO_METRICS,
    WHO,
    NumberRange,
    OutputOption,
    WholeNumber,
    alpha_option,
    metrics_option,
)
from karat.cli.common.printing import show_meta, warn
from karat.core import signature
from karat.core.files.writing import whole_file
from karat.errors import OptionError, counted


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


@click.group("power")
def power() -> None:
    """How many items or systems are needed to tell two systems, or two metrics, apart?

    Data sets of several sizes are drawn from a pilot, and each is tested: the
    share in which the difference is found is the power at that size. The difference
    in the pilot is taken to be the true one, so do not trust small pilots.
    """


def _options(runs: int) -> list[click.Parameter]:
    return [
        click.Option(["--runs"], type=WholeNumber(1), default=runs, show_default=True, help="data sets drawn for each size"),
        click.Option(["--size", "sizes"], multiple=True, type=WholeNumber(2), help="a size to try; may be repeated  [default: from half to 16 times the pilot]"),
        click.Option(["--power", "target"], type=BETWEEN_0_AND_1, default=0.8, show_default=True, help="how often the difference should be found"),
        alpha_option("the test"),
        click.Option(["--trials"], type=WholeNumber(1), default=200, show_default=True, help="random exchanges in each test"),
        SEED,
        JSON,
    ]  # fmt: skip


def _sizes(given: Sequence[int], pilot: int) -> list[int]:
    return sorted(given) if given else [max(2, pilot * step // 2) for step in (1, 2, 4, 8, 16, 32)]


@power.command(
    "systems",
    short_help="How many items are needed to tell two systems apart.",
    params=[
        click.Argument(["first"], metavar="A.run"),
        click.Argument(["second"], metavar="B.run"),
        SCORE,
        CLUSTER,
        *_options(500),
    ],
)
def systems(
    first: str, second: str, score: str | None, cluster: str | None, sizes: tuple[int, ...],
    json_path: str | None, **options: Any,
) -> None:  # fmt: skip
    """How many items are needed to tell two systems apart, by a paired randomization test.

    A.run and B.run are what karat evaluate --save wrote for the two systems.
    """
    from karat.core.runs.evaluation import Evaluation

    a, b = Evaluation.load(first), Evaluation.load(second)
    units = a.cluster_count(cluster) if cluster else len(a)
    name, curve = a.power(b, _sizes(sizes, units), score=score, cluster=cluster, **options)
    document = {
        "what": "clusters" if cluster else "items",
        "metric": signature.of_runs([a, b]),
        "score": name,
        "pilot_items": len(a),
        **({"cluster": cluster, "pilot_clusters": units} if cluster else {}),
    }
    _report(curve, document, options, json_path)


@power.command(
    "metrics",
    params=[
        FILES,
        DEPENDENT,
        TWO_METRICS,
        LOWER_IS_BETTER,
        click.Option(["--grow"], type=click.Choice(["inputs", "systems"]), default="inputs", show_default=True, help="what there could be more of"),
        LEVEL,
        COEFFICIENT,
        click.Option(["--test"], type=click.Choice(["permutation-both", "williams"]), default="permutation-both", show_default=True, help="the one-tailed test"),
        WHO,
        *_options(200),
    ],
)  # fmt: skip
def metrics(
    files: tuple[str, ...], dependent: str, metrics: tuple[str, str], grow: str, level: Any,
    coefficient: str, who: Any, lower_is_better: tuple[str, ...], sizes: tuple[int, ...],
    json_path: str | None, **options: Any,
) -> None:  # fmt: skip
    """How many inputs or systems are needed to tell two metrics apart."""
    from karat.meta.table import ScoreTable
    from karat.stats.power import metric_power

    table = ScoreTable.read(files)
    found = table.matrices((*metrics, dependent), who).turned(lower_is_better)
    warn([*table.warnings, *found.warnings, *found.constant()], quiet=False)
    x, y, z = found.values
    pilot = x.shape[1] if grow == "inputs" else x.shape[0]
    shapes = [
        (x.shape[0], size) if grow == "inputs" else (size, x.shape[1])
        for size in _sizes(sizes, pilot)
    ]
    if len({*shapes}) < 2:
        raise OptionError("power needs at least two sizes to try", code="K363")
    curve = metric_power(x, y, z, level, COEFFICIENTS.index(coefficient), shapes, **options)
    document = {
        "what": grow,
        "metric_A": metrics[0],
        "metric_B": metrics[1],
        "dependent_metric": dependent,
        "level": level,
        "coefficient": coefficient,
        "pilot_systems": x.shape[0],
        "pilot_inputs": x.shape[1],
    }
    _report(curve, document, options, json_path)


def _report(
    curve: Any, document: dict[str, Any], options: dict[str, Any], json_path: str | None
) -> None:
    from dataclasses import asdict

    document = {**document, **options, **asdict(curve)}
    show_meta([document], json_path, lambda tables: [tables.power(document)])
