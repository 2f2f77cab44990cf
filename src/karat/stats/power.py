"""Power: how much data is needed to tell two systems, or two metrics, apart.

From a pilot: data sets of other sizes are drawn from it with replacement, and
the share on which the test finds the difference is the power at that size. The
pilot's difference is taken for the true one: a small pilot shows a larger or a
smaller one by luck, of which the standard error of the simulated power says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from karat.errors import OptionError
from karat.stats.interval_methods import jackknife_spread
from karat.stats.levels import Level
from karat.stats.metric_tests import paired_permutation, williams
from karat.stats.paired_tests import as_far
from karat.stats.resampling import (
    Array,
    Clusters,
    Path,
    Summarize,
    coin_sums,
    leave_one_out_sums,
    proper,
    summed,
)

MOST_TOSSES = 1000
"""How many exchanges are tossed one by one; more are drawn from their normal limit."""


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """The power of a test with a number of items or systems."""

    size: int
    power: float
    error: float
    """The standard error of the simulated power."""


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """Power at several sizes, and the least size that reaches what was asked for."""

    points: tuple[PowerPoint, ...]
    target: float
    needed: int | None
    """None where no size that was tried is enough."""


def _point(size: int, found: int, runs: int) -> PowerPoint:
    power = found / runs
    return PowerPoint(size, power, math.sqrt(power * (1 - power) / runs))


def _check(alpha: float, runs: int, target: float, sizes: Sequence[int]) -> None:
    if not len(sizes) or min(sizes) < 1:
        raise OptionError(f"sizes are whole numbers from 1, got {list(sizes)}", code="K302")
    if not 0 < alpha < 1 or not 0 < target < 1:
        raise OptionError("alpha and power lie between 0 and 1", code="K302")
    if runs < 1:
        raise OptionError(f"the number of simulations must be at least 1, got {runs}", code="K302")


def system_power(
    first: Array,
    second: Array,
    summarize: Summarize,
    path: Path,
    sizes: Sequence[int],
    *,
    alpha: float = 0.05,
    target: float = 0.8,
    runs: int = 500,
    trials: int = 200,
    seed: int = 0,
    clusters: Clusters | None = None,
) -> PowerCurve:
    """The power of a two-sided randomization test of two systems at several numbers of items.

    `first` and `second` are the rows of counts of the pilot, item by item. With `clusters`, whole
    clusters are drawn and exchanged, and the sizes are numbers of clusters.
    """
    _check(alpha, runs, target, sizes)
    clusters = proper(clusters)
    first, second = summed(first, clusters), summed(second, clusters)
    if first.shape != second.shape or len(first) < 2:
        raise OptionError(
            f"a pilot needs at least two {'items' if clusters is None else 'clusters'}, "
            "the same for both",
            code="K362",
        )
    moved = second - first
    pilot, by_chance, of_null = _pilot(first, second, summarize, path)

    def found(size: int) -> int:
        hits = 0
        for run in range(runs):
            random = np.random.default_rng([seed, run])
            drawn = random.integers(0, len(first), size)
            weights = np.bincount(drawn, minlength=len(first)).astype(float)
            a, b = weights @ first, weights @ second
            shift = _exchanges(moved, weights, trials, random)
            null = of_null * (summarize(a + shift)[path] - summarize(b - shift)[path])
            score_a, score_b = float(summarize(a)[path]), float(summarize(b)[path])
            observed = pilot + by_chance * (score_a - score_b - pilot)
            null = null[~np.isnan(null)]
            if math.isnan(observed) or len(null) == 0:
                continue
            reached = np.sum(as_far(null, observed, max(abs(score_a), abs(score_b))))
            hits += (int(reached) + 1) / (len(null) + 1) <= alpha
        return hits

    return _curve(found, sizes, runs, target)


def _exchanges(moved: Array, weights: Array, trials: int, random: np.random.Generator) -> Array:
    """Sums of the changes of items that are exchanged by a fair toss each: (trials, columns).

    `weights` tells how often each item was drawn. Items that do not change need no toss, and
    the sum of many independent tosses is normal: its mean and covariance are known exactly,
    so that the cost does not grow with the number of items drawn.
    """
    changing = np.any(moved, axis=1) & (weights > 0)
    change, times = moved[changing], weights[changing]
    if times.sum() <= MOST_TOSSES:
        rows = np.repeat(change, times.astype(int), axis=0)
        return coin_sums(rows, trials, int(random.integers(0, 1 << 63)))
    values, axes = np.linalg.eigh((change * times[:, None]).T @ change / 4)
    spread = axes * np.sqrt(np.maximum(values, 0.0))
    tossed = random.standard_normal((trials, len(values))) @ spread.T
    return np.asarray(times @ change / 2 + tossed)


def _pilot(
    first: Array, second: Array, summarize: Summarize, path: Path
) -> tuple[float, float, float]:
    """The pilot's difference, and how much more new data vary than data drawn from the pilot.

    The variance of n drawn items is (n - 1) / n of that of their population. The second factor
    is the one of the exchanged differences, whose spread comes from the items' variance
    and from the difference itself.
    """
    difference = float(summarize(first.sum(axis=0))[path] - summarize(second.sum(axis=0))[path])
    without = [summarize(leave_one_out_sums(rows))[path] for rows in (first, second)]
    units = len(first)
    variance = units * jackknife_spread(without[0] - without[1]).error ** 2
    drawn = variance * (units - 1) / units + difference**2
    of_null = math.sqrt((variance + difference**2) / drawn) if drawn > 0 else 1.0
    return difference, math.sqrt(units / (units - 1)), of_null


def metric_power(
    x: Array,
    y: Array,
    z: Array,
    level: Level,
    coefficient: int,
    shapes: Sequence[tuple[int, int]],
    *,
    test: str = "permutation-both",
    alpha: float = 0.05,
    target: float = 0.8,
    runs: int = 200,
    trials: int = 200,
    seed: int = 0,
) -> PowerCurve:
    """The power of a test that X follows Z better than Y, at several numbers of systems or inputs.

    The test is one-tailed: permutation of cells, or Williams'. The sizes of the
    curve are those of the axis that differs between the shapes.
    """
    _check(alpha, runs, target, [size for shape in shapes for size in shape])
    grown = 0 if len({shape[0] for shape in shapes}) > 1 else 1
    tests_made = 0

    def found(size: int) -> int:
        nonlocal tests_made
        shape = next(shape for shape in shapes if shape[grown] == size)
        hits = 0
        for run in range(runs):
            # The same draws begin every size, so that sizes differ by their size alone.
            row_stream, column_stream = (np.random.default_rng([seed, run, i]) for i in (0, 1))
            chosen = np.ix_(
                row_stream.integers(0, x.shape[0], shape[0]),
                column_stream.integers(0, x.shape[1], shape[1]),
            )
            a, b, judged = x[chosen], y[chosen], z[chosen]
            if np.isnan(a).all():
                continue
            if test == "williams":
                p = williams(a, b, judged, (level,))[level].values[coefficient]
            else:
                tested = paired_permutation(a, b, judged, (level,), trials=trials, seed=run)
                p = tested[level].values[coefficient]
            if p is not None:
                tests_made += 1
                hits += p <= alpha
        return hits

    curve = _curve(found, [shape[grown] for shape in shapes], runs, target)
    if not tests_made:
        raise OptionError(
            f"too little varies for the {test} test in data sets of any size",
            code="K362",
            advice="the pilot needs more systems, or scores that differ",
        )
    return curve


def _curve(
    found: Callable[[int], int], sizes: Sequence[int], runs: int, target: float
) -> PowerCurve:
    """Power at each size; what is needed is read off a rising line through the points."""
    points = [_point(size, found(size), runs) for size in sorted(set(sizes))]
    rising = _rising([point.power for point in points])
    needed = None
    for i, power in enumerate(rising):
        if power >= target:
            needed = points[i].size
            if i:
                below, step = rising[i - 1], points[i].size - points[i - 1].size
                share = (target - below) / (power - below)
                needed = math.ceil(points[i - 1].size + share * step)
            break
    return PowerCurve(tuple(points), target, needed)


def _rising(values: Sequence[float]) -> list[float]:
    """The closest values that never fall: neighbours out of order share their mean.

    >>> _rising([0.2, 0.6, 0.4, 0.9])
    [0.2, 0.5, 0.5, 0.9]
    """
    pools: list[list[float]] = []
    for value in values:
        pools.append([value])
        while len(pools) > 1 and _mean(pools[-2]) > _mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    return [_mean(pool) for pool in pools for _ in pool]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
