"""Which words of two texts match: the same marks on a terminal and on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from rapidfuzz.distance import Levenshtein

Mark: TypeAlias = Literal["", "matched", "clipped", "alone", "exact", "stem", "synonym"]
"""Alone: without a partner in the other text. Clipped: it has one, but too often."""

MOST_WORDS = 3000


class Marked(NamedTuple):
    """One text, its words in lines, each with its mark."""

    title: str
    lines: list[list[tuple[str, Mark]]]


def marked_texts(explanation: Mapping[str, Any]) -> Iterator[tuple[Marked, Marked]]:
    """The system's text and each reference, as an explanation about tokens has them."""
    for number, reference in enumerate(explanation["references"], 1):
        title = f"reference {number}"
        if "measures" in reference:
            counts = _word_counts(reference["measures"])
            yield (
                Marked("system", _counted(explanation["system"], counts)),
                Marked(title, _counted(reference["tokens"], counts)),
            )
        else:
            yield (
                Marked("system", [_aligned(explanation["system"], reference, "system")]),
                Marked(title, [_aligned(reference["tokens"], reference, "gold")]),
            )


def is_about_tokens(explanation: Mapping[str, Any]) -> bool:
    """Whether `marked_texts` can show it."""
    return "system" in explanation and isinstance(explanation.get("references"), list)


def _word_counts(measures: Mapping[str, Any]) -> Counter[str] | None:
    """How often each word matches; None where single words were not looked at."""
    for name in ("rouge-1", "rouge1"):
        if name in measures:
            return Counter({each["gram"]: each["count"] for each in measures[name]["matched"]})
    return None


def _counted(
    lines: Sequence[Sequence[str]], counts: Counter[str] | None
) -> list[list[tuple[str, Mark]]]:
    if counts is None:
        return [[(token, "") for token in line] for line in lines]
    left = counts.copy()

    def mark(token: str) -> Mark:
        if token not in counts:
            return "alone"
        left[token] -= 1
        return "matched" if left[token] >= 0 else "clipped"

    return [[(token, mark(token)) for token in line] for line in lines]


def _aligned(
    tokens: Sequence[str], reference: Mapping[str, Any], side: str
) -> list[tuple[str, Mark]]:
    stages: dict[int, Mark] = {match[side]: match["stage"] for match in reference["matched"]}
    return [(token, stages.get(place, "alone")) for place, token in enumerate(tokens)]


def word_difference(system: str, references: Sequence[str]) -> tuple[Marked, Marked] | None:
    """The words that the system and the closest reference do not share, in order.

    None where the texts are too long to be compared word by word.
    """
    ours = system.split()
    theirs = [reference.split() for reference in references]
    if max(map(len, [ours, *theirs])) > MOST_WORDS:
        return None
    gold = min(theirs, key=lambda words: Levenshtein.distance(words, ours))
    missing: set[int] = set()
    surplus: set[int] = set()
    for step in Levenshtein.opcodes(gold, ours):
        if step.tag != "equal":
            missing.update(range(step.src_start, step.src_end))
            surplus.update(range(step.dest_start, step.dest_end))
    title = "gold" if len(theirs) == 1 else "closest reference"
    return Marked("system", [_apart(ours, surplus)]), Marked(title, [_apart(gold, missing)])


def _apart(words: Sequence[str], alone: set[int]) -> list[tuple[str, Mark]]:
    return [(word, "alone" if i in alone else "matched") for i, word in enumerate(words)]
