"""Texts after some of the edits that a metric of edits counts: shifts of phrases, then words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal, TypeAlias

import msgspec

from karat.core.repairs import Changes, Edit, confusion, unclassed

WordEdit: TypeAlias = Literal["keep", "substitute", "delete", "insert"]
"""What becomes of a word of the system, or that one is put after it."""
PARTITIONS = ("word",)


class Shift(msgspec.Struct):
    """Words of the system, by their places at first, and the one that they come to stand after."""

    words: tuple[int, ...]
    after: int
    """-1: at the beginning."""


@dataclass(eq=False)
class TextRepair:
    """The edits of one text.

    `steps` are those of the words after all shifts, from first to last.
    """

    item: str
    words: Sequence[str]
    gold: Sequence[str]
    steps: Sequence[WordEdit]
    changes: Mapping[str, Changes]
    """What an edit of each kind changes."""
    shifts: Sequence[Shift] = ()
    between: str = " "

    def _order(self, chosen: Collection[int]) -> list[int]:
        """The places of the system's words after some shifts."""
        order = list(range(len(self.words)))
        for number, shift in enumerate(self.shifts):
            if number in chosen:
                moved = frozenset(shift.words)
                rest = [place for place in order if place not in moved]
                at = 0 if shift.after < 0 else rest.index(shift.after) + 1
                order = [*rest[:at], *shift.words, *rest[at:]]
        return order

    @cached_property
    def _changed(self) -> list[tuple[WordEdit, int, str]]:
        """What is not kept: the place of the system's word, or of that before, and the word of
        gold."""
        found: list[tuple[WordEdit, int, str]] = []
        order, golds = iter(self._order(range(len(self.shifts)))), iter(self.gold)
        at = -1
        for step in self.steps:
            at = at if step == "insert" else next(order)
            theirs = "" if step == "delete" else next(golds)
            if step != "keep":
                found.append((step, at, theirs))
        return found

    def edits(self, partition: str) -> list[Edit]:
        result = []
        for shift in self.shifts:
            phrase = self.between.join(self.words[place] for place in shift.words)
            group = "shift" if partition == "kind" else unclassed("shift")
            result.append(Edit("shift", group, self.changes["shift"], phrase, phrase, 1))
        for step, at, gold in self._changed:
            ours = None if step == "insert" else self.words[at]
            theirs = None if step == "delete" else gold
            group = step if partition == "kind" else confusion(ours, theirs)
            single = (ours is not None) + (theirs is not None)
            result.append(Edit(step, group, self.changes[step], ours or "", gold, single))
        return result

    def apply(self, chosen: Collection[int]) -> str:
        """The text after the edits with these numbers."""
        if not chosen:
            return self.item
        # What stands at the beginning, then at the place of each word.
        written: list[tuple[str, ...]] = [(), *zip(self.words, strict=True)]
        for number, (step, at, theirs) in enumerate(self._changed, len(self.shifts)):
            if number in chosen:
                before = written[at + 1] if step == "insert" else ()
                written[at + 1] = before if step == "delete" else (*before, theirs)
        if self.shifts:
            written = [written[place + 1] for place in (-1, *self._order(chosen))]
        return self.between.join(chain.from_iterable(written))
