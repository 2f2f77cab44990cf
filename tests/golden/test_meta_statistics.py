"""Soft pairwise accuracy and strengths of systems, against enumeration and other tools.

Source: statistics.json beside this file.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from karat.meta.preferences import Preference, compare_preferences
from karat.stats.pairwise import (
    bradley_terry,
    pair_p_values,
    resampled_spa,
    soft_pairwise_accuracy,
    spa_permutation,
    strength_covariance,
    strength_errors,
)
from karat.stats.tails import normal_quantile

CASES = json.loads(Path(__file__).with_name("statistics.json").read_text(encoding="utf-8"))["cases"]


def cases(kind: str) -> Any:
    found = [case for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


@cases("soft_pairwise_accuracy")
def test_soft_pairwise_accuracy(case: dict[str, Any]) -> None:
    people, metric = (np.array(case["input"][side], float) for side in ("human", "metric"))
    expected, near = case["expect"], case["tolerance"]
    assert pair_p_values(people) == pytest.approx(expected["human_p"], abs=near)
    assert pair_p_values(metric) == pytest.approx(expected["metric_p"], abs=near)
    found = soft_pairwise_accuracy(metric, people)
    assert found == pytest.approx(expected["exact"], abs=near)
    assert found == pytest.approx(expected["mt_metrics_eval_1000_seed_4"], abs=0.03)
    # A segment without a judgement of one system counts for none.
    gap = np.column_stack([people, np.full(len(people), 9.0)])
    gap[0, -1] = np.nan
    more = np.column_stack([metric, np.arange(len(metric))])
    assert soft_pairwise_accuracy(more, gap) == pytest.approx(expected["exact"], abs=near)
    drawn = resampled_spa(metric, people, 50)
    assert drawn.min() >= 0
    assert drawn.max() <= 1


def test_sampled_signs_come_near_all_signs() -> None:
    """17 segments are sampled: compared with all 2^17 vectors, made one by one."""
    random = np.random.default_rng(1)
    scores = random.normal(size=(3, 17))
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=17)))
    expected = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        difference = scores[i] - scores[j]
        expected.append(np.mean(signs @ difference >= difference.sum() - 1e-12))
    assert pair_p_values(scores, trials=20_000) == pytest.approx(expected, abs=0.02)


def test_a_metric_is_as_good_as_itself() -> None:
    random = np.random.default_rng(3)
    people = random.normal(size=(4, 12))
    good, bad = people + random.normal(0, 0.1, people.shape), random.normal(size=people.shape)
    assert spa_permutation(good, good, people, trials=20).values == (1.0,)
    assert soft_pairwise_accuracy(people, people) == 1.0
    (p,) = spa_permutation(good, bad, people, trials=99).values
    assert p is not None
    assert p < 0.2


@cases("bradley_terry")
def test_strengths(case: dict[str, Any]) -> None:
    wins, prior = np.array(case["input"]["wins"], float), case["input"]["prior"]
    expected = case["expect"]
    strengths = bradley_terry(wins, prior=prior)
    errors = strength_errors(wins, strengths, prior=prior)
    near = max(case["tolerance"], 1e-6)
    assert strengths == pytest.approx(expected["strengths"], abs=near)
    assert errors == pytest.approx(expected["standard_errors"], abs=near)
    z = normal_quantile((1 + case["input"]["level"]) / 2)
    assert strengths - z * errors == pytest.approx(expected["low"], abs=near)
    assert strengths + z * errors == pytest.approx(expected["high"], abs=near)


def test_differences_are_those_of_a_regression() -> None:
    wins = np.array([[0, 7, 9.0], [3, 0, 6], [1, 4, 0]])
    rows, won = [], []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        rows.append([float(k == i) - float(k == j) for k in (1, 2)])
        won.append([wins[i, j], wins[j, i]])
    fit = sm.GLM(np.array(won), np.array(rows), family=sm.families.Binomial()).fit(tol=1e-14)
    covariance = strength_covariance(wins, bradley_terry(wins))
    of_difference = covariance[1, 1] + covariance[0, 0] - 2 * covariance[0, 1]
    assert of_difference == pytest.approx(fit.cov_params()[0, 0], rel=1e-6)


def test_judgements_of_one_input_are_not_independent() -> None:
    """Every input judged ten times alike: intervals are those of inputs, not of judgements."""
    winners = [1, 1, -1, 1, 0, 1, -1, 1]
    once = [Preference(str(i), "a", "b", better) for i, better in enumerate(winners)]
    single = compare_preferences(once)
    assert (single.interval_method, single.interval_prior) == ("information", 0.5)
    repeated = compare_preferences([p for p in once for _ in range(10)], prior=0.5)
    assert repeated.interval_method == "bootstrap over inputs"
    width = repeated.intervals[0][1] - repeated.intervals[0][0]
    independent = compare_preferences(
        [Preference(f"{p.instance_id}-{k}", "a", "b", p.better) for p in once for k in range(10)]
    )
    naive = independent.intervals[0][1] - independent.intervals[0][0]
    assert width > 2 * naive
