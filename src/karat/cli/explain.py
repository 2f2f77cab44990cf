"""``karat explain``: why an item has its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from karat.cli.common.measuring import Request
from karat.cli.common.metric_command import MetricCommand
from karat.cli.common.options import JSON, READING, VERBOSE, WholeNumber
from karat.cli.common.printing import warn, write_json
from karat.core.capabilities import Explains
from karat.core.pairing.pairs import Report
from karat.core.reading.items import Pair, Refs, item_names, place_of
from karat.core.reading.streams import FilePairs
from karat.engine.look import explain as explain_pair
from karat.errors import OptionError, counted, did_you_mean, quote_some

if TYPE_CHECKING:
    from karat.core.reading.plan import Plan
    from karat.engine.jobs import Log


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
        if request.log is not None:
            from karat.engine.jobs import tell_reading

            tell_reading(request.log, pairs)
        names, chosen = _chosen(pairs, item, first, request.log)
        warn([*pairs.report.warnings, *pairs.reader_warnings()], request.quiet)
        for name, times in Counter(each.id for each in chosen if item).items():
            if times > 1:
                repeated = (
                    f"{counted(times, 'item has', 'items have')} the id {name!r}, and all are shown"
                )
                warn([repeated], request.quiet)
        for each in chosen:
            explanation = explain_pair(metric, each.system, each.gold)
            named = {"metric": repr(metric), **names[place_of(each)]}
            documents.append({**named, "explanation": explanation})
    if json_path is not None:
        write_json(json_path, documents)
        return
    from karat.report.explanation import explained
    from karat.report.layout import Console, Group, Rule

    for document in documents:
        title = " ".join(str(document[part]) for part in list(document)[1:-1])
        rule = Rule(f"{title}  {document['metric']}")
        Console().print(Group(rule, *explained(document["explanation"])))


def _chosen(
    files: FilePairs, wanted: Sequence[str], first: int, log: Log | None
) -> tuple[dict[int, dict[str, str]], list[Pair]]:
    """The items that were named, all that have the id, or the first ones; and their names."""
    plan = files.plan(first)
    if log is not None:
        from karat.engine.jobs import tell_pairing

        tell_pairing(log, files, plan)
    places, gold = plan.places(), plan.gold
    if wanted and gold.keys is None and (at := _numbers(wanted, places)):
        # Items without names of their own are called by their numbers, which tell where they are.
        chosen = list(files.pairs(plan.only(at)))
        return {place_of(pair): {"id": pair.id} for pair in chosen}, chosen
    ids = gold.ids(places)
    known = set(ids)
    if not wanted:
        chosen = _first(files, plan, places, first)
    else:
        missing = [name for name in dict.fromkeys(wanted) if name not in known]
        if missing:
            raise OptionError(
                f"{'there is no item' if len(missing) == 1 else 'there are no items'} "
                + quote_some(missing)
                + did_you_mean(missing[0], ids),
                code="K391",
                advice=f"ids: {quote_some(ids)}",
            )
        at = [place for place, name in zip(places, ids, strict=True) if name in wanted]
        chosen = list(files.pairs(plan.only(at)))
    if len(known) == len(ids):
        return {place_of(pair): {"id": pair.id} for pair in chosen}, chosen
    return _names(gold, places, ids), chosen


def _first(files: FilePairs, plan: Plan, places: Sequence[int], most: int) -> list[Pair]:
    """The first pairs of these, so many if they can be read; no others are looked at."""
    found: list[Pair] = []
    while places and len(found) < most:
        due = most - len(found)
        found += files.pairs(plan.only(places[:due]))
        places = places[due:]
    return found


def _numbers(wanted: Sequence[str], places: Sequence[int]) -> list[int]:
    """The places of items that are called by their numbers; none if not all are there."""
    known = range(len(places)) if places == list(range(len(places))) else set(places)
    at = {int(name) - 1 for name in wanted if name.isascii() and name.isdecimal()}
    named = {str(place + 1) for place in at}
    return sorted(at) if named == set(wanted) and all(place in known for place in at) else []


def _names(gold: Refs, places: Sequence[int], ids: Sequence[str]) -> dict[int, dict[str, str]]:
    known = [gold.fields[place] if gold.fields else {} for place in places]
    fields = dict.fromkeys(field for each in known for field in each)
    names = item_names(
        [(name, *(gold.key(place) or ())[1:]) for place, name in zip(places, ids, strict=True)],
        {field: [each.get(field, "") for each in known] for field in fields},
        places,
    )
    return dict(zip(places, names, strict=True))


explain = MetricCommand(
    "explain",
    "Show what matched, what was clipped, what is missing and surplus.",
    [
        *(option for option in READING if option.name not in ("jobs", "skip_bad_gold")),
        VERBOSE,
        JSON,
        click.Option(["--item"], multiple=True, metavar="ID", help="explain this item; may be repeated"),
        click.Option(["--first"], type=WholeNumber(1), default=3, help="without --item, the number of items to explain", show_default=True),
    ],
    _run,
    capability=Explains,
)  # fmt: skip
