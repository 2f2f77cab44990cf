"""Non-inferiority: one-sided tests that a score is worse, or not worse by more than a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass

from karat.errors import check_between
from karat.stats.interval_methods import LEAST_UNITS, Spread
from karat.stats.intervals import Ends
from karat.stats.paired_tests import Differing, interval_of_difference
from karat.stats.resampling import Path
from karat.stats.tails import normal_quantile, student_quantile, student_tail

FEWEST = 20
"""With fewer units, skewed effects raise too many false alarms: nothing is decided."""
_COUNTLESS = 1e15
"""More units than any data set has; needed where a margin is far below the spread of scores."""


@dataclass(frozen=True, slots=True)
class GateTest:
    """The test of one score: new minus base, with the sign such that higher is better."""

    difference: float
    low: float
    high: float
    """The ends of an interval with alpha on either side; infinite where nothing is known."""
    error: float
    """The standard error of the difference."""
    p_worse: float
    p_not_worse: float
    units: int
    differing: int
    needed: int | None
    """The number of units that would decide, if these do not; None if it is unknown."""

    @property
    def is_identical(self) -> bool:
        return self.differing == 0


def gated(
    found: Differing, path: Path, ends: Ends, margin: float, alpha: float, power: float
) -> GateTest:
    """Tests of one score; `found` has the new system first, or second where lower is better.

    The interval is that of `interval_of_difference` with alpha on either side. The p-values
    belong to it: Student's, or Hall's (1992) where skew makes that larger; where fewer than
    five units differ, at least what a difference on units that the sample lacks allows.
    """
    difference = float(found.a[path]) - float(found.b[path])
    count, units = found.count(path), found.units
    if count == 0:
        return GateTest(difference, 0.0, 0.0, 0.0, 1.0, 0.0, units, 0, None)
    interval, _ = interval_of_difference(found, path, 1 - 2 * alpha, ends)
    low, high = (interval.low, interval.high) if interval else (-math.inf, math.inf)
    spread, span = found.spread(path), found.span(path, ends)
    worse = _lower_tail(difference, spread, count)
    not_worse = _lower_tail(-(difference + margin), _mirrored(spread), count)
    if count < LEAST_UNITS or spread.error == 0:
        worse = max(worse, _unseen(difference, span, units))
        not_worse = max(not_worse, _unseen(-(difference + margin), span, units))
    needed = _needed(difference, margin, spread, count, units, span, alpha, power)
    return GateTest(difference, low, high, spread.error, worse, not_worse, units, count, needed)


def _lower_tail(difference: float, spread: Spread, count: int) -> float:
    """The probability of a difference as low as this if the true one is 0."""
    if spread.error == 0:
        return 0.0 if difference < 0 else 1.0
    x = difference / spread.error
    root = math.sqrt(spread.units)
    c, e = spread.skewness / (3 * root), spread.skewness / (6 * root)
    turned = e + x * (1 + c * x * (1 + c * x / 3)) if c else x
    freedom = max(1, count - 1)
    return max(_below(x, freedom), _below(turned, freedom))


def _below(x: float, freedom: int) -> float:
    return student_tail(-x, freedom) if x < 0 else 1 - student_tail(x, freedom)


def _mirrored(spread: Spread) -> Spread:
    return spread._replace(skewness=-spread.skewness)


def _unseen(difference: float, span: float, units: int) -> float:
    """The probability to see none of the units that would cancel a difference."""
    if difference >= 0 or math.isinf(span):
        return 1.0
    return max(0.0, 1 + difference / span) ** units


def _needed(
    difference: float,
    margin: float,
    spread: Spread,
    count: int,
    units: int,
    span: float,
    alpha: float,
    power: float,
) -> int | None:
    """How many units would decide, if the difference and its spread stay what they are."""
    distance = margin if difference >= 0 else max(margin + difference, -difference)
    if distance <= 0 or spread.error == 0:
        return None
    t = student_quantile(1 - alpha, max(1, count - 1))
    ratio = (t + normal_quantile(power)) * spread.error / distance
    needed = units * ratio * ratio
    if count < LEAST_UNITS:
        if math.isinf(span):
            return None
        if distance < span:
            needed = max(needed, math.log(alpha) / math.log1p(-distance / span))
    return max(FEWEST, math.ceil(needed)) if needed < _COUNTLESS else None


def check_gate(alpha: float, power: float) -> None:
    """Raises for a level or a power that is out of range."""
    check_between("alpha", alpha, high=0.5)
    check_between("power", power)
