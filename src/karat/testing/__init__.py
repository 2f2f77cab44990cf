"""karat's own laws, for the authors of metrics.

`check_metric` raises an AssertionError that names the law which a metric breaks.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from karat.core.metric import Metric
from karat.core.scores import find_leaf, leaves
from karat.core.signature import split

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
    rows = metric.measure_many(examples)
    _check_shape(metric, rows, len(examples))
    _check_purity(metric, examples, rows)
    _check_value(metric)
    _check_summary(metric, rows)
    _check_interface(metric, examples, rows)
    if identity is not None:
        _check_identity(metric, [gold for _, gold in examples], identity)


def _check_shape(metric: Metric[Any, Any], rows: Any, count: int) -> None:
    assert isinstance(rows, np.ndarray), "measure_many gives a numpy array"
    assert rows.shape == (count, len(metric.columns)), "one row per pair, one count per column"
    assert rows.dtype == np.float64, "counts are float64"
    assert np.isfinite(rows).all(), "counts are finite"
    assert len(set(metric.columns)) == len(metric.columns), "columns have different names"


def _check_purity(metric: Metric[Any, Any], examples: Sequence[tuple[Any, Any]], rows: Any) -> None:
    again = metric.measure_many(examples)
    assert np.array_equal(again, rows), "measuring twice gives the same"
    single = np.array([metric.measure(system, gold) for system, gold in examples])
    assert np.array_equal(single, rows), "a pair alone and in a chunk gives the same"
    backwards = metric.measure_many(examples[::-1])[::-1]
    assert np.array_equal(backwards, rows), "order does not matter"


def _check_value(metric: Metric[Any, Any]) -> None:
    name, options = split(repr(metric))
    assert name == metric.name, "the repr begins with the name"
    assert type(metric)(**options) == metric, "the repr parses back"
    restored = pickle.loads(pickle.dumps(metric))  # noqa: S301 - our own bytes
    assert restored == metric, "pickling keeps the metric"
    assert hash(restored) == hash(metric), "equal metrics have equal hashes"
    assert repr(metric) in metric.signature(), "the signature holds the repr"


def _check_summary(metric: Metric[Any, Any], rows: Any) -> None:
    whole = dict(leaves(metric.summarize(rows.sum(axis=0))))
    assert find_leaf(metric.summarize(rows.sum(axis=0)), metric.headline), "the headline exists"
    if metric.ranked_by:
        assert find_leaf(metric.summarize(rows.sum(axis=0)), metric.ranked_by), "so does the finer"
    stacked = np.stack([rows, rows[::-1]])
    for path, values in leaves(metric.summarize(stacked)):
        assert np.shape(values) == stacked.shape[:2], f"{path}: scores keep the leading axes"
    each = dict(leaves(metric.summarize(rows)))
    for path, values in each.items():
        alone = [dict(leaves(metric.summarize(row)))[path] for row in rows]
        assert np.array_equal(
            np.asarray(values, float), np.asarray(alone, float), equal_nan=True
        ), f"{path}: summarizing rows together and alone gives the same"
    known = {".".join(path) for path in whole}
    for declared in (
        metric.totals, metric.lower_is_better, metric.scales, metric.unbounded, metric.ranges
    ):  # fmt: skip
        assert set(declared) <= known, f"{sorted(set(declared) - known)} are not scores"
    for path, values in each.items():
        if ".".join(path) not in metric.totals:
            lowest = np.nanmin(values) if np.any(~np.isnan(values)) else np.inf
            low = metric.range_of(path)[0]
            assert lowest >= low - 1e-9, f"{path} is {lowest}, below its range from {low}"


def _check_interface(
    metric: Metric[Any, Any], examples: Sequence[tuple[Any, Any]], rows: Any
) -> None:
    systems, golds = [list(side) for side in zip(*examples, strict=True)]
    each = metric.score_all(systems, golds)
    assert each == metric.per_row(rows), "score_all gives the scores of each row"
    assert metric.score(systems[0], golds[0]) == each[0], "score is score_all of one"
    assert metric.score_multi(systems[:1], golds[0]) == each[:1], "score_multi shares one gold"
    groups = metric.score_multi_all([[system] for system in systems], golds)
    assert groups == [[scores] for scores in each], "score_multi_all keeps its groups"
    total, again = metric.evaluate(systems, golds)
    assert again == each, "evaluate gives the scores of each pair"
    assert total == metric.total_scores(rows.sum(axis=0)), "evaluate sums the rows"


def _check_identity(
    metric: Metric[Any, Any], golds: Sequence[Any], identity: Callable[[Any], Any]
) -> None:
    scores, _ = metric.evaluate([identity(gold) for gold in golds], golds)
    value = dict(leaves(scores))[find_leaf(scores, metric.headline)]
    perfect = metric.perfect
    assert abs(value - perfect) <= 1e-9 * max(1.0, abs(perfect)), (
        f"gold against itself scores {value}, expected {perfect}"
    )
