"""Gold and system items meet, by id or by position; what is left over is named.

Both sides are read in step, so files in the same order are never held in
memory; only items that are still alone wait.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, Literal, get_args

from karat.core.items import Item, Match, Pair
from karat.core.metric import Metric
from karat.core.pairing_by_id import Meeting
from karat.core.selection import Selection
from karat.errors import FormatError, KaratError, PairingError, Place, quote_some

OnError = Literal["auto", "fail", "skip", "skip-gold"]
ERROR_POLICIES: tuple[OnError, ...] = get_args(OnError)
Mode = Literal["auto", "id", "position"]
MODES: tuple[Mode, ...] = get_args(Mode)


WRONG_FORMAT = "if the file has another format, name it with ``format``"


class PairsItself(ABC):
    """A metric whose two files do not meet item by item, or must agree in more than their ids."""

    @abstractmethod
    def pair_items(
        self, systems: Iterable[Item], golds: Sequence[Iterable[Item]], report: Report, mode: Mode
    ) -> Iterator[Pair] | None:
        """All pairs, lazily; None leaves them to `pair`."""


class Report:
    """What happened on the way: warnings for people, and how many pairs were left out."""

    def __init__(self, on_error: OnError = "auto") -> None:
        self.on_error = on_error
        self.warnings: list[str] = []
        self.skipped = 0
        self.readable = 0
        """How many system items were read and paired."""
        self.unreadable = 0
        """How many system items could not be read."""
        self.first_unreadable: FormatError | None = None
        self.other_gold: list[str] = []
        """The items for which the system's file holds gold that is not the given one."""
        self.by_position = False
        """Whether items are paired by position."""

    def add(self, later: Report) -> None:
        """What happened afterwards."""
        self.warnings += later.warnings
        self.skipped += later.skipped
        self.readable += later.readable
        self.unreadable += later.unreadable
        self.first_unreadable = self.first_unreadable or later.first_unreadable
        self.other_gold += later.other_gold
        self.by_position = self.by_position or later.by_position

    def check_order(self) -> None:
        """Raises where items at the same place hold different gold."""
        if self.by_position and self.other_gold:
            raise PairingError.in_file_of(
                "system",
                f"item {self.other_gold[0]} holds references, and none of them is in the gold "
                "that has the same place: they are paired by position",
                code="K216",
                advice="check the order of the items, or give them ids; leave out ``gold`` to "
                "score against the system file's own references",
            )

    def finish(self) -> None:
        """Warns of what only the whole shows."""
        if names := self.other_gold:
            self.warn(
                f"{len(names)} of the system's items hold references of their own, none of which "
                f"is in gold; gold counts: {quote_some(names)}"
            )

    def warn(self, message: str) -> None:
        self.warnings.append(message)

    def broken(self, error: FormatError) -> None:
        """Raises, or counts and goes on, as the user chose."""
        self._left_out(error, self.on_error == "skip")

    def broken_gold(self, error: FormatError) -> None:
        """The same for gold, which may be left out by itself."""
        self._left_out(error, self.on_error in ("skip", "skip-gold"))

    def _left_out(self, error: FormatError, allowed: bool) -> None:
        if not allowed:
            if not error.advice:
                error.advice = (
                    "fix it, or use ``on_error='skip'`` to leave the item out (it is counted)"
                )
            raise error
        self.skipped += 1
        self.warn("left out: " + error.headline)

    def broken_system(self, error: FormatError, lenient: bool) -> bool:
        """Whether what a system wrote, and cannot be read, counts as if it had written nothing.

        So it does, reported, unless the user chose, for metrics that can score nothing.
        """
        self.unreadable += 1
        self.first_unreadable = self.first_unreadable or error
        if self.on_error not in ("auto", "skip-gold") or not lenient:
            self.broken(error)
            return False
        self.warn("counted as nothing: " + error.headline)
        return True

    def none_readable(self) -> FormatError | None:
        """The error where not one of the system's items could be read, told by the first."""
        first = self.first_unreadable
        if first is None or self.readable:
            return None
        count = "the only" if self.unreadable == 1 else f"none of the {self.unreadable}"
        verb = "cannot" if self.unreadable == 1 else "can"
        return FormatError(
            f"{count} system item{'s' * (self.unreadable > 1)} {verb} be read: {first.message}",
            code=first.code,
            place=first.place,
            excerpt=first.excerpt,
            advice="\n".join(filter(None, (first.advice, WRONG_FORMAT))),
        )


