"""Tests of whether metric X correlates better with the judgement Z than metric Y does.

Three matrices, systems × inputs, with the same absent cells. The difference of
the two correlations is held against paired bootstrap resamples, against random
exchanges of the two metrics, or against Williams' t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.stats.correlation import Points
from karat.stats.levels import Correlations, Level, Units, group_means
from karat.stats.resampling import Array, block_sizes, of_unit_size, streams
from karat.stats.tails import student_tail

_SLACK = 1e-12
"""Differences that are equal on paper may differ in the last bits."""


@dataclass(frozen=True, slots=True)
class PValues:
    """One p-value per coefficient (None where undefined), and how many trials counted."""

    values: tuple[float | None, ...]
    trials: tuple[int, ...] = ()


def paired_bootstrap(
    x: Array,
    y: Array,
    z: Array,
    levels: tuple[Level, ...],
    *,
    units: Units = "both",
    two_tailed: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[Level, PValues]:
    """The share of resamples whose difference is at least twice the observed one.

    The paired bootstrap of Berg-Kirkpatrick, Burkett and Klein (2012). It can tell nothing where
    the observed difference is above 1, as none is above 2, or where all resamples give the same
    one: the share would be 0 whatever the data, and there is no p-value.
    """
    first, second = Correlations(x, z), Correlations(y, z)
    drawn_first = first.bootstrap(levels, units, resamples, seed)
    drawn_second = second.bootstrap(levels, units, resamples, seed)
    result = {}
    for level in levels:
        observed = first.observed(level).values - second.observed(level).values
        drawn = drawn_first[level] - drawn_second[level]
        lead = np.abs(observed) if two_tailed else observed
        varies = np.nanmax(drawn, axis=0, initial=-2) - np.nanmin(drawn, axis=0, initial=2) > _SLACK
        tells = (lead <= _SLACK) | (varies & (lead <= 1 + _SLACK))
        twice = np.where(tells, 2 * observed, np.nan)
        result[level] = share_beyond(drawn, twice, two_tailed, added=0)
    return result


def share_beyond(drawn: Array, threshold: Array, two_tailed: bool, added: int) -> PValues:
    """The share of each column that is at least its threshold; undefined values are left out."""
    if two_tailed:
        drawn, threshold = np.abs(drawn), np.abs(threshold)
    defined = ~np.isnan(drawn)
    counts = defined.sum(axis=0)
    hits = np.sum(defined & (drawn >= threshold - _SLACK), axis=0)
    values = tuple(
        None if math.isnan(limit) or count == 0 else (int(hit) + added) / (int(count) + added)
        for limit, count, hit in zip(threshold, counts, hits, strict=True)
    )
    return PValues(values, tuple(map(int, counts)))


def standardized(values: Array) -> Array:
    """Subtracts the mean of all cells and divides by their standard deviation."""
    values = of_unit_size(values)
    spread = float(np.nanstd(values))
    centred = values - np.nanmean(values)
    return centred / spread if spread > 0 else centred


def paired_permutation(
    x: Array,
    y: Array,
    z: Array,
    levels: tuple[Level, ...],
    *,
    units: Units = "both",
    two_tailed: bool = False,
    trials: int = 1000,
    seed: int = 0,
) -> dict[Level, PValues]:
    """The share of random exchanges of X and Y whose difference is as large as the observed.

    Both are standardized first; whole rows, whole columns, or single cells
    ("both") change sides.
    """
    x, y = standardized(x), standardized(y)
    first, second = Correlations(x, z), Correlations(y, z)
    exchanged = {level: _ExchangedDifference(first, second, level, units) for level in levels}
    (stream,) = streams(seed, 1)
    width = _units_of_cells(first, units)[1]
    blocks: dict[Level, list[Array]] = {level: [] for level in levels}
    for begin, size in block_sizes(trials, 4 * len(first.rows) + width):
        coins = np.empty((size, width))
        _native.coin_weights(coins, begin, stream)
        for level in levels:
            blocks[level].append(exchanged[level].differences(coins))
    return {
        level: share_beyond(
            np.concatenate(blocks[level]),
            first.observed(level).values - second.observed(level).values,
            two_tailed,
            added=1,
        )
        for level in levels
    }


def _units_of_cells(matrices: Correlations, units: Units) -> tuple[npt.NDArray[np.int64], int]:
    """The number of the unit that each present cell belongs to, and how many units there are."""
    if units == "system":
        return matrices.rows, matrices.shape[0]
    if units == "input":
        return matrices.columns, matrices.shape[1]
    return np.arange(len(matrices.rows)), len(matrices.rows)


class _ExchangedDifference:
    """The difference of two correlations after units have changed sides."""

    def __init__(
        self, first: Correlations, second: Correlations, level: Level, units: Units
    ) -> None:
        self.first, self.second, self.level = first, second, level
        self.unit, self.width = _units_of_cells(first, units)
        present = first.present
        if level == "system":
            self.starts = np.flatnonzero(np.diff(first.rows, prepend=-1))
            self.counts = present.sum(axis=1)[present.any(axis=1)]
            self.moves = (second.x - first.x)[present]
            (x, z), (y, _) = first.means(), second.means()
            self.means = x, y, z
            return
        groups, count = {
            "summary": (first.columns, first.shape[1]),
            "by-system": (first.rows, first.shape[0]),
            "global": (np.zeros(len(first.rows), np.int64), 1),
        }[level]
        self.points = Points.of(
            np.concatenate([first.x[present], second.x[present]]),
            np.concatenate([first.y[present]] * 2),
            np.concatenate([self.unit, self.unit + self.width]),
            np.concatenate([groups] * 2),
            count,
        )

    def differences(self, coins: Array) -> Array:
        if self.level == "system":
            return self._of_means(coins)
        one = self.points.coefficients(np.hstack([1 - coins, coins]))
        other = self.points.coefficients(np.hstack([coins, 1 - coins]))
        each = np.ones(one.shape[:2])
        return group_means(one, each) - group_means(other, each)

    def _of_means(self, coins: Array) -> Array:
        x, y, z = self.means
        moved = np.add.reduceat(coins[:, self.unit] * self.moves, self.starts, axis=1) / self.counts
        ones = np.ones_like(moved)
        judged = np.ascontiguousarray(np.broadcast_to(z, moved.shape))
        return np.asarray(
            _native.row_correlations(x + moved, judged, ones)
            - _native.row_correlations(y - moved, judged, ones)
        )


def williams(
    x: Array, y: Array, z: Array, levels: tuple[Level, ...], *, two_tailed: bool = False
) -> dict[Level, PValues]:
    """Williams' (1959) test of two dependent correlations that share Z, at each level."""
    xz, yz, xy = Correlations(x, z), Correlations(y, z), Correlations(x, y)
    result = {}
    for level in levels:
        triples = zip(*(pair.observed(level).values.tolist() for pair in (xz, yz, xy)), strict=True)
        size = xz.size(level)
        result[level] = PValues(
            tuple(
                williams_p_value(abs(r12), abs(r13), abs(r23), size, two_tailed)
                for r12, r13, r23 in triples
            )
        )
    return result


def williams_p_value(
    r12: float, r13: float, r23: float, size: int, two_tailed: bool
) -> float | None:
    """From the three correlations of Z with X, Z with Y, and X with Y; None where undefined."""
    if size <= 3 or any(math.isnan(r) for r in (r12, r13, r23)):
        return None
    difference = r12 - r13
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * determinant * (size - 1) / (size - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    if abs(difference) < _SLACK:
        t = 0.0
    elif below <= 0:
        return None
    else:
        t = difference * math.sqrt((size - 1) * (1 + r23) / below)
    if two_tailed:
        return min(1.0, 2 * student_tail(abs(t), size - 3))
    return student_tail(t, size - 3)
