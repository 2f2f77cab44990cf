"""Confidence intervals of any score, from the rows of counts alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from threading import RLock
from typing import Literal, TypeAlias, TypeVar, get_args

import msgspec
import numpy as np

from karat import cores
from karat.errors import OptionError, check_between, check_choice, did_you_mean
from karat.stats.interval_methods import (
    LEAST_UNITS,
    Spread,
    all_or_nothing,
    anchored,
    between,
    clopper_pearson,
    is_mean,
    jackknife_spread,
    quantiles,
    skew_t,
    spread,
    wilson,
)
from karat.stats.resampling import (
    MANY_ROWS,
    ROUNDING,
    Array,
    Clusters,
    Path,
    Resampling,
    Summarize,
    bootstrap_sums,
    check_trials,
    chosen_resampling,
    in_blocks,
    proper,
    summed,
    threads_for,
)
from karat.stats.tails import normal_below, normal_quantile

Method = Literal["auto", "wilson", "percentile", "bca"]
METHODS: tuple[Method, ...] = get_args(Method)
Ends: TypeAlias = tuple[float, float]
_T = TypeVar("_T")
Ranges: TypeAlias = Callable[[Path], Ends]
"""The range of a score; an end may be infinite."""

_Draw: TypeAlias = tuple[int, int, Resampling]
"""How many resamples, from which seed, and how units are drawn."""
_FIRST_ITEMS = 64

_MOST_UNDEFINED = 0.05

UNDEFINED = "the score is undefined"
ONE_ITEM = "one item"
ONE_CLUSTER = "one cluster"
ONE_HAS_IT = "one item has the score"
ONE_CLUSTER_HAS_IT = "one cluster has the score"
NONE_HAS_IT = "no item has the score by itself"
FEW_ITEMS = f"fewer than {LEAST_UNITS} items"
FEW_CLUSTERS = f"fewer than {LEAST_UNITS} clusters"
ALL_THE_SAME = "all items have the same score"
OFTEN_UNDEFINED = "the score is undefined in more than 5 % of the resamples"
_RESAMPLED = {"anchored", "percentile", "bca", OFTEN_UNDEFINED}
"""Methods, and a reason, for which resamples are drawn."""


class Interval(msgspec.Struct, frozen=True):
    """A confidence interval of a score."""

    low: float
    high: float


class Intervals(dict[Path, Interval | None]):
    """The interval of every score with its method, or the reason why there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.methods: dict[Path, str] = {}
        """exact, wilson, anchored, skew-t, percentile or bca, for scores that have one."""
        self.reasons: dict[Path, str] = {}
        """For scores that have none: every score is either here or in `methods`."""
        self.resampling: Resampling | None = None
        """The way of resampling; None if no interval needed one."""

    def __getitem__(self, path: Path | str) -> Interval | None:
        """The interval of a score, by its path or by its name with dots: ``labeled.f``."""
        path = _as_path(path)
        if path not in self:
            names = [".".join(each) for each in self]
            name = ".".join(path)
            raise OptionError(
                f"there is no score {name!r}{did_you_mean(name, names)}",
                code="K306",
                advice=f"scores with intervals: {', '.join(names)}",
            )
        return super().__getitem__(path)

    def __contains__(self, path: object) -> bool:
        return super().__contains__(_as_path(path) if isinstance(path, str) else path)

    def get(  # type: ignore[override]
        self, path: Path | str, default: Interval | None = None
    ) -> Interval | None:
        """The same; the default for scores that have no place here, such as counts."""
        return super().get(_as_path(path), default)

    def give(self, path: Path, method: str, ends: Ends) -> None:
        self[path] = Interval(*ends)
        self.methods[path] = method

    def deny(self, path: Path, reason: str) -> None:
        self[path] = None
        self.reasons[path] = reason

    def take(self, other: Intervals) -> None:
        """Adds the intervals of other scores."""
        self.update(other)
        self.methods.update(other.methods)
        self.reasons.update(other.reasons)

    def copy(self) -> Intervals:
        result = Intervals()
        result.take(self)
        result.resampling = self.resampling
        return result