def own_pairs(
    metric: Metric[Any, Any],
    systems: Iterable[Item],
    golds: Sequence[Iterable[Item]],
    report: Report,
    mode: Mode,
    selection: Selection,
) -> Iterator[Pair] | None:
    """The selected pairs of a metric that pairs by itself; None where it leaves that to `match`."""
    if not isinstance(metric, PairsItself):
        return None
    own = metric.pair_items(systems, golds, report, mode)
    return None if own is None else selection.choose_pairs(own)


def pair(
    metric: Metric[Any, Any],
    systems: Iterable[Item],
    golds: Sequence[Iterable[Item]],
    report: Report,
    mode: Mode = "auto",
    selection: Selection | None = None,
    again: Iterable[Item] | None = None,
) -> Iterator[Pair]:
    """All pairs of the gold items that are selected, lazily; the items are parsed already."""
    selection = selection or Selection()
    own = own_pairs(metric, systems, golds, report, mode, selection)
    if own is not None:
        yield from own
        return
    for each in match(metric, systems, golds, report, mode, selection, again):
        made = make(metric, each, report)
        report.check_order()
        if made is not None:
            yield made
    report.finish()


def match(
    metric: Metric[Any, Any],
    systems: Iterable[Item],
    golds: Sequence[Iterable[Item]],
    report: Report,
    mode: Mode,
    selection: Selection,
    again: Iterable[Item] | None = None,
) -> Iterator[Match]:
    """The selected gold items with their system items, lazily, by their keys or places alone.

    Several gold streams (references) are joined first.

    An index that comes twice replaces what it was before: a later gold item
    with the same key took the place of an earlier one. To find its partner the
    systems are read once more, from `again` where `systems` can be read only once.
    """
    gold, gold_items = _look_ahead(selection.choose(_join(golds)))
    system, system_items = _look_ahead(selection.without_doubles(systems))
    if gold_items is None:
        if metric.allows_empty and system_items is None:
            return
        raise PairingError.in_file_of(
            "gold",
            "there are no gold items: "
            + (selection.outcome or "the file is empty, or nothing in it is chosen"),
            code="K203",
        )
    if system_items is None and _is_lenient(metric):
        raise PairingError.in_file_of(
            "system",
            "there are no system items: the file is empty, or nothing in it is chosen",
            code="K203",
        )
    have_ids = gold is not None and gold.key is not None
    have_ids = have_ids and (system is None or system.key is not None)
    if mode == "id" and not have_ids:
        raise PairingError(
            "the items have no ids to pair by", code="K206", advice="use ``pair='position'``"
        )
    system_items = system_items or iter(())
    if have_ids and mode != "position":
        yield from _by_id(metric, system_items, gold_items, report, again or systems, selection)
    else:
        report.by_position = True
        yield from _by_position(metric, system_items, gold_items, report, selection)


def _look_ahead(items: Iterator[Item]) -> tuple[Item | None, Iterator[Item] | None]:
    """The first item that shows whether there are ids, and all items; None if there are none.

    An item that could not be read at all says nothing about ids.
    """
    seen: list[Item] = []
    for item in items:
        seen.append(item)
        if item.key is not None or item.error is None:
            return item, chain(seen, items)
    return None, iter(seen) if seen else None


