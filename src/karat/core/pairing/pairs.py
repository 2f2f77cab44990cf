"""Pairs gold and system items by id or by position, and builds the pairs from parsed items.

Only keys and places are looked at: nothing is parsed yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from karat.core.capabilities import FillsGaps, allows_empty, has
from karat.core.metric import Metric
from karat.core.options import ERROR_POLICIES, Mode, OnError
from karat.core.pairing.by_id import Matches, agree, pair_by_id
from karat.core.pairing.sides import Sides
from karat.core.reading.items import Item, Key, Pair, Refs, Rows
from karat.core.reading.selection import Selection
from karat.errors import (
    FormatError,
    KaratError,
    LimitExceeded,
    PairingError,
    Place,
    check_choice,
    counted,
    quote_some,
)

WRONG_FORMAT = "if the file has another format, name it with ``format``"


class ParsedChunk(NamedTuple):
    """A chunk of items for a metric that pairs itself; items may carry errors."""

    systems: Sequence[Item]
    golds: Sequence[Sequence[Item]]
    """The items of each gold file."""
    report: Report
    mode: Mode
    first: int
    """The place of the first gold item."""
    path: str
    """The path of the system's file."""
    wanted: frozenset[int] | None = None
    """The places of the selected gold items; None: all. What is wrong with others is not told."""

    def takes(self, place: int) -> bool:
        """Whether a gold item is selected."""
        return self.wanted is None or place in self.wanted


def in_step(system: Refs, golds: Sequence[Refs], size: int) -> Iterator[tuple[Rows, Rows]]:
    """Chunks of items at equal positions of all files; the last has the surplus of longer files."""
    sizes = [len(refs) for refs in (system, *golds)]
    shortest = min(sizes)
    last = min(max(sizes), shortest + 1)
    begins = range(0, max(shortest, 1), size)
    for begin in begins:
        rows = slice(begin, last if begin == begins[-1] else begin + size)
        yield rows, rows


class Report(msgspec.Struct, eq=False):
    """Warnings, and counts of items that could not be read or were left out."""

    on_error: OnError = "auto"
    warnings: list[str] = []
    skipped: int = 0
    readable: int = 0
    """How many system items were read and paired."""
    unreadable: int = 0
    """How many system items could not be read."""
    first_unreadable: FormatError | None = None
    other_gold: list[str] = []
    """The items for which the system's file holds gold that is not the given one."""
    by_position: bool = False
    """Whether items are paired by position."""

    def __post_init__(self) -> None:
        check_choice("``on_error``", self.on_error, ERROR_POLICIES)

    def add(self, later: Report) -> None:
        """Adds the report of later items."""
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
        """Adds the warnings that depend on all items."""
        if names := self.other_gold:
            self.warn(
                f"{len(names)} of the system's items "
                + ("holds references of its" if len(names) == 1 else "hold references of their")
                + f" own, none of which is in gold; gold counts: {quote_some(names)}"
            )

    def warn(self, message: str) -> None:
        self.warnings.append(message)

    def broken(self, error: FormatError | LimitExceeded) -> None:
        """Raises the error of an item, or counts the item as left out, as the user chose."""
        self._left_out(error, self.on_error == "skip")

    def broken_gold(self, error: FormatError) -> None:
        """Raises or counts an invalid gold item."""
        self._left_out(error, self.on_error in ("skip", "skip-gold"))

    def _left_out(self, error: FormatError | LimitExceeded, allowed: bool) -> None:
        if not allowed:
            if not error.advice:
                error.advice = (
                    "fix it, or use ``on_error='skip'`` to leave the item out (it is counted)"
                )
            raise error
        self.skipped += 1
        self.warn("left out: " + error.headline)

    def broken_system(self, error: FormatError, lenient: bool) -> bool:
        """Handles an unreadable system item; True: it counts as an empty one.

        This is the default for metrics that can score an empty item (`lenient`).
        """
        self.unreadable += 1
        self.first_unreadable = self.first_unreadable or error
        if self.on_error not in ("auto", "skip-gold") or not lenient:
            self.broken(error)
            return False
        self.warn("counted as nothing: " + error.headline)
        return True

    def none_readable(self) -> FormatError | None:
        """The error that no system item could be read, with the message of the first."""
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


