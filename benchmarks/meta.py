"""Meta-evaluation against plain loops of SciPy calls.

All nine bootstrap intervals of 12 systems × 20 inputs, the
permutation test at the same size, and the memory of 1000 × 1000.
"""

from __future__ import annotations

import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from karat import _native
from karat.stats.levels import LEVELS, Correlations, bootstrap_draws
from karat.stats.metric_tests import paired_permutation, standardized
from karat.stats.resampling import streams
from timing import header, race

Matrix = Any
COEFFICIENTS: tuple[Callable[..., Any], ...] = (stats.pearsonr, stats.spearmanr, stats.kendalltau)


def coefficients(x: Matrix, y: Matrix) -> list[float]:
    """Three coefficients of two vectors, by three calls."""
    if len(set(x)) < 2 or len(set(y)) < 2:
        return [np.nan] * 3
    return [float(function(x, y).statistic) for function in COEFFICIENTS]


def levels(x: Matrix, y: Matrix) -> list[list[float]]:
    """Summary, system and global level, column by column."""
    columns = [coefficients(x[:, j], y[:, j]) for j in range(x.shape[1])]
    return [
        [float(np.nanmean(values)) for values in zip(*columns, strict=True)],
        coefficients(x.mean(axis=1), y.mean(axis=1)),
        coefficients(x.ravel(), y.ravel()),
    ]


def plain_bootstrap(x: Matrix, y: Matrix, resamples: int) -> Matrix:
    """The same resamples as karat's, written out as matrices."""
    drawn = []
    for rows, columns in bootstrap_draws(x.shape, "both", resamples, 0):
        for row, column in zip(rows.astype(int), columns.astype(int), strict=True):
            chosen = np.ix_(
                np.repeat(np.arange(len(row)), row), np.repeat(np.arange(len(column)), column)
            )
            drawn.append(levels(x[chosen], y[chosen]))
    return np.array(drawn)


def plain_permutation(x: Matrix, y: Matrix, z: Matrix, trials: int) -> Matrix:
    """The same exchanges as karat's, one after the other."""
    x, y = standardized(x), standardized(y)
    coins = np.empty((trials, x.size))
    _native.coin_weights(coins, 0, streams(0, 1)[0])
    observed = np.subtract(levels(x, z), levels(y, z))
    hits = np.ones_like(observed)
    for toss in coins.reshape(trials, *x.shape):
        a, b = np.where(toss > 0, y, x), np.where(toss > 0, x, y)
        hits += np.subtract(levels(a, z), levels(b, z)) >= observed - 1e-12
    return hits / (1 + trials)


def main() -> None:
    warnings.simplefilter("ignore")
    header("meta-evaluation against loops of SciPy calls", "scipy")
    random = np.random.default_rng(0)
    z = random.integers(1, 6, (12, 20)) + random.random((12, 1))
    x, y = (z + random.standard_normal(z.shape) for _ in range(2))

    def ours(resamples: int) -> Matrix:
        found = Correlations(x, z).bootstrap(LEVELS, "both", resamples, 0)
        return np.stack([found[level][:, :3] for level in LEVELS], axis=1)

    race(
        "nine bootstrap intervals, 12 x 20, 200 resamples",
        lambda: ours(200),
        lambda: plain_bootstrap(x, z, 200),
        lambda a, b: np.allclose(a, b, atol=1e-9, equal_nan=True),
        repeats=1,
    )
    race(
        "permutation test, 12 x 20, 100 trials",
        lambda: np.array(
            [p.values[:3] for p in paired_permutation(x, y, z, LEVELS, trials=100).values()]
        ),
        lambda: plain_permutation(x, y, z, 100),
        lambda a, b: np.allclose(a, b),
        repeats=1,
    )
    x, y = random.random((1000, 1000)), random.random((1000, 1000))
    begun = time.perf_counter()
    Correlations(x, y).bootstrap(LEVELS, "both", 10, 0)
    took = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"1000 systems x 1000 inputs, 10 resamples of all levels: {took:.1f} s, {peak:.2f} GB")


if __name__ == "__main__":
    main()
