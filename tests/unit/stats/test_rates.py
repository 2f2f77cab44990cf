"""Intervals of shares against SciPy's, and what is taken for a share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from karat.stats.rates import clopper_pearson, wilson
from karat.stats.tails import beta_quantile, student_quantile

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.999])


@given(counts, levels)
def test_clopper_pearson(count: tuple[int, int], level: float) -> None:
    peer = stats.binomtest(*count).proportion_ci(level, method="exact")
    assert clopper_pearson(*count, level) == pytest.approx((peer.low, peer.high), abs=1e-10)


@given(counts, levels)
def test_wilson(count: tuple[int, int], level: float) -> None:
    peer = stats.binomtest(*count).proportion_ci(level, method="wilson")
    found = wilson(*count, level)
    assert found == pytest.approx((peer.low, peer.high), abs=1e-10)
    assert 0 <= found[0] <= count[0] / count[1] <= found[1] <= 1


@given(st.floats(1e-9, 1 - 1e-9), st.sampled_from([1, 2, 3, 10, 99, 1e4]))
def test_student_quantiles(share: float, freedom: float) -> None:
    peer = float(stats.t.ppf(share, freedom))
    assert student_quantile(share, freedom) == pytest.approx(peer, rel=1e-6, abs=1e-9)


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 400), st.integers(1, 400))
def test_beta_quantiles(share: float, a: int, b: int) -> None:
    assert beta_quantile(share, a, b) == pytest.approx(float(stats.beta.ppf(share, a, b)), rel=1e-8)


@pytest.mark.parametrize("rate", [0.005, 0.02, 0.05, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 5, 30, 100])
def test_exact_intervals_never_cover_less_than_their_level(rate: float, n: int) -> None:
    """Without simulation: each number of successes weighs its binomial probability."""
    weight = stats.binom.pmf(np.arange(n + 1), n, rate)
    ends = [clopper_pearson(k, n, 0.95) for k in range(n + 1)]
    covered = sum(w for w, (low, high) in zip(weight, ends, strict=True) if low <= rate <= high)
    assert covered >= 0.95
