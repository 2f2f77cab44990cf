"""The edits that translation edit rate counts, one by one, as its kernel finds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from karat import _native

_EDITS = {"=": "keep", "s": "substitute", "d": "delete", "i": "insert"}


def edits_between(system: Sequence[str], gold: Sequence[str]) -> dict[str, Any]:
    """The shifts, in order, and the edits of the words as they then are.

    >>> found = edits_between("b c a x".split(), "a b c".split())
    >>> found["edits"], found["shifts"]
    (2, [{'words': ['a'], 'from': 2, 'to': 0}])
    """
    numbers: dict[str, int] = {}
    sides = [
        np.array([numbers.setdefault(word, len(numbers)) for word in side], np.int32)
        for side in (system, gold)
    ]
    moves, steps = _native.ter_steps(*sides)
    words = list(system)
    shifts = []
    for start, length, target in moves:
        phrase = words[start : start + length]
        words, place = _shifted(words, start, length, target)
        shifts.append({"words": phrase, "from": start, "to": place})
    i = j = 0
    alignment = []
    for step in steps:
        ours, theirs = step != "i", step != "d"
        alignment.append(
            {
                "edit": _EDITS[step],
                "system": words[i : i + ours],
                "gold": list(gold[j : j + theirs]),
            }
        )
        i, j = i + ours, j + theirs
    edits = len(shifts) + sum(step != "=" for step in steps)
    return {"edits": edits, "shifts": shifts, "alignment": alignment}


def _shifted(words: Sequence[str], start: int, length: int, target: int) -> tuple[list[str], int]:
    """The words after a shift, and where the phrase is then.

    A target inside the phrase moves it on by as many words.

    >>> _shifted("a b c d e".split(), 0, 2, 4)
    (['c', 'd', 'a', 'b', 'e'], 2)
    """
    phrase, rest = list(words[start : start + length]), list(words)
    del rest[start : start + length]
    place = min(target - length if target > start + length else target, len(rest))
    return [*rest[:place], *phrase, *rest[place:]], place
