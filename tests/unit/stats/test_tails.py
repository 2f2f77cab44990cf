"""Tail probabilities and quantiles against those of Python and SciPy."""

from __future__ import annotations

from statistics import NormalDist

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from karat.stats.tails import (
    beta_quantile,
    fair_coin_tail,
    normal_below,
    normal_quantile,
    student_quantile,
)


@given(st.floats(1e-300, 1 - 1e-16))
@example(0.5)
@example(0.025)
def test_normal_quantiles(share: float) -> None:
    expected = NormalDist().inv_cdf(share)
    assert normal_quantile(share) == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_smaller_shares_have_the_quantile_of_a_very_small_one() -> None:
    assert normal_quantile(5e-324) == normal_quantile(0.0) == normal_quantile(1e-300)


@given(st.floats(-37, 37))
def test_what_lies_below_a_quantile(z: float) -> None:
    assert normal_below(z) == pytest.approx(NormalDist().cdf(z), rel=1e-6, abs=1e-15)
    assert 0 < normal_below(-37) < 1e-290


@given(st.floats(1e-9, 1 - 1e-9), st.sampled_from([1, 2, 3, 10, 99, 1e4]))
def test_student_quantiles(share: float, freedom: float) -> None:
    peer = float(stats.t.ppf(share, freedom))
    assert student_quantile(share, freedom) == pytest.approx(peer, rel=1e-6, abs=1e-9)


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 400), st.integers(1, 400))
def test_beta_quantiles(share: float, a: int, b: int) -> None:
    assert beta_quantile(share, a, b) == pytest.approx(float(stats.beta.ppf(share, a, b)), rel=1e-8)


@given(st.integers(1, 20_000), st.floats(0, 1))
@example(1001, 0.0)
@example(1001, 0.02)
@example(1_000_000, 0.995)
@example(1_000_000, 1.0)
def test_tosses_of_a_fair_coin(tosses: int, share: float) -> None:
    """Exact however many there are: whole numbers and the series agree with SciPy."""
    heads = int(share * (tosses // 2))
    expected = float(stats.binom.cdf(heads, tosses, 0.5))
    assert fair_coin_tail(heads, tosses) == pytest.approx(expected, rel=1e-9, abs=1e-290)
