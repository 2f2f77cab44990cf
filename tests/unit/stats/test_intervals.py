"""Bootstrap intervals against SciPy's, against the truth, and at their edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karat.stats import Interval, intervals
from karat.stats.intervals import Method
from karat.stats.resampling import Array, Path


def mean(sums: Array) -> dict[Path, Array]:
    return {("mean",): sums[..., 1] / sums[..., 0]}


def table(values: Array) -> Array:
    return np.column_stack([np.ones(len(values)), values])


def interval(values: Array, **options: object) -> Interval:
    found = intervals(table(values), mean, **options)[("mean",)]  # type: ignore[arg-type]
    assert found is not None
    return found


SAMPLES = {
    "normal": np.random.default_rng(1).normal(5, 2, 50),
    "skewed": np.random.default_rng(2).exponential(1, 40),
    "shares": np.random.default_rng(3).integers(0, 2, 200).astype(float),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("method", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_intervals_equal_those_of_scipy(
    name: str, method: Method, theirs: str, level: float
) -> None:
    """The same definition with another generator of random numbers.

    The quantile q of n resamples has a standard error of sqrt(q (1 - q) / n) / f, with
    f the density at the quantile. For a normal distribution with standard error s,
    q = 0.025 and n = 20,000 that is 0.019 s; the difference of two such estimates
    exceeds 5 * sqrt(2) * 0.019 s = 0.134 s less than once in a million. Whole shares
    come in steps of 1 / n items, which is added.
    """
    values = SAMPLES[name]
    ours = interval(values, level=level, resamples=20_000, method=method)
    peer = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, confidence_level=level, method=theirs,
        rng=np.random.default_rng(4),
    ).confidence_interval  # fmt: skip
    error = values.std(ddof=1) / np.sqrt(len(values))
    step = 1 / len(values) if name == "shares" else 0.0
    assert ours.low == pytest.approx(peer.low, abs=0.134 * error + step)
    assert ours.high == pytest.approx(peer.high, abs=0.134 * error + step)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_coverage_is_near_the_level(method: Method) -> None:
    """Of 400 samples of 60 normal values, nearly 90 % of the 90 % intervals hold the truth.

    The bootstrap's own error with 60 items is about one point; the count varies with a
    standard deviation of 1.5 points, of which four are allowed.
    """
    random = np.random.default_rng(5)
    hits = 0
    for trial in range(400):
        found = interval(
            random.normal(3, 1, 60), level=0.9, resamples=500, seed=trial, method=method
        )
        hits += found.low <= 3 <= found.high
    assert 0.83 <= hits / 400 <= 0.96


def test_bca_is_better_than_percentile_for_skewed_scores() -> None:
    """Both tails of a skewed mean miss equally often only after correction."""
    random = np.random.default_rng(6)
    missed = {"bca": [0, 0], "percentile": [0, 0]}
    for trial in range(400):
        values = random.exponential(1, 25)
        for method in ("bca", "percentile"):
            found = interval(values, level=0.9, resamples=500, seed=trial, method=method)
            missed[method][0] += found.low > 1
            missed[method][1] += found.high < 1
    assert sum(missed["bca"]) < sum(missed["percentile"])
    assert abs(missed["bca"][0] - missed["bca"][1]) < abs(
        missed["percentile"][0] - missed["percentile"][1]
    )


def test_a_higher_level_is_wider() -> None:
    values = SAMPLES["normal"]
    widths = [
        (found := interval(values, level=level)).high - found.low for level in (0.5, 0.9, 0.99)
    ]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("values", [[2.0], [2.0] * 10])
def test_scores_that_cannot_vary(values: list[float], method: Method) -> None:
    assert interval(np.array(values), method=method, resamples=50) == Interval(2.0, 2.0)


def test_scores_that_are_undefined_have_no_interval() -> None:
    counts = np.zeros((5, 2))
    found = intervals(counts, lambda sums: {("a",): np.full(sums.shape[:-1], np.nan)}, resamples=20)
    assert found == {("a",): None}


def test_scores_that_are_sometimes_undefined() -> None:
    def share(sums: Array) -> dict[Path, Array]:
        result = np.full(sums.shape[:-1], np.nan)
        np.divide(sums[..., 1], sums[..., 0], out=result, where=sums[..., 0] > 0)
        return {("share",): result}

    counts = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    found = intervals(counts, share, resamples=500)[("share",)]
    assert found is not None
    assert 0 <= found.low <= found.high <= 1
