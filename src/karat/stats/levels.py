"""Correlations of two matrices of scores, systems × inputs, at four levels.

| level | what is correlated |
|---|---|
| summary | the systems of each input; the mean over inputs ("group by item") |
| system | the means of the systems, one point each |
| global | all cells at once ("no grouping") |
| by-system | the inputs of each system; the mean over systems ("group by system") |

Absent cells are NaN. A resample is a weight for each row and each column, so
that all levels and coefficients of all resamples come from points that are
sorted once. Cells may have weights of their own: a cell that weighs 2 counts
like two equal ones. With controls, coefficients are partial: what two scores
share beyond what both share with the controls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from karat import _native
from karat.errors import OptionError
from karat.stats.correlation import (
    COEFFICIENTS,
    Coefficient,
    Ints,
    Points,
    partial,
    with_ties,
)
from karat.stats.resampling import Array, block_sizes, of_unit_size, streams

Level = Literal["summary", "system", "global", "by-system"]
LEVELS: tuple[Level, ...] = ("summary", "system", "global")
ALL_LEVELS: tuple[Level, ...] = (*LEVELS, "by-system")
Units = Literal["system", "input", "both"]
"""What is resampled or exchanged: rows, columns, or both."""


@dataclass(frozen=True, slots=True)
class LevelValues:
    """The coefficients at one level, and how many groups each is the mean of."""

    values: Array
    groups: tuple[int, ...]


class Correlations:
    """Two matrices with the same absent cells, ready to be weighted."""

    def __init__(
        self, x: Array, y: Array, *, controls: Sequence[Array] = (), weights: Array | None = None
    ) -> None:
        x, y = np.asarray(x, float), np.asarray(y, float)
        others = [np.asarray(each, float) for each in controls]
        for other in [y, *others, *([] if weights is None else [weights])]:
            if x.ndim != 2 or x.shape != other.shape:
                raise OptionError(
                    f"two matrices of one shape are needed, got {x.shape} and {other.shape}",
                    code="K380",
                )
            if not np.array_equal(np.isnan(x), np.isnan(other)):
                raise OptionError("the two matrices lack different cells", code="K380")
            if np.isinf(x).any() or np.isinf(other).any():
                raise OptionError("a matrix has an infinite cell", code="K380")
        if weights is not None and np.any(weights < 0):
            raise OptionError("a weight is below 0", code="K380")
        self.x, self.y = x, y
        self.variables = (x, y, *others)
        self.present = ~np.isnan(x)
        # A cell without weight is not there.
        if weights is not None:
            self.present &= np.nan_to_num(weights) > 0
        self.rows, self.columns = np.nonzero(self.present)
        self.weights = None if weights is None else weights[self.present]

    @property
    def shape(self) -> tuple[int, int]:
        return self.x.shape[0], self.x.shape[1]

    @property
    def controls(self) -> int:
        """The number of scores that are held fixed."""
        return len(self.variables) - 2

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        count = len(self.variables)
        return [(i, j) for i in range(count) for j in range(i + 1, count)]

    @cached_property
    def _by_input(self) -> list[Points]:
        return self._points(self.rows, self.columns, self.shape[1])

    @cached_property
    def _by_system(self) -> list[Points]:
        return self._points(self.columns, self.rows, self.shape[0])

    @cached_property
    def _pooled(self) -> list[Points]:
        return self._points(np.arange(len(self.rows)), None, 1)

    def _points(self, sources: Ints, groups: Ints | None, count: int) -> list[Points]:
        """The points of each pair of variables; with weights each cell is its own source."""
        if self.weights is not None:
            sources = np.arange(len(self.rows))
        cells = [each[self.present] for each in self.variables]
        return [Points.of(cells[i], cells[j], sources, groups, count) for i, j in self._pairs]

    @cached_property
    def _filled(self) -> tuple[list[Array], Array]:
        """The weighted scores, 0 where there are none, each by a power of two so that sums of very
        large ones have room; and the weights."""
        weights = np.zeros(self.shape)
        weights[self.present] = 1.0 if self.weights is None else self.weights
        filled = [np.where(self.present, each, 0.0) for each in self.variables]
        sizes = map(self._size, filled)
        return [
            np.ldexp(each, -n) * weights for each, n in zip(filled, sizes, strict=True)
        ], weights

    def _size(self, scores: Array) -> int:
        """The exponent of the largest of the scores that count."""
        return int(np.frexp(np.max(np.abs(scores[self.present]), initial=0.0))[1])

    def size(self, level: Level) -> int:
        """The number of points of a coefficient: most of any group, rows with a score, cells."""
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
        values, weights = self._filled
        sums = weights[kept].sum(axis=1)
        x, y = (with_ties(each[kept].sum(axis=1) / sums) for each in values[:2])
        return np.ldexp(x, self._size(self.x)), np.ldexp(y, self._size(self.y))

    def weighted(self, level: Level, rows: Array, columns: Array) -> Array:
        """(trials, rows) and (trials, columns) of weights to (trials, coefficients)."""
        if level == "summary":
            return group_means(self._groups(level, rows), columns)
        if level == "by-system":
            return group_means(self._groups(level, columns), rows)
        if level == "global":
            cells = rows[:, self.rows] * columns[:, self.columns]
            if self.weights is not None:
                cells = cells * self.weights
            return self._partial([points.coefficients(cells) for points in self._pooled])[:, 0]
        values, weights = self._filled
        counts = columns @ weights.T
        scored = np.where(counts > 0, counts, 1.0)
        means = [np.ascontiguousarray(of_unit_size(columns @ each.T / scored)) for each in values]
        drawn = np.ascontiguousarray(np.where(counts > 0, rows, 0.0))
        return self._partial(
            [
                np.asarray(_native.row_correlations(means[i], means[j], drawn))
                for i, j in self._pairs
            ]
        )

    def _groups(self, level: Level, units: Array) -> Array:
        """The coefficients of each group: (trials, groups, coefficients)."""
        points, places = (
            (self._by_input, self.rows) if level == "summary" else (self._by_system, self.columns)
        )
        if self.weights is not None:
            units = units[:, places] * self.weights
        return self._partial([each.coefficients(units) for each in points])

    def _partial(self, coefficients: list[Array]) -> Array:
        if not self.controls:
            return coefficients[0]
        return partial(dict(zip(self._pairs, coefficients, strict=True)), len(self.variables))

    def observed(self, level: Level) -> LevelValues:
        """The coefficients of the matrices as they are."""
        rows, columns = np.ones((1, self.shape[0])), np.ones((1, self.shape[1]))
        values = self.weighted(level, rows, columns)[0]
        groups = (~np.isnan(values)).astype(int)
        if level in ("summary", "by-system"):
            one = self._groups(level, rows if level == "summary" else columns)[0]
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


def group_means(groups: Array, weights: Array) -> Array:
    """The weighted means of the defined coefficients of groups: (trials, coefficients)."""
    defined = ~np.isnan(groups)
    present = np.einsum("tg,tgc->tc", weights, defined.astype(float))
    sums = np.einsum("tg,tgc->tc", weights, np.where(defined, groups, 0.0))
    means: Array = np.divide(sums, present, out=np.full(sums.shape, np.nan), where=present > 0)
    return means


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


def correlation_matrix(
    matrices: Sequence[Array], level: Level, coefficient: Coefficient
) -> list[list[float | None]]:
    """The correlations of all pairs of matrices; None where undefined."""
    place = COEFFICIENTS.index(coefficient)
    found = [
        [float(Correlations(x, y).observed(level).values[place]) for y in matrices]
        for x in matrices
    ]
    return [[None if np.isnan(value) else value for value in row] for row in found]
