"""Paired tests of two systems on the same items, and intervals of their difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from karat.errors import OptionError, check_choice
from karat.stats.interval_methods import (
    LEAST_UNITS,
    Spread,
    all_or_nothing,
    is_mean,
    jackknife_spread,
    skew_t,
)
from karat.stats.intervals import (
    ONE_CLUSTER,
    ONE_ITEM,
    UNDEFINED,
    Ends,
    Interval,
    Ranges,
    Sample,
    check_level,
    share_range,
    widened,
)
from karat.stats.resampling import (
    ROUNDING,
    Array,
    Clusters,
    Path,
    Summarize,
    bootstrap_sums,
    check_trials,
    coin_sums,
    proper,
)
from karat.stats.tails import fair_coin_tail, normal_quantile, student_tail

Test = Literal["auto", "randomization", "bootstrap", "permutation", "sign", "mcnemar"]
TESTS: tuple[Test, ...] = get_args(Test)
EXACT_TESTS: tuple[Test, ...] = ("permutation", "sign", "mcnemar")
"""The tests that draw nothing at random."""
EXACT_LIMIT = 16
"""Up to so many items that differ, all 2^n exchanges are tried rather than sampled."""
_LEAST_DIFFERING = 2

IDENTICAL = "the systems are identical on all items"
FEW_DIFFER = f"the systems differ on fewer than {LEAST_UNITS} items"
FEW_CLUSTERS_DIFFER = f"the systems differ on fewer than {LEAST_UNITS} clusters"
ALL_THE_SAME = "the difference is the same on all items"


@dataclass(frozen=True, slots=True)
class Difference:
    """First minus second system, for one score."""

    first: float
    second: float
    difference: float
    interval: Interval | None
    p_value: float | None
    interval_reason: str = ""
    """Why there is no interval, where there is none."""

    def of_reported(self, first: float | None, second: float | None) -> Difference:
        """The difference of the reported scores, if it is undefined for the test."""
        if not math.isnan(self.difference) or first is None or second is None:
            return self
        return replace(self, first=first, second=second, difference=first - second)


def compare_paired(
    first: Array,
    second: Array,
    summarize: Summarize,
    *,
    test: Test = "auto",
    trials: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    range_of: Ranges = share_range,
    clusters: Clusters | None = None,
) -> tuple[Test, dict[Path, Difference]]:
    """The test that was used, and its result for every score.

    All p-values are two-sided. `randomization` exchanges the systems' rows at
    random (Noreen 1989), `permutation` in all ways (exact), `bootstrap` resamples
    items and centres the differences (Koehn 2004; Riezler and Maxwell 2005), corrected
    for few items, `sign` counts the items on which each system is better (exact binomial),
    `mcnemar` those that exactly one gets right (0/1 scores only; others have no p-value).
    `auto` is `permutation` for few differing items, else `randomization`. Where fewer than
    two items differ, p is 1. The interval is that of `interval_of_difference`. With `clusters`,
    whole clusters take the place of items, and `mcnemar` is refused; a single one has no test.
    """
    check_choice("a test", test, TESTS)
    check_level(level)
    check_trials(trials, seed)
    clusters = proper(clusters)
    if test == "mcnemar" and clusters is not None:
        raise OptionError(
            "the test 'mcnemar' is for independent items, and these are clustered",
            code="K302",
            advice="use the test 'auto'",
        )
    found = Differing(first, second, summarize, clusters)
    first, second = found.first, found.second
    if test == "auto":
        test = "permutation" if len(found.rows) <= EXACT_LIMIT else "randomization"
    if test == "permutation" and len(found.rows) > EXACT_LIMIT:
        raise OptionError(
            f"{len(found.rows)} {found.reason('items', 'clusters')} differ; an exact permutation "
            f"test takes at most {EXACT_LIMIT}",
            code="K302",
            advice="use the test 'randomization'",
        )
    if test == "mcnemar":
        p_values = _mcnemar(found, range_of)
    else:
        p_values = _P_VALUES[test](first, second, summarize, trials, seed)
    result = {}
    for path, a, b in ((path, float(found.a[path]), float(found.b[path])) for path in found.a):
        interval, reason = interval_of_difference(found, path, level, range_of(path))
        p = p_values[path]
        if math.isnan(a - b) or (found.units == 1 and clusters is not None):
            p = None
        elif p is not None and found.count(path) < _LEAST_DIFFERING:
            p = 1.0
        result[path] = Difference(a, b, a - b, interval, p, reason)
    return test, result


class Differing:
    """The scores of two systems, of their units and of all but one unit.

    An item differs in a score where the score of a system changes if the other's
    row takes the place of its own, a cluster where one of its items does.
    """

    def __init__(
        self,
        first: Array,
        second: Array,
        summarize: Summarize,
        clusters: Clusters | None = None,
    ) -> None:
        self._items = first, second
        self._summarize, self._clusters = summarize, clusters
        self._samples = Sample(first, summarize, clusters), Sample(second, summarize, clusters)
        self.first, self.second = (each.rows for each in self._samples)
        self.a, self.b = (each.observed for each in self._samples)
        self.rows = np.flatnonzero(np.any(self.first != self.second, axis=1))
        """The places of the units whose rows differ in anything."""

    @property
    def units(self) -> int:
        return len(self.first)

    def reason(self, of_items: str, of_clusters: str) -> str:
        """The first text if the units are items, the second if they are clusters."""
        return of_items if self._clusters is None else of_clusters

    def own(self, path: Path) -> tuple[Array, Array]:
        """The items' own scores by both systems."""
        return self._samples[0].own[path], self._samples[1].own[path]

    def without(self, path: Path) -> tuple[Array, Array]:
        """The scores of both systems without one unit, for each."""
        return self._samples[0].without[path], self._samples[1].without[path]

    def spread(self, path: Path) -> Spread:
        """The standard error and the skewness of the difference in a score."""
        without = self.without(path)
        return jackknife_spread(without[0] - without[1])

    def span(self, path: Path, ends: Ends) -> float:
        """The size of the range of a score, extended to include all that was observed."""
        low, high = widened(ends, float(self.a[path]), *self.own(path))
        low, high = widened((low, high), float(self.b[path]))
        return high - low

    @cached_property
    def _differing_items(self) -> Clusters:
        return np.flatnonzero(np.any(self._items[0] != self._items[1], axis=1))

    @cached_property
    def _exchanged(self) -> tuple[Mapping[Path, Array], Mapping[Path, Array]]:
        first, second = self._items
        change = (second - first)[self._differing_items]
        return (
            self._summarize(first.sum(axis=0) + change),
            self._summarize(second.sum(axis=0) - change),
        )

    def count(self, path: Path) -> int:
        """The number of units with an item that differs in a score."""
        if not len(self._differing_items):
            return 0
        changed = np.any(
            [
                apart(exchanged[path], whole[path])
                for exchanged, whole in zip(self._exchanged, (self.a, self.b), strict=True)
            ],
            axis=0,
        )
        if self._clusters is None:
            return int(np.sum(changed))
        return len(np.unique(self._clusters[self._differing_items[changed]]))


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
        return None, found.reason(ONE_ITEM, ONE_CLUSTER)
    count = found.count(path)
    if count == 0:
        return None, IDENTICAL
    tail = skew_t(a - b, found.spread(path), count, level)
    span = found.span(path, ends)
    least, most = tail or (a - b, a - b)
    if tail is None or count < LEAST_UNITS:
        if math.isinf(span):
            few = found.reason(FEW_DIFFER, FEW_CLUSTERS_DIFFER)
            return None, few if count < LEAST_UNITS else ALL_THE_SAME
        half = span * -math.expm1(math.log((1 - level) / 2) / found.units)
        least, most = min(least, a - b - half), max(most, a - b + half)
    return Interval(max(least, -span), min(most, span)), ""


