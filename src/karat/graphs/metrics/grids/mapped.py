"""Rows of metrics that look for the best mapping of nodes, with no more work than figures need."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from karat.core.scores import Array
from karat.core.tracing import ROUGHLY, Pairs, measured
from karat.graphs.matching.solver import Side
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.model import Graph

KINDS_APART = "kinds apart"
"""What settings need whose figures are of one kind of tuples alone."""
_LITTLE_WORK = 1_000_000
"""A budget that proves the value of nearly all pairs."""


def best_rows(metric: Smatch | Mrp, pairs: Pairs, needs: frozenset[str]) -> Array:
    """The rows of a metric; where no kind of tuples is asked for, by any of the best mappings.

    Most of the work on graphs that have little in common goes into choosing among mappings of
    equal value, which tells how many of each kind match: the sum is the same for all of them. In a
    sample, values that take long to prove need not be proven.
    """
    if KINDS_APART in needs and ROUGHLY not in needs:
        return measured(metric, pairs)
    rows = measured(type(metric)(**{**metric.changed_options(), "budget": _LITTLE_WORK}), pairs)
    if ROUGHLY not in needs:
        columns = metric.by_column(rows)
        matched = np.sum([each for name, each in columns.items() if name.endswith(".c")], axis=0)
        unproven = np.flatnonzero(columns["bound"] != matched).tolist()
        if unproven:
            rows[unproven] = measured(metric, [pairs[i] for i in unproven])
    return rows


class KnownRows:
    """Rows of pairs of graphs by their tuples: as long as the same ones are equal, it does not
    matter what they are, so that steps of normalisation often lead to a pair that was matched."""

    def __init__(self) -> None:
        self.by_identity: dict[Hashable, tuple[Graph, Graph, Array]] = {}
        """With the graphs themselves, so that no others can have their identity."""
        self.by_tuples: dict[Hashable, Array] = {}


def best_rows_once(
    known: KnownRows, domination: bool, pairs: Pairs, needs: frozenset[str]
) -> Array:
    """What `best_rows` gives for graphs that are normalised, without matching a pair again."""
    # Domination constrains graphs of UCCA alone.
    constrained = domination and any(gold.framework == "ucca" for _, gold in pairs)
    metric = Mrp(normalize=(), domination=constrained)
    how = constrained, needs
    places = [(how, id(system), id(gold)) for system, gold in pairs]
    new = {place: i for i, place in enumerate(places) if place not in known.by_identity}
    _, (prepared,) = metric.prepare([pairs[i] for i in new.values()])
    keys = [(how, each.mode, *_key(each.gold), *_key(each.system)) for each in prepared]
    numbered = zip(keys, new.values(), strict=True)
    first = {key: i for key, i in numbered if key not in known.by_tuples}
    if first:
        rows = best_rows(metric, [pairs[i] for i in first.values()], needs)
        known.by_tuples.update(zip(first, rows, strict=True))
    for (place, i), key in zip(new.items(), keys, strict=True):
        known.by_identity[place] = *pairs[i], known.by_tuples[key]
    return np.stack([known.by_identity[place][2] for place in places])


def _key(side: Side) -> tuple[Hashable, ...]:
    tables = side.features, side.edges, side.below
    return side.nodes, *(np.asarray(each, np.int32).tobytes() for each in tables)
