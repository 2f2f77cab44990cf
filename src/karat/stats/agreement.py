"""Agreement of annotators: Krippendorff's alpha, Cohen's and Fleiss' kappa, split halves.

Ratings are a matrix, annotators × units, with NaN where an annotator gave none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from karat.errors import LimitExceeded, OptionError, check_choice
from karat.stats.intervals import Interval, check_level, resampled_interval
from karat.stats.resampling import ROUNDING, Array, block_sizes, of_unit_size

Scale = Literal["nominal", "ordinal", "interval"]
SCALES: tuple[Scale, ...] = get_args(Scale)
MOST_SETS = 5_000
"""Of more different sets of labels, the distances of all pairs take too much memory."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient, its interval over resampled units, and what it was made from."""

    value: float | None
    interval: Interval | None
    units: int
    ratings: int


def krippendorff_alpha(
    ratings: Array,
    scale: Scale = "ordinal",
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Krippendorff's (2011) alpha: 1 is perfect agreement, 0 what chance gives.

    Units with fewer than two ratings say nothing. Undefined where all ratings
    are equal.
    """
    check_choice("a scale", scale, SCALES)
    ratings = np.asarray(ratings, float)
    if ratings.ndim != 2:
        raise OptionError("ratings are a matrix, annotators × units", code="K360")
    units = _rated_twice(ratings)
    return _alpha(units, _DISAGREEMENTS[scale], resamples, level, seed)


class _Ratings:
    """The ratings of units, unit by unit."""

    def __init__(self, ratings: Array) -> None:
        by_unit = ratings.T
        given = ~np.isnan(by_unit)
        self.sizes = given.sum(axis=1)
        self.values, self.codes = np.unique(by_unit[given], return_inverse=True)
        """All values, and the place of each rating among them."""

    def per_unit(self, of_ratings: Array) -> Array:
        """Sums over the ratings of each unit, of which each has some."""
        return np.asarray(np.add.reduceat(of_ratings, np.cumsum(self.sizes) - self.sizes))

    def totals(self, weight: Array) -> Array:
        """How often each value occurs in weighted units."""
        weights = np.repeat(weight, self.sizes)
        return np.asarray(np.bincount(self.codes, weights, len(self.values)), np.float64)

    def agreeing(self) -> Array:
        """The pairs of equal ratings of each unit, each rating with itself included."""
        units = np.repeat(np.arange(len(self.sizes)), self.sizes)
        cells, counts = np.unique(units * len(self.values) + self.codes, return_counts=True)
        found = np.bincount(cells // len(self.values), counts**2.0, len(self.sizes))
        return np.asarray(found, np.float64)


def _rated_twice(ratings: Array) -> _Ratings:
    """The units with at least two ratings; others say nothing of agreement."""
    return _Ratings(ratings[:, np.sum(~np.isnan(ratings), axis=0) >= 2])


_Disagreements: TypeAlias = Callable[[Array], tuple[Array, Array]]
"""Observed and expected disagreement for each row of unit weights."""


def _nominal(units: _Ratings) -> _Disagreements:
    within = (units.sizes**2 - units.agreeing()) / (units.sizes - 1)

    def of(weights: Array) -> tuple[Array, Array]:
        same = np.array([total @ total for total in map(units.totals, weights)])
        return weights @ within, (weights @ units.sizes) ** 2 - same

    return of


def _interval(units: _Ratings) -> _Disagreements:
    # Distances do not change if all values are moved, nor alpha if they are stretched; the
    # squares of values around 0 lose no digits.
    values = of_unit_size(units.values)
    return _squares(units, (values - values.mean()) / (np.ptp(values) or 1.0))


def _ordinal(units: _Ratings) -> _Disagreements:
    def of(weights: Array) -> tuple[Array, Array]:
        # The distance is that of mean ranks, which the resample decides.
        found = []
        for weight in weights:
            totals = units.totals(weight)
            ranks = np.cumsum(totals) - totals / 2
            found.append(_squares(units, ranks - totals.sum() / 2)(weight[None]))
        observed, expected = (np.concatenate(each) for each in zip(*found, strict=True))
        return observed, expected

    return of


def _squares(units: _Ratings, places: Array) -> _Disagreements:
    """Disagreement by the squared distances of the places that values have."""
    sizes, rated = units.sizes, places[units.codes]
    sums, squares = units.per_unit(rated), units.per_unit(rated**2)
    within = 2 * (sizes * squares - sums**2) / (sizes - 1)

    def of(weights: Array) -> tuple[Array, Array]:
        everyone = weights @ sizes
        return weights @ within, 2 * (everyone * (weights @ squares) - (weights @ sums) ** 2)

    return of


_DISAGREEMENTS: dict[Scale, Callable[[_Ratings], _Disagreements]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}


def krippendorff_alpha_of_sets(
    ratings: Sequence[Sequence[frozenset[Any] | None]],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Alpha of sets of labels with the MASI distance; one sequence per annotator."""
    if len({len(row) for row in ratings}) > 1:
        raise OptionError("annotators must have equally many units", code="K360")
    numbers: dict[frozenset[Any], int] = {}
    coded = [
        [np.nan if each is None else numbers.setdefault(each, len(numbers)) for each in row]
        for row in ratings
    ]
    units = _rated_twice(np.array(coded, float) if coded else np.empty((0, 0)))
    values = list(numbers)
    sets = [values[int(number)] for number in units.values]
    return _alpha(units, partial(_masi, sets), resamples, level, seed)


def _masi(sets: Sequence[frozenset[Any]], units: _Ratings) -> _Disagreements:
    distances = masi_distances(sets)
    of_units = np.split(units.codes, np.cumsum(units.sizes)[:-1])
    sums = np.array([distances[np.ix_(codes, codes)].sum() for codes in of_units])
    within = sums / (units.sizes - 1)

    def of(weights: Array) -> tuple[Array, Array]:
        totals = np.array(list(map(units.totals, weights)))
        return weights @ within, ((totals @ distances) * totals).sum(axis=1)

    return of


def masi_distances(sets: Sequence[frozenset[Any]]) -> Array:
    """The distance of each set to each other one: Jaccard's index times a monotonicity
    (Passonneau 2006).

    >>> masi_distances([frozenset("ab"), frozenset("a")])[0].tolist()
    [0.0, 0.6666666666666667]
    """
    if len(sets) > MOST_SETS:
        raise LimitExceeded(
            f"there are {len(sets):,} different sets of labels, at most {MOST_SETS:,} are compared",
            code="K510",
            advice="use fewer labels or units",
        )
    holders = defaultdict(list)
    for number, each in enumerate(sets):
        for label in each:
            holders[label].append(number)
    common = np.zeros((len(sets), len(sets)))
    for numbers in holders.values():
        common[np.ix_(numbers, numbers)] += 1
    sizes = np.array([len(each) for each in sets], float)
    least, union = np.minimum.outer(sizes, sizes), np.add.outer(sizes, sizes) - common
    monotonicity = np.where(common == least, 2 / 3, 1 / 3)
    distances = 1 - common / np.maximum(union, 1) * monotonicity
    return np.where(common == union, 0.0, distances)


def _alpha(
    rated: _Ratings,
    disagreements_of: Callable[[_Ratings], _Disagreements],
    resamples: int,
    level: float,
    seed: int,
) -> Agreement:
    """The coefficient of units that have at least two ratings each."""
    check_level(level)
    sizes = rated.sizes
    units, ratings = len(sizes), int(sizes.sum())
    if units == 0:
        return Agreement(None, None, 0, 0)
    disagreements = disagreements_of(rated)
    value = _ratio(sizes, disagreements, np.ones((1, units)))[0]
    interval = None
    if not np.isnan(value) and units > 1:
        from karat import _native

        drawn = np.empty(resamples)
        for first, size in block_sizes(resamples, units) if resamples else ():
            weights = np.empty((size, units))
            _native.bootstrap_weights(weights, first, seed)
            drawn[first : first + size] = _ratio(sizes, disagreements, weights)
        if 2 * np.isnan(drawn).sum() <= resamples:
            interval = resampled_interval(drawn, level)
    return Agreement(None if np.isnan(value) else float(value), interval, units, ratings)


def _ratio(sizes: Array, disagreements: _Disagreements, weights: Array) -> Array:
    observed, expected = disagreements(weights)
    ratings = weights @ sizes
    # Rounding may leave a speck of disagreement where there is none.
    some = expected > 1e-12 * ratings**2
    share = np.divide(
        (ratings - 1) * observed, expected, out=np.full(len(expected), np.nan), where=some
    )
    return np.asarray(1 - share)


def cohen_kappa(
    first: Sequence[float] | Array,
    second: Sequence[float] | Array,
    weights: Literal["none", "linear", "quadratic"] = "none",
    categories: Array | None = None,
) -> float | None:
    """Cohen's (1960, 1968) kappa of two annotators; units that one lacks do not count.

    Weights are by the place of the categories in their order: those that the two give,
    or all `categories`, in ascending order. Undefined where both always give the same one category.

    >>> cohen_kappa([1, 1, 2, 2], [1, 1, 2, 1])
    0.5
    """
    if weights not in ("none", "linear", "quadratic"):
        raise OptionError("weights are none, linear or quadratic", code="K302")
    a, b = np.asarray(first, float), np.asarray(second, float)
    if a.shape != b.shape or a.ndim != 1:
        raise OptionError("two annotators must have equally many units", code="K360")
    both = ~np.isnan(a) & ~np.isnan(b)
    values = np.concatenate([a[both], b[both]])
    if categories is None:
        categories = np.unique(values)
    codes = np.searchsorted(categories, values)
    size = int(both.sum())
    if size == 0:
        return None
    ours, theirs = codes.reshape(2, size)
    # How often each category is given by each: there may be as many categories as ratings.
    given = [np.bincount(each, minlength=len(categories)).astype(float) for each in (ours, theirs)]
    apart = np.abs(ours - theirs).astype(float)
    if weights == "none":
        observed, expected = float(np.sum(apart > 0)), size**2 - given[0] @ given[1]
    elif weights == "linear":
        below = [np.cumsum(each) for each in given]
        observed = float(apart.sum())
        expected = below[0] @ (size - below[1]) + below[1] @ (size - below[0])
    else:
        observed = float(np.sum(apart**2))
        places = np.arange(len(categories), dtype=float)
        means, squares = zip(*((each @ places, each @ places**2) for each in given), strict=True)
        expected = size * sum(squares) - 2 * means[0] * means[1]
    return None if expected == 0 else 1 - observed / (float(expected) / size)


def mean_cohen_kappa(
    ratings: Array, weights: Literal["none", "linear", "quadratic"] = "none"
) -> float | None:
    """The mean kappa of all pairs of annotators for whom it is defined.

    Weights are by the place of a category among all that are given, by any annotator.
    """
    ratings = np.asarray(ratings, float)
    categories, count = np.unique(ratings[~np.isnan(ratings)]), len(ratings)
    found = [
        cohen_kappa(ratings[i], ratings[j], weights, categories)
        for i in range(count)
        for j in range(i + 1, count)
    ]
    defined = [value for value in found if value is not None]
    return float(np.mean(defined)) if defined else None


def fleiss_kappa(ratings: Array) -> float | None:
    """Fleiss' (1971) kappa; every unit must have equally many ratings, by any annotators.

    Undefined where all ratings are equal, or units have different numbers of them.
    """
    ratings = np.asarray(ratings, float)
    given = np.sum(~np.isnan(ratings), axis=0)
    rated = ratings[:, given > 0]
    sizes = given[given > 0]
    if len(sizes) == 0 or sizes.min() != sizes.max() or sizes[0] < 2:
        return None
    units, size = _Ratings(rated), float(sizes[0])
    agreed = float(np.mean((units.agreeing() - size) / (size * (size - 1))))
    by_chance = float(np.sum((np.bincount(units.codes) / len(units.codes)) ** 2))
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """The correlation of the means of two random halves of the annotators."""

    value: float | None
    corrected: float | None
    """The Spearman-Brown estimate for both halves together; None where halves correlate by -1."""
    interval: Interval | None
    """The interval of the corrected value over random splits."""
    splits: int


def split_half(
    ratings: Array, *, splits: int = 1000, level: float = 0.95, seed: int = 0
) -> SplitHalf:
    """The mean Pearson correlation of unit means by two halves of the annotators of each unit."""
    ratings = np.asarray(ratings, float)
    present = ~np.isnan(ratings)
    kept = present.sum(axis=0) >= 2
    ratings, present = ratings[:, kept], present[:, kept]
    if ratings.shape[1] < 2:
        return SplitHalf(None, None, None, 0)
    random = np.random.default_rng(seed)
    filled, sizes = np.where(present, of_unit_size(ratings), 0.0), present.sum(axis=0)
    # Half of each unit's annotators at random; the odd one is left out.
    found = []
    for _ in range(splits):
        keys = np.where(present, random.random(ratings.shape), np.inf)
        rank = keys.argsort(axis=0).argsort(axis=0)
        half = sizes // 2
        first, second = rank < half, (rank >= half) & (rank < 2 * half)
        a = (filled * first).sum(axis=0) / half
        b = (filled * second).sum(axis=0) / half
        # Means of equal ratings may differ in the last bits.
        if min(np.ptp(a), np.ptp(b)) > ROUNDING:
            found.append(float(np.corrcoef(a, b)[0, 1]))
    if not found:
        return SplitHalf(None, None, None, 0)
    values = np.array(found)
    if values.min() < ROUNDING - 1:  # of halves that contradict each other there is no estimate
        return SplitHalf(float(values.mean()), None, None, len(found))
    corrected = 2 * values / (1 + values)
    return SplitHalf(
        float(values.mean()),
        float(corrected.mean()),
        resampled_interval(corrected, level),
        len(found),
    )
