"""Evaluations: scores, groups, averages, intervals, comparisons, and the ways out."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.marks import count, main
from karat.core.metric import Metric
from karat.core.registry import parse
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, Scores, ratio
from karat.errors import OptionError, PairingError
from karat.stats import holm

EXACT = parse("exact")


class Undefined(Metric[str, str]):
    """A mean that is undefined without items, and a sum."""

    name = "undefined"
    kind = "text"
    columns = ("items", "value")

    def measure(self, system: str, gold: str) -> list[float]:
        return [float(bool(gold)), float(len(system))]

    def summarize(self, totals: Array) -> Scores:
        items, value = self.columns_of(totals)
        mean = ratio(value, items, empty=float("nan"))
        return {"deep": {"mean": main(mean)}, "sum": count(value)}


def exact(*correct: int, **more: Any) -> Evaluation:
    ids = [f"i{i}" for i in range(len(correct))]
    return Evaluation(EXACT, ids, np.array([[1, c] for c in correct], float), **more)


def test_scores_are_those_of_the_sum() -> None:
    run = exact(1, 0, 1, 1)
    assert len(run) == 4
    assert run.totals.tolist() == [4, 3]
    assert run.scores() == {"accuracy": 0.75}
    assert [scores["accuracy"] for scores in run.per_item()] == [1, 0, 1, 1]


GROUPS = {"genre": ["news", "web", "news", "news"], "size": ["10", "9", "10", "100"]}


def test_groups_come_as_they_appear_and_numbers_in_order() -> None:
    run = exact(1, 0, 1, 0, groups=GROUPS)
    assert list(run.by("genre").items()) == [
        ("news", {"accuracy": pytest.approx(2 / 3)}),
        ("web", {"accuracy": 0.0}),
    ]
    assert list(run.by("size")) == ["9", "10", "100"]
    assert run.group_sizes("genre") == {"news": 3, "web": 1}


def test_macro_averages() -> None:
    run = exact(1, 0, 1, 0, groups=GROUPS)
    assert run.macro() == {"accuracy": 0.5}
    assert run.macro("genre") == {"accuracy": pytest.approx((2 / 3 + 0) / 2)}
    assert run.macro("size") == {"accuracy": pytest.approx((1 + 0 + 0) / 3)}


def test_an_unknown_field_lists_near_ones() -> None:
    with pytest.raises(OptionError) as caught:
        exact(1, groups={"genre": ["a"]}).by("gender")
    assert caught.value.headline == (
        "OptionError K315: the items have no field 'gender'; did you mean 'genre'?"
    )
    assert caught.value.advice == "fields: genre"


def test_averages_leave_out_what_is_undefined() -> None:
    run = Evaluation(
        Undefined(), list("abc"), np.array([[1, 4], [0, 0], [1, 2]], float),
        groups={"g": ["x", "y", "x"]},
    )  # fmt: skip
    assert run.scores() == {"deep": {"mean": 3.0}, "sum": 6}
    assert [scores["deep"]["mean"] for scores in run.per_item()] == [4.0, None, 2.0]
    assert run.macro() == {"deep": {"mean": 3.0}}
    assert run.by("g")["y"] == {"deep": {"mean": None}, "sum": 0}
    assert run.macro("g") == {"deep": {"mean": 3.0}}


def test_sums_have_no_interval_and_no_test() -> None:
    run = Evaluation(Undefined(), list("abc"), np.array([[1, 4], [1, 0], [1, 2]], float))
    assert list(run.confidence(resamples=10)) == [("deep", "mean")]
    assert list(run.compare(run).differences) == [("deep", "mean")]


def test_confidence_is_seeded() -> None:
    values = Evaluation(Undefined(), list("abcdef"), np.array([[1, i**2] for i in range(6)], float))
    assert values.confidence(seed=5) == values.confidence(seed=5)
    assert values.confidence(seed=5) != values.confidence(seed=6)
    run = exact(*[1, 0, 1] * 20)
    interval = run.confidence()[("accuracy",)]
    assert interval is not None
    assert interval.low < 2 / 3 < interval.high


@pytest.mark.parametrize(
    "wrong", [{"level": 0}, {"level": 1}, {"resamples": 0}, {"seed": -1}, {"method": "magic"}]
)
def test_wrong_options_of_confidence(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="K302"):
        exact(1, 0).confidence(**wrong)


@pytest.mark.parametrize("wrong", [{"level": 2}, {"seed": 1 << 64}, {"test": "magic"}])
def test_wrong_options_of_compare(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="K302"):
        exact(1, 0).compare(exact(0, 1), **wrong)


def test_comparing() -> None:
    one, other = exact(*[1] * 10, system="one"), exact(*[0] * 9, 1, system="other")
    comparison = one.compare(other)
    assert comparison.test == "permutation"
    found = comparison["accuracy"]
    assert (found.first, found.second, found.difference) == (1.0, 0.1, 0.9)
    assert found.p_value == 2 / 2**9
    assert found.interval is not None
    assert found.interval.low <= 0.9 <= found.interval.high
    summary = comparison.summary()
    assert (summary["first"], summary["second"], summary["trials"]) == ("one", "other", None)
    assert summary["differences"]["accuracy"]["p_value"] == 2 / 2**9


def test_many_items_are_compared_by_randomization() -> None:
    comparison = exact(*[1] * 17).compare(exact(*[0] * 17), trials=100)
    assert comparison.test == "randomization"
    assert comparison.summary()["trials"] == 100


def test_only_the_same_metric_can_be_compared() -> None:
    other = Evaluation(parse("exact(ignore_case=True)"), ["i0"], np.ones((1, 2)))
    with pytest.raises(OptionError, match="K316"):
        exact(1).compare(other)


def test_only_the_same_items_can_be_compared() -> None:
    other = Evaluation(EXACT, ["i0", "x"], np.ones((2, 2)))
    with pytest.raises(PairingError) as caught:
        exact(1, 1).compare(other)
    assert caught.value.headline == (
        "PairingError K209: the two systems were not measured on the same items: 'i1', 'x' differ"
    )
    turned = Evaluation(EXACT, ["i1", "i0"], np.ones((2, 2)))
    with pytest.raises(PairingError, match="K209"):
        exact(1, 1).compare(turned)


# -- ways out -----------------------------------------------------------------


def test_json_has_the_keys_of_the_contract() -> None:
    document = json.loads(exact(1, 0, system="s", skipped=2, warnings=["w"]).to_json())
    assert list(document) == [
        "karat", "metric", "signature", "system", "n", "scores", "inexact", "skipped", "warnings",
    ]  # fmt: skip
    assert document["metric"] == "exact"
    assert document["signature"] == EXACT.signature()
    assert (document["n"], document["skipped"], document["warnings"]) == (2, 2, ["w"])
    assert document["inexact"] is None


def test_json_never_has_nan() -> None:
    run = Evaluation(Undefined(), ["a"], np.array([[0.0, 5.0]]))

    def refuse(name: str) -> None:
        raise AssertionError(name)

    assert json.loads(run.to_json(), parse_constant=refuse)["scores"] == {
        "deep": {"mean": None},
        "sum": 5,
    }


def test_items_as_json_lines() -> None:
    stream = io.BytesIO()
    groups = {"id": ["hidden", "hidden"], "genre": ["news", "web"], "scores": ["x", "y"]}
    exact(1, 0, groups=groups).write_items(stream)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert lines == [
        {"id": "i0", "genre": "news", "scores": {"accuracy": 1.0}},
        {"id": "i1", "genre": "web", "scores": {"accuracy": 0.0}},
    ]
    assert next(iter(lines[0])) == "id"


def test_items_whose_ids_utf8_cannot_hold() -> None:
    stream = io.BytesIO()
    karat.evaluate("exact", ["a"], ["a"], id=["\ud800"]).write_items(stream)
    assert json.loads(stream.getvalue())["id"] == "\\ud800"


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    exact(1, 0, groups={"genre": ["news", "web"], "id": ["x", "y"]}).to_parquet(str(path))
    assert parquet.read_table(path).to_pydict() == {
        "id": ["i0", "i1"],
        "genre": ["news", "web"],
        "id (field)": ["x", "y"],
        "count:items": [1.0, 1.0],
        "count:correct": [1.0, 0.0],
        "accuracy": [1.0, 0.0],
    }


# -- rankings -----------------------------------------------------------------


def _systems(*shares: float, items: int = 60) -> list[Evaluation]:
    """Systems that are right on the first items, so that better ones include worse ones."""
    return [
        exact(*[int(i < share * items) for i in range(items)], system=f"s{n}")
        for n, share in enumerate(shares)
    ]


def test_ranking_holm_and_clusters() -> None:
    ranking = Ranking(_systems(0.5, 0.9, 0.52, 0.1), trials=2000)
    assert ranking.values == [0.5, 0.9, pytest.approx(32 / 60), 0.1]
    assert ranking.clusters == [2, 1, 2, 3]
    raw = [c["accuracy"].p_value for c in ranking.comparisons]
    assert ranking.adjusted == holm([p for p in raw if p is not None])
    summary = ranking.summary()
    assert [row["cluster"] for row in summary["systems"]] == [2, 1, 2, 3]
    assert [(c["first"], c["second"]) for c in summary["comparisons"]] == [
        ("s0", "s1"), ("s0", "s2"), ("s0", "s3"), ("s1", "s2"), ("s1", "s3"), ("s2", "s3"),
    ]  # fmt: skip


def test_ranking_by_a_score_that_is_better_when_lower() -> None:
    metric = parse("edit-distance")
    rows = [[1, d, 10, d / 10] for d in (0, 5)]
    runs = [
        Evaluation(metric, list("abcdefgh"), np.array([row] * 8, float), system=str(i))
        for i, row in enumerate(rows)
    ]
    assert Ranking(runs).clusters == [1, 2]
    assert Ranking(runs, "mean").score == "mean"
    with pytest.raises(OptionError, match="K306"):
        Ranking(runs, "meen")


def test_ranking_of_equal_systems() -> None:
    ranking = Ranking(_systems(0.5, 0.5, 0.5))
    assert ranking.clusters == [1, 1, 1]
    assert ranking.adjusted == [1.0, 1.0, 1.0]


def test_a_ranking_is_json() -> None:
    assert json.dumps(Ranking(_systems(0.5, 0.9)).summary(), allow_nan=False)


def test_runs_against_different_gold_files_are_not_compared(tmp_path: Path) -> None:
    texts = {"system": "a\nb\n", "gold": "a\nb\n", "other": "a\nc\n"}
    paths = {name: tmp_path / f"{name}.txt" for name in texts}
    for name, path in paths.items():
        path.write_text(texts[name], encoding="utf-8")
    first = karat.evaluate("exact", system=paths["system"], gold=paths["gold"])
    second = karat.evaluate("exact", system=paths["system"], gold=paths["other"])
    assert first.compare(first)["accuracy"].difference == 0
    with pytest.raises(PairingError, match=r"K209: .* the same gold"):
        first.compare(second)


def test_groups_of_several_fields_are_told_apart() -> None:
    """Joined by a blank, ("a b", "c") and ("a", "b c") have one name."""
    run = exact(1, 0, 1, groups={"x": ["a b", "a", "a b"], "y": ["c", "b c", "c"]})
    assert {name: scores["accuracy"] for name, scores in run.by("x+y").items()} == {
        "'a b' 'c'": 1.0,
        "'a' 'b c'": 0.0,
    }
    assert run.group_sizes("x+y") == {"'a b' 'c'": 2, "'a' 'b c'": 1}
    assert [len(each) for each in run.split("x+y")] == [2, 1]


def test_a_pair_without_a_test_has_no_corrected_p_value() -> None:
    one_cluster = {"text": ["t", "t", "t"]}
    runs = [exact(1, 1, 0, groups=one_cluster), exact(0, 0, 0, groups=one_cluster)]
    ranked = Ranking(runs, cluster="text")
    assert ranked.adjusted == [None]
    assert ranked.clusters == [1, 1]
    (pair,) = ranked.summary()["comparisons"]
    assert pair["adjusted_p_value"] is None
    assert pair["differences"]["accuracy"]["p_value"] is None


@pytest.mark.parametrize("method", ["auto", "wilson", "percentile", "bca"])
def test_a_level_that_cannot_be_told_from_1(method: Any) -> None:
    with pytest.raises(OptionError, match="a confidence level lies between 0 and 1"):
        exact(1, 0, 1).confidence(0.9999999999999999, method=method)


@pytest.mark.parametrize("sizes", [[], [0], [-1], [10, 0]])
def test_sizes_that_there_cannot_be(sizes: list[int]) -> None:
    with pytest.raises(OptionError, match="sizes are whole numbers from 1"):
        exact(1, 0, 1).power(exact(0, 0, 1), sizes)


def test_a_field_that_is_called_like_a_score_stays_beside_it(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run = exact(1, 0, groups={"accuracy": ["high", "low"], "id": ["x", "y"]})
    run.to_parquet(str(tmp_path / "items.parquet"))
    table = parquet.read_table(tmp_path / "items.parquet").to_pydict()
    assert table == {
        "id": ["i0", "i1"], "accuracy (field)": ["high", "low"], "id (field)": ["x", "y"],
        "count:items": [1, 1], "count:correct": [1, 0], "accuracy": [1, 0],
    }  # fmt: skip


def test_the_standard_error_of_tiny_quotients_is_that_of_large_ones() -> None:
    """Whether a score is a mean of item scores does not depend on its unit."""

    class Quotient(Undefined):
        """A quotient of two sums, which is no mean of quotients."""

        def summarize(self, totals: Array) -> Scores:
            items, value = self.columns_of(totals)
            return {"rate": main(ratio(value, items))}

    rows = np.array([[1, 3], [9, 4], [2, 8], [5, 1], [7, 7]], float)
    large, tiny = (
        Evaluation(Quotient(), list("abcde"), rows * [1, unit]).standard_errors()["rate",]
        for unit in (1.0, 1e-15)
    )
    assert large is not None
    assert tiny == pytest.approx(large * 1e-15, rel=1e-9, abs=0)
