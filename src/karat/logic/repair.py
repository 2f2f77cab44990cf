"""What to change in a system's logical form, term by term, and forms so changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from karat.core.assigning import assigned, candidates
from karat.core.capabilities import ABSTAINS, Reading, Slot, Values
from karat.core.repairs import Edit, confusion, unclassed
from karat.errors import LimitExceeded
from karat.logic.diagnosis import PlacedTerm, differences, placed_terms
from karat.logic.model import AnyDialect, Argument, DialectName, Entry, Form, Term, serialize
from karat.logic.semantic import renaming

PARTITIONS = ("predicate", "role")
"""How edits of forms can be divided into classes, besides their kinds."""


class Change(msgspec.Struct):
    """One edit of a form: a term of gold for one of the system's, or the form as a whole."""

    kind: str
    gold: PlacedTerm | None = None
    system: PlacedTerm | None = None
    place: int = -1
    """Of the system's term among all of its terms."""
    gold_place: int = -1

    def counted(self) -> tuple[int, int]:
        """What it adds to the terms that both have, and to the system's."""
        if self.kind == "definiteness":
            return 0, 0
        added, removed = self.gold is not None, self.system is not None
        return int(added), int(added) - int(removed)


@dataclass(eq=False)
class FormRepair:
    """The edits of a form, in its dialect; `counts` are its terms that both have, all of the
    system's and all of gold."""

    item: str | Entry
    texts: tuple[str, str]
    system: Any
    gold: Any
    dialect: AnyDialect
    counts: tuple[float, float, float]
    counted: tuple[str, str]
    """The columns of terms that both have, and of the system's."""

    # -- finding them ----------------------------------------------------------------------------

    @cached_property
    def changes(self) -> list[Change]:
        if self.texts[0] == self.texts[1]:
            return []
        system, gold = self.system, self.gold
        if not isinstance(system, Form) or "name" in (system.type, gold.type):
            return [Change("rewrite")]
        found = self._terms(system, gold)
        if system.binders != gold.binders and not any(each.kind == "rename" for each in found):
            found.append(Change("binders"))
        if self.dialect != "recogs" and self._made(found) != self.texts[1]:
            found.append(Change("order"))
        return found

    @cached_property
    def names(self) -> dict[Argument, Argument] | None:
        """Gold's constant or letter for each of the system's, where the names alone are wrong."""
        try:
            found = renaming(self.system, self.gold)
        except LimitExceeded:
            return None
        if found is None:
            return None
        letters = zip(self.system.binders, self.gold.binders, strict=True)
        return {**{ours: theirs for theirs, ours in found.items()}, **dict(letters)}

    def _terms(self, system: Form, gold: Form) -> list[Change]:
        ours, theirs = placed_terms(system), placed_terms(gold)
        missing, extra = differences(ours, theirs)
        if not (missing or extra):
            return []
        if self.names is not None:
            return [Change("rename")]
        places = _places(ours, extra)
        golds = _places(theirs, missing)
        partner = assigned(
            candidates([_alike(each) for each in missing], [_alike(each) for each in extra]),
            candidates([_near(each) for each in missing], [_near(each) for each in extra]),
        )
        _keep_a_conjunct(partner, missing, extra, len(system.conjuncts))
        result = []
        for each, j, place in zip(missing, partner, golds, strict=True):
            if j is None:
                result.append(Change("term add", each, gold_place=place))
            else:
                result.append(Change(_kind(each, extra[j]), each, extra[j], places[j], place))
        taken = set(partner)
        result += [
            Change("term delete", None, each, places[j])
            for j, each in enumerate(extra)
            if j not in taken
        ]
        return result

    # -- telling them ----------------------------------------------------------------------------

    def edits(self, partition: str) -> list[Edit]:
        return [self._edit(each, partition) for each in self.changes]

    def _edit(self, change: Change, partition: str) -> Edit:
        common, system, gold = self.counts
        single = 1
        if change.kind in ("rewrite", "rename"):
            added, more = gold - common, gold - system
            ours, theirs = self.texts
            single = int(system + gold - 2 * common)
        elif change.gold is None and change.system is None:
            added = more = 0.0
            ours, theirs = self.texts
        else:
            added, more = map(float, change.counted())
            ours, theirs = (
                "" if each is None else each.text(self._dialect)
                for each in (change.system, change.gold)
            )
            single = (change.gold is not None) + (change.system is not None)
        changes = tuple(
            (name, value) for name, value in zip(self.counted, (added, more), strict=True) if value
        )
        group = change.kind if partition == "kind" else _class(change, partition)
        return Edit(change.kind, group, changes, ours, theirs, single)

    @property
    def _dialect(self) -> DialectName:
        assert self.dialect != "varfree"
        return self.dialect

    # -- making them -----------------------------------------------------------------------------

    def apply(self, chosen: Collection[int]) -> str | Entry:
        """The form after the edits with these numbers."""
        if not chosen:
            return self.item
        text = self._made([self.changes[number] for number in sorted(chosen)])
        return text if isinstance(self.item, str) else replace(self.item, form=text)

    def _made(self, made: Sequence[Change]) -> str:
        if any(each.kind == "rewrite" for each in made):
            return self.texts[1]
        terms: list[PlacedTerm | None] = list(placed_terms(self.system))
        for each in made:
            if each.place >= 0:
                terms[each.place] = each.gold
        placed = [each for each in terms if each is not None]
        golds = placed_terms(self.gold)
        for each in made:
            if each.place < 0 and each.gold is not None:
                _insert(placed, each.gold, golds[: each.gold_place])
        kinds = {each.kind for each in made}
        as_gold = not kinds.isdisjoint(("binders", "rename"))  # the letters of lambda
        if "rename" in kinds and self.names is not None:
            placed = [_renamed(each, self.names) for each in placed]
        if "order" in kinds:
            placed = self._in_order(placed)
            if placed == placed_terms(self.gold) and (
                as_gold or self.system.binders == self.gold.binders
            ):
                return self.texts[1]
        source = self.gold if as_gold else self.system
        form = Form(
            source.type,
            tuple(each.term for each in placed if not each.definite),
            tuple(each.term for each in placed if each.definite),
            source.binders,
        )
        if form == self.system:
            return self.texts[0]
        return serialize(form, self._dialect)

    def _in_order(self, placed: Sequence[PlacedTerm]) -> list[PlacedTerm]:
        """Terms that gold has in its order, the others after them."""
        left = Counter(placed)
        result = []
        for each in placed_terms(self.gold):
            if left[each]:
                left[each] -= 1
                result.append(each)
        return result + [each for each in placed if _take(left, each)]