def _share(extreme: Array, first: float, second: float, exact: bool) -> float | None:
    """The share of the null distribution that is at least as far from 0 as two scores are apart."""
    extreme = extreme[~np.isnan(extreme)]
    if math.isnan(first - second) or len(extreme) == 0:
        return None
    hits = int(np.sum(as_far(extreme, first - second, max(abs(first), abs(second)))))
    return hits / len(extreme) if exact else (hits + 1) / (len(extreme) + 1)


def apart(first: Array, second: Array) -> npt.NDArray[np.bool_]:
    """Which scores differ by more than rounding, or are undefined on one side only."""
    size = np.fmax(np.abs(first), np.abs(second))
    return np.asarray(~np.isnan(size) & ~(np.abs(first - second) <= ROUNDING * size))


def as_far(differences: Array, observed: float, scores: float) -> npt.NDArray[np.bool_]:
    """Which differences of scores of this size are at least as far from 0 as that observed.

    Those that are equal on paper may differ in the last bits.
    """
    return np.asarray(np.abs(differences) >= abs(observed) - ROUNDING * scores)


def _exchanged(
    first: Array, second: Array, summarize: Summarize, moved: Array, exact: bool
) -> dict[Path, float | None]:
    """P-values from the sums of (second - first) over the exchanged items."""
    a, b = first.sum(axis=0), second.sum(axis=0)
    null_a, null_b = summarize(a + moved), summarize(b - moved)
    real_a, real_b = summarize(a), summarize(b)
    return {
        path: _share(null_a[path] - null_b[path], float(real_a[path]), float(real_b[path]), exact)
        for path in real_a
    }


