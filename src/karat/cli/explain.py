"""``karat explain``: why an item has its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import click

from karat.cli.common.measuring import Request
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import JSON, READING
from karat.cli.common.printing import warn, write_json
from karat.core.items import Match, Pair, item_names, place_of
from karat.core.pairing import Report
from karat.core.reading import FilePairs
from karat.engine.look import made_of, settled
from karat.errors import OptionError, did_you_mean, quote_some


def _run(request: Request, *, json_path: str | None, item: Sequence[str], first: int) -> None:
    if len(request.system) != 1:
        raise OptionError("explain takes one system", code="K390")
    request.check_stdin()
    documents: list[dict[str, Any]] = []
    for metric in request.metrics:
        pairs = FilePairs(
            metric, request.system[0], request.gold, format=request.format,
            gold_format=request.gold_format, format_options=request.format_options,
            mode=request.pair, report=Report(request.on_error),
        )  # fmt: skip
        names, chosen = _chosen(pairs, item, first)
        warn([*pairs.report.warnings, *pairs.reader_warnings()], request.quiet)
        for name, times in Counter(each.id for each in chosen if item).items():
            if times > 1:
                repeated = f"{times} items have the id {name!r}, and all are shown"
                warn([repeated], request.quiet)
        for each in chosen:
            explanation = metric.explain(each.system, each.gold)
            named = {"metric": repr(metric), **names[place_of(each)]}
            documents.append({**named, "explanation": explanation})
    if json_path is not None:
        write_json(json_path, documents)
        return
    from rich.console import Console

    from karat.report.explanation import show

    console = Console()
    for document in documents:
        title = " ".join(str(document[part]) for part in list(document)[1:-1])
        console.rule(f"{title}  {document['metric']}", align="left")
        show(console, document["explanation"])


def _chosen(
    files: FilePairs, wanted: Sequence[str], first: int
) -> tuple[dict[int, dict[str, str]], list[Pair]]:
    """The items that were named, all that have the id, or the first ones; and all names."""
    known = settled(files)
    fields = dict.fromkeys(field for each in known for field in each.fields)
    places = [place_of(each) for each in known]
    names = item_names(
        [(each.id, *(each.key or ())[1:]) for each in known],
        {field: [each.fields.get(field, "") for each in known] for field in fields},
        places,
    )
    named = dict(zip(places, names, strict=True))
    if not wanted:
        return named, list(islice(_one_by_one(files, known), first))
    ids = {each.id for each in known}
    missing = [name for name in dict.fromkeys(wanted) if name not in ids]
    if missing:
        listed = [each.id for each in known]
        raise OptionError(
            f"there are no items {quote_some(missing)}" + did_you_mean(missing[0], listed),
            code="K391",
            advice=f"ids: {quote_some(listed)}",
        )
    chosen = [each for each in known if each.id in wanted]
    return named, list(made_of(files, chosen))


def _one_by_one(files: FilePairs, known: Sequence[Pair | Match]) -> Iterator[Pair]:
    """The pairs of items that can be read, parsed only when they are asked for."""
    for each in known:
        yield from made_of(files, [each])


explain = MetricCommand(
    "explain",
    "Show what matched, what was clipped, what is missing and surplus.",
    [
        *(option for option in READING if option.name not in ("jobs", "skip_bad_gold")),
        JSON,
        click.Option(["--item"], multiple=True, metavar="ID", help="explain this item; may be repeated"),
        click.Option(["--first"], type=click.IntRange(1), default=3, help="without --item, explain so many", show_default=True),
    ],
    _run,
)  # fmt: skip
