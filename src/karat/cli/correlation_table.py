"""``karat correlation-table``: one table from many results of karat correlate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from karat.cli.common.meta_options import one_level_option
from karat.cli.common.outputs import OutputOption
from karat.core.files.writing import whole_file
from karat.errors import OptionError
from karat.meta.correlating import FIELDS, read_correlations
from karat.report.correlation_table import TABLE_FORMATS, Entry
from karat.report.correlation_table import correlation_table as make


@click.command("correlation-table")
@click.argument("files", nargs=-1, metavar="[CORRELATION.json]...")
@click.option(
    "-c",
    "--correlation",
    "labelled",
    nargs=3,
    multiple=True,
    metavar="FILE METRIC DATASET",
    help="a file with the labels of its row and its columns",
)
@one_level_option
@click.option(
    "--format",
    "format",
    type=click.Choice(TABLE_FORMATS),
    default="markdown",
    show_default=True,
    help="html, markdown, latex (booktabs) or tsv",
)
@click.option("--digits", type=click.IntRange(0, 10), default=2, show_default=True, help="decimals")
@click.option(
    "--intervals/--no-intervals", default=False, show_default=True, help="show the intervals"
)
@click.option(
    "--stars/--no-stars", default=True, show_default=True, help="mark what differs from 0 for sure"
)
@click.option(
    "--best/--no-best", default=True, show_default=True, help="mark the best of each column"
)
@click.option(
    "-o",
    "--output",
    cls=OutputOption,
    default="-",
    metavar="PATH",
    help="where the table goes (standard output when left out)",
)
def correlation_table(
    files: tuple[str, ...],
    labelled: tuple[tuple[str, str, str], ...],
    level: Any,
    output: str,
    **options: Any,
) -> None:  # fmt: skip
    """Make one table from the results of karat correlate.

    One row per metric, and for each data set its coefficients. Files without
    labels have the metric's name and the file's name in their place.
    """
    entries = [
        Entry(document, str(document["metric1"]), Path(path).name.removesuffix(".json"))
        for path in files
        for document in read_correlations(path)
    ]
    for path, metric, dataset in labelled:
        documents = read_correlations(path)
        if len(documents) != 1:
            raise OptionError(
                f"{path} holds {len(documents)} results, one label does not fit them",
                code="K352",
                advice="give the file without -c",
            )
        entries.append(Entry(documents[0], metric, dataset))
    if not entries:
        raise OptionError("there are no correlations: give files", code="K352")
    with whole_file(output) as stream:
        stream.write(make(entries, FIELDS[level], **options).encode())
