"""Methods of intervals: shares against SciPy's, and the anchored bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from karat.stats.interval_methods import anchored, clopper_pearson, quantiles, wilson
from karat.stats.resampling import Array, bootstrap_sums

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


@pytest.mark.parametrize("rate", [0.005, 0.02, 0.05, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 5, 30, 100])
def test_exact_intervals_never_cover_less_than_their_level(rate: float, n: int) -> None:
    """Without simulation: each number of successes weighs its binomial probability."""
    weight = stats.binom.pmf(np.arange(n + 1), n, rate)
    ends = [clopper_pearson(k, n, 0.95) for k in range(n + 1)]
    covered = sum(w for w, (low, high) in zip(weight, ends, strict=True) if low <= rate <= high)
    assert covered >= 0.95


scores = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])


tables = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12).filter(
    lambda rows: sum(a + b > 0 for a, b in rows) >= 2
)


def of_counts(counts: Array, level: float = 0.95, seed: int = 0) -> tuple[float, float, float]:
    """The score part / whole of rows (part, whole), and its interval."""
    sums = bootstrap_sums(counts, 300, seed)
    with np.errstate(invalid="ignore"):
        samples = sums[:, 0] / sums[:, 1]
    whole = counts.sum(axis=0)
    observed = float(whole[0] / whole[1])
    informative = (counts[:, 1] > 0).astype(float)
    return observed, *anchored(observed, samples, informative, (0.0, 1.0), level, seed)


def of_mean(values: list[float], level: float = 0.95) -> tuple[float, float]:
    return of_counts(np.column_stack([values, np.ones(len(values))]), level)[1:]


@given(tables, st.floats(0.5, 0.999), st.integers(0, 5))
def test_it_lies_in_the_range_and_holds_the_score(
    rows: list[tuple[int, int]], level: float, seed: int
) -> None:
    counts = np.array([[part, part + rest] for part, rest in rows], float)
    observed, low, high = of_counts(counts, level, seed)
    assert 0 <= low <= observed <= high <= 1
    assert low < high


@given(tables, st.floats(0.5, 0.9), st.floats(0.9, 0.999))
def test_a_higher_level_holds_the_lower_one(
    rows: list[tuple[int, int]], less: float, more: float
) -> None:
    counts = np.array([[part, part + rest] for part, rest in rows], float)
    _, low, high = of_counts(counts, less)
    _, lower, higher = of_counts(counts, more)
    assert lower <= low
    assert high <= higher


@given(st.lists(scores, min_size=2, max_size=12), st.data())
def test_a_better_item_never_lowers_an_end_of_a_mean(
    values: list[float], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(values) - 1))
    better = [*values]
    better[place] = data.draw(st.floats(values[place], 1))
    (low, high), (better_low, better_high) = of_mean(values), of_mean(better)
    assert better_low >= low - 1e-12
    assert better_high >= high - 1e-12


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n", [2, 5, 50, 1000])
def test_scores_that_are_all_alike_have_an_interval(value: float, n: int) -> None:
    low, high = of_mean([value] * n)
    assert low < high
    assert low <= value <= high


@pytest.mark.parametrize("n", [6, 40])
def test_perfect_items_have_jeffreys_interval(n: int) -> None:
    """In the limit low is the 0.025 quantile of Beta(n + 1/2, 1/2); 20,000 draws are near it."""
    samples = np.ones(20_000)
    low, high = anchored(1.0, samples, np.ones(n), (0.0, 1.0), 0.95, 0)
    expected = stats.beta(n + 0.5, 0.5).ppf(0.025)
    error = np.sqrt(0.025 * 0.975 / 20_000) / stats.beta(n + 0.5, 0.5).pdf(expected)
    assert low == pytest.approx(expected, abs=4 * error)
    assert high == 1.0


def test_it_tends_to_the_percentile_interval() -> None:
    gaps = []
    for n in (20, 200, 2000, 20_000):
        values = np.random.default_rng(n).beta(8, 2, n)
        counts = np.column_stack([values, np.ones(n)])
        _, low, high = of_counts(counts)
        plain = quantiles(bootstrap_sums(counts, 300, 0)[:, 0] / n, 0.95)
        gaps.append(((high - low) - (plain[1] - plain[0])) / (plain[1] - plain[0]))
    assert gaps[0] > 0.1
    assert abs(gaps[-1]) < 0.02
    assert gaps == sorted(gaps, reverse=True)
