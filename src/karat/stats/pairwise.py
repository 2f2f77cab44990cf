"""Pairwise accuracy: how often two scores rank pairs the same way, ties included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.errors import LimitExceeded
from karat.stats.correlation import ROUNDING
from karat.stats.levels import Correlations, Level
from karat.stats.resampling import Array

MOST_PAIRS = 10_000_000


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """The share of pairs on which two scores agree: same order, or tied in both.

    Deutsch, Foster and Freitag (2023) call it acc_eq. A metric with many digits
    never ties, people often do: calibrated, differences of the metric up to the
    threshold are ties, and the threshold is the best there is. Grouped levels
    are means over groups.
    """

    value: float | None
    calibrated: float | None
    threshold: float | None
    pairs: int
    groups: int


def pairwise_accuracy(matrices: Correlations, level: Level) -> PairwiseAccuracy:
    """The share of pairs that X orders as Y does, at one level."""
    groups = _groups(matrices, level)
    sizes = [len(x) for x, _ in groups]
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    if pairs > MOST_PAIRS:
        raise LimitExceeded(
            f"the {level} level has {pairs:,} pairs, at most {MOST_PAIRS:,} are compared",
            code="K510",
            advice="use the system level, or fewer systems or inputs",
        )
    if pairs == 0:
        return PairwiseAccuracy(None, None, None, 0, 0)
    # The share of one pair is one over the pairs of its group, and over the groups.
    differences, gains, base = [], [], 0.0
    used = [(x, y) for x, y in groups if len(x) > 1]
    for x, y in used:
        first, second = np.triu_indices(len(x), 1)
        dx, dy = x[first] - x[second], y[first] - y[second]
        concordant = (np.sign(dx) == np.sign(dy)) & (dy != 0)
        weight = 1 / (len(dx) * len(used))
        # Tied by the metric: right where people tie, no longer right where it agreed.
        differences.append(np.abs(dx))
        gains.append(weight * ((dy == 0).astype(float) - concordant))
        base += weight * float(concordant.sum())
    value, calibrated, threshold = best_threshold(
        np.concatenate(differences), np.concatenate(gains), base, max(_largest(x) for x, _ in used)
    )
    return PairwiseAccuracy(value, calibrated, threshold, pairs, len(used))


def best_threshold(
    differences: Array, gains: Array, base: float, largest: float
) -> tuple[float, float, float]:
    """The accuracy with exact ties only; the best one, and the least threshold that gives it.

    Differences of scores up to `largest` that differ by rounding only are one.
    """
    order = np.argsort(differences, kind="stable")
    sorted_differences = differences[order]
    accuracy = base + np.cumsum(gains[order])
    # A threshold takes in all pairs that differ by it.
    apart = np.diff(sorted_differences) > ROUNDING * largest
    ends = np.flatnonzero(np.append(apart, True))
    thresholds, reached = sorted_differences[ends], accuracy[ends]
    exact = float(reached[0]) if thresholds[0] == 0 else base
    best = int(np.argmax(reached > reached.max() - 1e-12))
    if exact >= float(reached[best]) - 1e-12:
        return exact, exact, 0.0
    return exact, float(reached[best]), float(thresholds[best])


def _largest(scores: Array) -> float:
    return float(np.max(np.abs(scores)))


def _groups(matrices: Correlations, level: Level) -> list[tuple[Array, Array]]:
    x, y, present = matrices.x, matrices.y, matrices.present
    if level == "system":
        return [matrices.means()]
    if level == "global":
        return [(x[present], y[present])]
    if level == "by-system":
        x, y, present = x.T, y.T, present.T
    return [(x[kept, j], y[kept, j]) for j, kept in enumerate(present.T)]
