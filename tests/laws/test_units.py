"""Scores in another unit (seconds or nanoseconds, shares or per cent) are the same evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.core.runs.gate import Gate
from karat.stats.correlation import correlation, p_values
from karat.stats.levels import Correlations
from karat.stats.metric_tests import paired_permutation
from karat.stats.paired_tests import TESTS

UNITS = [2.0**-600, 2.0**-60, 2.0**-30, 2.0**30, 2.0**600]  # of which products are exact


def scores(size: int) -> tuple[list[float], list[float]]:
    """Rounded scores, of which many exchanges tie, with some that do not differ."""
    random = np.random.default_rng(size)
    base = random.integers(-40, 40, size) / 8
    return base.tolist(), (base + random.integers(-2, 4, size) / 8).tolist()


def scaled(values: list[float], unit: float) -> list[float]:
    return [value * unit for value in values]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("test", [test for test in TESTS if test != "mcnemar"])
@pytest.mark.parametrize("size", [12, 40])
def test_comparisons(size: int, test: Any, unit: float) -> None:
    def compared(unit: float) -> Any:
        systems = {name: scaled(each, unit) for name, each in zip("ab", scores(size), strict=True)}
        found = karat.compare("scores", systems, test=test, trials=500)
        return found.summary()["comparisons"][0]["differences"]["score"]

    if test == "permutation" and size > 16:
        pytest.skip("too many items for all exchanges")
    plain, other = compared(1.0), compared(unit)
    assert plain["p_value"] < 1
    assert other["p_value"] == plain["p_value"]
    for end in ("low", "high", "difference"):
        assert other[end] == pytest.approx(plain[end] * unit, rel=1e-9)


@pytest.mark.parametrize("unit", UNITS)
def test_intervals(unit: float) -> None:
    values = scores(40)[0]
    plain, other = (
        karat.evaluate("scores", scaled(values, each)).confidence()["score"] for each in (1.0, unit)
    )
    assert plain is not None
    assert other is not None
    assert other.low == pytest.approx(plain.low * unit, rel=1e-9)
    assert other.high == pytest.approx(plain.high * unit, rel=1e-9)


@pytest.mark.parametrize("unit", UNITS)
def test_gates(unit: float) -> None:
    base, new = scores(40)

    def gated(unit: float) -> Any:
        runs = [karat.evaluate("scores", scaled(each, unit)) for each in (base, new)]
        return Gate(*runs, margin=0.25 * unit).summary()["scores"]["score"]

    plain, other = gated(1.0), gated(unit)
    assert 0 < plain["p_not_worse"] < 1
    for key in ("p_worse", "p_not_worse"):
        assert other[key] == pytest.approx(plain[key], rel=1e-9)
    assert other["verdict"] == plain["verdict"]


@pytest.mark.parametrize("unit", UNITS)
def test_correlations(unit: float) -> None:
    random = np.random.default_rng(7)
    x, y = random.normal(size=(2, 30))
    assert correlation(x * unit, y / unit) == correlation(x, y)
    assert p_values(x * unit, y / unit) == p_values(x, y)


@pytest.mark.parametrize("unit", UNITS)
def test_correlations_at_all_levels(unit: float) -> None:
    """Also where inputs differ in size, as likelihoods of short and of long texts do."""
    random = np.random.default_rng(8)
    x, y, z = random.normal(size=(3, 6, 9))
    by_input = np.where(np.arange(9) % 2, unit, 1.0)
    plain = Correlations(x, y)
    for level in ("summary", "system", "global", "by-system"):
        other = Correlations(x * unit, y)
        np.testing.assert_array_equal(other.observed(level).values, plain.observed(level).values)
        drawn, expected = (
            each.bootstrap((level,), "both", 20, 1)[level] for each in (other, plain)
        )
        np.testing.assert_array_equal(drawn, expected)
    found = Correlations(x * by_input, y).observed("summary").values
    np.testing.assert_array_equal(found, plain.observed("summary").values)
    tests = [
        paired_permutation(x * each, y / each, z, ("summary", "system", "global"), trials=50)
        for each in (1.0, unit)
    ]
    assert tests[0] == tests[1]
