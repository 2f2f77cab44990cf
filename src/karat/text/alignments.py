"""How the tokens of two texts are aligned, for explanations; the counts are the kernels'."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import LimitExceeded

Edit: TypeAlias = Literal["hit", "substitution", "deletion", "insertion"]
_MOVES: dict[Edit, tuple[int, int]] = {
    "hit": (1, 1),
    "substitution": (1, 1),
    "deletion": (1, 0),
    "insertion": (0, 1),
}
_PREFERRED: tuple[Edit, ...] = ("hit", "substitution", "deletion", "insertion")
_AS_JIWER: tuple[Edit, ...] = ("deletion", "substitution", "insertion", "hit")
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
    return hits * front + list(_traced(theirs, ours, jiwer))[::-1] + hits * back


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


def _traced(gold: Sequence[str], system: Sequence[str], jiwer: bool) -> Iterator[Edit]:
    """The edits from last to first."""
    if len(gold) * len(system) > _CELLS:
        raise LimitExceeded("the texts are too long to be explained", code="K503")
    # A cell holds edits * scale - hits, so that the smallest has the fewest edits, then most hits.
    scale, reward = (1, 0) if jiwer else (min(len(gold), len(system)) + 1, 1)
    costs: dict[Edit, int] = {
        "hit": -reward, "substitution": scale, "deletion": scale, "insertion": scale,
    }  # fmt: skip
    table = _table(gold, system, scale, reward)
    i, j = len(gold), len(system)
    while i or j:
        for edit in _AS_JIWER if jiwer else _PREFERRED:
            di, dj = _MOVES[edit]
            if (
                i < di
                or j < dj
                or (di and dj and (gold[i - 1] == system[j - 1]) != (edit == "hit"))
            ):
                continue
            if table[i, j] == table[i - di, j - dj] + costs[edit]:
                break
        i, j = i - di, j - dj
        yield edit


def _table(
    gold: Sequence[str], system: Sequence[str], scale: int, reward: int
) -> npt.NDArray[np.int64]:
    numbers: dict[str, int] = {}
    ours = np.array([numbers.setdefault(token, len(numbers)) for token in system], np.int64)
    table = np.empty((len(gold) + 1, len(system) + 1), np.int64)
    steps = np.arange(len(system) + 1) * scale
    table[0] = steps
    for i, token in enumerate(gold, 1):
        through = np.where(ours == numbers.get(token, -1), -reward, scale)
        row = table[i - 1] + scale
        row[1:] = np.minimum(row[1:], table[i - 1, :-1] + through)
        # Insertions: the least of all cells to the left, with the way from there.
        table[i] = np.minimum.accumulate(row - steps) + steps
    return table


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
