"""Pairs gold and system items by id, and reports items without a partner."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from karat._native import name_partners
from karat.core.reading.items import Ints, Key, NameKeys, Refs
from karat.errors import KaratError, PairingError, counted, part_of, quote_some

if TYPE_CHECKING:
    from karat.core.pairing.pairs import Report


class Matches(msgspec.Struct):
    """The gold items that are measured, in their order, and the system items of each."""

    index: Ints
    """Their places in the gold order."""
    gold: Ints
    """Rows of gold."""
    system: Ints
    """Rows of the system; -1 where there is none."""
    problem: PairingError | None = None
    """The error of the pairing as a whole, raised when all matched items are measured.

    An invalid item may be the cause of a missing or surplus one, and its own error says more.
    """

    def take(self, rows: Any) -> Matches:
        """Some of the matches."""
        return Matches(self.index[rows], self.gold[rows], self.system[rows], self.problem)


def pair_by_id(
    system: Refs, gold: Refs, lenient: bool, report: Report, *, ignores_others: bool = False
) -> Matches:
    """Items with the same key, or with keys that agree where one leaves parts open.

    With `ignores_others`, system items without gold are ignored, since gold is a selection.
    """
    unread_golds = unread_systems = 0
    found = None
    if system.keys is not None and gold.keys is not None:
        found = _plainly_paired(system.keys, gold.keys)
    if found is None:
        unread_golds = _report_nameless(gold, "gold", report, lenient)
        if not ignores_others:
            known = set(map(id, gold.errors.values()))
            unread_systems = _report_nameless(system, "system", report, lenient, known)
        elif system.keys is not None:
            unread_systems = system.keys.count(None)
        found = _paired_one_by_one(system, gold, lenient)
    left = _Unpaired(system, found.keys, found.partner, found.extra, lenient, report)
    alone = int(np.count_nonzero(found.partner < 0))
    if lenient and found.keys and alone == len(found.keys):
        raise left.nothing_in_common()
    matches = Matches(np.arange(len(found.rows)), found.rows, found.partner)
    if not lenient:
        if alone > unread_systems:
            matches.problem = left.missing()
        elif len(found.extra) > unread_golds and not ignores_others:
            matches.problem = PairingError.in_file_of("system", left.surplus(), code="K205")
        if alone or matches.problem:
            matches = matches.take(matches.system >= 0)
        if matches.problem:
            return matches
    repeats = (("gold", "last", found.doubled), ("system", "first", found.repeated))
    for side, which, names in repeats:
        if names:
            report.warn(
                counted(len(names), f"{side} item repeats", f"{side} items repeat")
                + f" an id, the {which} of each counts: {quote_some(names)}"
            )
    left.warn(ignores_others)
    return matches


class _Paired(NamedTuple):
    """The distinct keys of gold, and the rows that have them."""

    keys: Sequence[Key]
    rows: Ints
    """Rows of gold."""
    partner: Ints
    """Rows of the system; -1 where there is none."""
    extra: Sequence[int] = ()
    """Rows of system items without gold."""
    doubled: Sequence[str] = ()
    """The names of gold items that others have taken the place of."""
    repeated: Sequence[str] = ()
    """The names of system items whose gold has another one already."""


def _plainly_paired(systems: Sequence[Key | None], golds: Sequence[Key | None]) -> _Paired | None:
    """The fast path: all items have names, none occurs twice, and gold has all names of the system.

    None if that is not so, or names are not kept as bytes.
    """
    if not (isinstance(golds, NameKeys) and isinstance(systems, NameKeys)):
        return None
    if golds.rest != systems.rest:
        return None
    found = name_partners(*golds.names.columns, *systems.names.columns)
    return None if found is None else _Paired(golds, np.arange(len(golds)), found)


def _paired_one_by_one(system: Refs, gold: Refs, lenient: bool) -> _Paired:
    """The general path; items without a name are left out."""
    places: dict[Key, int] = {}  # of gold keys in the order in which they first occur
    rows: list[int] = []
    doubled: list[str] = []
    for row, key in enumerate(gold.keys or ()):
        if key is None:
            continue
        place = places.setdefault(key, len(rows))
        if place == len(rows):
            rows.append(row)
        else:
            doubled.append(_doubled("gold", gold, row, lenient))
            rows[place] = row
    partner = [-1] * len(rows)
    extra: list[int] = []
    others: set[Key] = set()
    repeated: list[str] = []
    by_id: dict[str | None, list[Key]] = {}
    for row, key in enumerate(system.keys or ()):
        if key is None:
            continue
        place = places.get(key, -1)
        if place < 0:
            if not by_id:
                for other in places:
                    by_id.setdefault(other[0], []).append(other)
            fits = [other for other in by_id.get(key[0], ()) if agree(key, other)]
            if len(fits) > 1:
                raise _several(key, fits)
            if not fits:
                if key in others:
                    repeated.append(_doubled("system", system, row, lenient))
                else:
                    others.add(key)
                    extra.append(row)
                continue
            place = places[fits[0]]
        if partner[place] < 0:
            partner[place] = row
        else:
            repeated.append(_doubled("system", system, row, lenient))
    return _Paired(
        list(places),
        np.array(rows, np.int64),
        np.array(partner, np.int64),
        extra,
        doubled,
        repeated,
    )


def _report_nameless(
    refs: Refs, side: str, report: Report, lenient: bool, known: Collection[int] = ()
) -> int:
    """Reports items without a name, and returns their number.

    Where the system's file holds its own gold, both sides have the same errors.
    """
    count = 0
    for row, key in enumerate(refs.keys or [None] * len(refs)):
        if key is not None:
            continue
        error = refs.errors.get(row)
        if error is None:
            raise PairingError(
                f"the {side} item at line {refs.line[row]} has no id, others have", code="K206"
            )
        count += 1
        if id(error) in known:
            continue
        if side == "system":
            report.broken_system(error, lenient)
        else:
            report.broken(error)
    return count


def _doubled(side: str, refs: Refs, row: int, lenient: bool) -> str:
    name = refs.id(row)
    if not lenient:
        again = f", again at line {refs.line[row]}" if refs.line[row] else ""
        raise PairingError.in_file_of(side, f"{side} id {name!r} occurs twice{again}", code="K204")
    return name


class _Unpaired(msgspec.Struct, frozen=True):
    """Items without a partner, and the messages about them."""

    system: Refs
    golds: Sequence[Key]
    partner: Ints
    extra: Sequence[int]
    """Rows of system items without gold."""
    lenient: bool
    report: Report

    def _systems(self) -> list[Key]:
        keys = self.system.keys or []
        return [key for key in (keys[row] for row in self.extra) if key is not None]

    def _alone(self) -> list[Key]:
        return [self.golds[place] for place in np.flatnonzero(self.partner < 0).tolist()]

    def warn(self, ignores_others: bool) -> None:
        if self.extra and not ignores_others:
            self.report.warn(self.surplus() + " (ignored)")
        if alone := self._alone():
            near = self._in_other_case([str(key[0]) for key in alone])
            fate = "scored against nothing" if self.lenient else "left out"
            self.report.warn(
                part_of(len(alone), len(self.golds), "gold item")
                + f" no system item and {'is' if len(alone) == 1 else 'are'} {fate}: "
                + quote_some([str(key[0]) for key in alone])
                + (f" (the system has {quote_some(near)}: ids are case-sensitive)" if near else "")
            )

    def nothing_in_common(self) -> KaratError:
        """The error that no gold item has a system item."""
        systems = self._systems()
        if not systems and (unread := self.report.none_readable()):
            return unread
        ids = {key[0] for key in systems}
        if any(key[0] in ids for key in self.golds):
            theirs, ours = map(_further, self.golds), map(_further, systems)
            return PairingError.in_file_of(
                "system",
                "the ids are those of gold, but no item is of the same kind: gold has "
                f"{_list_some(theirs)}, the system has {_list_some(ours)}",
                code="K240",
                advice="give gold and system of the same framework and language; graphs can be "
                """taken for those of another with ``inject='{"framework": "…"}'``""",
            )
        return self.missing()

    def surplus(self) -> str:
        keys, ids = self._systems(), {key[0] for key in self.golds}
        names = quote_some([str(key[0]) for key in keys])
        number = counted(len(keys), "system item has", "system items have")
        if all(key[0] in ids for key in keys):
            kinds = _list_some(map(_further, keys))
            return f"{number} no gold item of their kind ({kinds}): {names}"
        return f"{number} no gold item: {names}"

    def _in_other_case(self, names: Sequence[str]) -> list[str]:
        """The system's ids without gold that differ from these in case alone."""
        folded = {str(key[0]).casefold(): str(key[0]) for key in self._systems()}
        return [folded[name.casefold()] for name in names if name.casefold() in folded]

    def missing(self) -> PairingError:
        names = [str(key[0]) for key in self._alone()]
        theirs = [str(key[0]) for key in self._systems()]
        near = self._in_other_case(names)
        advice = "``pair='position'`` pairs by order"
        if near:
            advice = f"the system file has {quote_some(near)}: ids are case-sensitive; " + advice
        elif theirs:
            advice = f"the system file has {quote_some(theirs)}; " + advice
        return PairingError.in_file_of(
            "system",
            part_of(len(names), len(self.golds), "gold id")
            + f" no system item: {quote_some(names)}",
            code="K201",
            advice=advice,
        )


def _further(key: Key) -> str:
    """The parts of a key after its id: framework, language."""
    return "/".join(part for part in key[1:] if part) or "none"


def _list_some(kinds: Iterable[str]) -> str:
    return quote_some(sorted(set(kinds)))


def _several(system: Key, golds: Sequence[Key]) -> PairingError:
    return PairingError(
        f"system item {system[0]!r} fits several gold items: "
        + " and ".join("/".join(part or "-" for part in gold[1:]) for gold in golds),
        code="K208",
        advice="say in the system file which of them it is",
    )


def agree(a: Key, b: Key) -> bool:
    """Whether two keys are equal in all parts that both have and that are not None."""
    return all(x == y or x is None or y is None for x, y in zip(a, b, strict=False))
