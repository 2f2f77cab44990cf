"""Two systems on the same units: which units differ, and the interval of the difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from karat.stats.intervals import (
    LEAST_UNITS,
    ONE_ITEM,
    UNDEFINED,
    Ends,
    Interval,
    widened,
)
from karat.stats.resampling import Array, Path, Summarize, leave_one_out_sums
from karat.stats.skew_t import jackknife_spread, skew_t

IDENTICAL = "the systems are identical on all items"
FEW_DIFFER = f"the systems differ on fewer than {LEAST_UNITS} items"
ALL_THE_SAME = "the difference is the same on all items"


class Differing:
    """The scores of two systems, of their units and of all but one unit.

    A unit differs in a score where the score of a system changes if the other's
    row takes the place of its own.
    """

    def __init__(self, first: Array, second: Array, summarize: Summarize) -> None:
        self._first, self._second, self._summarize = first, second, summarize
        self._sums = first.sum(axis=0), second.sum(axis=0)
        self.a, self.b = (summarize(each) for each in self._sums)
        self.rows = np.flatnonzero(np.any(first != second, axis=1))
        """The places of the units whose rows differ in anything."""

    @property
    def units(self) -> int:
        return len(self._first)

    @cached_property
    def _own(self) -> tuple[Mapping[Path, Array], Mapping[Path, Array]]:
        return self._summarize(self._first), self._summarize(self._second)

    def own(self, path: Path) -> tuple[Array, Array]:
        """The units' own scores by both systems."""
        return self._own[0][path], self._own[1][path]

    @cached_property
    def _without(self) -> tuple[Mapping[Path, Array], Mapping[Path, Array]]:
        return (
            self._summarize(leave_one_out_sums(self._first)),
            self._summarize(leave_one_out_sums(self._second)),
        )

    def without(self, path: Path) -> tuple[Array, Array]:
        """The scores of both systems without one unit, for each."""
        return self._without[0][path], self._without[1][path]

    @cached_property
    def _exchanged(self) -> tuple[Mapping[Path, Array], Mapping[Path, Array]]:
        change = (self._second - self._first)[self.rows]
        return self._summarize(self._sums[0] + change), self._summarize(self._sums[1] - change)

    def count(self, path: Path) -> int:
        """How many units differ in a score."""
        if not len(self.rows):
            return 0
        changed = (self._exchanged[0][path] != self.a[path]) | (
            self._exchanged[1][path] != self.b[path]
        )
        return int(np.sum(changed))


def interval_of_difference(
    found: Differing, path: Path, level: float, ends: Ends
) -> tuple[Interval | None, str]:
    """The interval of first minus second, or the reason why there is none.

    Student's with a correction for skew, from the jackknife of the difference. Where
    fewer than five units differ it is at least as wide as what a difference on units
    that the sample lacks allows: the range of the score, times 1 - alpha^(1/n).
    """
    a, b = float(found.a[path]), float(found.b[path])
    if math.isnan(a) or math.isnan(b):
        return None, UNDEFINED
    if found.units == 1:
        return None, ONE_ITEM
    count = found.count(path)
    if count == 0:
        return None, IDENTICAL
    without = found.without(path)
    tail = skew_t(a - b, jackknife_spread(without[0] - without[1]), count, level)
    low, high = widened(widened(ends, a, *found.own(path)), b)
    span = high - low
    least, most = tail or (a - b, a - b)
    if tail is None or count < LEAST_UNITS:
        if math.isinf(span):
            return None, FEW_DIFFER if count < LEAST_UNITS else ALL_THE_SAME
        half = span * -math.expm1(math.log((1 - level) / 2) / found.units)
        least, most = min(least, a - b - half), max(most, a - b + half)
    return Interval(max(least, -span), min(most, span)), ""
