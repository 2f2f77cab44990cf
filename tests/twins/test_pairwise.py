"""Pairwise accuracy against its definition, threshold by threshold."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.errors import LimitExceeded
from karat.stats.levels import ALL_LEVELS, Correlations, Level
from karat.stats.pairwise import pairwise_accuracy

Matrix = npt.NDArray[np.float64]


def groups_of(x: Matrix, y: Matrix, level: Level) -> list[list[tuple[float, float]]]:
    cells = [
        [(a, b) for a, b in zip(*rows, strict=True) if a == a] for rows in zip(x, y, strict=True)
    ]
    if level == "by-system":
        return cells
    if level == "summary":
        return groups_of(x.T, y.T, "by-system")
    if level == "global":
        return [[cell for row in cells for cell in row]]
    return [[tuple(np.round(np.mean(row, axis=0), 12)) for row in cells if row]]


def accuracy(groups: list[list[tuple[float, float]]], threshold: float) -> float:
    shares = []
    for group in groups:
        right = []
        for (x1, y1), (x2, y2) in combinations(group, 2):
            dx = 0.0 if abs(x1 - x2) <= threshold else x1 - x2
            right.append(np.sign(dx) == np.sign(y1 - y2))
        if right:
            shares.append(np.mean(right))
    return float(np.mean(shares))


@example(15920)  # two differences that are equal but for rounding
@given(st.integers(0, 10**6))
@settings(max_examples=drawn(80), deadline=None)
def test_accuracy_and_its_best_threshold(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = int(random.integers(2, 6)), int(random.integers(2, 6))
    x, y = random.integers(0, 20, shape) / 4, random.integers(0, 3, shape).astype(float)
    absent = random.random(shape) < 0.15
    x[absent] = y[absent] = np.nan
    for level in ALL_LEVELS:
        groups = groups_of(x, y, level)
        found = pairwise_accuracy(Correlations(x, y), level)
        if not any(len(group) > 1 for group in groups):
            assert found.value is None
            continue
        differences = {
            round(abs(a[0] - b[0]), 12) for group in groups for a, b in combinations(group, 2)
        }
        assert found.value == pytest.approx(accuracy(groups, 0.0))
        best = max(accuracy(groups, threshold + 1e-11) for threshold in {0.0, *differences})
        assert found.calibrated == pytest.approx(best)
        assert found.threshold is not None
        assert accuracy(groups, found.threshold + 1e-11) == pytest.approx(best)
        assert found.calibrated >= found.value


def test_a_hand_made_case() -> None:
    """Three systems: one pair right, one pair tied by people only, one pair wrong."""
    x, y = np.array([[1.0], [1.1], [0.2]]), np.array([[2.0], [2.0], [3.0]])
    found = pairwise_accuracy(Correlations(x, y), "summary")
    assert (found.value, found.pairs, found.groups) == (0.0, 3, 1)
    assert found.calibrated == pytest.approx(1 / 3)
    assert found.threshold == pytest.approx(0.1)


def test_too_many_pairs_are_refused() -> None:
    matrix = np.zeros((100, 100))
    with pytest.raises(LimitExceeded, match="49,995,000 pairs"):
        pairwise_accuracy(Correlations(matrix, matrix), "global")
