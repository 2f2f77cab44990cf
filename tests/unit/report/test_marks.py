"""Which words are marked, by hand-made cases."""

from __future__ import annotations

from karat.report.marks import MOST_WORDS, is_about_tokens, marked_texts, word_difference
from karat.text.metrics.rouge import Rouge


def test_a_word_that_comes_too_often_is_clipped() -> None:
    explanation = Rouge(profile="google", max_ngram=1).explain("the the cat", ["the dog"])
    assert is_about_tokens(explanation)
    ((system, reference),) = marked_texts(explanation)
    assert system.lines == [[("the", "matched"), ("the", "clipped"), ("cat", "alone")]]
    assert reference.lines == [[("the", "matched"), ("dog", "alone")]]


def test_the_closest_reference_is_shown() -> None:
    found = word_difference("a b c", ["x y z", "a c d"])
    assert found is not None
    system, gold = found
    assert gold.title == "closest reference"
    assert [word for word, mark in gold.lines[0] if mark == "alone"] == ["d"]
    assert [word for word, mark in system.lines[0] if mark == "alone"] == ["b"]


def test_long_texts_are_not_compared() -> None:
    assert word_difference("a " * (MOST_WORDS + 1), ["a"]) is None
