"""``karat explain``: why an item has its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import click

from karat.cli.common.measuring import check_stdin, write_json
from karat.cli.common.metric_command import MetricCommand, reading_options
from karat.core.items import Pair, Refs, item_names, place_of
from karat.core.metric import Metric
from karat.core.pairing import Report
from karat.core.reading import FilePairs
from karat.engine.look import explain as explain_pair
from karat.engine.look import pairs_at
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
        names, chosen = _chosen(pairs, item, first)
        if not quiet:
            for warning in (*pairs.report.warnings, *pairs.reader_warnings()):
                click.echo(f"warning: {warning}", err=True)
            if item:
                _tell_of_repeated_ids([each.id for each in chosen])
        for each in chosen:
            explanation = explain_pair(metric, each.system, each.gold)
            name = names[place_of(each)]
            documents.append({"metric": repr(metric), **name, "explanation": explanation})
    if json_path is not None:
        write_json(json_path, documents)
        return
    from rich.console import Console

    from karat.report.terminal_explanation import show

    console = Console()
    for document in documents:
        title = " ".join(str(document[part]) for part in list(document)[1:-1])
        console.rule(f"{title}  {document['metric']}", align="left")
        show(console, document["explanation"])


def _chosen(
    files: FilePairs, wanted: Sequence[str], first: int
) -> tuple[dict[int, dict[str, str]], list[Pair]]:
    """The items that were named, all that have the id, or the first ones; and their names."""
    plan, maker = files.plan(first), files.maker()
    places, gold = plan.places(), plan.gold
    ids = gold.ids(places)
    known = set(ids)
    if not wanted:
        chosen = list(islice(pairs_at(plan, maker, places), first))
    else:
        missing = [name for name in dict.fromkeys(wanted) if name not in known]
        if missing:
            raise OptionError(
                f"there are no items {quote_some(missing)}" + did_you_mean(missing[0], ids),
                code="K391",
                advice=f"ids: {quote_some(ids)}",
            )
        at = [place for place, name in zip(places, ids, strict=True) if name in wanted]
        chosen = list(pairs_at(plan, maker, at))
    if len(known) == len(ids):
        return {place_of(pair): {"id": pair.id} for pair in chosen}, chosen
    return _names(gold, places, ids), chosen


def _names(gold: Refs, places: Sequence[int], ids: Sequence[str]) -> dict[int, dict[str, str]]:
    known = [gold.fields[place] if gold.fields else {} for place in places]
    fields = dict.fromkeys(field for each in known for field in each)
    names = item_names(
        [(name, *(gold.key(place) or ())[1:]) for place, name in zip(places, ids, strict=True)],
        {field: [each.get(field, "") for each in known] for field in fields},
        places,
    )
    return dict(zip(places, names, strict=True))


def _tell_of_repeated_ids(ids: Sequence[str]) -> None:
    for name, number in Counter(ids).items():
        if number > 1:
            click.echo(f"warning: {number} items have the id {name!r}, and all are shown", err=True)


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
