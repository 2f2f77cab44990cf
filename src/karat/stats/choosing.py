"""Which candidate of each item to take, so that the score of all together is best."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
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


def is_quotient(rows: Array, value: Callable[[Array], Array], seed: int = 0) -> bool:
    """Whether a score is a quotient of two sums of counts, judged by its values on these rows.

    Along a line x + t*y such a score is (a + b*t) / (c + d*t); four values tell a fifth one.
    """
    flat = rows.reshape(-1, rows.shape[-1])
    if not len(flat):
        return True
    draw = np.random.default_rng(seed)
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
    """What is undefined is worst."""
    return np.where(np.isnan(values), -np.inf, values)
