"""``karat agreement``: how far annotators agree."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.judging import confidence_option
from karat.cli.running import write_json
from karat.version import VERSION


@click.command("agreement")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
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
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="for everything random"
)
@click.option(
    "--json", "json_path", metavar="PATH", help="write the result as JSON (- is standard output)"
)
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
    if json_path:
        write_json(json_path, {"karat": VERSION, **result.summary()})
    if json_path != "-":
        from karat.report import meta_tables, tables

        tables.console().print(meta_tables.agreement(result))
