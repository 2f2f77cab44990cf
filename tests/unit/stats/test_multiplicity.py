"""Holm's correction and rank clusters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.stats import holm, rank_clusters

HOLM = [
    ([], []),
    ([0.04], [0.04]),
    ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
    ([0.01, 0.01, 0.01], [0.03, 0.03, 0.03]),
    ([0.5, 0.9], [1.0, 1.0]),
    # Holm 1979 as in R: p.adjust(c(0.001, 0.02, 0.3, 0.04), "holm")
    ([0.001, 0.02, 0.3, 0.04], [0.004, 0.06, 0.3, 0.08]),
]


@pytest.mark.parametrize(("raw", "expected"), HOLM)
def test_holm(raw: list[float], expected: list[float]) -> None:
    assert holm(raw) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_lies_between_raw_and_bonferroni(raw: list[float]) -> None:
    adjusted = holm(raw)
    for one, other in zip(raw, adjusted, strict=True):
        assert one <= other <= min(1.0, one * len(raw)) + 1e-15
    by_raw = [other for _, other in sorted(zip(raw, adjusted, strict=True))]
    assert by_raw == sorted(by_raw), "the order of p-values is kept"


@given(st.lists(st.sampled_from([0.001, 0.01, 0.02, 0.04, 0.2, 0.9]), min_size=1, max_size=7))
def test_holm_rejects_what_the_closed_test_rejects(raw: list[float]) -> None:
    """Holm is the shortcut of testing every subset that holds a hypothesis by Bonferroni."""
    adjusted = holm(raw)
    for i, value in enumerate(adjusted):
        others = [j for j in range(len(raw)) if j != i]
        closed = max(
            min(1.0, (len(chosen) + 1) * min([raw[i], *(raw[j] for j in chosen)]))
            for size in range(len(raw))
            for chosen in itertools.combinations(others, size)
        )
        assert value == pytest.approx(closed)


def matrix(size: int, *significant: tuple[int, int]) -> np.ndarray:
    result = np.ones((size, size))
    for i, j in significant:
        result[i, j] = result[j, i] = 0.01
    return result


CLUSTERS = [
    ([], matrix(0), []),
    ([0.5], matrix(1), [1]),
    ([0.1, 0.9], matrix(2, (0, 1)), [2, 1]),
    ([0.1, 0.9], matrix(2), [1, 1]),
    # the outer two differ, but both touch the one between them: no gap, one cluster
    ([3, 2, 1], matrix(3, (0, 2)), [1, 1, 1]),
    ([3, 2, 1], matrix(3, (0, 1), (0, 2)), [1, 2, 2]),
    ([3, 2, 1], matrix(3, (0, 2), (1, 2)), [1, 1, 2]),
    ([3, 2, 1], matrix(3, (0, 1), (0, 2), (1, 2)), [1, 2, 3]),
    ([1, 2, 3], matrix(3, (0, 1), (0, 2), (1, 2)), [3, 2, 1]),
    ([float("-inf"), 2], matrix(2, (0, 1)), [2, 1]),
]


@pytest.mark.parametrize(("scores", "p_values", "expected"), CLUSTERS)
def test_rank_clusters(scores: list[float], p_values: np.ndarray, expected: list[int]) -> None:
    assert rank_clusters(scores, p_values) == expected