def match(
    metric: Metric[Any, Any],
    system: Refs,
    golds: Sequence[Refs],
    report: Report,
    mode: Mode,
    selection: Selection,
) -> Matches:
    """The selected gold items with their system items, by their keys or places alone.

    Of several gold files (references), the items at the same place belong together.
    """
    gold, problem = _joined(golds)
    rows = selection.rows(gold)
    chosen = gold if isinstance(rows, slice) else gold.take(rows)
    system = selection.without_doubles(system)
    if not len(chosen):
        if allows_empty(metric) and not len(system):
            return Matches(*np.empty((3, 0), np.int64))
        raise PairingError.in_file_of(
            "gold",
            "there are no gold items: "
            + (selection.outcome or "the file is empty, or nothing in it is chosen"),
            code="K203",
        )
    if not len(system) and _is_lenient(metric):
        raise PairingError.in_file_of(
            "system",
            "there are no system items: the file is empty, or nothing in it is chosen",
            code="K203",
        )
    have_ids = _have_ids(chosen) is True and _have_ids(system) is not False
    if mode == "id" and not have_ids:
        raise PairingError(
            "the items have no ids to pair by", code="K206", advice="use ``pair='position'``"
        )
    if have_ids and mode != "position":
        found = pair_by_id(
            system, chosen, _is_lenient(metric), report, ignores_others=bool(selection)
        )
    else:
        report.by_position = True
        found = _by_position(metric, len(system), chosen, report, selection)
    # Rows of the files, not of what was chosen of them.
    return Matches(
        found.index,
        chosen.number[found.gold],
        np.where(found.system < 0, -1, system.number[found.system] if len(system) else -1),
        problem or found.problem,
    )


def samples_of(system: Refs) -> Refs:
    """Items with keys that distinguish the samples of one input: by epoch, else by order."""
    if system.keys is None:
        raise PairingError("the items have no ids to group samples by", code="K206")
    seen: Counter[Key] = Counter()
    keys: list[Key | None] = []
    for row, key in enumerate(system.keys):
        if key is None:
            keys.append(None)
            continue
        seen[key] += 1
        epoch = (system.fields[row] if system.fields else {}).get("epoch")
        keys.append((*key, epoch or str(seen[key])))
    return msgspec.structs.replace(system, keys=keys)


def gold_of_samples(system: Refs, golds: Sequence[Refs]) -> list[Refs]:
    """Gold once for each sample of its input, under the names that `samples_of` gave them.

    Gold without samples stays as it is, so that pairing finds it to be alone. Where gold has the
    ids of all samples, in their order, each sample has its own.
    """
    first, problem = _joined(golds)
    if problem is not None:
        raise problem
    if first.keys is None:
        raise PairingError.in_file_of(
            "gold", "the gold items have no ids to group samples by", code="K206"
        )
    if [key and key[:-1] for key in system.keys or ()] == list(first.keys):
        return [msgspec.structs.replace(refs, keys=system.keys) for refs in golds]
    samples: dict[str | None, list[Key]] = {}
    for key in system.keys or ():
        if key is not None:
            samples.setdefault(key[0], []).append(key)
    rows: list[int] = []
    keys: list[Key | None] = []
    seen: set[Key] = set()
    for row, key in enumerate(first.keys):
        if key is not None and key in seen:
            line = int(first.line[row])
            again = f", again at line {line}" if line else ""
            raise PairingError.in_file_of(
                "gold", f"gold id {key[0]!r} occurs twice{again}", code="K204"
            )
        of_input: list[Key] = []
        if key is not None:
            seen.add(key)
            of_input = [each for each in samples.get(key[0], ()) if agree(each[: len(key)], key)]
        rows += [row] * max(1, len(of_input))
        keys += of_input or [key]
    places = np.array(rows, np.int64)
    # From here on their numbers say which of these rows they are, as those of a file's items do.
    numbers = np.arange(len(places))
    return [msgspec.structs.replace(refs.take(places), keys=keys, number=numbers) for refs in golds]


def _have_ids(refs: Refs) -> bool | None:
    """Whether the first item has an id; None where no item can be read so far."""
    for row in range(len(refs)):
        if refs.key(row) is not None or row not in refs.errors:
            return refs.key(row) is not None
    return None


