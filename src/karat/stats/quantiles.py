"""Quantiles of samples, as numpy has them."""

from __future__ import annotations

import numpy as np

from karat.stats.resampling import Array


def quantiles(values: Array, level: float) -> tuple[float, float]:
    """What the middle `level` of the values lies between."""
    ordered = np.sort(values)
    return between(ordered, (1 - level) / 2), between(ordered, (1 + level) / 2)


def between(ordered: Array, share: float) -> float:
    """The value that this share lies below, linear between two neighbours, as numpy has it."""
    place = share * (len(ordered) - 1)
    before = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    low, high = float(ordered[before]), float(ordered[min(before + 1, len(ordered) - 1)])
    part = place - before
    # From the nearer side, so that both ends are reached exactly.
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
