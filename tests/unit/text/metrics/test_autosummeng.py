"""Graphs of character n-grams against their definition."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import LimitExceeded, OptionError
from karat.text.metrics.autosummeng import AutoSummEng


def graph(text: str, n: int, window: int) -> Counter[tuple[str, str]]:
    """The definition: each n-gram is linked with those before it, in both directions."""
    text += "" if text.endswith("\n") else "\n"
    grams = [text[i : i + n] for i in range(len(text) - n + 1)]
    edges: Counter[tuple[str, str]] = Counter()
    for i, gram in enumerate(grams):
        for other in grams[max(0, i - window) : i]:
            edges[gram, other] += 1
            edges[other, gram] += 1
    return edges


def similarity(a: dict[Any, float], b: dict[Any, float]) -> float:
    common = a.keys() & b.keys()
    total = sum(min(a[edge], b[edge]) / max(a[edge], b[edge]) for edge in common)
    return total / (max(len(a), len(b)) or 1)


texts = st.text("ab \n", max_size=20)


@given(texts, st.lists(texts, min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 4))
def test_graphs_are_as_defined(system: str, golds: list[str], n: int, window: int) -> None:
    metric = AutoSummEng(min_n=n, max_n=n, d_window=window)
    own, others = graph(system, n, window), [graph(gold, n, window) for gold in golds]
    merged: dict[Any, float] = dict(others[0])
    for number, other in enumerate(others[1:], 2):
        for edge, weight in other.items():
            old = merged.get(edge)
            merged[edge] = weight if old is None else old + (weight - old) / number
    scores = metric.score(system, golds)
    mean = sum(similarity(own, other) for other in others) / len(others)
    assert scores["AutoSummENG"] == pytest.approx(mean)
    assert scores["MeMoG"] == pytest.approx(similarity(own, merged))


def test_graph_options() -> None:
    with pytest.raises(OptionError, match="min_n 4 is above max_n 3"):
        AutoSummEng(min_n=4)
    with pytest.raises(LimitExceeded, match="too long"):
        AutoSummEng().score("a" * 10**7, ["a"])
    assert AutoSummEng(min_score=0, max_score=10).score("abcdef", ["abcdef"])["NPowER"] == (
        pytest.approx(8.8824)
    )


def test_longer_ngrams_weigh_more() -> None:
    """The levels 1, 2 and 3 weigh 1, 1 + 2 and 1 + 2 + 3."""
    pair = "abcab", "abdab"
    levels = [similarity(*(graph(text, n, 3) for text in pair)) for n in (1, 2, 3)]
    assert len(set(levels)) == 3
    score = AutoSummEng(min_n=1, max_n=3).score(pair[0], [pair[1]])["AutoSummENG"]
    assert score == pytest.approx((levels[0] + 3 * levels[1] + 6 * levels[2]) / 10)


def test_npower_between_other_bounds() -> None:
    score = AutoSummEng(min_score=2, max_score=12).score("abcdef", ["abcdef"])["NPowER"]
    assert score == pytest.approx(2 + 10 * (5.2905 + 3.0053 + 0.5866) / 10)
