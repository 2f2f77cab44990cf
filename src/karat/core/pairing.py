"""Gold and system items meet, by id or by position; what is left over is named.

Both sides are read in step, so files in the same order are never held in
memory; only items that are still alone wait.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, Literal, get_args

from karat.core.items import Item, Pair
from karat.core.meeting import Meeting
from karat.core.metric import Metric
from karat.core.selection import Selection
from karat.errors import FormatError, KaratError, PairingError, Place, quote_some

OnError = Literal["auto", "fail", "skip", "skip-gold"]
ERROR_POLICIES: tuple[OnError, ...] = get_args(OnError)
Mode = Literal["auto", "id", "position"]
MODES: tuple[Mode, ...] = get_args(Mode)


WRONG_FORMAT = "if the file has another format, name it with --format"


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
                    "mend it, or use --on-error skip to leave the item out (it is counted)"
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


def pair(
    metric: Metric[Any, Any],
    systems: Iterable[Item],
    golds: Sequence[Iterable[Item]],
    report: Report,
    mode: Mode = "auto",
    selection: Selection | None = None,
    again: Iterable[Item] | None = None,
) -> Iterator[Pair]:
    """All pairs of the gold items that are selected, lazily.

    Several gold streams (references) are joined first.

    An index that comes twice replaces what it was before: a later gold item
    with the same key took the place of an earlier one. To find its partner the
    systems are read once more, from `again` where `systems` can be read only once.
    """
    selection = selection or Selection()
    if isinstance(metric, PairsItself):
        own = metric.pair_items(systems, golds, report, mode)
        if own is not None:
            yield from selection.choose_pairs(own)
            return
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
            "the items have no ids to pair by", code="K206", advice="use --pair position"
        )
    system_items = system_items or iter(())
    if have_ids and mode != "position":
        yield from _by_id(metric, system_items, gold_items, report, again or systems, selection)
    else:
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
    """Gold items whose value is the list of values, one from each stream."""
    if len(golds) == 1:
        for number, item in enumerate(golds[0]):
            yield Item([item.value], item.key, item.line, item.fields, item.error, number)
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
        values = [item.value for item in items]
        yield Item(values, key, first.line, first.fields, error, number)


def _is_lenient(metric: Metric[Any, Any]) -> bool:
    """Whether a gold item that has no system item can be scored."""
    return type(metric).absent is not Metric.absent


def _make(
    metric: Metric[Any, Any], index: int, system: Item | None, gold: Item, report: Report
) -> Iterator[Pair]:
    """The pair, or nothing where one side could not be read and is left out."""
    if gold.error:
        report.broken_gold(gold.error)
        return
    name = gold.key[0] if gold.key and gold.key[0] is not None else str(gold.number + 1)
    try:
        golds = metric.of_gold(gold.value)
    except FormatError as unfit:
        report.broken_gold(unfit)
        return
    except KaratError as unfit:
        unfit.place = unfit.place or Place(item=name)
        raise
    if system is not None and not system.error and metric.has_other_gold(system.value, gold.value):
        report.other_gold.append(name)
    try:
        if system is not None and system.error:
            raise system.error
        ours = metric.absent(golds) if system is None else metric.of_system(system.value)
        report.readable += system is not None
    except FormatError as unfit:
        if not report.broken_system(unfit, _is_lenient(metric)):
            return
        ours = metric.absent(golds)
    except KaratError as unfit:
        unfit.place = unfit.place or Place(item=name)
        raise
    yield Pair(index, name, gold.fields, ours, golds, gold.key, gold.number)


def _by_position(
    metric: Metric[Any, Any],
    systems: Iterator[Item],
    golds: Iterator[Item],
    report: Report,
    selection: Selection,
) -> Iterator[Pair]:
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
        yield from _make(metric, index, system, gold, report)
        if report.other_gold:
            raise PairingError.in_file_of(
                "system",
                f"item {index + 1} holds references, and none of them is in the gold that has "
                "the same place: they are paired by position",
                code="K216",
                advice="check the order of the items, or give them ids; leave out -g to score "
                "against the system file's own references",
            )
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
) -> Iterator[Pair]:
    meeting = Meeting(_is_lenient(metric), report, ignores_others=bool(selection))
    for gold, system in zip_longest(golds, systems):
        if gold is not None and (met := meeting.gold(gold)):
            yield from _make(metric, *met, report)
        if system is not None and (met := meeting.system(system)):
            yield from _make(metric, *met, report)
    for met in chain(meeting.replacements(systems_again), meeting.left_over()):
        yield from _make(metric, *met, report)
    if names := report.other_gold:
        report.warn(
            f"{len(names)} of the system's items hold references of their own, none of which is "
            f"in gold; gold counts: {quote_some(names)}"
        )
