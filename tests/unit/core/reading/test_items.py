"""What items are called, made when it is asked for."""

from __future__ import annotations

import numpy as np

from karat import parse
from karat.core.reading.items import Named
from karat.core.runs.evaluation import Evaluation


def test_items_without_keys_are_called_by_their_numbers() -> None:
    named = Named(None, np.array([4, 0]))
    assert named.ids() == ["5", "1"]
    assert named.keys() == [("5",), ("1",)]


def test_keys_are_those_of_the_places() -> None:
    named = Named([("a", "x"), None, (None, "y")], np.array([2, 0, 1]))
    assert named.keys() == [("3", "y"), ("a", "x"), ("2",)]
    assert named.ids() == ["3", "a", "2"]


def test_an_evaluation_makes_names_when_asked() -> None:
    run = Evaluation(parse("exact"), Named([("a",), ("b",)], np.array([1, 0])), np.ones((2, 2)))
    assert len(run) == 2
    assert run.has_places
    assert not {"ids", "keys", "places"} & vars(run).keys()
    assert (run.ids, run.keys, run.places) == (["b", "a"], [("b",), ("a",)], [1, 0])