def _join(golds: Sequence[Iterable[Item]]) -> Iterator[Item]:
    """Gold items whose value is the list of items, one from each stream."""
    if len(golds) == 1:
        for number, item in enumerate(golds[0]):
            yield Item([item], item.key, item.line, item.fields, item.error, number)
        return
    for number, items in enumerate(zip_longest(*golds)):
        if None in items:
            short = items.index(None) + 1
            raise PairingError(
                f"gold file {short} has {number} items, another has more", code="K202"
            )
        first: Item = items[0]
        error = next((item.error for item in items if item.error), None)
        keys = [item.key for item in items if item.key is not None or item.error is None]
        if any(key != keys[0] for key in keys):
            names = quote_some([str(key and key[0]) for key in keys])
            raise PairingError(
                f"the gold files have different ids at item {number + 1}: {names}", code="K207"
            )
        key = keys[0] if keys else None
        yield Item(list(items), key, first.line, first.fields, error, number)


def _is_lenient(metric: Metric[Any, Any]) -> bool:
    """Whether a gold item that has no system item can be scored."""
    return type(metric).absent is not Metric.absent


def make(metric: Metric[Any, Any], match: Match, report: Report) -> Pair | None:
    """The pair of items that were parsed; None where one could not be, and is left out."""
    gold, system = match.gold, match.system
    golds: list[Item] = gold.value
    error = gold.error or next((each.error for each in golds if each.error), None)
    if error:
        report.broken_gold(error)
        return None
    name = match.id
    try:
        theirs = metric.of_gold([each.value for each in golds])
    except FormatError as unfit:
        report.broken_gold(unfit)
        return None
    except KaratError as unfit:
        unfit.place = unfit.place or Place(item=name)
        raise
    values = [each.value for each in golds]
    if system is not None and not system.error and metric.has_other_gold(system.value, values):
        report.other_gold.append(name)
    try:
        if system is not None and system.error:
            raise system.error
        ours = metric.absent(theirs) if system is None else metric.of_system(system.value)
        report.readable += system is not None
    except FormatError as unfit:
        if not report.broken_system(unfit, _is_lenient(metric)):
            return None
        ours = metric.absent(theirs)
    except KaratError as unfit:
        unfit.place = unfit.place or Place(item=name)
        raise
    return Pair(match.index, name, golds[0].fields, ours, theirs, gold.key, gold.number)


def _by_position(
    metric: Metric[Any, Any],
    systems: Iterator[Item],
    golds: Iterator[Item],
    report: Report,
    selection: Selection,
) -> Iterator[Match]:
    index = missing = number = -1
    for index, gold in enumerate(golds):
        # What was not selected of gold is passed over on the other side.
        passed = gold.number - number - 1
        system = next(islice(systems, passed, None), None)
        number = gold.number
        if system is None and missing < 0:
            if not _is_lenient(metric):
                raise _unequal(index + 1 + sum(1 for _ in golds), index)
            missing = index
        yield Match(index, system, gold)
    surplus = 0 if selection else sum(1 for _ in systems)
    if surplus and not _is_lenient(metric):
        raise _unequal(index + 1, index + 1 + surplus)
    if surplus:
        report.warn(f"{_unequal(index + 1, index + 1 + surplus).message}; the last are ignored")
    if missing >= 0:
        report.warn(f"{_unequal(index + 1, missing).message}; the last are scored against nothing")


def _unequal(golds: int, systems: int) -> PairingError:
    return PairingError.in_file_of(
        "system",
        f"gold has {golds} items, the system has {systems}: they are paired by position",
        code="K202",
        advice="check for lost or doubled lines; items with ids are paired by id",
    )


def _by_id(
    metric: Metric[Any, Any],
    systems: Iterator[Item],
    golds: Iterator[Item],
    report: Report,
    systems_again: Iterable[Item],
    selection: Selection,
) -> Iterator[Match]:
    meeting = Meeting(_is_lenient(metric), report, ignores_others=bool(selection))
    first = next(golds, None)
    if first is not None:
        golds = chain([first], golds)
        # Items with their values are not held: what replaces one that was paired comes later.
        if meeting.lenient and not first.value[0].is_parsed:
            golds = iter(meeting.latest(golds))
    for gold, system in zip_longest(golds, systems):
        if gold is not None and (met := meeting.gold(gold)):
            yield Match(*met)
        if system is not None and (met := meeting.system(system)):
            yield Match(*met)
    for met in chain(meeting.replacements(systems_again), meeting.left_over()):
        yield Match(*met)
