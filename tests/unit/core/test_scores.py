"""Scores: division by zero, nesting, and the MetricsDict."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.scores import (
    MetricsDict,
    convention,
    find_leaf,
    harmonic,
    leaves,
    nest,
    precision_recall,
    quotient,
    ratio,
    undefined_is_nan,
)
from karat.errors import OptionError

numbers = st.floats(-1e6, 1e6) | st.integers(-1000, 1000)
names = st.text("abc", min_size=1, max_size=3)
nested = st.recursive(
    st.dictionaries(names, numbers | st.lists(numbers, max_size=3), min_size=1, max_size=3),
    lambda inner: st.dictionaries(names, inner, min_size=1, max_size=3),
    max_leaves=6,
)


# -- helpers ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "whole", "empty", "expected"),
    [(1.0, 4.0, 0.0, 0.25), (0.0, 0.0, 0.0, 0.0), (3.0, 0.0, 1.0, 1.0), (0.0, 2.0, 1.0, 0.0)],
)
def test_ratio(part: float, whole: float, empty: float, expected: float) -> None:
    assert float(ratio(part, whole, empty)) == expected


def test_ratio_keeps_leading_axes() -> None:
    assert ratio(np.ones((2, 3)), np.zeros((2, 3))).shape == (2, 3)
    assert ratio(np.ones((4, 1)), np.arange(3.0)).shape == (4, 3)


@pytest.mark.parametrize(
    ("gold", "system", "common", "p", "r", "f"),
    [(4, 2, 1, 0.5, 0.25, 1 / 3), (0, 0, 0, 0, 0, 0), (3, 0, 0, 0, 0, 0), (2, 2, 2, 1, 1, 1)],
)
def test_precision_and_recall(
    gold: float, system: float, common: float, p: float, r: float, f: float
) -> None:
    found = precision_recall(*(np.array(float(value)) for value in (gold, system, common)))
    assert [float(found[name]) for name in "gscpr"] == [gold, system, common, p, r]
    assert float(found["f"]) == pytest.approx(f, abs=1e-15)
    assert float(harmonic(p, r)) == float(found["f"])


@given(nested)
def test_nesting_undoes_flattening(values: dict[str, Any]) -> None:
    assert nest(leaves(values)) == MetricsDict(values)


@pytest.mark.parametrize("name", ["labeled.f", "labeled_f"])
def test_scores_have_dotted_names(name: str) -> None:
    assert find_leaf({"labeled": {"f": 1}}, name) == ("labeled", "f")


def test_an_unknown_score_lists_near_ones() -> None:
    with pytest.raises(OptionError) as caught:
        find_leaf({"labeled": {"f": 1}, "unlabeled": {"f": 1}}, "labelled.f")
    assert caught.value.code == "K306"
    assert "did you mean 'labeled.f'" in caught.value.message
    assert caught.value.advice == "scores: labeled.f, unlabeled.f"


# -- writing and reading ------------------------------------------------------


def test_writing_makes_what_it_needs() -> None:
    scores = MetricsDict()
    scores["a"]["b"] = 1
    scores["a"]["c"]["d"] = [1, 2]
    assert scores == {"a": {"b": 1, "c": {"d": [1, 2]}}}
    scores.put(("x", "y"), 2)
    assert scores["x"]["y"] == 2


USES: list[Callable[[Any], object]] = [
    repr, str, bool, float, len, list, round, abs,
    lambda value: value == {}, lambda value: value + 1, lambda value: 1 + value,
    lambda value: value / 2, lambda value: "x" in value, lambda value: value.items(),
    lambda value: f"{value:.2f}", lambda value: value < 1, sum,
]  # fmt: skip


@pytest.mark.parametrize("use", USES, ids=range(len(USES)))
def test_any_other_use_of_an_unknown_name_is_an_error(use: Callable[[Any], object]) -> None:
    scores = MetricsDict({"rouge-1": {"recall": 0.5}})
    with pytest.raises(OptionError) as caught:
        use(scores["rouge1"])
    assert caught.value.message == "there is no score 'rouge1'; did you mean 'rouge-1'?"
    with pytest.raises(OptionError, match="K306"):
        use(scores["rouge-1"]["precision"])
    with pytest.raises(OptionError, match="no score 'rouge1'"):
        use(scores["rouge1"]["recall"])
    assert scores == {"rouge-1": {"recall": 0.5}}, "reading changes nothing"


def test_asking_whether_a_name_is_there() -> None:
    scores = MetricsDict({"a": 1})
    assert "b" not in scores
    assert scores.get("b") is None


def test_plain_dicts_are_converted() -> None:
    scores = MetricsDict()
    scores["a"] = {"b": {"c": 1}}
    assert isinstance(scores["a"], MetricsDict)
    assert isinstance(scores["a"]["b"], MetricsDict)
    scores.update({"d": {"e": 1}})
    assert isinstance(scores["d"], MetricsDict)


@pytest.mark.parametrize("make", [dict, MetricsDict])
def test_construction_copies(make: Callable[[Any], Any]) -> None:
    original = make({"a": make({"b": [1, 2]})})
    scores = MetricsDict(original)
    scores["a"]["b"].append(3)
    scores["a"]["c"] = 4
    assert original == {"a": {"b": [1, 2]}}


# -- operations ---------------------------------------------------------------


def test_flatten() -> None:
    assert MetricsDict({"rouge-1": {"recall": 1, "f": 2}, "x": 3}).flatten() == {
        "rouge-1_recall": 1,
        "rouge-1_f": 2,
        "x": 3,
    }


def test_flatten_refuses_a_collision() -> None:
    with pytest.raises(OptionError, match="K307: two scores flatten to the name 'a_b'"):
        MetricsDict({"a_b": 1, "a": {"b": 2}}).flatten()


def test_average_values() -> None:
    scores = MetricsDict({"a": [1, 2, 6], "b": {"c": [0.1] * 10, "d": 5}, "e": []})
    assert scores.average_values() == {"a": 3, "b": {"c": 0.1, "d": 5}, "e": []}


def test_select() -> None:
    scores = MetricsDict({"a": {"x": 1}, "b": 2})
    chosen = scores.select(["a"])
    assert chosen == {"a": {"x": 1}}
    chosen["a"]["x"] = 9
    assert scores["a"]["x"] == 1
    with pytest.raises(OptionError, match="K306: there is no score 'c'"):
        scores.select(["c"])


MERGES = [
    ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
    ({"a": {"x": 1}}, {"a": 2}, {"a": 2}),
    ({"a": 2}, {"a": {"x": 1}}, {"a": {"x": 1}}),
    ({"a": {"x": {"p": 1}}}, {"a": {"x": {"q": 2}}}, {"a": {"x": {"p": 1, "q": 2}}}),
]


@pytest.mark.parametrize(("one", "other", "expected"), MERGES)
def test_update(one: Any, other: Any, expected: Any) -> None:
    mine, theirs = MetricsDict(one), MetricsDict(other)
    mine.update(theirs)
    assert mine == expected
    assert theirs == other


@given(nested)
def test_addition_and_division(values: dict[str, Any]) -> None:
    scores = MetricsDict(values)
    before = copy.deepcopy(scores)
    assert ((scores + scores) / 2).approx_equal(scores, abs=1e-9)
    assert sum([scores, scores, scores]) == scores + scores + scores
    assert scores == before


def test_lists_add_element_by_element() -> None:
    assert MetricsDict({"a": [1, 2]}) + MetricsDict({"a": [3, 4]}) == {"a": [4, 6]}
    assert MetricsDict({"a": [1, 2]}) / 2 == {"a": [0.5, 1.0]}


def test_what_is_undefined_stays_so() -> None:
    assert MetricsDict({"a": None, "b": [None, 1]}) + {"a": 1, "b": [1, 1]} == {
        "a": None,
        "b": [None, 2],
    }
    assert MetricsDict({"a": None, "b": [None, 1]}) / 2 == {"a": None, "b": [None, 0.5]}


MISFITS = [
    ({"a": 1}, {"b": 1}, "scores with other names cannot be added: ['a', 'b']"),
    ({"a": {"x": 1}}, {"a": {"y": 1}}, "scores with other names cannot be added: ['x', 'y']"),
    ({"a": [1]}, {"a": [1, 2]}, "'a' has lists of 1 and 2 numbers, which cannot be added"),
    ({"a": {"x": 1}}, {"a": 1}, "'a' does not have the same shape in both scores"),
    ({"a": 1}, {"a": [1]}, "'a' does not have the same shape in both scores"),
]


@pytest.mark.parametrize(("one", "other", "message"), MISFITS)
def test_what_cannot_be_added(one: Any, other: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        MetricsDict(one) + MetricsDict(other)
    assert caught.value.headline == f"OptionError K307: {message}"


def test_only_scores_can_be_added() -> None:
    with pytest.raises(TypeError):
        MetricsDict({"a": 1}) + 1


APPROX = [
    ({"a": 1.0}, {"a": 1.0 + 1e-12}, True),
    ({"a": 1.0}, {"a": 1.001}, False),
    ({"a": 1}, {"a": 1.0}, True),
    ({"a": 1}, {"b": 1}, False),
    ({"a": {"x": 1}}, {"a": 1}, False),
    ({"a": [1.0, 2.0]}, {"a": [1.0, 2.0 + 1e-12]}, True),
    ({"a": [1.0]}, {"a": [1.0, 2.0]}, False),
    ({"a": [1.0]}, {"a": 1.0}, False),
    ({"a": None}, {"a": None}, True),
    ({"a": None}, {"a": 0.0}, False),
]


@pytest.mark.parametrize(("one", "other", "expected"), APPROX)
def test_approx_equal(one: Any, other: Any, expected: bool) -> None:
    assert MetricsDict(one).approx_equal(other) is expected
    assert MetricsDict(other).approx_equal(one) is expected


@given(nested)
def test_json_keeps_everything(values: dict[str, Any]) -> None:
    text = msgspec.json.encode(MetricsDict(values))
    again = json.loads(text)
    assert again == values
    assert json.dumps(again) == json.dumps(values), "the order of names too"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_json_never_has_a_bare_nan(value: float) -> None:
    assert msgspec.json.encode(MetricsDict({"a": value, "b": [value]})) == b'{"a":null,"b":[null]}'


@given(nested)
def test_pickling_and_copying(values: dict[str, Any]) -> None:
    scores = MetricsDict(values)
    for again in (pickle.loads(pickle.dumps(scores)), copy.deepcopy(scores)):
        assert again == scores
        assert type(again) is MetricsDict


def test_nothing_of_nothing_is_undefined_in_statistics() -> None:
    parts, wholes = [0.0, 0.0, 1.0], [0.0, 4.0, 4.0]
    assert ratio(parts, wholes).tolist() == [0.0, 0.0, 0.25]
    assert ratio(parts, wholes, empty=1.0).tolist() == [1.0, 0.0, 0.25]
    with undefined_is_nan():
        for empty in (0.0, 1.0):
            assert np.array_equal(ratio(parts, wholes, empty), [np.nan, 0.0, 0.25], equal_nan=True)
        assert quotient(parts, wholes, empty=1.0).tolist() == [1.0, 0.0, 0.25]
        assert np.isnan(convention(1.0))
    assert convention(1.0) == 1.0
    assert ratio(0, 0) == 0


def test_the_harmonic_mean_of_what_is_undefined() -> None:
    """One side alone: what there is, is all wrong. Both: there is nothing."""
    precision, recall = (
        np.array([np.nan, 0.0, np.nan, 0.0, 0.5]),
        np.array([0, np.nan, np.nan, 0, 1]),
    )
    with undefined_is_nan():
        found = harmonic(precision, recall)
    assert np.array_equal(found, [0.0, 0.0, np.nan, 0.0, 2 / 3], equal_nan=True)


def test_an_error_ends_the_mode() -> None:
    with suppress(ValueError), undefined_is_nan():
        raise ValueError
    assert ratio(0, 0) == 0