def _joined(golds: Sequence[Refs]) -> tuple[Refs, PairingError | None]:
    """The common keys of several gold files, and an error if they have different sizes."""
    if len(golds) == 1:
        return golds[0], None
    sizes = [len(refs) for refs in golds]
    least, problem = min(sizes), None
    if max(sizes) > least:
        short, long = sizes.index(least), sizes.index(max(sizes))
        problem = PairingError(
            f"gold file {short + 1} has {counted(least, 'item')}, gold file {long + 1} has "
            f"{max(sizes):,}: the references of an item have the same position in each",
            code="K202",
        )
    result = golds[0].take(slice(least))
    errors: dict[int, FormatError] = {}
    for refs in reversed(golds):
        errors.update(refs.errors)
    result.errors = {row: error for row, error in errors.items() if row < least}
    if any(refs.keys is not None for refs in golds):
        result.keys = [_common_key(golds, row) for row in range(least)]
    return result, problem


def _common_key(golds: Sequence[Refs], row: int) -> Key | None:
    keys = [refs.key(row) for refs in golds if refs.key(row) is not None or row not in refs.errors]
    if any(key != keys[0] for key in keys):
        names = quote_some([str(key and key[0]) for key in keys])
        raise PairingError(
            f"the gold files have different ids at item {row + 1}: {names}", code="K207"
        )
    return keys[0] if keys else None


def _is_lenient(metric: Metric[Any, Any]) -> bool:
    """Whether a gold item that has no system item can be scored."""
    return has(metric, FillsGaps)


def _by_position(
    metric: Metric[Any, Any], systems: int, gold: Refs, report: Report, selection: Selection
) -> Matches:
    lenient, count = _is_lenient(metric), len(gold)
    rows = np.arange(count)
    # What was not selected of gold is passed over on the other side.
    present = int(np.searchsorted(gold.number, systems))
    found = np.where(rows < present, gold.number, -1)
    if present < count:
        if not lenient:
            return Matches(
                rows[:present], rows[:present], found[:present], _unequal(count, present)
            )
        report.warn(f"{_unequal(count, present).message}; the last are scored against nothing")
    surplus = 0 if selection or present < count else systems - count
    if surplus and not lenient:
        return Matches(rows, rows, found, _unequal(count, count + surplus))
    if surplus:
        report.warn(f"{_unequal(count, count + surplus).message}; the last are ignored")
    return Matches(rows, rows, found)


def _unequal(golds: int, systems: int) -> PairingError:
    return PairingError.in_file_of(
        "system",
        f"gold has {counted(golds, 'item')}, the system has {systems}: they are paired by position",
        code="K202",
        advice="check for lost or doubled lines, or a folder in place of a file; "
        "items with ids are paired by id",
    )


def make(
    sides: Sides,
    index: int,
    number: int,
    system: Item | None,
    golds: Sequence[Item],
    report: Report,
    where: Callable[[Item, str], Place],
) -> Pair | None:
    """The pair of parsed items; None if one of them is invalid and left out.

    `index` is its place in the gold order, `number` which item of the gold file it is, `where` the
    place of an item of a file, for errors.
    """
    first = golds[0]
    error = first.error if len(golds) == 1 else next((g.error for g in golds if g.error), None)
    if error:
        report.broken_gold(error)
        return None
    key = first.key
    name = key[0] if key and key[0] is not None else str(number + 1)
    values = [each.value for each in golds]
    try:
        theirs = sides.gold(values)
    except KaratError as unfit:
        unfit.place = unfit.place or where(first, name)
        if not isinstance(unfit, FormatError):
            raise
        report.broken_gold(unfit)
        return None
    if system is not None and not system.error and sides.has_other_gold(system.value, values):
        report.other_gold.append(name)
    try:
        if system is not None and system.error:
            raise system.error
        if system is not None:
            ours = sides.system(system.value)
            report.readable += 1
        elif sides.absent is not None:
            ours = sides.absent(theirs)
        else:
            raise PairingError(f"{sides.name} cannot score an item that the system left out")
    except KaratError as unfit:
        unfit.place = unfit.place or where(system or first, name)
        if not isinstance(unfit, FormatError):
            raise
        if not report.broken_system(unfit, sides.absent is not None) or sides.absent is None:
            return None
        ours = sides.absent(theirs)
    return Pair(index, name, first.fields, ours, theirs, key, number)
