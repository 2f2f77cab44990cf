"""``karat explain``: why an item has its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import click

from karat.cli.metric_command import MetricCommand, reading_options
from karat.cli.running import check_stdin, write_json
from karat.core.items import Pair, item_names
from karat.core.metric import Metric
from karat.core.pairing import Report
from karat.core.reading import FilePairs
from karat.engine.look import final_pairs
from karat.errors import OptionError, did_you_mean, quote_some

_READING = ("gold", "system", "format", "gold_format", "pair", "on_error", "json_path", "quiet")


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
    quiet: bool,
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
        found = final_pairs(pairs)
        names = _names(found)
        chosen = _chosen(found, item, first)
        if not quiet:
            for warning in (*pairs.report.warnings, *pairs.reader_warnings()):
                click.echo(f"warning: {warning}", err=True)
            _tell_of_repeated_ids([found[i].id for i in chosen])
        for i in chosen:
            explanation = metric.explain(found[i].system, found[i].gold)
            documents.append({"metric": repr(metric), **names[i], "explanation": explanation})
    if json_path is not None:
        write_json(json_path, documents)
        return
    from rich.console import Console

    from karat.report.explained import show

    console = Console()
    for document in documents:
        name = " ".join(str(document[part]) for part in list(document)[1:-1])
        console.rule(f"{name}  {document['metric']}", align="left")
        show(console, document["explanation"])


def _names(pairs: Sequence[Pair]) -> list[dict[str, str]]:
    fields = dict.fromkeys(field for pair in pairs for field in pair.fields)
    return item_names(
        [(pair.id, *(pair.key or ())[1:]) for pair in pairs],
        {field: [pair.fields.get(field, "") for pair in pairs] for field in fields},
        [pair.index for pair in pairs],
    )


def _tell_of_repeated_ids(ids: Sequence[str]) -> None:
    for name, number in Counter(ids).items():
        if number > 1:
            click.echo(f"warning: {number} items have the id {name!r}, and all are shown", err=True)


def _chosen(pairs: Sequence[Pair], wanted: Sequence[str], first: int) -> list[int]:
    """The places of the items that were named, all that have the id, or of the first ones."""
    if not wanted:
        return list(range(min(first, len(pairs))))
    known = [pair.id for pair in pairs]
    missing = [name for name in dict.fromkeys(wanted) if name not in set(known)]
    if missing:
        raise OptionError(
            f"there are no items {quote_some(missing)}" + did_you_mean(missing[0], known),
            code="K391",
            advice=f"ids: {quote_some(known)}",
        )
    return [i for i, name in enumerate(known) if name in wanted]


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
