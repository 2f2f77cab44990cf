"""Exact match and F1 of answers."""

from __future__ import annotations

import pytest

from karat.text.metrics.words import Squad


@pytest.mark.parametrize(
    ("answer", "accepted", "em", "f1"),
    [
        ("The cat.", ["cat"], 1.0, 1.0),
        ("a cat sat", ["the cat", "cat sat down"], 0.0, 0.8),
        ("", ["", "x"], 1.0, 1.0),
        ("", ["x"], 0.0, 0.0),
        ("the", ["a"], 1.0, 1.0),
        ("cat cat", ["cat"], 0.0, 2 / 3),
    ],
)
def test_answers(answer: str, accepted: list[str], em: float, f1: float) -> None:
    scores = Squad().score(answer, accepted)
    assert scores["em"] == em
    assert scores["f1"] == pytest.approx(f1)


def test_unanswered_questions_are_counted() -> None:
    macro, _ = Squad().evaluate(["yes", ""], [["yes"], ["no"]])
    assert macro == {"em": 0.5, "f1": 0.5, "is_answered": 0.5}
