"""Intervals of whole runs on the bundled examples: what was wrong with them once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import karat
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.stats import Interval

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture(scope="module")
def graphs() -> Evaluation:
    return karat.evaluate(
        "mrp", system=str(EXAMPLES / "graphs/system.amr"), gold=str(EXAMPLES / "graphs/gold.amr")
    )


def test_a_kind_that_one_item_has(graphs: Evaluation) -> None:
    """One of three systems' graphs has a property, which is right: 1 of 1, not [0, 1]."""
    assert graphs.scores()["properties"]["p"] == 1.0
    found = graphs.confidence()
    assert found.methods["properties", "p"] == "exact"
    assert found["properties", "p"] == Interval(pytest.approx(0.025), 1.0)  # type: ignore[arg-type]


def test_a_kind_that_no_item_has(graphs: Evaluation) -> None:
    assert graphs.scores()["anchors"]["f"] == 0.0
    found = graphs.confidence()
    assert found["anchors", "f"] is None
    assert found.reasons["anchors", "f"] == "the score is undefined"


def test_parts_that_two_of_seven_forms_have() -> None:
    """Both right: resamples without them say nothing."""
    run = karat.evaluate(
        "cogs", system=str(EXAMPLES / "forms/seed1.tsv"), gold=str(EXAMPLES / "forms/gold.tsv")
    )
    path = ("terms", "prefix", "micro", "f1")
    found = run.confidence()
    assert found.methods[path] == "exact"
    # Of two items, both right: the low end is the square root of 0.025.
    assert found[path] == Interval(pytest.approx(0.025**0.5), 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("right", "n", "low", "high"), [(0, 400, 0.0, 1 - 0.025 ** (1 / 400)), (1, 1, 0.025, 1.0)]
)
def test_all_alike_is_no_certainty(right: int, n: int, low: float, high: float) -> None:
    rows = np.column_stack([np.ones(n), np.arange(n) < right])
    found = Evaluation(parse("exact"), [str(i) for i in range(n)], rows).confidence()
    interval = found["accuracy",]
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)


def test_error_rates_above_1_are_held() -> None:
    rows = np.array([[1.0, 250.0, 5.0, 2.0], [1.0, 0.0, 0.0, 4.0], [1.0, 50.0, 2.0, 4.0]])
    run = Evaluation(parse("ter"), ["a", "b", "c"], rows)
    interval = run.confidence()["ter",]
    assert interval is not None
    assert 0 <= interval.low <= run.scores()["ter"] <= interval.high <= 250


def test_mcnemar_needs_a_score_of_0_and_1() -> None:
    gold = str(EXAMPLES / "translation/gold.txt")
    systems = [str(EXAMPLES / f"translation/{name}.txt") for name in ("careful", "hasty")]
    exact = karat.Ranking(
        [karat.evaluate("exact", system=each, gold=gold) for each in systems], test="mcnemar"
    )
    a, b = (each.counts[:, 1] for each in exact.evaluations)
    wins, losses = int(np.sum(a > b)), int(np.sum(a < b))
    assert losses == 0
    assert exact.comparisons[0]["accuracy"].p_value == 2 / 2**wins
    assert exact.summary()["comparisons"][0]["trials"] is None
    chrf = [karat.evaluate("chrf", system=each, gold=gold) for each in systems]
    with pytest.raises(karat.errors.OptionError) as caught:
        karat.Ranking(chrf, test="mcnemar")
    assert caught.value.code == "K302"