def _as_path(name: Path | str) -> Path:
    return tuple(name.split(".")) if isinstance(name, str) else name


def share_range(_path: Path) -> Ends:
    """The default range of a score: that of a share."""
    return 0.0, 1.0


def intervals(
    counts: Array,
    summarize: Summarize,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    method: Method = "auto",
    range_of: Ranges = share_range,
    resampling: Resampling = "auto",
    clusters: Clusters | None = None,
    sample: Sample | None = None,
) -> Intervals:
    """An interval for every score, or the reason why there is none.

    The units are items, or clusters of items where these are given: what is drawn, left
    out, and counted.

    `auto` chooses by the score: the exact interval (Clopper and Pearson 1934) of a mean of
    0/1 item scores, the anchored bootstrap of other scores with a range, Student's with
    a correction for skew for scores without one. `wilson` is `auto` with Wilson's interval for
    0/1 scores. `percentile` takes the quantiles of resampled scores; `bca` (Efron 1987)
    corrects them for bias and skew: both cover too seldom where items are few or nearly
    all equal. `summarize` gives NaN where a score is undefined (0/0).

    `resampling` says how units are drawn: `multinomial` draws as many as there are, with
    replacement; `poisson` gives each a weight of its own; `auto` is the first up to 100,000 units.
    `sample` holds what was computed of these rows before.
    """
    check_level(level)
    check_trials(resamples, seed)
    check_choice("an interval method", method, METHODS)
    sample = sample or Sample(counts, summarize, clusters)
    chosen = chosen_resampling(len(sample.rows), resampling)
    draw = resamples, seed, chosen

    def of_score(path: Path) -> Intervals:
        found, observed = Intervals(), float(sample.observed[path])
        if math.isnan(observed):
            found.deny(path, UNDEFINED)
        elif method in ("percentile", "bca"):
            _bootstrap(found, path, sample, draw, level, method)
        else:
            _suited(found, path, sample, draw, range_of(path), level, method)
        return found

    result = Intervals()
    for found in _of_each_score(sample, of_score):
        result.take(found)
    if _RESAMPLED & {*result.methods.values(), *result.reasons.values()}:
        result.resampling = chosen
    return result


def _of_each_score(sample: Sample, function: Callable[[Path], _T]) -> list[_T]:
    """The results of a function for all scores, computed on threads if there are many items."""
    threads = cores.usable() if len(sample.items) >= MANY_ROWS else 1
    return cores.together([partial(function, path) for path in sample.observed], threads)


def check_level(level: float) -> None:
    """Raises for a confidence level that is out of range."""
    # One that cannot be told from 1 in the tails has no quantiles.
    check_between("a confidence level", level)
    check_between("a confidence level", level if (1 + level) / 2 < 1 else 1.0)


def widened(ends: Ends, observed: float, *own: Array) -> Ends:
    """A finite range, extended to include all items, as error rates may exceed 1."""
    low, high = ends
    if math.isinf(low) or math.isinf(high):
        return ends
    for values in (np.array([observed]), *own):
        is_finite = np.isfinite(values)
        finite = values if is_finite.all() else values[is_finite]
        if len(finite):
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    return low, high


