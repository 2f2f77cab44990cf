"""Verdicts of gates against closed forms: the cases of statistics.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.gate import Gate
from karat.stats import holm

CASES = json.loads(Path(__file__).with_name("statistics.json").read_text(encoding="utf-8"))["cases"]
METRIC = parse("scores(names=('x',), range=('0:1',))")
WORDS = {"too little data": "too little data", "fewer than 20 units": "fewer than 20 items"}


def cases(kind: str) -> Any:
    found = [case for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def run(values: list[float], clusters: list[str] | None) -> Evaluation:
    rows = np.array([[1.0, 1.0, value] for value in values])
    groups = {"c": clusters} if clusters else {}
    return Evaluation(METRIC, [str(i) for i in range(len(values))], rows, groups=groups)


@cases("gate")
def test_verdicts(case: dict[str, Any]) -> None:
    asked, expected, near = case["input"], case["expect"], case["tolerance"]
    clusters = asked.get("clusters")
    gate = Gate(
        run(asked["base"], clusters),
        run(asked["new"], clusters),
        margin=asked["margin"],
        alpha=asked["alpha"],
        cluster="c" if clusters else None,
    )
    assert gate.exit_code == expected["exit"]
    (score,) = gate.scores
    if expected["reason"] == "identical":
        assert gate.is_identical
        assert (score.verdict, score.reason) == ("not worse", "identical on all items")
        return
    found = score.found
    assert (score.reason or score.verdict) == WORDS.get(expected["reason"], expected["reason"])
    assert (found.units, found.differing) == (expected["units"], expected["differing"])
    for name, value in (
        ("difference", found.difference), ("standard_error", found.error), ("low", found.low),
        ("high", found.high), ("p_worse", found.p_worse), ("p_not_worse", found.p_not_worse),
    ):  # fmt: skip
        assert value == pytest.approx(expected[name], abs=near), name
    if "needed_units" in expected:
        assert found.needed == expected["needed_units"]
        per_unit = expected["items"] / expected["units"]
        assert score.needed_items == pytest.approx(found.needed * per_unit)


@cases("gate_holm")
def test_several_scores(case: dict[str, Any]) -> None:
    adjusted = holm(case["input"]["p_worse"])
    assert adjusted == pytest.approx(case["expect"]["adjusted"], abs=case["tolerance"])
    worse = [i for i, p in enumerate(adjusted) if p <= case["input"]["alpha"]]
    assert worse == case["expect"]["worse"]


def test_lower_is_better_is_the_mirror_image() -> None:
    """A cost that rises is as bad as a score that falls as much."""
    random = np.random.default_rng(5)
    base = random.random(60)
    new = np.clip(base - random.random(60) / 5, 0, 1)
    gain, loss = (
        parse(f"scores(names=('x',), range=('0:1',){more})") for more in ("", ", lower=('x',)")
    )

    def gate(metric: Any, values: list[Any]) -> Gate:
        both = [np.column_stack([np.ones(60), np.ones(60), each]) for each in values]
        ids = list(map(str, range(60)))
        return Gate(Evaluation(metric, ids, both[0]), Evaluation(metric, ids, both[1]))

    one, other = gate(gain, [base, new]), gate(loss, [1 - base, 1 - new])
    assert one.verdict == other.verdict == "worse"
    assert one.scores[0].found.p_worse == pytest.approx(other.scores[0].found.p_worse)
    low, high = one.scores[0].ends or (0, 0)
    assert other.scores[0].ends == pytest.approx((-high, -low))
    assert other.scores[0].summary()["change"] == pytest.approx(-one.scores[0].found.difference)


def test_several_scores_need_all_or_one() -> None:
    """All not worse passes; one that is worse fails; a loss within its margin does not."""
    random = np.random.default_rng(2)
    a, b = random.random(100), random.random(100)
    metric = parse("scores(names=('a', 'b'), range=('0:1',))")
    ids = list(map(str, range(100)))

    def made(x: Any, y: Any) -> Evaluation:
        ones = np.ones(100)
        return Evaluation(metric, ids, np.column_stack([ones, ones, x, ones, y]))

    base = made(a, b)
    small = made(a, b - 0.004 - random.random(100) / 1000)
    assert Gate(base, small, {"a": None, "b": None}).verdict == "not worse"
    assert [each.reason for each in Gate(base, small, {"a": None, "b": None}).scores] == [
        "identical on all items", "lower, but within the margin",
    ]  # fmt: skip
    assert Gate(base, small, {"a": None, "b": 0.001}).verdict == "worse"
    unsure = made(a + random.normal(0, 0.3, 100), b)
    assert Gate(base, unsure, {"a": None, "b": None}).verdict == "cannot tell"
    assert Gate(base, unsure, {"b": None}).verdict == "not worse"
