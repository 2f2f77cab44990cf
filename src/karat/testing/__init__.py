"""The laws of metrics, for their authors.

`check_metric` raises an AssertionError that says which law a metric breaks, and what to change.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from karat.core.capabilities import Explains, encoded_explanation, facets_of, has
from karat.core.metric import Metric
from karat.core.scores import Array, find_leaf, leaves
from karat.core.scoring import row_scores, total_scores
from karat.core.signature import split
from karat.errors import KaratError, OptionError

System = TypeVar("System")
Gold = TypeVar("Gold")


def check_metric(
    metric: Metric[System, Gold],
    examples: Sequence[tuple[System, Gold]],
    identity: Callable[[Gold], System] | None = None,
) -> None:
    """Holds a metric against every law, on pairs of (system, gold).

    `identity` makes the system output that a gold item would call perfect; it
    may be left out where there is none.
    """
    assert len(examples) >= 2, "give at least two examples"
    _check_declaration(metric)
    _check_row(metric, examples[0])
    rows = metric.measure_many(examples)
    _check_shape(metric, rows, len(examples))
    _check_purity(metric, examples, rows)
    _check_value(metric)
    _check_summary(metric, rows)
    _check_marks(metric, rows)
    _check_interface(metric, examples, rows)
    _check_explanations(metric, examples)
    _check_facets(metric, examples)
    if identity is not None:
        _check_identity(metric, [gold for _, gold in examples], identity)


def _check_declaration(metric: Metric[Any, Any]) -> None:
    cls = type(metric)
    for name, example in (("name", '"contains"'), ("kind", '"text"'), ("columns", '("items",)')):
        assert hasattr(cls, name), f"{cls.__name__} has no {name}: write {name} = {example}"
    assert not isinstance(metric.columns, str), (
        f"columns is one string: write a tuple, columns = ({metric.columns!r},)"
    )
    repeated = sorted({name for name in metric.columns if list(metric.columns).count(name) > 1})
    assert not repeated, f"columns names {repeated} twice: give each count a name of its own"
    assert cls.measure is not Metric.measure or cls.measure_many is not Metric.measure_many, (
        f"{cls.__name__} counts nothing: write measure (one pair) or measure_many (a chunk)"
    )
    assert cls.summarize is not Metric.summarize, (
        f"{cls.__name__} has no scores: write summarize, which makes them of sums of rows"
    )


def _check_row(metric: Metric[Any, Any], example: tuple[Any, Any]) -> None:
    if type(metric).measure is not Metric.measure:
        row: Any = metric.measure(*example)
        assert np.shape(row) == (len(metric.columns),), (
            f"measure gives {row!r} for the {len(metric.columns)} columns: give a count for each, "
            "as self.row(...) does"
        )


def _check_shape(metric: Metric[Any, Any], rows: Any, count: int) -> None:
    assert isinstance(rows, np.ndarray), (
        f"measure_many gives a {type(rows).__name__}: give a numpy array with one row per pair"
    )
    wanted = count, len(metric.columns)
    assert rows.shape == wanted, (
        f"measure_many gives an array of shape {rows.shape} for {count} pairs and "
        f"{wanted[1]} columns: give one row per pair with one count per column"
    )
    assert rows.dtype == np.float64, (
        f"measure_many gives counts of type {rows.dtype}: make the array with np.float64"
    )
    bad = [name for name, total in zip(metric.columns, rows.T, strict=True) if not _finite(total)]
    assert not bad, (
        f"the counts {bad} are not finite: count 0 where something is undefined, and let "
        "summarize divide with ratio"
    )


def _finite(values: Array) -> bool:
    return bool(np.isfinite(values).all())


def _check_purity(metric: Metric[Any, Any], examples: Sequence[tuple[Any, Any]], rows: Any) -> None:
    again = metric.measure_many(examples)
    assert np.array_equal(again, rows), (
        "measuring twice gives different counts: measure must not use random numbers, the "
        "clock, or what it remembers from earlier pairs"
    )
    single = np.array([metric.measure(system, gold) for system, gold in examples])
    assert np.array_equal(single, rows), (
        "a pair alone has other counts than in a chunk: a row must depend on its own pair only"
    )
    backwards = metric.measure_many(examples[::-1])[::-1]
    assert np.array_equal(backwards, rows), (
        "the order of pairs changes counts: a row must depend on its own pair only"
    )


def _check_value(metric: Metric[Any, Any]) -> None:
    name, options = split(repr(metric))
    assert name == metric.name, (
        f"the repr {metric!r} does not begin with the name {metric.name!r}: leave __repr__ alone"
    )
    assert type(metric)(**options) == metric, (
        f"the metric made from {metric!r} is another one: keep what is set in __post_init__ out "
        "of the options, and leave __eq__ and __repr__ alone"
    )
    try:
        restored = pickle.loads(pickle.dumps(metric))  # noqa: S301 - our own bytes
    except (AttributeError, pickle.PicklingError, TypeError) as error:
        raise AssertionError(
            f"the metric cannot be pickled ({error}): define its class at the top of a module"
        ) from error
    assert restored == metric, "pickling changes the metric: leave __reduce__ alone"
    assert hash(restored) == hash(metric), (
        "equal metrics have different hashes: leave __hash__ alone"
    )
    assert repr(metric) in metric.signature(), (
        "the signature lacks the repr: let signature begin with super().signature()"
    )


def _check_summary(metric: Metric[Any, Any], rows: Array) -> None:
    assert not _undescribed(metric), _undescribed(metric)
    stacked = np.stack([rows, rows[::-1]])
    for path, values in leaves(metric.summarize(stacked)):
        assert np.shape(values) == stacked.shape[:2], (
            f"{'.'.join(path)} has the shape {np.shape(values)} for sums of shape "
            f"{stacked.shape}: work on the last axis only (columns_of, totals[..., i])"
        )
    for path, values in leaves(metric.summarize(rows)):
        alone = [dict(leaves(metric.summarize(row))).get(path) for row in rows]
        assert np.array_equal(
            np.asarray(values, float), np.asarray(alone, float), equal_nan=True
        ), (
            f"{'.'.join(path)} of many sums is not that of each alone: summarize must treat every "
            "sum in the same way"
        )


def _undescribed(metric: Metric[Any, Any]) -> str:
    """Why summarize says nothing about a sum of nothing; empty if it does."""
    try:
        return "" if metric.about.headline else "summarize gives no scores"
    except (ArithmeticError, IndexError, KeyError, ValueError) as error:
        return f"summarize fails where all counts are 0 ({error!r}): divide with ratio"
    except TypeError as error:
        return f"{error}: mark one score with main, at most one with tiebreak"


def _check_marks(metric: Metric[Any, Any], rows: Array) -> None:
    about = metric.about
    proper = [name for name in map(".".join, about.marks) if name not in about.totals]
    marked = [path for path, mark in about.marks.items() if mark.main]
    assert marked or len(proper) == 1, (
        f"no score is the headline: write main(...) around one of {', '.join(proper) or 'them'} "
        "in summarize"
    )
    assert about.headline not in about.totals, (
        f"the headline {about.headline} is a count: mark a score with main, not a sum"
    )
    for path, values in leaves(metric.summarize(rows)):
        name = ".".join(path)
        assert path in about.marks, (
            f"{name} is not there where all counts are 0: summarize must give the same names for "
            "every sum"
        )
        if name in about.totals or np.isnan(values).all():
            continue
        lowest, low = float(np.nanmin(values)), about.range_of(path)[0]
        assert lowest >= low - 1e-9, (
            f"{name} is {lowest:g}, below its range from {low:g}: write within(..., low, high) "
            "around it in summarize"
        )


def _check_interface(
    metric: Metric[Any, Any], examples: Sequence[tuple[Any, Any]], rows: Any
) -> None:
    systems, golds = [list(side) for side in zip(*examples, strict=True)]
    each = metric.score_all(systems, golds)
    groups = metric.score_multi_all([[system] for system in systems], golds)
    total, again = metric.evaluate(systems, golds)
    agree = (
        each == again == row_scores(metric, rows)
        and metric.score(systems[0], golds[0]) == each[0]
        and metric.score_multi(systems[:1], golds[0]) == each[:1]
        and groups == [[scores] for scores in each]
        and total == total_scores(metric, rows.sum(axis=0))
    )
    assert agree, (
        "score, score_all, score_multi, score_multi_all and evaluate do not agree with "
        "measure_many and summarize: do not override them"
    )


def _check_explanations(metric: Metric[Any, Any], examples: Sequence[tuple[Any, Any]]) -> None:
    if not has(metric, Explains):
        return
    for system, gold in examples:
        try:
            encoded_explanation(metric, metric.explain(system, gold))
        except OptionError as error:
            raise AssertionError(
                f"{error.message}: give a dictionary of texts, numbers, lists and dictionaries "
                "whose keys are texts"
            ) from error


def _check_facets(metric: Metric[Any, Any], examples: Sequence[tuple[Any, Any]]) -> None:
    for facet in facets_of(metric):
        pairs, values, rows = metric.split(facet, examples)  # type: ignore[attr-defined]
        sizes = len(pairs), len(values), *np.shape(rows)
        assert sizes == (len(pairs),) * 3 + (len(metric.columns),), (
            f"split by {facet} gives {len(pairs)} pairs, {len(values)} values and rows of shape "
            f"{np.shape(rows)}: give a pair, a value and a row of counts for each part"
        )
        odd = [value for value in values if not isinstance(value, str)]
        assert not odd, f"split by {facet} gives the value {odd[0]!r}: make it a text"
        assert all(0 <= pair < len(examples) for pair in pairs), (
            f"split by {facet} names pairs that there are not: give their places in the chunk, "
            "from 0 on"
        )


def _check_identity(
    metric: Metric[Any, Any], golds: Sequence[Any], identity: Callable[[Any], Any]
) -> None:
    perfect, name = metric.about.perfect, metric.about.headline
    try:
        scores, _ = metric.evaluate([identity(gold) for gold in golds], golds)
    except KaratError as error:
        raise AssertionError(
            f"gold cannot be scored against itself ({error.headline}): check identity, or leave "
            "it out"
        ) from error
    value = dict(leaves(scores))[find_leaf(scores, name)]
    assert value is not None, f"{name} of gold against itself is undefined, expected {perfect:g}"
    assert abs(value - perfect) <= 1e-9 * max(1.0, abs(perfect)), (
        f"{name} of gold against itself is {value:g}, expected {perfect:g}: check measure; "
        "mark the score with cost where lower is better, with percent or out_of where it is "
        "not a share; or leave out identity"
    )
