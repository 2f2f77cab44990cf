"""How the tokens of two texts are aligned, by the kernel that traces one pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from karat import _native
from karat.core.reading.strings import Codes

Edit: TypeAlias = Literal["hit", "substitution", "deletion", "insertion"]
_EDITS: tuple[Edit, ...] = ("hit", "substitution", "deletion", "insertion")
_LETTERS = {ord(edit[0]): edit for edit in _EDITS}
"""What the kernel calls them."""


def aligned(gold: Sequence[str], system: Sequence[str], jiwer: bool = False) -> list[Edit]:
    """The edits from first to last: fewest edits, then most hits, or those that jiwer finds.

    >>> aligned("the cat sat".split(), "a the cat".split())
    ['insertion', 'hit', 'hit', 'deletion']
    """
    front = _common(gold, system)
    rest = gold[front:], system[front:]
    back = _common(rest[0][::-1], rest[1][::-1])
    theirs, ours = (side[: len(side) - back] for side in rest)
    hits: list[Edit] = ["hit"]
    return hits * front + _traced(theirs, ours, jiwer)[::-1] + hits * back


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


def _traced(gold: Sequence[str], system: Sequence[str], jiwer: bool) -> list[Edit]:
    """The edits from last to first."""
    numbers = Codes()
    theirs, ours = (
        np.fromiter(map(numbers.__getitem__, side), np.int32) for side in (gold, system)
    )
    return [_LETTERS[letter] for letter in _native.traced_edits(theirs, ours, jiwer)]
