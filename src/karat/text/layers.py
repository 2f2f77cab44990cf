"""Layers of marks for texts: where tokens stand, and which of them a measure counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karat.core.shown import Kind, as_text, utf16

Span = tuple[int, int]
_STAGES = {"exact": Kind.MATCHED, "stem": Kind.STEM, "synonym": Kind.SYNONYM}


def places(text: str, tokens: Iterable[str]) -> list[Span] | None:
    """Where tokens stand in a text, in order, whatever their case; None where one is not there.

    >>> places("The dog, the Cat", ["the", "dog", "cat"])
    [(0, 3), (4, 7), (13, 16)]
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters have a longer lower case
        lower = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    units = utf16(text)
    found, at = [], 0
    for token in tokens:
        begin = lower.find(token.lower(), at)
        if begin < 0:
            return None
        at = begin + len(token)
        found.append((begin, at) if units is None else (units[begin], units[at]))
    return found


def alignment_layer(system: Any, gold: Sequence[Any], explanation: Mapping[str, Any]) -> list[int]:
    """The words that an alignment puts together, in each reference."""
    ours = places(as_text(system) or "", explanation["system"])
    marks: list[int] = []
    for number, (text, found) in enumerate(zip(gold, explanation["references"], strict=True)):
        theirs = places(as_text(text) or "", found["tokens"])
        if ours is None or theirs is None:
            continue
        for match in found["matched"]:
            kind = _STAGES[match["stage"]]
            marks += [kind, number, *theirs[match["gold"]], *ours[match["system"]]]
    return marks
