"""Which words of two texts match: the same marks on a terminal and on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

Mark: TypeAlias = Literal["", "matched", "clipped", "alone", "exact", "stem", "synonym"]
"""Alone: without a partner in the other text. Clipped: it has one, but too often."""


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
