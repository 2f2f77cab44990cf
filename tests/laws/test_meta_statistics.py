"""Statistical truth, on data whose truth is known: intervals cover, tests keep their level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from karat.stats.correlation import COEFFICIENTS, fisher_interval
from karat.stats.levels import Correlations
from karat.stats.metric_tests import paired_bootstrap, paired_permutation, williams
from karat.stats.multiplicity import benjamini_hochberg, holm, partial_conjunction

Matrix = npt.NDArray[np.float64]
RUNS = 300


def bivariate(random: np.random.Generator, shape: tuple[int, int], rho: float) -> list[Matrix]:
    x = random.standard_normal(shape)
    return [x, rho * x + np.sqrt(1 - rho**2) * random.standard_normal(shape)]


def share_between(hits: int, low: float, high: float) -> None:
    assert low <= hits / RUNS <= high, f"{hits} of {RUNS}"


def test_fisher_intervals_cover() -> None:
    """Normal points with r = 0.6: Pearson's r, and Kendall's 2/pi asin(r), in 95 of 100."""
    random = np.random.default_rng(1)
    hits = dict.fromkeys(("pearson", "kendall"), 0)
    truth = {"pearson": 0.6, "kendall": 2 / np.pi * np.arcsin(0.6)}
    for _ in range(RUNS):
        pair = Correlations(*bivariate(random, (40, 1), 0.6))
        values = pair.observed("global").values
        for name in hits:
            value = float(values[COEFFICIENTS.index(name)])
            interval = fisher_interval(name, value, 40, 0.05)
            assert interval is not None
            hits[name] += interval.low <= truth[name] <= interval.high
    for count in hits.values():
        share_between(count, 0.92, 0.98)


def test_bootstrap_over_systems_covers() -> None:
    """Systems drawn from a population: their means correlate with r = 0.7 in it."""
    random = np.random.default_rng(2)
    hits = 0
    for run in range(RUNS):
        pair = Correlations(*bivariate(random, (50, 1), 0.7))
        drawn = pair.bootstrap(("system",), "system", 400, run)["system"][:, 0]
        low, high = np.quantile(drawn, [0.025, 0.975])
        hits += bool(low <= 0.7 <= high)
    share_between(hits, 0.90, 0.98)


def test_bootstrap_over_both_covers_where_inputs_alone_do_not() -> None:
    """Both systems and inputs are samples; resampling inputs alone is too narrow."""
    random = np.random.default_rng(3)
    hits = dict.fromkeys(("both", "input"), 0)
    for run in range(RUNS):
        x, y = bivariate(random, (30, 1), 0.7)
        noise = 0.02 * random.standard_normal((2, 30, 12))
        pair = Correlations(x + noise[0], y + noise[1])
        for units in hits:
            drawn = pair.bootstrap(("system",), units, 300, run)["system"][:, 0]
            low, high = np.quantile(drawn, [0.025, 0.975])
            hits[units] += bool(low <= 0.7 <= high)
    share_between(hits["both"], 0.89, 0.98)
    assert hits["input"] / RUNS < 0.5


@pytest.mark.parametrize("units", ["both", "system", "input"])
def test_permutation_keeps_its_level(units: str) -> None:
    """Two metrics that are the judgement plus noise of one kind are exchangeable."""
    random = np.random.default_rng(4)
    rejected = np.zeros(3)
    for run in range(RUNS):
        z = random.standard_normal((10, 8)) + random.standard_normal((10, 1))
        x, y = (z + random.standard_normal(z.shape) for _ in range(2))
        found = paired_permutation(
            x, y, z, ("summary", "system", "global"), units=units, trials=199, seed=run
        )
        rejected += [values.values[0] <= 0.05 for values in found.values()]
    for count in rejected:
        share_between(int(count), 0.02, 0.09)


def test_bootstrap_test_does_not_reject_too_often() -> None:
    random = np.random.default_rng(5)
    rejected = 0
    for run in range(RUNS):
        z = random.standard_normal((20, 8)) + random.standard_normal((20, 1))
        x, y = (z + random.standard_normal(z.shape) for _ in range(2))
        found = paired_bootstrap(x, y, z, ("system",), resamples=199, seed=run)
        rejected += found["system"].values[0] <= 0.05
    assert rejected / RUNS <= 0.08


def test_tests_find_a_true_difference() -> None:
    random = np.random.default_rng(6)
    z = random.standard_normal((15, 20)) + random.standard_normal((15, 1))
    good = z + 0.3 * random.standard_normal(z.shape)
    bad = z + 3.0 * random.standard_normal(z.shape)
    for test in (paired_permutation, paired_bootstrap):
        assert test(good, bad, z, ("global",))["global"].values[0] <= 0.01
        assert test(bad, good, z, ("global",))["global"].values[0] >= 0.9


def test_williams_keeps_its_level() -> None:
    random = np.random.default_rng(7)
    rejected = 0
    for _ in range(2 * RUNS):
        z = random.standard_normal((60, 1))
        x, y = (z + random.standard_normal(z.shape) for _ in range(2))
        rejected += williams(x, y, z, ("global",))["global"].values[0] <= 0.05
    assert 0.03 <= rejected / (2 * RUNS) <= 0.08


def test_corrections_keep_their_promise() -> None:
    """Ten true null hypotheses: Holm rejects any in at most 5 of 100, and k is 0 as often."""
    random = np.random.default_rng(8)
    any_holm = any_fisher = any_bh = 0
    for _ in range(10 * RUNS):
        p = random.random(10).tolist()
        any_holm += min(holm(p)) <= 0.05
        any_bh += min(benjamini_hochberg(p)) <= 0.05
        any_fisher += partial_conjunction(p, 0.05, "fisher").k > 0
    for count in (any_holm, any_bh, any_fisher):
        assert 0.035 <= count / (10 * RUNS) <= 0.065
