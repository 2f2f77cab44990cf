"""``karat agreement``: how far annotators agree."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.common.meta_options import (
    confidence_option,
    files_argument,
    json_option,
    seed_option,
    show,
)


@click.command("agreement")
@files_argument
@click.option(
    "--score",
    required=True,
    metavar="NAME",
    help="a score that is a list, one rating per annotator",
)
@click.option(
    "--scale",
    type=click.Choice(["nominal", "ordinal", "interval", "masi"]),
    default="ordinal",
    show_default=True,
    help="what ratings are: names, ranks, numbers, or sets of labels",
)
@confidence_option
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="how many bootstrap resamples and random splits",
)
@seed_option
@json_option
def agreement(files: tuple[str, ...], json_path: str | None, **options: Any) -> None:  # fmt: skip
    """Measure how far annotators agree.

    Krippendorff's alpha with an interval over outputs, Cohen's kappa (the mean
    of all pairs, plain and with quadratic weights), Fleiss' kappa where all
    outputs have equally many ratings, and the correlation of random halves of
    the annotators. The place in a list stands for an annotator; alpha, Fleiss'
    kappa and split halves do not mind if it is not always the same person.
    """
    from karat.meta.annotators import agreement as run

    result = run(files, **options)
    show(result.summary(), json_path, lambda tables: tables.agreement(result))
