"""Confidence intervals of any score, from the rows of counts alone."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from karat.errors import OptionError
from karat.stats.distributions import normal_below, normal_quantile
from karat.stats.resampling import Array, Path, Summarize, bootstrap_sums, leave_one_out_sums

Method = Literal["bca", "percentile"]


class Interval(msgspec.Struct, frozen=True):
    """Where a score lies with the asked confidence."""

    low: float
    high: float


def intervals(
    counts: Array,
    summarize: Summarize,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    method: Method = "bca",
) -> dict[Path, Interval | None]:
    """An interval for every score: None where resamples leave it undefined.

    `percentile` takes the quantiles of the resampled scores; `bca` (Efron 1987)
    corrects them for bias and skew, with the acceleration from the jackknife.
    """
    check_level(level)
    if method not in ("bca", "percentile"):
        raise OptionError(
            f"an interval method is 'bca' or 'percentile', got {method!r}", code="K302"
        )
    samples = summarize(bootstrap_sums(counts, resamples, seed))
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "percentile" or len(counts) < 2:
        return {path: _quantiles(values, tails) for path, values in samples.items()}
    observed = summarize(counts.sum(axis=0))
    without = summarize(leave_one_out_sums(counts))
    return {
        path: _quantiles(values, _corrected(tails, values, float(observed[path]), without[path]))
        for path, values in samples.items()
    }


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise OptionError(f"a confidence level lies between 0 and 1, got {level}", code="K302")


def _quantiles(values: Array, tails: Array) -> Interval | None:
    defined = values[~np.isnan(values)]
    if len(defined) < max(1, len(values) / 2):
        return None
    ordered = np.sort(defined)
    return Interval(*(_between(ordered, float(tail)) for tail in tails))


def _between(ordered: Array, share: float) -> float:
    """The value that this share lies below, linear between two neighbours, as numpy has it."""
    place = share * (len(ordered) - 1)
    before = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    low, high = float(ordered[before]), float(ordered[min(before + 1, len(ordered) - 1)])
    part = place - before
    # From the nearer side, so that both ends are met exactly.
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def _corrected(tails: Array, values: Array, observed: float, without: Array) -> Array:
    """The quantiles to take in place of `tails`."""
    defined = values[~np.isnan(values)]
    if np.isnan(observed) or len(defined) == 0:
        return tails
    # Ties are split, so that a discrete score has no bias by construction.
    below = (np.sum(defined < observed) + np.sum(defined <= observed)) / (2 * len(defined))
    edge = 0.5 / len(defined)
    bias = normal_quantile(float(min(max(below, edge), 1 - edge)))
    without = without[~np.isnan(without)]
    deviation = without.mean() - without if len(without) else without
    spread = float(np.sum(deviation**2))
    acceleration = float(np.sum(deviation**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    corrected = []
    for tail in tails:
        z = bias + normal_quantile(float(tail))
        denominator = 1 - acceleration * z
        if denominator <= 0:
            return tails
        corrected.append(normal_below(bias + z / denominator))
    return np.array(corrected)
