"""Coefficients, p-values and distributions against SciPy."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from karat.stats.correlation import (
    correlation,
    fisher_interval,
    p_values,
    partial_p_values,
    with_ties,
)
from karat.stats.tails import (
    chi_square_tail,
    kendall_exact,
    normal_tail,
    student_tail,
)

numbers = st.one_of(
    st.integers(0, 5).map(float),
    st.floats(-1e6, 1e6).map(lambda value: round(value, 3)),
)
pairs = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=60)

SCIPY = {
    "pearson": scipy_stats.pearsonr,
    "spearman": scipy_stats.spearmanr,
    "kendall": scipy_stats.kendalltau,
    "kendall-c": lambda x, y: scipy_stats.kendalltau(x, y, variant="c"),
}


@given(pairs)
@settings(max_examples=300, deadline=None)
def test_values_and_p_values_equal_scipy(points: list[tuple[float, float]]) -> None:
    x, y = (np.array(side) for side in zip(*points, strict=True))
    values, found = correlation(x, y), p_values(x, y)
    for name, peer in SCIPY.items():
        if len(set(x)) < 2 or len(set(y)) < 2:
            assert math.isnan(values[name])
            assert found[name] is None
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = peer(x, y)
        # Pearson of numbers that are almost constant loses digits in both.
        slack = 1e-7 if name == "pearson" else 1e-12
        assert values[name] == pytest.approx(expected.statistic, abs=slack)
        p = found[name]
        if p is None:
            assert math.isnan(expected.pvalue) or len(x) == 2
        elif abs(values[name]) < 1 - 1e-9:
            assert p == pytest.approx(expected.pvalue, rel=1e-6 if name == "pearson" else 1e-9)


def test_large_sample_kendall_is_exact_only_near_the_ends() -> None:
    x = np.arange(60.0)
    for swaps in (0, 1, 2, 700):
        y = x.copy()
        for i in range(swaps):
            j = i % 59
            y[j], y[j + 1] = y[j + 1], y[j]
        assert p_values(x, y)["kendall"] == pytest.approx(
            scipy_stats.kendalltau(x, y).pvalue, rel=1e-9
        )


@pytest.mark.parametrize("freedom", [1, 2, 3, 7, 38, 400, 100_000])
@pytest.mark.parametrize("t", [-40.0, -3.0, -0.01, 0.0, 1e-6, 0.5, 2.0, 12.0, 90.0])
def test_student(t: float, freedom: int) -> None:
    assert student_tail(t, freedom) == pytest.approx(scipy_stats.t.sf(t, freedom), rel=1e-9)


def test_other_distributions() -> None:
    for z in (-5.0, 0.0, 1.0, 8.0, 30.0):
        assert normal_tail(z) == pytest.approx(scipy_stats.norm.sf(z), rel=1e-12)
    for value in (0.0, 0.1, 5.0, 200.0, 1000.0):
        for degrees in (1, 2, 10, 50):
            assert chi_square_tail(value, degrees) == pytest.approx(
                scipy_stats.chi2.sf(value, 2 * degrees), rel=1e-9
            )
    assert student_tail(math.inf, 5) == 0


def test_kendall_exact_counts_permutations() -> None:
    """Brute force: all orders of five things, by their number of inversions."""
    from itertools import combinations, permutations

    inversions = [
        sum(order[i] > order[j] for i, j in combinations(range(5), 2))
        for order in permutations(range(5))
    ]
    for discordant in range(11):
        fewer = min(discordant, 10 - discordant)
        share = sum(k <= fewer for k in inversions) / len(inversions)
        assert kendall_exact(5, discordant) == pytest.approx(min(1.0, 2 * share))


def test_fisher_edges() -> None:
    assert fisher_interval("pearson", 0.5, 3, 0.05) is None
    assert fisher_interval("kendall", 0.5, 4, 0.05) is None
    assert fisher_interval("pearson", math.nan, 30, 0.05) is None
    exact = fisher_interval("spearman", 1.0, 30, 0.05)
    assert exact is not None
    assert (exact.low, exact.high) == (1.0, 1.0)


def test_means_that_differ_by_rounding_are_tied() -> None:
    a, b = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert a != b
    assert len(set(with_ties(np.array([a, b, 1.0])))) == 2
    assert len(set(with_ties(np.array([0.6, 0.6 + 1e-9, 1.0])))) == 3


def test_p_values_of_partial_coefficients_are_those_of_a_regression_slope() -> None:
    """The t test of the slope of x in y ~ x + z is that of the partial correlation."""
    random = np.random.default_rng(5)
    x, y, z = random.random((3, 20))
    design = np.column_stack([np.ones(20), x, z])
    slopes, residual, *_ = np.linalg.lstsq(design, y, rcond=None)
    spread = math.sqrt(residual[0] / 17 * np.linalg.inv(design.T @ design)[1, 1])
    t = slopes[1] / spread
    r = t / math.sqrt(t * t + 17)
    found = partial_p_values({"pearson": r, "spearman": r}, 20, 1)
    assert found["pearson"] == pytest.approx(2 * scipy_stats.t.sf(abs(t), 17))
