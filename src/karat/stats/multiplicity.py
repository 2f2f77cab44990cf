"""Multiple comparisons: corrected p-values, and clusters of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from karat.errors import OptionError, check_choice
from karat.stats.resampling import Array
from karat.stats.tails import chi_square_tail

Correction = Literal["bonferroni", "holm", "benjamini-hochberg", "fisher"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted to control the family-wise error rate (Holm 1979).

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


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted to control the false discovery rate (Benjamini and Hochberg 1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    count = len(p_values)
    adjusted = [0.0] * count
    lowest = 1.0
    order = sorted(range(count), key=p_values.__getitem__)
    for rank in range(count, 0, -1):
        i = order[rank - 1]
        lowest = min(lowest, count * p_values[i] / rank)
        adjusted[i] = lowest
    return adjusted


@dataclass(frozen=True, slots=True)
class Conjunction:
    """The number of tests with an effect, and which ones."""

    k: int
    rejected: tuple[int, ...]
    """The tests that are significant on their own, smallest p-value first."""
    p_values: tuple[float, ...]
    """For u = 1, 2, ...: of "fewer than u tests have an effect"; or adjusted, in input order."""


def partial_conjunction(
    p_values: Sequence[float], alpha: float = 0.05, method: Correction = "bonferroni"
) -> Conjunction:
    """A lower bound for the number of false null hypotheses (Dror et al. 2017).

    `bonferroni` holds for tests on any data, `fisher` for independent ones; both
    name the tests by Holm's procedure. `holm` and `benjamini-hochberg` count what
    they reject.

    >>> partial_conjunction([0.168, 0.297, 0.357, 0.019, 0.218, 0.001], 0.1).rejected
    (5, 3)
    """
    check_choice("a method", method, CORRECTIONS)
    if not p_values or not all(0 <= p <= 1 for p in p_values):
        raise OptionError(f"p-values lie between 0 and 1, got {list(p_values)}", code="K302")
    count = len(p_values)
    order = sorted(range(count), key=p_values.__getitem__)
    if method in ("holm", "benjamini-hochberg"):
        adjusted = (holm if method == "holm" else benjamini_hochberg)(p_values)
        rejected = tuple(i for i in order if adjusted[i] <= alpha)
        return Conjunction(len(rejected), rejected, tuple(adjusted))
    rising, highest = [], 0.0
    for place in range(count):
        rest = [p_values[i] for i in order[place:]]
        highest = max(highest, min(1.0, _combined(rest, method)))
        rising.append(highest)
    by_holm = holm(p_values)
    return Conjunction(
        sum(p <= alpha for p in rising),
        tuple(i for i in order if by_holm[i] <= alpha),
        tuple(rising),
    )


def _combined(p_values: Sequence[float], method: Correction) -> float:
    """The p-value of "none of these tests has an effect", for p-values in rising order."""
    if method == "bonferroni":
        return len(p_values) * p_values[0]
    if p_values[0] == 0:
        return 0.0
    return chi_square_tail(-2 * math.fsum(map(math.log, p_values)), len(p_values))


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
