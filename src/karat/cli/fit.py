"""``karat fit`` and ``karat predict``: one score from several, learnt from judgements."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.common.options import FILES, QUIET, WHO, NumberRange, OutputOption
from karat.cli.common.printing import warn


@click.command(
    "fit",
    params=[
        FILES,
        click.Option(["-f", "--feature", "features"], multiple=True, required=True, metavar="NAME", help="a score to predict from; repeat it, * stands for any letters, s3 for the six of S3"),
        click.Option(["--target"], required=True, metavar="NAME", help="the judgement to predict"),
        OutputOption(["-o", "--output"], required=True, metavar="FIT.json", help="where the fit goes"),
        click.Option(["--name"], default="fitted", show_default=True, help="what the predicted score is called"),
        WHO,
        click.Option(["--penalty"], type=NumberRange(0, min_open=True), help="of large weights  [default: by leaving out inputs]"),
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
    fit is a ridge regression on standardised scores; how good it is, is told
    from inputs that were left out. karat predict applies it to other scores.
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
        f"{found.name}: {found.records} outputs, {len(found.features)} scores; on inputs left "
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
    from karat.core.files.writing import whole_file
    from karat.meta.fitting import predict as run
    from karat.meta.fitting import read_fit
    from karat.meta.records import write_records

    records = list(run(read_fit(model), files))
    with whole_file(output) as stream:
        write_records(records, stream)
    click.echo(f"{output}: {len(records)} outputs", err=True)
