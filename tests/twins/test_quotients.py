"""Quotients and harmonic means of arrays against one number after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.core.scores import harmonic, quotient, undefined_is_nan

NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 3.0, math.nan]),
    st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-9),
)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20)


def divided(part: float, whole: float, empty: float) -> float:
    return empty if whole == 0 else part / whole


def harmonic_mean(first: float, second: float, strict: bool) -> float:
    if strict and math.isnan(first) != math.isnan(second):
        return 0.0
    return divided(2 * first * second, first + second, 0.0)


def columns(pairs: list[tuple[float, float]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same numbers in memory of their own, as columns of a table, and backwards."""
    table = np.array(pairs)
    first, second = np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])
    backwards = np.ascontiguousarray(table[::-1])
    return [(first, second), (table[:, 0], table[:, 1]), (backwards[::-1, 0], backwards[::-1, 1])]


@given(PAIRS, st.sampled_from([0.0, 1.0, math.nan]))
def test_quotients(pairs: list[tuple[float, float]], empty: float) -> None:
    expected = [divided(part, whole, empty) for part, whole in pairs]
    for part, whole in columns(pairs):
        np.testing.assert_array_equal(quotient(part, whole, empty), expected)
        # Numbers of other shapes go another way.
        np.testing.assert_array_equal(
            quotient(part[:, None], whole[:, None], empty)[:, 0], expected
        )


@given(PAIRS)
def test_harmonic_means(pairs: list[tuple[float, float]]) -> None:
    for first, second in columns(pairs):
        expected = [harmonic_mean(a, b, strict=False) for a, b in pairs]
        np.testing.assert_array_equal(harmonic(first, second), expected)
        with undefined_is_nan():
            expected = [harmonic_mean(a, b, strict=True) for a, b in pairs]
            np.testing.assert_array_equal(harmonic(first, second), expected)
            np.testing.assert_array_equal(harmonic(first[:, None], second[:, None])[:, 0], expected)


def test_arrays_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        _native.quotients(np.ones(2), np.ones(3), 0.0)
    with pytest.raises(ValueError, match="same length"):
        _native.harmonic_means(np.ones(3), np.ones(2), False)


def test_sums_of_chrf_over_orders() -> None:
    """Order after order, those of characters and of words apart; some have no n-grams."""
    draw = np.random.default_rng(5)
    for size in (1, 7, 40):
        common = draw.integers(0, 4, (size, 8))
        system, gold = (common + draw.integers(0, 2, (size, 8)) for _ in range(2))
        table = np.dstack([system, gold, common]).reshape(size, 24).astype(float)
        averages, weight = _native.chrf_sums(table, 6), 4.0
        (smoothed,) = _native.chrf_sums(table, 6, weight)
        for i in range(size):
            for order in range(8):
                first = 6 if order >= 6 else 0
                orders = [
                    (int(s), int(g), int(c))
                    for s, g, c in table[i].reshape(8, 3)[first : order + 1].tolist()
                ]
                both = [each for each in orders if each[0] and each[1]]
                expected = [
                    len(both),
                    sum(c / s for s, _, c in both),
                    sum(c / g for _, g, c in both),
                ]
                assert averages[:, order, i] == pytest.approx(expected, rel=1e-12)
                scores = []
                for s, g, c in orders:
                    p, r = divided(c, s, 1e-16), divided(c, g, 1e-16)
                    scores.append(divided((1 + weight) * p * r, weight * p + r, 1e-16))
                assert smoothed[order, i] == pytest.approx(sum(scores), rel=1e-12)
    with pytest.raises(ValueError):
        _native.chrf_sums(np.ones((2, 4)), 1)
