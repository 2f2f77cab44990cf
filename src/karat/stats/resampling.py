"""Random sums of rows. The weights come from a kernel, the sums are a matrix product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import OptionError

Array: TypeAlias = npt.NDArray[np.float64]
Path: TypeAlias = tuple[str, ...]
Summarize: TypeAlias = Callable[[Array], Mapping[Path, Array]]
"""Sums of rows, of any leading shape, as flat scores of that shape."""

# Enough trials in a block for a fast matrix product, few enough for the cache.
_BLOCK_CELLS = 1 << 20


def bootstrap_sums(counts: Array, resamples: int, seed: int) -> Array:
    """Sums of as many rows as there are, drawn with replacement: (resamples, columns)."""
    return _sums(counts, resamples, seed, _native.bootstrap_weights)


def coin_sums(counts: Array, trials: int, seed: int) -> Array:
    """Sums of the rows that win a fair toss: (trials, columns)."""
    return _sums(counts, trials, seed, _native.coin_weights)


def _sums(counts: Array, trials: int, seed: int, fill: Callable[..., None]) -> Array:
    if trials < 1:
        raise OptionError(f"the number of resamples must be at least 1, got {trials}", code="K302")
    if not 0 <= seed < 1 << 64:
        raise OptionError(f"a seed is a number from 0 to 2^64 - 1, got {seed}", code="K302")
    counts = np.ascontiguousarray(counts, dtype=np.float64)
    rows = len(counts)
    block = max(1, min(trials, _BLOCK_CELLS // max(1, rows)))
    weights = np.empty((block, rows))
    sums = np.empty((trials, counts.shape[1]))
    for first in range(0, trials, block):
        size = min(block, trials - first)
        fill(weights[:size], first, seed)
        np.matmul(weights[:size], counts, out=sums[first : first + size])
    return sums


def leave_one_out_sums(counts: Array) -> Array:
    """The sum of all other rows, for each row."""
    return np.asarray(counts.sum(axis=0) - counts)
