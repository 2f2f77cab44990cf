"""The edits that turn one list of tokens into another, for explanations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_MOST_PAIRS = 25_000_000
"""Two longer texts take too long to be shown edit by edit."""


def edits_between(gold: Sequence[str], system: Sequence[str]) -> list[dict[str, Any]]:
    """The fewest insertions, deletions and substitutions, in the order of the text.

    >>> edits_between("a b c".split(), "a x c d".split())[0]
    {'edit': 'replace', 'gold': ['b'], 'system': ['x'], 'position': 1}
    """
    from rapidfuzz.distance import Levenshtein

    return [
        {
            "edit": edit.tag,
            "gold": list(gold[edit.src_pos : edit.src_pos + (edit.tag != "insert")]),
            "system": list(system[edit.dest_pos : edit.dest_pos + (edit.tag != "delete")]),
            "position": edit.src_pos,
        }
        for edit in Levenshtein.editops(list(gold), list(system))
    ]


def are_too_long(gold: Sequence[str], system: Sequence[str]) -> bool:
    """Whether the edits between two texts take too long to be found."""
    return len(gold) * len(system) > _MOST_PAIRS
