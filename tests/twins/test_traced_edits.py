"""The kernel that traces an alignment back, against all alignments of short texts."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from karat.text.alignments import Edit, aligned

TEXTS = st.text("abc", max_size=5)


def alignments(gold: str, system: str) -> Iterator[tuple[Edit, ...]]:
    """All alignments, from first to last."""
    if not gold and not system:
        yield ()
    if gold and system:
        edit: Edit = "hit" if gold[-1] == system[-1] else "substitution"
        yield from ((*rest, edit) for rest in alignments(gold[:-1], system[:-1]))
    if gold:
        yield from ((*rest, "deletion") for rest in alignments(gold[:-1], system))
    if system:
        yield from ((*rest, "insertion") for rest in alignments(gold, system[:-1]))


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS, st.booleans())
def test_no_alignment_is_better(gold: str, system: str, jiwer: bool) -> None:
    every = set(alignments(gold, system))
    found = tuple(aligned(gold, system, jiwer))
    assert found in every

    def edits(each: tuple[Edit, ...]) -> int:
        return len(each) - each.count("hit")

    least = min(map(edits, every))
    assert edits(found) == least
    if not jiwer:
        best = max(each.count("hit") for each in every if edits(each) == least)
        assert found.count("hit") == best
