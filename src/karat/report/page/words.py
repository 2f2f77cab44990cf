"""Which words of two texts differ: missing, surplus, changed, and moved to another place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from karat.core.shown import Fault, Kind, utf16

LAYER = "what differs"
MOST_WORDS = 3000
"""Longer texts are not compared word by word."""
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:['’\-][^\W_]+)*|[^\w\s]")
"""Words with their apostrophes and hyphens, single characters of scripts without blanks, marks."""
Span = tuple[int, int]
_SPAN = re.Match.span


class Words:
    """The words of a text, and where they stand as browsers count."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[str] = _WORD.findall(text)

    @cached_property
    def spans(self) -> list[Span]:
        """Where each word begins and ends."""
        found: list[Span] = list(map(_SPAN, _WORD.finditer(self.text)))
        units = self.units
        return found if units is None else [(units[begin], units[end]) for begin, end in found]

    @cached_property
    def units(self) -> list[int] | None:
        return utf16(self.text)

    @property
    def end(self) -> int:
        return len(self.text) if self.units is None else self.units[-1]

    def span(self, begin: int, end: int) -> Span:
        """From the first of some words to the last; where there is none, a place between two."""
        if begin < end:
            return self.spans[begin][0], self.spans[end - 1][1]
        at = self.spans[begin][0] if begin < len(self.spans) else self.end
        return at, at


def word_marks(system: Words, golds: Sequence[Words]) -> tuple[list[int], list[Fault]]:
    """Marks of a text against the closest of its references, and what differs, to be counted.

    A word that stands at another place is moved, not missing and surplus.
    """
    if not golds or max(len(each.words) for each in (system, *golds)) > MOST_WORDS:
        return [], []
    number, gold = 0, golds[0]
    if len(golds) > 1:
        distances = [Levenshtein.distance(each.words, system.words) for each in golds]
        number = distances.index(min(distances))
        gold = golds[number]
    if gold.words == system.words:
        return [], []
    steps = [step for step in Levenshtein.opcodes(gold.words, system.words) if step.tag != "equal"]
    lost = [i for step in steps for i in range(step.src_start, step.src_end)]
    new = [j for step in steps for j in range(step.dest_start, step.dest_end)]
    moved = _moved(gold, system, lost, new)
    came_from = {j: i for i, j in moved.items()}
    marks: list[int] = []
    faults: list[Fault] = []
    for step in steps:
        left = [i for i in range(step.src_start, step.src_end) if i not in moved]
        right = [j for j in range(step.dest_start, step.dest_end) if j not in came_from]
        both = min(len(left), len(right))
        for i, j in zip(left[:both], right[:both], strict=True):
            marks += [Kind.CHANGED, number, *gold.span(i, i + 1), *system.span(j, j + 1)]
            faults.append(Fault("words", Kind.CHANGED, gold.words[i], system.words[j]))
        for i in left[both:]:
            here = system.span(step.dest_end, step.dest_end)
            marks += [Kind.MISSING, number, *gold.span(i, i + 1), *here]
            faults.append(Fault("words", Kind.MISSING, gold.words[i], ""))
        for j in right[both:]:
            there = gold.span(step.src_end, step.src_end)
            marks += [Kind.SURPLUS, number, *there, *system.span(j, j + 1)]
            faults.append(Fault("words", Kind.SURPLUS, "", system.words[j]))
    for i, j in moved.items():
        marks += [Kind.MOVED, number, *gold.span(i, i + 1), *system.span(j, j + 1)]
    return marks, faults


def _moved(gold: Words, system: Words, lost: Sequence[int], new: Sequence[int]) -> dict[int, int]:
    """Words of gold that the system has at another place, in order."""
    waiting: dict[str, list[int]] = {}
    for j in reversed(new):
        waiting.setdefault(system.words[j], []).append(j)
    return {i: waiting[gold.words[i]].pop() for i in lost if waiting.get(gold.words[i])}
