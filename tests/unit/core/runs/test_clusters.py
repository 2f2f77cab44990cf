"""Clusters of a run's items: fields, joined fields, ids, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from karat.core.registry import parse
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.errors import OptionError, PairingError
from karat.report import exports

EXACT = parse("exact")
IDS = ["a", "b", "a", "c"]


def run(values: list[float], **groups: list[str]) -> Evaluation:
    rows = np.array([[1.0, value] for value in values])
    return Evaluation(EXACT, IDS, rows, groups=groups, system="x")


@pytest.mark.parametrize(
    ("field", "numbers"),
    [
        ("id", [0, 1, 0, 2]),
        ("text", [0, 0, 1, 1]),
        ("text+page", [0, 1, 2, 2]),
        ("page", [0, 1, 0, 0]),
        ("a+b", [0, 0, 0, 1]),  # the name of a field may hold a +
    ],
)
def test_clusters_by_fields(field: str, numbers: list[int]) -> None:
    groups = {
        "text": ["t", "t", "u", "u"],
        "page": ["1", "2", "1", "1"],
        "a+b": ["1", "1", "1", "2"],
    }
    found = Evaluation(EXACT, IDS, np.ones((4, 2)), groups=groups)
    assert found.clusters(field).tolist() == numbers
    assert found.cluster_count(field) == max(numbers) + 1


def test_joined_values_are_not_confused() -> None:
    found = run([1, 0, 1, 1], x=["a b", "a", "a b", "a"], y=["c", "b c", "c", "b c"])
    assert found.clusters("x+y").tolist() == [0, 1, 0, 1]


def test_an_item_without_a_value_is_bad_data() -> None:
    with pytest.raises(PairingError) as caught:
        run([1, 0, 1, 1], text=["t", "", "u", ""]).confidence(cluster="text")
    assert caught.value.headline == (
        "PairingError K217: 2 of 4 items have no 'text' to be clustered by: 'b', 'c'"
    )
    assert caught.value.exit_code == 1


def test_an_unknown_field() -> None:
    with pytest.raises(OptionError) as caught:
        run([1, 0, 1, 1], text=["t"] * 4).confidence(cluster="txet")
    assert caught.value.headline == (
        "OptionError K315: the items have no field 'txet'; did you mean 'text'?"
    )


def test_one_cluster_has_no_interval_and_no_test() -> None:
    one, other = (run(values, text=["t"] * 4) for values in ([1, 0, 1, 1], [0, 0, 0, 0]))
    assert one.confidence(cluster="text").reasons == {("accuracy",): "one cluster"}
    difference = one.compare(other, cluster="text")["accuracy"]
    assert (difference.p_value, difference.interval) == (None, None)
    assert difference.interval_reason == "one cluster"
    assert one.cluster_remarks("text") == ["only 1 cluster: there are no intervals and no tests"]


def test_mcnemar_is_refused() -> None:
    one, other = (run(values) for values in ([1, 0, 1, 1], [0, 0, 0, 0]))
    with pytest.raises(OptionError, match="'mcnemar' is for independent items") as caught:
        one.compare(other, test="mcnemar", cluster="id")
    assert caught.value.code == "K302"


def test_the_json_has_items_and_clusters() -> None:
    statistics = {"level": 0.95, "resamples": 100, "seed": 0, "method": "auto", "cluster": "id"}
    record = exports.json(run([1, 0, 0, 1]), statistics, [])
    assert (record["n"], record["clusters"]) == (4, 3)
    assert record["warnings"] == ["only 3 clusters: intervals are wide and tests weak"]
    # By hand: the sums of deviations from 1/2 are 0 (a: 1/2 - 1/2), -1/2 and 1/2.
    error = record["confidence"]["intervals"]["accuracy"]["standard_error"]
    assert error == pytest.approx((3 / 2 * 0.5) ** 0.5 / 4)
    ranked = Ranking([run([1, 0, 0, 1]), run([0, 0, 1, 1])], cluster="id").summary()
    assert (ranked["cluster"], ranked["clusters"]) == ("id", 3)
