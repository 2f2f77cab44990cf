"""Many comparisons at once: corrected p-values, and ranks that the data support."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.stats.resampling import Array


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted so that all can be held against one level (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    count = len(p_values)
    adjusted = [0.0] * count
    highest = 0.0
    for rank, i in enumerate(sorted(range(count), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (count - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def rank_clusters(scores: Sequence[float], p_values: Array, alpha: float = 0.05) -> list[int]:
    """The cluster of each system, 1 the best; `p_values` is a symmetric matrix.

    Systems are sorted by score, best first. A new cluster begins where every
    system above differs significantly from every system below.

    >>> rank_clusters([0.9, 0.5, 0.6], np.array([[1, .01, .01], [.01, 1, .4], [.01, .4, 1]]))
    [1, 2, 2]
    """
    order = np.argsort(-np.asarray(scores, float), kind="stable")
    matrix = np.asarray(p_values)[np.ix_(order, order)]
    clusters = [0] * len(order)
    current = 1
    for position, system in enumerate(order):
        if position and np.all(matrix[:position, position:] <= alpha):
            current += 1
        clusters[system] = current
    return clusters
