"""The kernel that lists the edits between words, against those that rapidfuzz finds."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karat.core.reading.strings import Referenced
from karat.text.metrics.exact import Exact

WORDS = st.sampled_from(["a", "b", "B", "cat", "ẞ", "ss", "東京", "\U0001f600", '"', "\\"])
BLANKS = st.sampled_from([" ", "  ", "\t", "\u3000", "\x1c"])
TEXTS = st.builds(str.join, BLANKS, st.lists(WORDS, max_size=12))
FEW = st.text("ab", max_size=75).map(" ".join)


@pytest.mark.parametrize("ignore_case", [False, True])
@settings(max_examples=300, deadline=None)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS) | st.tuples(FEW, FEW), min_size=1, max_size=3))
@example(pairs=[("", ""), ("", "a"), ("a", ""), (" a  b", "a b ")])
def test_exact_lists_the_edits_of_rapidfuzz(
    pairs: list[tuple[str, str]], ignore_case: bool
) -> None:
    metric = Exact(ignore_case=ignore_case)
    texts = Referenced.of([(system, [gold]) for system, gold in pairs])
    found = metric.explain_texts(texts, metric.rows(texts))
    for (system, gold), own in zip(pairs, found, strict=True):
        if own or len(gold.split()) <= 64:
            assert own == msgspec.json.encode(metric.explain(system, gold))


def test_texts_with_many_other_words_are_left_to_rapidfuzz() -> None:
    pairs = [(" ".join("a" * n), [" ".join("b" * n)]) for n in (64, 65)]
    texts = Referenced.of([*pairs, (pairs[1][0], [pairs[1][0]])])
    metric = Exact()
    found = metric.explain_texts(texts, metric.rows(texts))
    assert [bool(own) for own in found] == [True, False, True]
