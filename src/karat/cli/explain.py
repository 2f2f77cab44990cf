"""``karat explain``: why an item has its score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from karat.cli.metric_command import MetricCommand, reading_options
from karat.cli.running import check_stdin, write_json
from karat.core.items import Pair
from karat.core.metric import Metric
from karat.core.pairing import Report
from karat.core.reading import FilePairs
from karat.errors import OptionError, did_you_mean, quote_some

_READING = ("gold", "system", "format", "gold_format", "pair", "on_error", "json_path")


def _run(
    metrics: Sequence[Metric[Any, Any]],
    format_options: Mapping[str, Any],
    *,
    gold: Sequence[str],
    system: Sequence[str],
    format: str | None,
    gold_format: str | None,
    pair: Any,
    on_error: Any,
    json_path: str | None,
    item: Sequence[str],
    first: int,
) -> None:
    if len(system) != 1:
        raise OptionError("explain takes one system", code="K390")
    check_stdin(metrics, system, gold)
    documents: list[dict[str, Any]] = []
    for metric in metrics:
        pairs = FilePairs(
            metric, system[0], gold, format=format, gold_format=gold_format,
            format_options=format_options, mode=pair, report=Report(on_error),
        )  # fmt: skip
        for each in _chosen(iter(pairs), item, first):
            found = metric.explain(each.system, each.gold)
            documents.append({"metric": repr(metric), "id": each.id, "explanation": found})
    if json_path is not None:
        write_json(json_path, documents)
        return
    from rich.console import Console

    from karat.report.explained import show

    console = Console()
    for document in documents:
        console.rule(f"{document['id']}  {document['metric']}", align="left")
        show(console, document["explanation"])


def _chosen(pairs: Iterator[Pair], wanted: Sequence[str], first: int) -> Iterator[Pair]:
    """The items that were named, or the first ones."""
    missing = dict.fromkeys(wanted)
    seen: list[str] = []
    for number, pair in enumerate(pairs, 1):
        seen.append(pair.id)
        if pair.id in missing:
            yield pair
            del missing[pair.id]
            if not missing:
                return
        elif not wanted:
            yield pair
            if number == first:
                return
    if missing:
        raise OptionError(
            f"there are no items {quote_some(list(missing))}"
            + did_you_mean(next(iter(missing)), seen),
            code="K391",
            advice=f"ids: {quote_some(seen)}",
        )


explain = MetricCommand(
    "explain",
    "Show what matched, what was clipped, what is missing and surplus.",
    [
        *(option for option in reading_options() if option.name in _READING),
        click.Option(
            ["--item"], multiple=True, metavar="ID", help="explain this item; may be repeated"
        ),
        click.Option(
            ["--first"],
            type=click.IntRange(1),
            default=3,
            help="without --item, explain so many",
            show_default=True,
        ),
    ],
    _run,
)
