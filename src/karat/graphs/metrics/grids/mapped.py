"""Rows of metrics that look for the best mapping of nodes, with no more work than figures need."""

from __future__ import annotations

import numpy as np

from karat.core.scores import Array
from karat.core.tracing import ROUGHLY, Pairs, measured
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch

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
