"""How the tokens of two texts are aligned, for explanations; the counts are the kernels'."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal, TypeAlias

import numpy as np

from karat import _native
from karat.core.reading.tokens import Codes
from karat.errors import LimitExceeded

Edit: TypeAlias = Literal["hit", "substitution", "deletion", "insertion"]
_MOVES: dict[Edit, tuple[int, int]] = {
    "hit": (1, 1),
    "substitution": (1, 1),
    "deletion": (1, 0),
    "insertion": (0, 1),
}
_LETTERS: dict[int, Edit] = {ord(edit[0]): edit for edit in _MOVES}
"""What the kernel calls them."""
_PARTS: dict[str, Edit] = {
    "hits": "hit",
    "substitutions": "substitution",
    "deletions": "deletion",
    "insertions": "insertion",
}
_CELLS = 16_000_000


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
    if len(gold) * len(system) > _CELLS:
        raise LimitExceeded("the texts are too long to be explained", code="K503")
    numbers = Codes()
    theirs, ours = (
        np.fromiter(map(numbers.__getitem__, side), np.int32) for side in (gold, system)
    )
    return [_LETTERS[letter] for letter in _native.traced_edits(theirs, ours, jiwer)]


def told(edits: Sequence[Edit], gold: Sequence[str], system: Sequence[str]) -> dict[str, Any]:
    """How many edits of each kind there are, and the tokens that each is about."""
    counts = Counter(edits)
    i = j = 0
    alignment = []
    for edit in edits:
        di, dj = _MOVES[edit]
        alignment.append(
            {"edit": edit, "gold": list(gold[i : i + di]), "system": list(system[j : j + dj])}
        )
        i, j = i + di, j + dj
    return {**{name: counts[edit] for name, edit in _PARTS.items()}, "alignment": alignment}


def told_in_runs(edits: Sequence[Edit], gold: str, system: str) -> dict[str, Any]:
    """The same for characters: neighbours with the same edit are put together."""
    single = told(edits, gold, system)
    runs = []
    for edit, group in groupby(single["alignment"], key=lambda step: step["edit"]):
        steps = list(group)
        sides = {
            side: "".join(token for step in steps for token in step[side])
            for side in ("gold", "system")
        }
        runs.append({"edit": edit, **sides})
    return {**single, "alignment": runs}