class Sample:
    """The scores of items and the leave-one-out scores, computed on demand and cached."""

    def __init__(
        self,
        items: Array,
        summarize: Summarize,
        clusters: Clusters | None = None,
        own: Mapping[Path, Array] | None = None,
        observed: Mapping[Path, Array] | None = None,
    ) -> None:
        self.items, self.summarize, self.clusters = items, summarize, proper(clusters)
        self.rows = summed(items, self.clusters)
        """The rows of units."""
        self._lock = RLock()
        known = {"own": own, "observed": observed}
        self._made: dict[str | _Draw, Mapping[Path, Array]] = {
            name: scores for name, scores in known.items() if scores is not None
        }
        self._begun: dict[_Draw, Callable[[], Array]] = {}
        self._spreads: dict[Path, Spread] = {}

    def draw_ahead(self, draw: _Draw, range_of: Ranges) -> None:
        """Begins to draw resamples where threads may do so, and some interval will need them.

        The first items tell: a score that is neither the least nor the greatest.
        """
        if threads_for(len(self.rows), draw[0]) > 1 and any(
            math.isfinite(low + high) and not all_or_nothing(values, low, high)
            for path, values in self.summarize(self.items[:_FIRST_ITEMS]).items()
            for low, high in [range_of(path)]
        ):
            self._begun[draw] = cores.ahead(partial(bootstrap_sums, self.rows, *draw))

    def resampled(self, draw: _Draw) -> Mapping[Path, Array]:
        """The scores of resamples."""

        def made() -> Mapping[Path, Array]:
            begun = self._begun.pop(draw, None)
            return self.summarize(bootstrap_sums(self.rows, *draw) if begun is None else begun())

        return self._once(draw, made)

    def _once(
        self, name: str | _Draw, make: Callable[[], Mapping[Path, Array]]
    ) -> Mapping[Path, Array]:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    @property
    def observed(self) -> Mapping[Path, Array]:
        """The scores of the whole."""
        return self._once("observed", lambda: self.summarize(self.items.sum(axis=0)))

    @property
    def own(self) -> Mapping[Path, Array]:
        """The scores of the items."""
        return self._once("own", lambda: in_blocks(self.summarize, self.items))

    @property
    def without(self) -> Mapping[Path, Array]:
        """The scores that leave out one unit each."""

        def made() -> Mapping[Path, Array]:
            total = self.rows.sum(axis=0)
            return in_blocks(lambda rows: self.summarize(total - rows), self.rows)

        return self._once("without", made)

    def informative(self, path: Path) -> Array:
        """How many items of each unit have the score."""
        undefined = np.isnan(self.own[path])
        if undefined.any():
            return summed((~undefined).astype(np.float64), self.clusters)
        return self._sizes

    @cached_property
    def _sizes(self) -> Array:
        """How many items each unit has."""
        return summed(np.ones(len(self.items)), self.clusters)

    def spread(self, path: Path) -> Spread:
        """The spread of the scores that leave out one unit each, kept for who asks again."""
        if path not in self._spreads:
            self._spreads[path] = jackknife_spread(self.without[path])
        return self._spreads[path]


def _suited(
    result: Intervals,
    path: Path,
    sample: Sample,
    draw: _Draw,
    ends: Ends,
    level: float,
    method: Method,
) -> None:
    """The interval of a score by the method that suits it."""
    observed, own = float(sample.observed[path]), sample.own[path]
    informative = sample.informative(path)
    having = int(np.sum(informative > 0))
    low, high = ends = widened(ends, observed, own)
    bounded = math.isfinite(high - low)
    if (
        bounded
        and having
        and sample.clusters is None
        and all_or_nothing(own, low, high)
        and is_mean(own, observed, sample.without[path], high - low)
    ):
        successes = round((observed - low) / (high - low) * having)
        rate = wilson if method == "wilson" else clopper_pearson
        share = rate(successes, having, level)
        name = "wilson" if method == "wilson" else "exact"
        result.give(path, name, (low + (high - low) * share[0], low + (high - low) * share[1]))
    elif reason := _too_few(len(informative), having, bounded, sample.clusters is not None):
        result.deny(path, reason)
    elif bounded:
        found = anchored(observed, sample.resampled(draw)[path], informative, ends, level, draw[1])
        result.give(path, "anchored", found)
    elif tail := skew_t(observed, sample.spread(path), having, level):
        result.give(path, "skew-t", (max(tail[0], low), min(tail[1], high)))
    else:
        result.deny(path, ALL_THE_SAME)


