"""Explanations for people: marked words, and JSON on few lines."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from karat.report.explanation import is_about_tokens, marked_texts, outline
from karat.text.metrics.rouge import Rouge

DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@given(DOCUMENTS, st.integers(1, 60))
def test_it_is_the_same_json(document: Any, width: int) -> None:
    assert json.loads(outline(document, width)) == document


@given(DOCUMENTS)
def test_what_fits_stays_on_one_line(document: Any) -> None:
    assert "\n" not in outline(document, 10**6)


def test_only_what_is_too_long_is_broken() -> None:
    document = {"pairs": [[0, 0], [1, 1]], "words": ["a" * 20, "b" * 20]}
    assert outline(document, 40).splitlines() == [
        "{",
        '  "pairs": [[0, 0], [1, 1]],',
        '  "words": [',
        '    "aaaaaaaaaaaaaaaaaaaa",',
        '    "bbbbbbbbbbbbbbbbbbbb"',
        "  ]",
        "}",
    ]


def test_a_word_that_comes_too_often_is_clipped() -> None:
    explanation = Rouge(profile="google", max_ngram=1).explain("the the cat", ["the dog"])
    assert is_about_tokens(explanation)
    ((system, reference),) = marked_texts(explanation)
    assert system.lines == [[("the", "matched"), ("the", "clipped"), ("cat", "alone")]]
    assert reference.lines == [[("the", "matched"), ("dog", "alone")]]
