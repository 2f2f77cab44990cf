"""Strengths of systems from judgements of pairs (Bradley and Terry 1952)."""

from __future__ import annotations

import numpy as np

from karat.errors import OptionError
from karat.stats.resampling import Array

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
