"""Which words are marked, by hand-made cases."""

from __future__ import annotations

from karat.report.explanation import is_about_tokens, marked_texts
from karat.text.metrics.rouge import Rouge


def test_a_word_that_comes_too_often_is_clipped() -> None:
    explanation = Rouge(profile="google", max_ngram=1).explain("the the cat", ["the dog"])
    assert is_about_tokens(explanation)
    ((system, reference),) = marked_texts(explanation)
    assert system.lines == [[("the", "matched"), ("the", "clipped"), ("cat", "alone")]]
    assert reference.lines == [[("the", "matched"), ("dog", "alone")]]
