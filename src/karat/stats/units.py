"""Units of statistics: items, or clusters of items, whose rows are summed first."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.stats.resampling import Array

Clusters: TypeAlias = npt.NDArray[np.int64]
"""The number of the cluster that each item belongs to: 0, 1, ... in order of first appearance."""

FEW_CLUSTERS = 10
"""With fewer clusters, intervals are wide and tests weak."""


def numbered(values: Sequence[Hashable]) -> Clusters:
    """Equal values as clusters.

    >>> numbered(["b", "a", "b"])
    array([0, 1, 0])
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)


def proper(clusters: Clusters | None) -> Clusters | None:
    """The clusters, unless each is a single item: then items are the units."""
    return None if clusters is None or count(clusters) == len(clusters) else clusters


def count(clusters: Clusters) -> int:
    """The number of clusters."""
    return int(clusters.max()) + 1 if len(clusters) else 0


def summed(rows: Array, clusters: Clusters | None) -> Array:
    """The rows of the units: those of a cluster are added up.

    >>> summed(np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([0, 1, 0]))
    array([[6., 8.],
           [3., 4.]])
    """
    if clusters is None:
        return rows
    result = np.zeros((count(clusters), *rows.shape[1:]))
    np.add.at(result, clusters, rows)
    return result
