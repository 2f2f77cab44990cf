"""The interval of a score that has a range: the bootstrap, with half an item at either end.

The quantiles of resampled scores say nothing of what the sample lacks: all items right, and
every resample is right. Here each resampled score is drawn towards the ends of the range, as
if half an imaginary item lay at each: by u, a Beta(1, m) variable for m items, towards a
Beta(1/2, 1/2) point of the range. With Dirichlet in place of multinomial weights this is the
Jeffreys interval of 0/1 scores; it tends to the percentile interval as m grows.
"""

from __future__ import annotations

import numpy as np

from karat.stats.quantiles import quantiles
from karat.stats.resampling import Array, uniform_pairs


def anchored(
    observed: float,
    samples: Array,
    informative: Array,
    ends: tuple[float, float],
    level: float,
    seed: int,
) -> tuple[float, float]:
    """Low and high end, from resampled scores of which some may be undefined.

    `informative` says how many items of each unit have the score; units of unequal size
    count for fewer (Kish).
    """
    low, high = ends
    v, w = uniform_pairs(len(samples), seed)
    pull = -np.expm1(np.log(v) / effective_size(informative))
    point = low + (high - low) * np.sin(np.pi / 2 * w) ** 2
    moved = samples + pull * (point - samples)
    found = quantiles(moved[~np.isnan(moved)], level)
    return (
        min(max(found[0], low), observed),
        max(min(found[1], high), observed),
    )


def effective_size(informative: Array) -> float:
    """The number of units of equal size that say as much.

    >>> effective_size(np.array([5.0, 1, 10, 2, 2])), effective_size(np.ones(7))
    (2.985074626865672, 7.0)
    """
    return float(informative.sum() ** 2 / (informative**2).sum())
