"""Which few of many changes move a quotient of sums most."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from karat.stats.resampling import Array

_ROUNDS = 100


def best_changes(
    top: float, bottom: float, changes: Sequence[tuple[float, float]], most: int
) -> tuple[list[int], float]:
    """The changes, at most so many, that make top / bottom greatest, and the quotient then.

    A linear fractional problem, which Dinkelbach's method (1967) solves exactly: with the value F
    that is reached, changes are ranked by what they add to top less F times what they add to
    bottom; the best of them reach another F, until it stands still. The bottom must stay above 0
    whatever is chosen.

    >>> best_changes(2.0, 4.0, [(1.0, 0.0), (0.0, -1.0), (1.0, 1.0)], 2)
    ([0, 1], 1.0)
    """
    table = np.array(changes, np.float64).reshape(len(changes), 2)
    chosen: list[int] = []
    value = top / bottom
    for _ in range(_ROUNDS):
        worth = table[:, 0] - value * table[:, 1]
        order = np.argsort(-worth, kind="stable")[:most]
        found = sorted(int(i) for i in order if worth[i] > 0)
        sums = table[found].sum(axis=0)
        reached = float((top + sums[0]) / (bottom + sums[1]))
        if reached <= value:
            break
        chosen, value = found, reached
    return chosen, value


def greedy_changes(
    size: int, value_of: Callable[[Sequence[int]], float], most: int
) -> list[tuple[list[int], float]]:
    """Sets of one change, of two, and so on: to each the change is added that gains most.

    For scores that are no quotient of sums, where the best set need not be found so.
    """
    chosen: list[int] = []
    found: list[tuple[list[int], float]] = []
    while len(chosen) < min(most, size):
        rest = [i for i in range(size) if i not in chosen]
        values = [value_of([*chosen, i]) for i in rest]
        best = int(np.argmax(values))
        chosen = [*chosen, rest[best]]
        found.append((list(chosen), float(values[best])))
    return found


def paired_gains(
    before: Array, after: Sequence[Array], resampled: Callable[[Array], Array], level: float
) -> list[tuple[float, float]]:
    """Percentile intervals of what changes gain: (after - before) on the same drawn items.

    `before` and each of `after` have two columns, whose sums make the quotient; `resampled` gives
    sums of drawn rows.
    """
    sums = resampled(np.hstack([before, *after]))
    tail = 100 * (1 - level) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        base = sums[:, 0] / sums[:, 1]
        result = []
        for place in range(2, sums.shape[1], 2):
            gains = sums[:, place] / sums[:, place + 1] - base
            gains = gains[np.isfinite(gains)]
            low, high = np.percentile(gains, [tail, 100 - tail]) if len(gains) else (0.0, 0.0)
            result.append((float(low), float(high)))
    return result
