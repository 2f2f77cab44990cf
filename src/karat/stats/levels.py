"""Correlations of two matrices of scores, systems × inputs, at four levels.

| level | what is correlated |
|---|---|
| summary | the systems of each input; the mean over inputs ("group by item") |
| system | the means of the systems, one point each |
| global | all cells at once ("no grouping") |
| by-system | the inputs of each system; the mean over systems ("group by system") |

Absent cells are NaN. A resample is a weight for each row and each column, so
that all levels and coefficients of all resamples come from points that are
sorted once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from karat import _native
from karat.errors import OptionError
from karat.stats.correlation import COEFFICIENTS, Points, with_ties
from karat.stats.resampling import Array

Level = Literal["summary", "system", "global", "by-system"]
LEVELS: tuple[Level, ...] = ("summary", "system", "global")
ALL_LEVELS: tuple[Level, ...] = (*LEVELS, "by-system")
Units = Literal["system", "input", "both"]
"""What is resampled or exchanged: rows, columns, or both."""

BLOCK_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class LevelValues:
    """The coefficients at one level, and how many groups each is the mean of."""

    values: Array
    groups: tuple[int, ...]


class Correlations:
    """Two matrices with the same absent cells, ready to be weighted."""

    def __init__(self, x: Array, y: Array) -> None:
        x, y = np.asarray(x, float), np.asarray(y, float)
        if x.ndim != 2 or x.shape != y.shape:
            raise OptionError(
                f"two matrices of one shape are needed, got {x.shape} and {y.shape}", code="K380"
            )
        if not np.array_equal(np.isnan(x), np.isnan(y)):
            raise OptionError("the two matrices lack different cells", code="K380")
        if np.isinf(x).any() or np.isinf(y).any():
            raise OptionError("a matrix has an infinite cell", code="K380")
        self.x, self.y = x, y
        self.present = ~np.isnan(x)
        self.rows, self.columns = np.nonzero(self.present)

    @property
    def shape(self) -> tuple[int, int]:
        return self.x.shape[0], self.x.shape[1]

    @cached_property
    def _cells(self) -> tuple[Array, Array]:
        return self.x[self.present], self.y[self.present]

    @cached_property
    def _by_input(self) -> Points:
        return Points.of(*self._cells, self.rows, self.columns, self.shape[1])

    @cached_property
    def _by_system(self) -> Points:
        return Points.of(*self._cells, self.columns, self.rows, self.shape[0])

    @cached_property
    def _pooled(self) -> Points:
        return Points.of(*self._cells, np.arange(len(self.rows)))

    @cached_property
    def _filled(self) -> tuple[Array, Array, Array]:
        return np.nan_to_num(self.x), np.nan_to_num(self.y), self.present.astype(float)

    def size(self, level: Level) -> int:
        """How many points a coefficient has: the most of any group, rows with a score, cells."""
        counts = {
            "summary": self.present.sum(axis=0).max(initial=0),
            "system": self.present.any(axis=1).sum(),
            "global": len(self.rows),
            "by-system": self.present.sum(axis=1).max(initial=0),
        }
        return int(counts[level])

    def means(self) -> tuple[Array, Array]:
        """The mean scores of the systems that have any."""
        kept = self.present.any(axis=1)
        x, y = np.nanmean(self.x[kept], axis=1), np.nanmean(self.y[kept], axis=1)
        return with_ties(x), with_ties(y)

    def weighted(self, level: Level, rows: Array, columns: Array) -> Array:
        """(trials, rows) and (trials, columns) of weights to (trials, coefficients)."""
        if level == "summary":
            return _group_means(self._by_input.coefficients(rows), columns)
        if level == "by-system":
            return _group_means(self._by_system.coefficients(columns), rows)
        if level == "global":
            return self._pooled.coefficients(rows[:, self.rows] * columns[:, self.columns])[:, 0]
        x, y, present = self._filled
        counts = columns @ present.T
        scored = np.maximum(counts, 1)
        return np.asarray(
            _native.row_correlations(
                np.ascontiguousarray(columns @ x.T / scored),
                np.ascontiguousarray(columns @ y.T / scored),
                np.ascontiguousarray(np.where(counts > 0, rows, 0.0)),
            )
        )

    def observed(self, level: Level) -> LevelValues:
        """The coefficients of the matrices as they are."""
        rows, columns = np.ones((1, self.shape[0])), np.ones((1, self.shape[1]))
        values = self.weighted(level, rows, columns)[0]
        groups = (~np.isnan(values)).astype(int)
        if level in ("summary", "by-system"):
            points = self._by_input if level == "summary" else self._by_system
            one = points.coefficients(rows if level == "summary" else columns)[0]
            groups = np.sum(~np.isnan(one), axis=0)
        return LevelValues(values, tuple(int(count) for count in groups))

    def bootstrap(
        self, levels: tuple[Level, ...], units: Units, resamples: int, seed: int
    ) -> dict[Level, Array]:
        """(resamples, coefficients) for each level, from common resamples."""
        blocks: dict[Level, list[Array]] = {level: [] for level in levels}
        for rows, columns in bootstrap_draws(self.shape, units, resamples, seed):
            for level in levels:
                blocks[level].append(self.weighted(level, rows, columns))
        return {level: np.concatenate(parts) for level, parts in blocks.items()}


def _group_means(groups: Array, weights: Array) -> Array:
    """The weighted means of the defined coefficients of groups: (trials, coefficients)."""
    defined = ~np.isnan(groups)
    present = np.einsum("tg,tgc->tc", weights, defined.astype(float))
    sums = np.einsum("tg,tgc->tc", weights, np.where(defined, groups, 0.0))
    means: Array = np.divide(sums, present, out=np.full(sums.shape, np.nan), where=present > 0)
    return means


def streams(seed: int, count: int) -> list[int]:
    """Seeds of independent random streams, from one seed."""
    if not 0 <= seed < 1 << 64:
        raise OptionError(f"a seed is a number from 0 to 2^64 - 1, got {seed}", code="K302")
    return [int(state) for state in np.random.SeedSequence(seed).generate_state(count, np.uint64)]


def block_sizes(trials: int, cells: int) -> Iterator[tuple[int, int]]:
    """(first trial, number of trials) of blocks that keep memory bounded."""
    if trials < 1:
        raise OptionError(f"the number of resamples must be at least 1, got {trials}", code="K302")
    block = max(1, min(trials, BLOCK_CELLS // max(1, cells)))
    for first in range(0, trials, block):
        yield first, min(block, trials - first)


def bootstrap_draws(
    shape: tuple[int, int], units: Units, resamples: int, seed: int
) -> Iterator[tuple[Array, Array]]:
    """Blocks of weights: how often each row and each column is drawn."""
    row_seed, column_seed = streams(seed, 2)
    groups = shape[0] * shape[1] + len(COEFFICIENTS) * sum(shape)
    for first, size in block_sizes(resamples, groups):
        rows, columns = np.ones((size, shape[0])), np.ones((size, shape[1]))
        if units in ("system", "both"):
            _native.bootstrap_weights(rows, first, row_seed)
        if units in ("input", "both"):
            _native.bootstrap_weights(columns, first, column_seed)
        yield rows, columns
