"""Rows of metrics that look for the best mapping of nodes, with no more work than figures need."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import numpy as np

from karat.core.metric import Metric
from karat.core.scores import Array
from karat.core.tracing import ROUGHLY, Pairs, RowsOf, measured, roughly, rows_again
from karat.graphs.matching.solver import GraphPair, Side
from karat.graphs.metrics.grids.variants import Normal
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.model import Graph

KINDS_APART = "kinds apart"
"""What settings need whose figures are of one kind of tuples alone."""
_Metric = TypeVar("_Metric", Smatch, Mrp)


def best_rows(metric: Smatch, pairs: Pairs, needs: frozenset[str]) -> Array:
    """The rows of a metric; where no kind of tuples is asked for, by any of the best mappings.

    Most of the work on graphs that have little in common goes into choosing among mappings of
    equal value, which tells how many of each kind match: the sum is the same for all of them. In a
    sample, values that take long to prove need not be proven.
    """
    return _best_rows(
        metric,
        needs,
        lambda each, which: measured(each, pairs if which is None else [pairs[i] for i in which]),
    )


def proven_rows(metric: Metric[Any, Any], pairs: Pairs, rows_of: RowsOf = measured) -> Array:
    """The rows of a metric whose figures are values of mappings, whichever of the best they are
    of: more work than little is spent on pairs alone whose value is not proven by that."""
    quick = roughly(metric)
    rows = rows_of(quick, pairs)
    if quick == metric:
        return rows
    unproven = np.flatnonzero(metric.by_column(rows)["inexact"]).tolist()
    return rows_again(metric, rows, pairs, unproven, rows_of)


def _matched(
    metric: Mrp, pairs: Pairs, prepared: Sequence[GraphPair], needs: frozenset[str]
) -> Array:
    """The same for pairs whose tuples are there."""

    def rows(metric: Mrp, which: Sequence[int] | None) -> Array:
        some = range(len(pairs)) if which is None else which
        own, given = [pairs[i] for i in some], [prepared[i] for i in some]
        return metric.rows(own, metric.best_mappings(own, [given]))

    return _best_rows(metric, needs, rows)


def _best_rows(
    metric: _Metric,
    needs: frozenset[str],
    rows_of: Callable[[_Metric, Sequence[int] | None], Array],
) -> Array:
    if KINDS_APART in needs and ROUGHLY not in needs:
        return rows_of(metric, None)
    rows = rows_of(roughly(metric), None)
    if ROUGHLY not in needs:
        columns = metric.by_column(rows)
        matched = np.sum([each for name, each in columns.items() if name.endswith(".c")], axis=0)
        unproven = np.flatnonzero(columns["bound"] != matched).tolist()
        if unproven:
            rows[unproven] = rows_of(metric, unproven)
    return rows


class KnownRows:
    """Rows of pairs of graphs by their tuples: as long as the same ones are equal, it does not
    matter what they are, so that steps of normalisation often lead to a pair that was matched."""

    def __init__(self) -> None:
        self.by_identity: dict[Hashable, tuple[Normal, Normal, Array]] = {}
        """With the graphs themselves, so that no others can have their identity."""
        self.by_tuples: dict[Hashable, Array] = {}


def best_rows_once(
    known: KnownRows, domination: bool, pairs: Sequence[tuple[Normal, Normal]],
    needs: frozenset[str],
) -> Array:  # fmt: skip
    """What `best_rows` gives for graphs that are normalised, without matching a pair again."""
    # Domination constrains graphs of UCCA alone.
    constrained = domination and any(gold.graph.framework == "ucca" for _, gold in pairs)
    metric = Mrp(domination=constrained)
    how = constrained, needs
    places = [(how, id(system), id(gold)) for system, gold in pairs]
    new = {place: i for i, place in enumerate(places) if place not in known.by_identity}
    prepared = [
        metric.paired(system.graph, gold.graph, system.tuples, gold.tuples)
        for system, gold in map(pairs.__getitem__, new.values())
    ]
    keys = [(how, each.mode, *_key(each.gold), *_key(each.system)) for each in prepared]
    first = {key: i for i, key in enumerate(keys) if key not in known.by_tuples}
    if first:
        which = list(new.values())
        rows = _matched(
            metric,
            [_graphs(pairs[which[i]]) for i in first.values()],
            [prepared[i] for i in first.values()],
            needs,
        )
        known.by_tuples.update(zip(first, rows, strict=True))
    for (place, i), key in zip(new.items(), keys, strict=True):
        known.by_identity[place] = *pairs[i], known.by_tuples[key]
    return np.stack([known.by_identity[place][2] for place in places])


def _graphs(pair: tuple[Normal, Normal]) -> tuple[Graph, Graph]:
    return pair[0].graph, pair[1].graph


def _key(side: Side) -> tuple[Hashable, ...]:
    tables = side.features, side.edges, side.below
    return side.nodes, *(np.asarray(each, np.int32).tobytes() for each in tables)