def _keep_a_conjunct(
    partner: list[int | None], missing: Sequence[PlacedTerm], extra: Sequence[PlacedTerm], size: int
) -> None:
    """A form without any conjunct is none: the last one is replaced, not deleted."""
    deleted = [j for j, each in enumerate(extra) if not each.definite and j not in partner]
    added = [i for i, j in enumerate(partner) if j is None and not missing[i].definite]
    if deleted and added and len(deleted) == size:
        partner[added[0]] = deleted[0]


def _insert(placed: list[PlacedTerm], term: PlacedTerm, before: Sequence[PlacedTerm]) -> None:
    """Puts a term of gold after the nearest one that stands before it there."""
    for other in reversed(before):
        if other in placed:
            placed.insert(len(placed) - placed[::-1].index(other), term)
            return
    placed.insert(0, term)


def _take(left: Counter[PlacedTerm], each: PlacedTerm) -> bool:
    left[each] -= 1
    return left[each] >= 0


def _places(terms: Sequence[PlacedTerm], chosen: Sequence[PlacedTerm]) -> list[int]:
    """Where each of some terms stands among all; of equal ones the last ones are taken."""
    waiting: dict[PlacedTerm, list[int]] = {}
    for i, term in enumerate(terms):
        waiting.setdefault(term, []).append(i)
    found = [waiting[each].pop() for each in reversed(chosen)]
    return found[::-1]


def _alike(placed: PlacedTerm) -> list[Hashable]:
    """What two terms that differ in one respect have in common."""
    definite, (predicate, arguments) = placed
    one_off = [
        ("one argument", definite, predicate, len(arguments), i, argument)
        for i, argument in enumerate(arguments)
        if len(arguments) > 1
    ]
    return [("prefix", predicate, arguments), ("predicate", definite, arguments), *one_off]


def _near(placed: PlacedTerm) -> list[Hashable]:
    definite, (predicate, arguments) = placed
    return [("arguments", definite, predicate, len(arguments))]


def _kind(gold: PlacedTerm, system: PlacedTerm) -> str:
    if gold.term == system.term:
        return "definiteness"
    if gold.term.predicate != system.term.predicate:
        return "predicate" if gold.term.arguments == system.term.arguments else "term replace"
    pairs = zip(gold.term.arguments, system.term.arguments, strict=True)
    differing = [(a, b) for a, b in pairs if a != b]
    constants = all(isinstance(a, int) and isinstance(b, int) for a, b in differing)
    return "constant" if constants else "argument"


def _renamed(placed: PlacedTerm, names: Mapping[Argument, Argument]) -> PlacedTerm:
    predicate, arguments = placed.term
    return PlacedTerm(placed.definite, Term(predicate, tuple(names.get(a, a) for a in arguments)))


def _class(change: Change, partition: str) -> str:
    ours, theirs = (
        None if each is None else _named(each, partition) for each in (change.system, change.gold)
    )
    if ours is None and theirs is None:
        return unclassed(change.kind)
    if ours == theirs:
        return f"{theirs} {change.kind}"
    return confusion(ours, theirs)


def _named(placed: PlacedTerm, partition: str) -> str:
    predicate = placed.term.predicate
    if partition == "predicate":
        return predicate
    return predicate.partition(".")[2] or "(no role)"


def reading_of(pair: FormRepair) -> Reading:
    """The terms of gold, and those that the system has in their place.

    A form that cannot be read, and forms that differ otherwise than by terms, say nothing.
    """
    found: dict[Slot, Values] = {}
    gold, changes = pair.gold, pair.changes
    if not isinstance(gold, Form):
        return found
    silent = any(each.kind == "rewrite" for each in changes)
    dialect = pair._dialect
    instead = {each.gold: each.system for each in changes if each.gold is not None}
    for term in dict.fromkeys(placed_terms(gold)):
        text = term.text(dialect)
        value: str | None = ABSTAINS if silent else text
        if not silent and term in instead:
            other = instead[term]
            value = None if other is None else other.text(dialect)
        found[Slot("term", text)] = Values(text, value)
    for each in changes:
        if each.gold is None and each.system is not None:
            text = each.system.text(dialect)
            found.setdefault(Slot("term", f"new {text}"), Values(None, text))
    return found
