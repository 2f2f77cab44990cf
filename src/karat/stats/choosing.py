"""Optimal choices: a candidate for each item, or the best few of many changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.stats.intervals import resampled_interval
from karat.stats.resampling import Array

Ints: TypeAlias = npt.NDArray[np.int64]
_ROUNDS = 1000
_PROBES = 64
_CLOSE = 1e-9


def best_choice(
    rows: Array, available: npt.NDArray[np.bool_], value: Callable[[Array], Array]
) -> Ints:
    """A candidate of each item: no change of a single one raises the value of the sum.

    `rows` are counts by item and candidate, `value` is the score of sums of rows. In each round,
    every item takes the candidate that would raise the value most, others being as they are;
    where that overshoots, only the best single change is made. For a quotient of two sums
    (`is_quotient`) the result is the best of all choices, by the argument of Dinkelbach: if
    some choice had the value v' > v, then the sum over items of (numerator - v * denominator)
    would be greater for it, hence greater for a single item, whose change raises v.
    """
    items = np.arange(len(rows))
    alone = np.where(available, _defined(value(rows)), -np.inf)
    chosen = np.argmax(alone, axis=1)
    total = rows[items, chosen].sum(axis=0)
    best = float(_defined(value(total)))
    for _ in range(_ROUNDS):
        changed = total - rows[items, chosen][:, None, :] + rows
        gained = np.where(available, _defined(value(changed)), -np.inf)
        gained[items, chosen] = best
        wanted = np.argmax(gained, axis=1)
        gain = gained[items, wanted]
        better = gain > best + _CLOSE * max(1.0, abs(best))
        if not better.any():
            break
        together = np.where(better, wanted, chosen)
        after = float(_defined(value(rows[items, together].sum(axis=0))))
        if after <= best:
            together = chosen.copy()
            first = int(np.argmax(np.where(better, gain, -np.inf)))
            together[first] = wanted[first]
        chosen = together
        total = rows[items, chosen].sum(axis=0)
        best = float(_defined(value(total)))
    return np.asarray(chosen, np.int64)


def is_quotient(rows: Array, value: Callable[[Array], Array]) -> bool:
    """Whether a score is a quotient of two sums of counts, judged by its values on these rows.

    Along a line x + t*y such a score is (a + b*t) / (c + d*t); four values tell a fifth one.
    """
    flat = rows.reshape(-1, rows.shape[-1])
    if not len(flat):
        return True
    draw = np.random.default_rng(0)
    times = np.array([0.1, 0.5, 1.0, 3.0, 20.0])
    for _ in range(_PROBES):
        sizes = draw.integers(1, 9, 2)
        x, y = (flat[draw.integers(0, len(flat), size)].sum(axis=0) for size in sizes)
        found = value(x + times[:, None] * y)
        scale = float(np.abs(found).max())
        if not np.isfinite(scale) or np.ptp(found) <= _CLOSE * scale:
            continue
        found = found / scale
        # a + b*t - c*h - d*t*h = 0 for all t: the columns depend on each other.
        table = np.stack([np.ones(5), times, -found, -times * found], axis=1)
        if np.linalg.svd(table, compute_uv=False)[-1] > _CLOSE:
            return False
    return True


def _defined(values: Array) -> Array:
    """Undefined values as the worst."""
    return np.where(np.isnan(values), -np.inf, values)


_MOST_ROUNDS = 100


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
    for _ in range(_MOST_ROUNDS):
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
) -> list[tuple[float, float] | None]:
    """Percentile intervals of what changes gain: (after - before) on the same drawn items.

    `before` and each of `after` have two columns, whose sums make the quotient; `resampled` gives
    sums of drawn rows. None where all draws gain the same, as those of one item do.
    """
    sums = resampled(np.hstack([before, *after]))
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = sums[:, ::2] / sums[:, 1::2]
        gains = quotients[:, 1:] - quotients[:, :1]
    gains[~np.isfinite(gains)] = np.nan
    found = [resampled_interval(each, level) for each in gains.T]
    return [None if each is None else (each.low, each.high) for each in found]
