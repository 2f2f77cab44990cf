"""Methods of confidence intervals: shares, scores with a range, scores without one."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from karat.stats.resampling import Array, uniform_pairs
from karat.stats.tails import beta_quantile, normal_quantile, student_quantile

# -- shares: so many successes among so many items


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


def defined_of(values: Array) -> Array:
    """The values that are defined, which most often are all."""
    undefined = np.isnan(values)
    return values[~undefined] if undefined.any() else values


def all_or_nothing(own: Array, low: float, high: float) -> bool:
    """Whether every item that has the score has the least or the greatest one."""
    defined = defined_of(own)
    near = 1e-12 * (high - low)
    return bool(np.all((np.abs(defined - low) <= near) | (np.abs(defined - high) <= near)))


def is_mean(own: Array, observed: float, without: Array, span: float) -> bool:
    """Whether a score is the mean of the items' own scores, with and without each item.

    `own` is NaN for items that do not have the score, which then must not count.
    """
    defined, near = defined_of(own), 1e-12 * span
    count, total = len(defined), float(defined.sum())
    if count == 0 or abs(total / count - observed) > near:
        return False
    if count == 1:
        return True
    if count == len(own):
        expected = (total - own) / (count - 1)
    else:
        has = ~np.isnan(own)
        expected = np.where(has, (total - np.where(has, own, 0.0)) / (count - 1), observed)
    return bool(np.all(np.abs(without - expected) <= near))


# -- scores with a range


def anchored(
    observed: float,
    samples: Array,
    informative: Array,
    ends: tuple[float, float],
    level: float,
    seed: int,
) -> tuple[float, float]:
    """The interval of a score that has a range: the bootstrap, with half an item at either end.

    The quantiles of resampled scores say nothing of what the sample lacks: all items right, and
    every resample is right. Here each resampled score is drawn towards the ends of the range, as
    if half an imaginary item lay at each: by u, a Beta(1, m) variable for m items, towards a
    Beta(1/2, 1/2) point of the range. With Dirichlet in place of multinomial weights this is the
    Jeffreys interval of 0/1 scores; it tends to the percentile interval as m grows.

    Some of the resampled scores may be undefined. `informative` says how many items of each
    unit have the score; units of unequal size count for fewer (Kish).
    """
    low, high = ends
    logs, shares = _pulls(len(samples), seed)
    pull = -np.expm1(logs / effective_size(informative))
    point = low + (high - low) * shares
    moved = samples + pull * (point - samples)
    found = quantiles(moved[~np.isnan(moved)], level)
    return (
        min(max(found[0], low), observed),
        max(min(found[1], high), observed),
    )


@lru_cache(maxsize=4)
def _pulls(trials: int, seed: int) -> tuple[Array, Array]:
    """The logarithms of uniform variables, and Beta(1/2, 1/2) ones; all scores have the same."""
    v, w = uniform_pairs(trials, seed)
    return np.log(v), np.sin(np.pi / 2 * w) ** 2


def effective_size(informative: Array) -> float:
    """The number of units of equal size that say as much.

    >>> effective_size(np.array([5.0, 1, 10, 2, 2])), effective_size(np.ones(7))
    (2.985074626865672, 7.0)
    """
    return float(informative.sum() ** 2 / (informative**2).sum())


def quantiles(values: Array, level: float) -> tuple[float, float]:
    """The ends of the middle `level` of the values."""
    ordered = np.sort(values)
    return between(ordered, (1 - level) / 2), between(ordered, (1 + level) / 2)


def between(ordered: Array, share: float) -> float:
    """A quantile of ordered values, by linear interpolation as in numpy."""
    place = share * (len(ordered) - 1)
    before = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    low, high = float(ordered[before]), float(ordered[min(before + 1, len(ordered) - 1)])
    part = place - before
    # From the nearer side, so that both ends are reached exactly.
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


# -- scores without a range

LEAST_UNITS = 5
"""The least number of units for an interval of a score without a range."""


class Spread(NamedTuple):
    """The standard error and the skewness of a score over its units."""

    units: int
    error: float
    """The standard error of the score."""
    skewness: float


def jackknife_spread(without: Array) -> Spread:
    """The spread from the scores that leave out one unit each; undefined ones are left out."""
    without = defined_of(without)
    units = len(without)
    if units < 2:
        return Spread(units, 0.0, 0.0)
    deviation = (units - 1) * (without.mean() - without)
    size = spread(deviation, units - 1)
    # Sums that are equal on paper may differ in the last bits.
    if size <= 1e-14 * units * max(float(np.abs(without).max()), 1e-300):
        return Spread(units, 0.0, 0.0)
    share = deviation / size
    # Products, since powers are slow, and not the same for both signs in the last bits.
    return Spread(units, size / math.sqrt(units), float(np.mean(share * share * share)))


def spread(deviation: Array, freedom: float) -> float:
    """The root of the sum of squares over `freedom`."""
    # Squares of very small and very large numbers have no room: a power of two loses nothing.
    exponent = int(np.frexp(np.max(np.abs(deviation), initial=0.0))[1])
    squares = float(np.sum(np.ldexp(deviation, -exponent) ** 2))
    return math.ldexp(math.sqrt(squares / freedom), exponent)


def skew_t(
    observed: float, spread: Spread, informative: int, level: float
) -> tuple[float, float] | None:
    """Student's interval with a correction for skew; None where nothing varies.

    No resampling: the delete-one-unit scores give the standard error and the skewness; the
    ends are those of Student's interval or, where they lie farther out, of Hall's (1992)
    transformation of it. `informative` units have the score, which gives the
    degrees of freedom.
    """
    if spread.error == 0:
        return None
    t = student_quantile((1 + level) / 2, max(1, informative - 1))
    low = min(observed - t * spread.error, observed - _unskewed(t, spread) * spread.error)
    high = max(observed + t * spread.error, observed - _unskewed(-t, spread) * spread.error)
    return low, high


def of_mean(values: Array, level: float) -> tuple[float, float] | None:
    """That interval of a mean; NaN is absent."""
    values = defined_of(values)
    if len(values) < LEAST_UNITS:
        return None
    without = (values.sum() - values) / (len(values) - 1)
    return skew_t(float(values.mean()), jackknife_spread(without), len(values), level)


def _unskewed(t: float, spread: Spread) -> float:
    """The inverse of Hall's transformation."""
    if abs(spread.skewness) < 1e-8:
        return t
    root = math.sqrt(spread.units)
    c, e = spread.skewness / (3 * root), spread.skewness / (6 * root)
    return float(np.cbrt(1 + 3 * c * (t - e)) - 1) / c
