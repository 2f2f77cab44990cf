"""Averages over runs of one system."""

from __future__ import annotations

import statistics

import pytest

import karat
from karat.core.reading.items import Pair
from karat.core.registry import parse
from karat.core.runs.comparison import Replicates
from karat.core.runs.evaluation import Evaluation
from karat.engine import measure_pairs
from karat.errors import OptionError, PairingError

GOLDS = ["a", "b", "c", "d"]


def run(outputs: list[str], metric: str = "exact", golds: list[str] = GOLDS) -> Evaluation:
    pairs = [
        Pair(i, str(i), {"half": "first" if i < 2 else "second"}, system, gold)
        for i, (system, gold) in enumerate(zip(outputs, golds, strict=True))
    ]
    return measure_pairs(parse(metric), pairs)


RUNS = [run(["a", "b", "c", "d"]), run(["a", "x", "c", "x"]), run(["a", "x", "x", "x"])]


def test_every_score_has_its_spread() -> None:
    values = [1.0, 0.5, 0.25]
    found = Replicates(RUNS).scores()["accuracy"]
    assert found == {
        "mean": pytest.approx(statistics.mean(values)),
        "sd": pytest.approx(statistics.stdev(values)),
        "min": 0.25,
        "max": 1.0,
    }


def test_groups() -> None:
    averaged = Replicates(RUNS)
    groups = averaged.by("half")
    assert list(groups) == ["first", "second"]
    assert groups["first"]["accuracy"]["mean"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert groups["second"]["accuracy"]["min"] == 0
    assert averaged.macro("half")["accuracy"]["mean"] == pytest.approx((1 + 0.5 + 0.25) / 3)
    document = averaged.summary(["half"])
    assert document["by"]["half"]["groups"]["first"] == groups["first"]


def test_one_run_has_no_deviation() -> None:
    assert Replicates(RUNS[:1]).scores()["accuracy"] == {
        "mean": 1.0, "sd": None, "min": 1.0, "max": 1.0,
    }  # fmt: skip


def test_what_cannot_be_averaged() -> None:
    with pytest.raises(OptionError, match="no runs"):
        Replicates([])
    with pytest.raises(OptionError, match="cannot average"):
        Replicates([RUNS[0], run(GOLDS, "exact(ignore_case=True)")])
    with pytest.raises(PairingError, match="not measured on the same items"):
        Replicates([RUNS[0], run(GOLDS[:2], golds=GOLDS[:2])])


def test_runs_on_other_gold_are_not_averaged() -> None:
    """Lines have their numbers for ids, which are the same in every file."""
    one, other = (karat.evaluate("exact", ["a", "b"], gold) for gold in (["a", "b"], ["c", "d"]))
    with pytest.raises(PairingError, match="not measured against the same gold"):
        Replicates([one, other])


def test_runs_with_other_groups_have_no_averages_by_them() -> None:
    other = run(GOLDS)
    other.groups = {"half": ["third"] * 4}
    with pytest.raises(PairingError, match="different groups by 'half'"):
        Replicates([RUNS[0], other]).by("half")
