"""Strengths of systems from judgements of pairs (Bradley and Terry 1952)."""

from __future__ import annotations

import numpy as np

from karat.errors import OptionError
from karat.stats.resampling import Array

_MOST_STEPS = 100_000


def bradley_terry(wins: Array, *, prior: float = 0.0) -> Array:
    """Log strengths with mean 0: i beats j with probability 1 / (1 + exp(s_j - s_i)).

    ``wins[i, j]`` is how often i was preferred to j; a tie is half a win for
    each. Strengths are finite only if every group of systems has lost to the
    rest at least once; a `prior` gives every system so many wins and losses
    against one of mean strength, which makes them finite always.
    """
    wins = np.asarray(wins, float).copy()
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or np.any(wins < 0) or prior < 0:
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
            advice="give a prior, such as 0.5",
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
    share = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    weight = (wins + wins.T) * share * (1 - share)
    against_mean = 1 / (1 + np.exp(-strengths))
    information = np.diag(weight.sum(axis=1) + 2 * prior * against_mean * (1 - against_mean))
    information -= weight
    centre = np.eye(count) - 1 / count
    return np.asarray(centre @ np.linalg.pinv(information) @ centre)


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
    """The most likely log strengths, by minorization (Hunter 2004)."""
    games, won = wins + wins.T, wins.sum(axis=1)
    strength = np.ones(len(wins))
    for _ in range(_MOST_STEPS):
        new = won / (games / np.add.outer(strength, strength)).sum(axis=1)
        new /= np.exp(np.mean(np.log(new)))
        change = float(np.max(np.abs(np.log(new) - np.log(strength))))
        strength = new
        if change < 1e-12:
            break
    return np.asarray(np.log(strength))
