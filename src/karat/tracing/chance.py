"""How many settings would fit a figure by accident."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from karat.core.marks import Array
from karat.tracing.figures import TINY, Rounding, Window

Ints = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]

_TRIALS = 1000
_TOGETHER, _EACH = 0.015, 0.004
"""How far figures are shifted, all of them and each, to see how often such vectors are hit."""


def labels(values: Array) -> Ints:
    """A number for each value, the same for those that are equal but for 1e-9."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    found = np.empty(len(values), np.int64)
    found[order] = np.concatenate([[0], np.cumsum(np.diff(ordered) > TINY)])[: len(values)]
    return found


def classes(vectors: Array) -> Ints:
    """A number for each row, the same for those that are equal in all columns."""
    if vectors.shape[1] == 1:
        return labels(vectors[:, 0])
    columns = np.stack([labels(column) for column in vectors.T], axis=1)
    return np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def expected(values: Array, window: Window, rounding: Rounding, with_cut: Array) -> float:
    """The number of accidental hits among settings whose values lie as densely as around here.

    λ = w·m / (2h - w) with w the width of the window, h = max(0.02, 1.5 w), and m the number of
    distinct values within ±h of the figure but outside the window. Where further digits may also
    have been cut off, or rounded twice, the window of `with_cut`, the values that this is thought
    of, is wider by a half and a twentieth.
    """
    width = window.unit
    if rounding == "truncate":
        return _density(values, *window.truncated) * width
    found = _density(values, *window.nearest) * width
    if rounding == "both" and len(with_cut):
        found += _density(with_cut, *window.further) * width * 0.55
    return found


def _density(values: Array, low: float, high: float) -> float:
    """Distinct values per unit around a window, which is left out."""
    width = high - low
    reach = max(0.02, 1.5 * width)
    centre = (low + high) / 2
    near = values[(np.abs(values - centre) <= reach) & ((values < low) | (values > high))]
    return int(labels(near).max() + 1) / (2 * reach - width) if len(near) else 0.0


def expected_together(vectors: Array, windows: Sequence[Window], hits: Truths, seed: int) -> float:
    """The number of accidental hits of several figures at once.

    They move together, so that a product of chances would be wrong: joint hits are counted for
    vectors that are shifted by a common ±1.5 points, and by ±0.4 points each.
    """
    others = vectors[~hits]
    if not len(others):
        return 0.0
    others = others[np.unique(classes(others), return_index=True)[1]]
    centre = np.array([window.value for window in windows])
    half = np.array([window.unit / 2 + TINY for window in windows])
    near = others[(np.abs(others - centre) <= _TOGETHER + _EACH + half).all(axis=1)]
    random = np.random.default_rng(seed)
    shifts = random.uniform(-_TOGETHER, _TOGETHER, (_TRIALS, 1))
    shifts = shifts + random.uniform(-_EACH, _EACH, (_TRIALS, len(windows)))
    found = 0
    for first in range(0, len(near), 4096):
        part = near[first : first + 4096]
        apart = np.abs(part[:, None, :] - (centre + shifts)[None])
        found += int((apart <= half).all(axis=2).sum())
    return found / _TRIALS
