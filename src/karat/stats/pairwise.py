"""Judgements of pairs: strengths of systems, and pairwise accuracy, with ties and by p-values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.errors import LimitExceeded, OptionError
from karat.stats.levels import Correlations, Level, Units
from karat.stats.metric_tests import PValues, share_beyond, standardized
from karat.stats.resampling import ROUNDING, Array, check_trials, coin_sums, streams

_MOST_STEPS = 1000
_NEAR = 1e-3
"""Steps smaller than this need no check."""


def bradley_terry(wins: Array, *, prior: float = 0.0) -> Array:
    """Log strengths with mean 0: i beats j with probability 1 / (1 + exp(s_j - s_i)).

    ``wins[i, j]`` is how often i was preferred to j; a tie is half a win for
    each. Strengths are finite only if every group of systems has lost to the
    rest at least once; a `prior` gives every system so many wins and losses
    against one of mean strength, which makes them finite always.
    """
    wins = np.asarray(wins, float).copy()
    is_square = wins.ndim == 2 and wins.shape[0] == wins.shape[1] > 0
    if not (is_square and prior >= 0 and np.all((wins >= 0) & np.isfinite(wins))):
        raise OptionError("wins are a square matrix of numbers from 0", code="K365")
    np.fill_diagonal(wins, 0.0)
    count = len(wins)
    if prior:
        ghost = np.full((count + 1, count + 1), 0.0)
        ghost[:count, :count] = wins
        ghost[count, :count] = ghost[:count, count] = prior
        wins = ghost
    elif not _connected(wins):
        raise OptionError(
            "the judgements do not decide: some systems never lost to, or never won "
            "against, the others",
            code="K365",
            advice="give a ``prior``, such as 0.5",
        )
    strengths = _maximum(wins)
    kept = strengths[:count]
    return np.asarray(kept - kept.mean())


def strength_errors(wins: Array, strengths: Array, *, prior: float = 0.0) -> Array:
    """The standard errors of strengths with mean 0, from the information of the judgements.

    Those of a logistic regression on contrasts of systems. With a prior, its wins and losses
    against a system of mean strength count too.
    """
    covariance = strength_covariance(wins, strengths, prior=prior)
    return np.asarray(np.sqrt(np.diag(covariance)))


def strength_covariance(wins: Array, strengths: Array, *, prior: float = 0.0) -> Array:
    """The covariance of strengths with mean 0; differences have their variances from it."""
    wins, strengths = np.asarray(wins, float).copy(), np.asarray(strengths, float)
    np.fill_diagonal(wins, 0.0)
    count = len(wins)
    share = _shares(strengths)
    weight = (wins + wins.T) * share * share.T
    against_mean = np.exp(-np.logaddexp(0.0, strengths) - np.logaddexp(0.0, -strengths))
    information = np.diag(weight.sum(axis=1) + 2 * prior * against_mean)
    information -= weight
    centre = np.eye(count) - 1 / count
    return np.asarray(centre @ np.linalg.pinv(information) @ centre)


def _shares(strengths: Array) -> Array:
    """How likely the system of each row beats that of each column."""
    return np.asarray(np.exp(-np.logaddexp(0.0, strengths[None, :] - strengths[:, None])))


def _connected(wins: Array) -> bool:
    """Whether everyone can be reached from everyone along wins."""
    return _reaches_all(wins > 0) and _reaches_all(wins.T > 0)


def _reaches_all(beats: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> bool:
    seen = np.zeros(len(beats), bool)
    seen[0] = True
    while True:
        more = seen | beats[seen].any(axis=0)
        if np.array_equal(more, seen):
            return bool(seen.all())
        seen = more


def _maximum(wins: Array) -> Array:
    """The most likely log strengths with mean 0, by Newton's method.

    The likelihood is concave, so that steps that raise it end at its only maximum, however
    unequal the systems are and however few of them were compared with each other.
    """
    games = wins + wins.T
    strengths = np.zeros(len(wins))
    if len(wins) < 2:
        return strengths
    size = np.inf
    for _ in range(_MOST_STEPS):
        share = _shares(strengths)
        weight = games * share * share.T
        # Strengths are known up to a constant; the same number everywhere makes this regular.
        information = np.diag(weight.sum(axis=1)) - weight + weight.max() / len(wins)
        try:
            surplus = (wins * share.T - wins.T * share).sum(axis=1)
            step = np.linalg.solve(information, surplus)
        except np.linalg.LinAlgError:
            break
        step -= step.mean()
        before, size = size, float(np.max(np.abs(step)))
        if size < _NEAR and size >= before:
            return strengths  # what is left is rounding
        # Close to the maximum the likelihood is flat to its last digit, and steps are safe.
        while size >= _NEAR and _likelihood(wins, strengths + step) <= _likelihood(wins, strengths):
            step, size = step / 2, size / 2
        strengths = strengths + step
    raise OptionError(
        "the judgements hardly decide: the strengths that they give are not found",
        code="K365",
        advice="give a ``prior``, such as 0.5",
    )


def _likelihood(wins: Array, strengths: Array) -> float:
    """The logarithm of how likely the wins are."""
    return -float(np.sum(wins * np.logaddexp(0.0, strengths[None, :] - strengths[:, None])))


# -- pairwise accuracy ----------------------------------------------------------------------------


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
    """The accuracy with ties of equal scores; the best one, and the least threshold that gives it.

    Scores up to `largest`, and their differences, are equal where they differ by rounding only.
    """
    exact = base + float(gains[differences <= ROUNDING * largest].sum())
    order = np.argsort(differences, kind="stable")
    sorted_differences = differences[order]
    accuracy = base + np.cumsum(gains[order])
    # A threshold takes in all pairs that differ by it.
    apart = np.diff(sorted_differences) > ROUNDING * largest
    ends = np.flatnonzero(np.append(apart, True))
    thresholds, reached = sorted_differences[ends], accuracy[ends]
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
