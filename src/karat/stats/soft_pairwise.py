"""Soft pairwise accuracy: do two scorers see the same differences of systems, as surely?

Thompson et al. (2024). For each pair of systems a paired one-sided test says how sure a scorer
is of the difference; the measure is 1 minus the mean difference of both scorers' p-values.
"""

from __future__ import annotations

import numpy as np

from karat.errors import OptionError
from karat.stats.levels import Units
from karat.stats.metric_tests import PValues, share_beyond, standardized
from karat.stats.resampling import Array, check_trials, coin_sums, streams

EXACT_SEGMENTS = 16
"""Up to so many segments, all sign vectors are tried."""
TRIALS = 1000
_SLACK = 1e-12


def pair_p_values(scores: Array, trials: int = TRIALS, seed: int = 0) -> Array:
    """For all pairs i < j of rows, how many sign vectors give i at least its lead over j.

    The signs are those of the differences by segments; the same vectors serve all pairs, and
    all matrices of one width.
    """
    systems, segments = scores.shape
    first, second = np.triu_indices(systems, 1)
    if segments <= EXACT_SEGMENTS:
        masks = ((np.arange(1 << segments)[:, None] >> np.arange(segments)) & 1).astype(float)
        heads = masks @ scores.T
    else:
        heads = coin_sums(np.ascontiguousarray(scores.T), trials, seed)
    # The sum of signed differences reaches that of the differences where those of the heads do.
    totals = scores.sum(axis=1)
    lead = totals[first] - totals[second]
    scale = np.abs(scores[first] - scores[second]).sum(axis=1)
    reached = heads[:, first] - heads[:, second] >= lead - _SLACK * np.maximum(scale, 1e-300)
    return np.asarray(reached.mean(axis=0))


def complete(*matrices: Array) -> list[Array]:
    """The matrices without the segments that lack a score of any system."""
    present = np.all([~np.isnan(each).any(axis=0) for each in matrices], axis=0)
    return [each[:, present] for each in matrices]


def soft_pairwise_accuracy(
    metric: Array, people: Array, *, trials: int = TRIALS, seed: int = 0
) -> float:
    """How far the p-values of all pairs of systems agree; NaN where there is no pair, or segment.

    >>> metric, people = np.array([[2.0, 2, 4], [1, 3, 5]]), np.array([[1.0, 2, 3], [2, 3, 4]])
    >>> soft_pairwise_accuracy(metric, people)
    0.875
    """
    check_trials(trials, seed)
    metric, people = complete(metric, people)
    if len(metric) < 2 or not metric.shape[1]:
        return float("nan")
    ours, theirs = (pair_p_values(each, trials, seed) for each in (metric, people))
    return 1 - float(np.mean(np.abs(ours - theirs)))


def resampled_spa(
    metric: Array, people: Array, resamples: int, *, trials: int = TRIALS, seed: int = 0
) -> Array:
    """The measure on so many resamples of the segments."""
    metric, people = complete(metric, people)
    random = np.random.default_rng(seed)
    width = metric.shape[1]
    result = np.full(resamples, np.nan)
    for i in range(resamples if width else 0):
        drawn = random.integers(0, width, width)
        result[i] = soft_pairwise_accuracy(
            metric[:, drawn], people[:, drawn], trials=trials, seed=seed
        )
    return result


def spa_permutation(
    x: Array, y: Array, z: Array, *, units: Units = "both", two_tailed: bool = False,
    trials: int = TRIALS, seed: int = 0,
) -> PValues:  # fmt: skip
    """The share of random exchanges of X and Y whose difference is as large as the observed.

    As `paired_permutation` does for correlations: both are standardized first; whole rows,
    whole columns, or single cells ("both") change sides.
    """
    x, y, z = complete(standardized(x), standardized(y), z)
    if len(x) < 2 or not x.shape[1]:
        raise OptionError(
            "soft pairwise accuracy needs two systems and inputs that all of them have scores for",
            code="K386",
        )
    tosses, signs = streams(seed, 2)
    judged = pair_p_values(z, seed=signs)

    def measure(scores: Array) -> float:
        return 1 - float(np.mean(np.abs(pair_p_values(scores, seed=signs) - judged)))

    random = np.random.default_rng(tosses)
    shape = {"system": (len(x), 1), "input": (1, x.shape[1]), "both": x.shape}[units]
    drawn = np.empty((trials, 1))
    for i in range(trials):
        moved = random.random(shape) < 0.5
        drawn[i] = measure(np.where(moved, y, x)) - measure(np.where(moved, x, y))
    observed = np.array([measure(x) - measure(y)])
    return share_beyond(drawn, observed, two_tailed, added=1)
