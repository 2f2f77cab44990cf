"""Metrics that are wrong on purpose: each is told what to change."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from karat import Array, Counts, Metric, Scores, cost, count, main, out_of, percent, ratio, within
from karat.core.capabilities import Split
from karat.testing import check_metric

EXAMPLES = [("in Paris", "Paris"), ("in Rome", "Paris"), ("Oslo", "Oslo")]
NUMBERS = itertools.count()


class Right(Metric[str, str]):
    """Share of items that are equal."""

    name = "right"
    kind = "text"
    columns = ("items", "hits")

    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, hits=system == gold)

    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"accuracy": main(ratio(hits, items)), "items": count(items)}


class NoKind(Metric[str, str]):
    name = "no-kind"
    columns = ("items",)


class OneString(Right):
    columns = "items"


class Twice(Right):
    columns = ("items", "items")


class CountsNothing(Metric[str, str]):
    name = "counts-nothing"
    kind = "text"
    columns = ("items",)

    def summarize(self, totals: Array) -> Scores:
        return {"items": totals[..., 0]}


class NoScores(Metric[str, str]):
    name = "no-scores"
    kind = "text"
    columns = ("items",)

    def measure(self, system: str, gold: str) -> Counts:
        return [1.0]


class GivesList(Right):
    def measure_many(self, pairs: Sequence[tuple[str, str]]) -> Array:
        return [[1.0, 0.0] for _ in pairs]  # type: ignore[return-value]


class WrongShape(Right):
    def measure_many(self, pairs: Sequence[tuple[str, str]]) -> Array:
        return np.ones((len(pairs), 3))


class WholeNumbers(Right):
    def measure_many(self, pairs: Sequence[tuple[str, str]]) -> Array:
        return np.ones((len(pairs), 2), np.int64)  # type: ignore[return-value]


class NotFinite(Right):
    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, hits=float("nan"))


class Random(Right):
    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, hits=next(NUMBERS))


class LooksAround(Right):
    def measure_many(self, pairs: Sequence[tuple[str, str]]) -> Array:
        return np.array([[1.0, float(len(pairs))] for _ in pairs])


class OrderMatters(Right):
    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, hits=system == gold)

    def measure_many(self, pairs: Sequence[tuple[str, str]]) -> Array:
        rows = super().measure_many(pairs)
        if len(pairs) > 1 and pairs[0][0] == "Oslo":
            rows[0, 1] = 7
        return rows


class Renamed(Right):
    def __repr__(self) -> str:
        return "another"


class Remade(Right):
    size: int = 1

    def __post_init__(self) -> None:
        self.__dict__["size"] = self.size + 1


class NotInSignature(Right):
    def signature(self) -> str:
        return "mine"


class FirstAxis(Right):
    def summarize(self, totals: Array) -> Scores:
        return {"accuracy": ratio(totals[..., 1].sum(), totals[..., 0].sum())}


class Divides(Right):
    def summarize(self, totals: Array) -> Scores:
        return {"accuracy": np.asarray(totals[..., 1] / int(totals[..., 0].max() or 0 // 0))}


class TwoMains(Right):
    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"a": main(ratio(hits, items)), "b": main(ratio(hits, items))}


class NoMain(Right):
    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"a": ratio(hits, items), "b": ratio(hits, items)}


class OnlyCounts(Right):
    def summarize(self, totals: Array) -> Scores:
        return {"items": main(count(totals[..., 0]))}


class OtherNames(Right):
    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        found: dict[str, Any] = {"accuracy": main(ratio(hits, items))}
        return {**found, "seen": items} if items.any() else found


class Negative(Right):
    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"gain": -ratio(items, items) + ratio(hits, 2 * items)}


class OwnScore(Right):
    def score_all(self, systems: Sequence[str], golds: Sequence[str]) -> list[Any]:
        return [{"accuracy": 0.0} for _ in systems]


class Errors(Right):
    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {"errors": main(ratio(items - hits, items))}


class TooShort(Right):
    def measure(self, system: str, gold: str) -> Counts:
        return np.array([1.0])


class ForgetsReturn(Right):
    def measure(self, system: str, gold: str) -> Counts:
        self.row(items=1, hits=system == gold)  # type: ignore[return]


class ExplainsObjects(Right):
    def explain(self, system: str, gold: str) -> Any:
        return {"shared": {system: object()}}


class SplitsByNumbers(Right):
    facets = ("length",)

    def split(self, facet: str, pairs: Sequence[tuple[str, str]]) -> Split:
        lengths: list[Any] = [len(system) for system, _ in pairs]
        return Split(range(len(pairs)), lengths, self.measure_many(pairs))


class SplitsTooFar(SplitsByNumbers):
    def split(self, facet: str, pairs: Sequence[tuple[str, str]]) -> Split:
        found = super().split(facet, pairs)
        return Split(range(1, len(pairs) + 1), list(map(str, found.values)), found.rows)


class SplitsUnevenly(SplitsByNumbers):
    def split(self, facet: str, pairs: Sequence[tuple[str, str]]) -> Split:
        return super().split(facet, pairs)._replace(values=["2"])


WRONG = {
    TooShort: "measure gives array([1.]) for the 2 columns: give a count for each",
    ForgetsReturn: "measure gives None for the 2 columns: give a count for each",
    ExplainsObjects: "its explanation is not JSON (objects of type object are not supported): ",
    SplitsByNumbers: "split by length gives the value 8: make it a text",
    SplitsTooFar: "split by length names pairs that there are not: give their places in the chunk",
    SplitsUnevenly: "split by length gives 3 pairs, 1 values and rows of shape (3, 2): give a pair",
    NoKind: 'NoKind has no kind: write kind = "text"',
    OneString: "columns is one string: write a tuple, columns = ('items',)",
    Twice: r"columns names ['items'] twice: give each count a name of its own",
    CountsNothing: "CountsNothing counts nothing: write measure (one pair) or measure_many",
    NoScores: "NoScores has no scores: write summarize",
    GivesList: "measure_many gives a list: give a numpy array with one row per pair",
    WrongShape: "gives an array of shape (3, 3) for 3 pairs and 2 columns: give one row per pair",
    WholeNumbers: "measure_many gives counts of type int64: make the array with np.float64",
    NotFinite: "the counts ['hits'] are not finite: count 0 where something is undefined",
    Random: "measuring twice gives different counts: measure must not use random numbers",
    LooksAround: "a pair alone has other counts than in a chunk: a row must depend on its own",
    OrderMatters: "the order of pairs changes counts: a row must depend on its own pair only",
    Renamed: "the repr another does not begin with the name 'right': leave __repr__ alone",
    Remade: "the metric made from right(size=2) is another one: keep what is set in",
    NotInSignature: "the signature lacks the repr: let signature begin with super().signature()",
    FirstAxis: "accuracy has the shape () for sums of shape (2, 3, 2): work on the last axis only",
    Divides: "summarize fails where all counts are 0 (ZeroDivisionError",
    TwoMains: "right marks several scores as main: a, b: mark one score with main",
    NoMain: "no score is the headline: write main(...) around one of a, b in summarize",
    OnlyCounts: "the headline items is a count: mark a score with main, not a sum",
    OtherNames: "seen is not there where all counts are 0: summarize must give the same names",
    Negative: "gain is -1, below its range from 0: write within(..., low, high) around it",
    OwnScore: "do not agree with measure_many and summarize: do not override them",
    Errors: "errors of gold against itself is 0, expected 1: check measure; mark the score with",
}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda cls: cls.__name__)
def test_a_wrong_metric_is_told_what_to_change(wrong: type[Metric[str, str]]) -> None:
    with pytest.raises(AssertionError) as caught:
        check_metric(wrong(), EXAMPLES, identity=str)
    assert WRONG[wrong] in str(caught.value)
    assert "\n" not in str(caught.value).partition("\nassert")[0]


def test_a_right_metric_passes() -> None:
    check_metric(Right(), EXAMPLES, identity=str)


class Costs(Right):
    def summarize(self, totals: Array) -> Scores:
        items, hits = self.columns_of(totals)
        return {
            "errors": main(cost(percent(ratio(items - hits, items)))),
            "gain": within(ratio(hits, items) - 1, -1, 0),
            "tenths": out_of(10 * ratio(hits, items), 10),
        }


def test_right_marks_make_it_pass() -> None:
    check_metric(Costs(), EXAMPLES, identity=str)


def test_a_class_that_cannot_be_pickled_is_named() -> None:
    class Local(Right):
        pass

    with pytest.raises(AssertionError, match="define its class at the top of a module"):
        check_metric(Local(), EXAMPLES)


def test_one_example_is_not_enough() -> None:
    with pytest.raises(AssertionError, match="give at least two examples"):
        check_metric(Right(), EXAMPLES[:1])
