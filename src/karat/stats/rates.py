"""Intervals of shares: so many successes among so many items."""

from __future__ import annotations

import math

import numpy as np

from karat.stats.resampling import Array
from karat.stats.tails import beta_quantile, normal_quantile


def clopper_pearson(successes: int, trials: int, level: float) -> tuple[float, float]:
    """The exact interval of a share: it never covers less often than its level.

    >>> [round(end, 4) for end in clopper_pearson(0, 400, 0.95)]
    [0.0, 0.0092]
    """
    tail, failures = (1 - level) / 2, trials - successes
    low = beta_quantile(tail, successes, failures + 1) if successes else 0.0
    # The upper end as the mirror of a lower one keeps its digits near 1.
    high = 1 - beta_quantile(tail, failures, successes + 1) if failures else 1.0
    return low, high


def wilson(successes: int, trials: int, level: float) -> tuple[float, float]:
    """Wilson's score interval of a share: narrower, and below its level for some shares.

    >>> [round(end, 4) for end in wilson(5, 10, 0.95)]
    [0.2366, 0.7634]
    """
    z, share = normal_quantile((1 + level) / 2), successes / trials
    centre = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    below = 1 + z * z / trials
    # At the edges the ends are 0 and 1, which rounding would miss.
    low = (centre - half) / below if successes else 0.0
    high = (centre + half) / below if successes < trials else 1.0
    return low, high


def all_or_nothing(own: Array, low: float, high: float) -> bool:
    """Whether every item that has the score has the least or the greatest one."""
    defined = own[~np.isnan(own)]
    near = 1e-12 * (high - low)
    return bool(np.all((np.abs(defined - low) <= near) | (np.abs(defined - high) <= near)))


def is_mean(own: Array, observed: float, without: Array, span: float) -> bool:
    """Whether a score is the mean of the items' own scores, by it and all it is without one item.

    `own` is NaN for items that do not have the score, which then must not count.
    """
    has, near = ~np.isnan(own), 1e-12 * span
    count, total = int(has.sum()), float(own[has].sum())
    if count == 0 or abs(total / count - observed) > near:
        return False
    if count == 1:
        return True
    expected = np.where(has, (total - np.where(has, own, 0.0)) / (count - 1), observed)
    return bool(np.all(np.abs(without - expected) <= near))
