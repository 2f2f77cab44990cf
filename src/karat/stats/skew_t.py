"""Student's interval with a correction for skew, from a jackknife: for scores without a range.

No resampling: the delete-one-unit scores give the standard error and the skewness; the
ends are those of Student's interval or, where they lie farther out, of Hall's (1992)
transformation of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from karat.stats.resampling import Array
from karat.stats.tails import student_quantile


class Spread(NamedTuple):
    """How a score varies with the units it is made from."""

    units: int
    error: float
    """The standard error of the score."""
    skewness: float


def jackknife_spread(without: Array) -> Spread:
    """The spread from the scores that leave out one unit each; undefined ones are left out."""
    without = without[~np.isnan(without)]
    units = len(without)
    if units < 2:
        return Spread(units, 0.0, 0.0)
    deviation = (units - 1) * (without.mean() - without)
    size = math.sqrt(float(np.sum(deviation**2)) / (units - 1))
    # Sums that are equal on paper may differ in the last bits.
    if size <= 1e-14 * units * max(float(np.abs(without).max()), 1e-300):
        return Spread(units, 0.0, 0.0)
    return Spread(units, size / math.sqrt(units), float(np.mean((deviation / size) ** 3)))


def skew_t(
    observed: float, spread: Spread, informative: int, level: float
) -> tuple[float, float] | None:
    """Low and high end; None where nothing varies.

    `informative` units have the score, which gives the degrees of freedom.
    """
    if spread.error == 0:
        return None
    t = student_quantile((1 + level) / 2, max(1, informative - 1))
    low = min(observed - t * spread.error, observed - _unskewed(t, spread) * spread.error)
    high = max(observed + t * spread.error, observed - _unskewed(-t, spread) * spread.error)
    return low, high


def _unskewed(t: float, spread: Spread) -> float:
    """The inverse of Hall's transformation."""
    if abs(spread.skewness) < 1e-8:
        return t
    root = math.sqrt(spread.units)
    c, e = spread.skewness / (3 * root), spread.skewness / (6 * root)
    return float(np.cbrt(1 + 3 * c * (t - e)) - 1) / c
