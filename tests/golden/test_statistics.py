"""Intervals and paired tests against closed forms, enumeration, SciPy and statsmodels.

Source: statistics.json beside this file; each case names its oracle and tolerance.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.stats import compare_paired, intervals
from karat.stats.interval_methods import (
    anchored,
    clopper_pearson,
    effective_size,
    jackknife_spread,
    skew_t,
)
from karat.stats.intervals import standard_errors
from karat.stats.resampling import Array, bootstrap_sums, count, numbered
from karat.stats.resampling import Path as Name

CASES = json.loads(Path(__file__).with_name("statistics.json").read_text(encoding="utf-8"))["cases"]
MEAN = ("mean",)


def cases(*kinds: str) -> Any:
    found = [case for case in CASES if case["kind"] in kinds]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def mean(sums: Array) -> dict[Name, Array]:
    result = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 1], sums[..., 0], out=result, where=sums[..., 0] > 0)
    return {MEAN: result}


def items(values: list[float | None]) -> Array:
    return np.array([[0.0, 0.0] if v is None else [1.0, v] for v in values])


@cases("exact_rate")
def test_exact_rates(case: dict[str, Any]) -> None:
    asked, expected = case["input"], case["expect"]
    found = clopper_pearson(asked["successes"], asked["n"], asked["level"])
    assert found == pytest.approx((expected["low"], expected["high"]), abs=case["tolerance"])
    values = [1.0] * asked["successes"] + [0.0] * (asked["n"] - asked["successes"])
    whole = intervals(items(values), mean, level=asked["level"])
    assert whole.methods == {MEAN: "exact"}
    assert (whole[MEAN].low, whole[MEAN].high) == pytest.approx(found, abs=1e-12)  # type: ignore[union-attr]


@cases("anchored")
def test_anchored(case: dict[str, Any]) -> None:
    asked, expected = case["input"], case["expect"]
    units, (low, high) = np.array(asked["units"], float), asked["range"]
    sums = bootstrap_sums(units, asked["resamples"], 0)
    scale = high if high == 100 else 1
    with np.errstate(invalid="ignore"):
        samples = scale * sums[:, 0] / sums[:, 1]
    informative = (units[:, 1] > 0).astype(float)
    if asked["effective_units"] != informative.sum():
        informative = units[:, 1]  # clusters: each unit has as many items as its whole
    assert effective_size(informative) == pytest.approx(asked["effective_units"], abs=1e-6)
    score = float(scale * units[:, 0].sum() / units[:, 1].sum())
    assert score == pytest.approx(expected["score"], abs=1e-12)
    found = anchored(score, samples, informative, (low, high), asked["level"], 0)
    for end, name, tolerance in zip(found, ("low", "high"), case["tolerance"], strict=True):
        assert end == pytest.approx(expected[name], abs=tolerance)


@cases("skew_t")
def test_skew_t(case: dict[str, Any]) -> None:
    asked, expected, near = case["input"], case["expect"], case["tolerance"]
    sums, sizes = np.array(asked["unit_sums"]), np.array(asked["unit_sizes"], float)
    score = float(sums.sum() / sizes.sum())
    spread = jackknife_spread((sums.sum() - sums) / (sizes.sum() - sizes))
    assert score == pytest.approx(expected["score"], abs=near)
    assert spread.error == pytest.approx(expected["standard_error"], abs=near)
    assert spread.skewness == pytest.approx(expected["skewness"], abs=near)
    found = skew_t(score, spread, asked["informative"], 1 - 2 * asked["alpha_each_side"])
    assert found == pytest.approx((expected["low"], expected["high"]), abs=near)


@cases("no_interval")
def test_reasons(case: dict[str, Any]) -> None:
    asked = case["input"]
    clusters = numbered(asked["clusters"]) if "clusters" in asked else None
    ends = tuple(asked["range"] or (-np.inf, np.inf))
    found = intervals(items(asked["item_scores"]), mean, range_of=lambda _: ends, clusters=clusters)
    assert found == {MEAN: case["expect"]["interval"]}
    assert found.reasons == {MEAN: case["expect"]["reason"]}


@cases("mcnemar")
def test_mcnemar(case: dict[str, Any]) -> None:
    first, second = (np.array(case["input"][side], float) for side in ("first", "second"))
    expected = case["expect"]
    assert int(np.sum(first > second)) == expected["first_only"]
    assert int(np.sum(first < second)) == expected["second_only"]
    _, found = compare_paired(items(list(first)), items(list(second)), mean, test="mcnemar")
    assert found[MEAN].p_value == pytest.approx(expected["p_value"], abs=case["tolerance"])


@cases("bootstrap_test")
def test_bootstrap(case: dict[str, Any]) -> None:
    difference = np.array(case["input"]["differences"])
    _, found = compare_paired(
        items(list(difference)), items([0.0] * len(difference)), mean,
        test="bootstrap", trials=case["input"]["trials"],
    )  # fmt: skip
    assert found[MEAN].p_value == pytest.approx(case["expect"]["p_value"], abs=case["tolerance"])


@cases("cluster_permutation")
def test_permutation(case: dict[str, Any]) -> None:
    """Whole clusters are exchanged: their rows are summed first."""
    difference = np.array(case["input"]["differences"], float)
    names = case["input"]["clusters"]
    first, second = items(list(difference)), items([0.0] * len(difference))
    clusters = numbered(names) if names else None
    _, found = compare_paired(first, second, mean, test="permutation", clusters=clusters)
    assert found[MEAN].p_value == pytest.approx(case["expect"]["p_value"], abs=case["tolerance"])


@cases("cluster_se")
def test_standard_errors(case: dict[str, Any]) -> None:
    values, clusters = case["input"]["values"], numbered(case["input"]["clusters"])
    found = standard_errors(items(values), mean, clusters)
    assert found[MEAN] == pytest.approx(case["expect"]["standard_error"], abs=case["tolerance"])
    assert count(clusters) == case["expect"]["clusters"]


@cases("gate")
def test_intervals_of_differences(case: dict[str, Any]) -> None:
    """The ends that a gate decides by: new minus base at a one-sided alpha each."""
    asked, expected, near = case["input"], case["expect"], case["tolerance"]
    level = 1 - 2 * asked["alpha"]
    clusters = numbered(asked["clusters"]) if "clusters" in asked else None
    base, new = items(asked["base"]), items(asked["new"])
    _, found = compare_paired(new, base, mean, test="sign", level=level, clusters=clusters)
    one = found[MEAN]
    assert one.difference == pytest.approx(expected["difference"], abs=near)
    if expected["reason"] == "identical":
        assert one.interval is None
        assert one.interval_reason == "the systems are identical on all items"
        return
    assert one.interval is not None
    ends = one.interval.low, one.interval.high
    assert ends == pytest.approx((expected["low"], expected["high"]), abs=near)
