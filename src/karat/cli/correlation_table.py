"""``karat correlation-table``: one table from many results of karat correlate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from karat.core.opener import Source
from karat.core.writing import whole_file
from karat.errors import FormatError, OptionError, Place
from karat.report.correlation_table import TABLE_FORMATS, Entry
from karat.report.correlation_table import correlation_table as make

_FIELDS = {"summary": "summary_level", "system": "system_level", "global": "global", "by-system": "by_system"}  # fmt: skip


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
@click.option(
    "--level",
    type=click.Choice(list(_FIELDS)),
    default="system",
    show_default=True,
    help="whose coefficients are shown",
)
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
    default="-",
    metavar="PATH",
    help="where the table goes (standard output when left out)",
)
def correlation_table(
    files: tuple[str, ...],
    labelled: tuple[tuple[str, str, str], ...],
    level: str,
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
        for document in _read(path)
    ]
    for path, metric, dataset in labelled:
        documents = _read(path)
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
        stream.write(make(entries, _FIELDS[level], **options).encode())


def _read(path: str) -> list[dict[str, Any]]:
    source = Source(path)
    try:
        document = msgspec.json.decode(source.content())
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(
            f"this is not JSON: {error}", code="K147", place=Place(source.name)
        ) from None
    documents = document if isinstance(document, list) else [document]
    for each in documents:
        if not isinstance(each, dict) or "metric1" not in each or not _has_levels(each):
            raise FormatError(
                "this is no result of karat correlate",
                code="K157",
                place=Place(source.name),
                advice="write it with karat correlate --json",
            )
    return documents


def _has_levels(document: dict[str, Any]) -> bool:
    return all(
        isinstance(document.get(field, {}), dict)
        and all(
            isinstance(number, (int, float, type(None)))
            for one in document.get(field, {}).values()
            if isinstance(one, dict)
            for number in one.values()
        )
        for field in _FIELDS.values()
    )
