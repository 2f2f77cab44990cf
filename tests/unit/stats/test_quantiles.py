"""Quantiles of the normal distribution and of samples, against those of Python and numpy."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from karat.stats import intervals
from karat.stats.tails import normal_below, normal_quantile


@given(st.floats(1e-300, 1 - 1e-16))
@example(0.5)
@example(0.025)
def test_normal_quantiles(share: float) -> None:
    expected = NormalDist().inv_cdf(share)
    assert normal_quantile(share) == pytest.approx(expected, rel=1e-13, abs=1e-15)


@given(st.floats(-37, 37))
def test_what_lies_below_a_quantile(z: float) -> None:
    assert normal_below(z) == pytest.approx(NormalDist().cdf(z), rel=1e-6, abs=1e-15)
    assert 0 < normal_below(-37) < 1e-290


@given(
    st.lists(st.floats(-1e6, 1e6) | st.integers(0, 3).map(float), min_size=2, max_size=40),
    st.floats(0.01, 0.99),
    st.integers(1, 30),
)
def test_percentile_intervals_are_quantiles_as_numpy_has_them(
    values: list[float], level: float, resamples: int
) -> None:
    seen = []

    def summarize(totals: np.ndarray) -> dict[tuple[str, ...], np.ndarray]:
        seen.append(totals[..., 0])
        return {("sum",): totals[..., 0]}

    found = intervals(
        np.array(values)[:, None], summarize, level=level, resamples=resamples, method="percentile"
    )[("sum",)]
    assert found is not None
    resampled = next(each for each in seen if np.ndim(each))
    expected = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    assert (found.low, found.high) == tuple(expected.tolist())