def _randomization(
    first: Array, second: Array, summarize: Summarize, trials: int, seed: int
) -> dict[Path, float | None]:
    moved = coin_sums(second - first, trials, seed)
    return _exchanged(first, second, summarize, moved, exact=False)


def _permutation(
    first: Array, second: Array, summarize: Summarize, *_: int
) -> dict[Path, float | None]:
    changes = (second - first)[np.any(first != second, axis=1)]
    masks = (np.arange(1 << len(changes))[:, None] >> np.arange(len(changes))) & 1
    return _exchanged(first, second, summarize, masks.astype(float) @ changes, exact=True)


def _bootstrap(
    first: Array, second: Array, summarize: Summarize, trials: int, seed: int
) -> dict[Path, float | None]:
    columns, units = first.shape[1], len(first)
    sums = bootstrap_sums(np.hstack([first, second]), trials, seed)
    boot_a, boot_b = summarize(sums[:, :columns]), summarize(sums[:, columns:])
    a, b = summarize(first.sum(axis=0)), summarize(second.sum(axis=0))
    result = {}
    for path in a:
        spread = boot_a[path] - boot_b[path]
        spread = spread[~np.isnan(spread)]
        centred = spread - spread.mean() if len(spread) else spread
        # Resampled means vary less than means do, and the spread is itself an estimate.
        centred = centred * math.sqrt(units / max(1, units - 1))
        p = _share(centred, float(a[path]), float(b[path]), exact=False)
        result[path] = None if p is None else student_p_value(p, units - 1)
    return result


def student_p_value(p_value: float, freedom: int) -> float:
    """A two-sided p-value with Student's distribution in place of the normal one.

    >>> round(student_p_value(0.05, 10), 4)
    0.0784
    """
    if freedom < 1:
        return 1.0
    return min(1.0, 2 * student_tail(normal_quantile(1 - p_value / 2), freedom))


def _sign(first: Array, second: Array, summarize: Summarize, *_: int) -> dict[Path, float | None]:
    a, b = summarize(first), summarize(second)
    differ = {path: apart(a[path], b[path]) for path in a}
    return {
        path: sign_p_value(
            int(np.sum(differ[path] & (a[path] > b[path]))),
            int(np.sum(differ[path] & (a[path] < b[path]))),
        )
        for path in a
    }


def sign_p_value(wins: int, losses: int) -> float:
    """The two-sided sign test, exact.

    >>> sign_p_value(0, 5)
    0.0625
    """
    return min(1.0, 2 * fair_coin_tail(min(wins, losses), wins + losses))


def _mcnemar(found: Differing, range_of: Ranges) -> dict[Path, float | None]:
    """The exact test of the items on which exactly one system is right, for 0/1 scores."""
    result: dict[Path, float | None] = {}
    for path in found.a:
        a, b = found.own(path)
        low, high = widened(range_of(path), float(found.a[path]), a, b)
        both = found.without(path)
        fits = (
            math.isfinite(high - low)
            and np.array_equal(np.isnan(a), np.isnan(b))
            and all(
                all_or_nothing(own, low, high) and is_mean(own, float(value), without, high - low)
                for own, value, without in zip(
                    (a, b), (found.a[path], found.b[path]), both, strict=True
                )
            )
        )
        result[path] = sign_p_value(int(np.sum(a > b)), int(np.sum(a < b))) if fits else None
    if all(p is None for p in result.values()):
        raise OptionError(
            "the test 'mcnemar' is for scores that are means of 0 and 1; none of these is",
            code="K302",
            advice="use the test 'auto'",
        )
    return result


_P_VALUES: dict[str, Callable[..., dict[Path, float | None]]] = {
    "randomization": _randomization,
    "permutation": _permutation,
    "bootstrap": _bootstrap,
    "sign": _sign,
}
