"""Layers of marks for texts: where tokens stand, and which of them a measure counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def count_marks(
    tokens: Sequence[str], spans: Sequence[Span], size: int, matched: Mapping[str, int]
) -> Iterator[tuple[Kind, Span]]:
    """The n-grams of one side that match, and those that do so more often than the other has them.

    Each token is marked once; it counts if one of its n-grams does.
    """
    left = Counter(matched)
    kinds: dict[int, Kind] = {}
    for i in range(len(tokens) - size + 1):
        gram = " ".join(tokens[i : i + size])
        if gram not in matched:
            continue
        left[gram] -= 1
        kind = Kind.MATCHED if left[gram] >= 0 else Kind.CLIPPED
        for place in range(i, i + size):
            if kinds.get(place) != Kind.MATCHED:
                kinds[place] = kind
    for place, kind in sorted(kinds.items()):
        yield kind, spans[place]


def of_gold(number: int, marks: Iterable[tuple[Kind, Span]]) -> list[int]:
    """Marks in the text of a reference alone."""
    return [value for kind, span in marks for value in (kind, number, *span, -1, -1)]


def of_system(number: int, marks: Iterable[tuple[Kind, Span]]) -> list[int]:
    """Marks in the system's text alone, that count for one reference."""
    return [value for kind, span in marks for value in (kind, number, -1, -1, *span)]