def _too_few(units: int, having: int, bounded: bool, clustered: bool) -> str:
    if units == 1:
        return ONE_CLUSTER if clustered else ONE_ITEM
    if having < 2:
        one = ONE_CLUSTER_HAS_IT if clustered else ONE_HAS_IT
        return one if having else NONE_HAS_IT
    if bounded or having >= LEAST_UNITS:
        return ""
    return FEW_CLUSTERS if clustered else FEW_ITEMS


def _bootstrap(
    result: Intervals, path: Path, sample: Sample, draw: _Draw, level: float, method: Method
) -> None:
    """The quantiles of the resampled scores, as they are or corrected."""
    if len(sample.rows) == 1:
        return result.deny(path, ONE_ITEM if sample.clusters is None else ONE_CLUSTER)
    values = sample.resampled(draw)[path]
    defined = np.sort(values[~np.isnan(values)])
    if len(values) - len(defined) > _MOST_UNDEFINED * len(values):
        return result.deny(path, OFTEN_UNDEFINED)
    tails = (1 - level) / 2, (1 + level) / 2
    if method == "bca":
        tails = _corrected(tails, defined, float(sample.observed[path]), sample.without[path])
    return result.give(path, method, (between(defined, tails[0]), between(defined, tails[1])))


def _corrected(tails: Ends, defined: Array, observed: float, without: Array) -> Ends:
    """The quantiles to take in place of `tails`."""
    # Ties are split, so that a discrete score has no bias by construction.
    below = (np.sum(defined < observed) + np.sum(defined <= observed)) / (2 * len(defined))
    edge = 0.5 / len(defined)
    bias = normal_quantile(float(min(max(below, edge), 1 - edge)))
    without = without[~np.isnan(without)]
    deviation = without.mean() - without if len(without) else without
    size = spread(deviation, 1)
    share = deviation / size if size > 0 else deviation
    acceleration = float(np.sum(share * share * share)) / 6

    def corrected(tail: float) -> float | None:
        z = bias + normal_quantile(tail)
        denominator = 1 - acceleration * z
        return normal_below(bias + z / denominator) if denominator > 0 else None

    low, high = corrected(tails[0]), corrected(tails[1])
    return tails if low is None or high is None else (low, high)


def resampled_interval(values: Array, level: float) -> Interval | None:
    """The middle `level` of resampled values; undefined ones are left out.

    None where there are none, or where the ends are one value: where nothing varies, resamples say
    nothing of how far off the value may be.
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = quantiles(defined, level)
    return Interval(low, high) if high - low > ROUNDING * max(abs(low), abs(high)) else None


def standard_errors(
    counts: Array,
    summarize: Summarize,
    clusters: Clusters | None = None,
    sample: Sample | None = None,
) -> dict[Path, float | None]:
    """The standard error of every score; None where fewer than two units have it.

    That of a mean of item scores is robust to clusters, with the correction G / (G - 1) for G of
    them; without clusters it is s / sqrt(n). That of other scores is the jackknife's. `sample`
    holds what was computed of these rows before.
    """
    sample = sample or Sample(counts, summarize, clusters)
    alone = sample if sample.clusters is None else Sample(counts, summarize)

    def of_score(path: Path) -> float | None:
        observed, own = float(sample.observed[path]), sample.own[path]
        informative = sample.informative(path)
        units, items = int(np.sum(informative > 0)), float(informative.sum())
        if math.isnan(observed) or units < 2:
            return None
        if is_mean(own, observed, alone.without[path], float(np.nanmax(np.abs(own)))):
            deviation = summed(np.where(np.isnan(own), 0.0, own - observed), sample.clusters)
            return spread(deviation, (units - 1) / units) / items
        return sample.spread(path).error

    return dict(zip(sample.observed, _of_each_score(sample, of_score), strict=True))
