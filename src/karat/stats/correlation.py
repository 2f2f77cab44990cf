"""Pearson's r, Spearman's rho, Kendall's tau: values, p-values, Fisher intervals.

Values are those of SciPy, ties and all; the p-values are two-sided and follow
SciPy's choices (t distribution for r and rho, exact counts for tau where there
are no ties and few points, else the normal approximation).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.stats.intervals import Interval
from karat.stats.resampling import ROUNDING, Array, of_unit_size
from karat.stats.tails import kendall_exact, normal_quantile, normal_tail, student_tail

Coefficient = Literal["pearson", "spearman", "kendall", "kendall-c"]
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
"""In the order of the last axis of every array of coefficients."""
Ints: TypeAlias = npt.NDArray[np.int64]

_EXACT_SIZE = 33


@dataclass(frozen=True, slots=True)
class Points:
    """Pairs of values in groups, sorted and numbered once for any number of weightings.

    Each point has a source: the place of its weight in a vector of weights.
    """

    x: Array
    y: Array
    x_codes: npt.NDArray[np.int32]
    y_codes: npt.NDArray[np.int32]
    sources: Ints
    offsets: Ints

    @classmethod
    def of(
        cls, x: Array, y: Array, sources: Ints, groups: Ints | None = None, count: int = 1
    ) -> Points:
        """Points from parallel arrays; `groups` are numbers below `count`."""
        if groups is None:
            groups = np.zeros(len(x), np.int64)
        x, y = (of_unit_size(each, groups, count) for each in (x, y))
        y_order = np.lexsort((y, groups))
        y_codes = np.empty(len(y), np.int32)
        y_codes[y_order] = _codes(y[y_order], groups[y_order])
        order = np.lexsort((y, x, groups))
        return cls(
            np.ascontiguousarray(x[order], np.float64),
            np.ascontiguousarray(y[order], np.float64),
            _codes(x[order], groups[order]),
            y_codes[order],
            np.ascontiguousarray(sources[order], np.int64),
            np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=count))]).astype(np.int64),
        )

    def coefficients(self, weights: Array) -> Array:
        """(trials, sources) of weights to (trials, groups, coefficients)."""
        return np.asarray(
            _native.group_correlations(
                self.x,
                self.y,
                self.x_codes,
                self.y_codes,
                self.sources,
                self.offsets,
                np.ascontiguousarray(weights, np.float64),
            )
        )


def _codes(values: Array, groups: Ints) -> npt.NDArray[np.int32]:
    """Numbers of distinct values within each group; both arrays are sorted."""
    if len(values) == 0:
        return np.zeros(0, np.int32)
    begins = np.concatenate([[True], groups[1:] != groups[:-1]])
    steps = np.concatenate([[True], values[1:] != values[:-1]]) | begins
    numbers = np.cumsum(steps) - 1
    return np.asarray(numbers - numbers[begins][np.cumsum(begins) - 1], np.int32)


def with_ties(values: Array) -> Array:
    """Values in which those that differ by rounding only are equal.

    Means of the same ratings in another order may differ in the last bits, and
    must not be ranked by them.
    """
    if len(values) == 0:
        return values
    order = np.argsort(values, kind="stable")
    tolerance = ROUNDING * float(np.max(np.abs(values)))
    result = values.copy()
    begin = float(values[order[0]])
    for i in order.tolist():
        if values[i] - begin > tolerance:
            begin = float(values[i])
        result[i] = begin
    return result


def correlation(x: Sequence[float] | Array, y: Sequence[float] | Array) -> dict[str, float]:
    """All coefficients of two lists of numbers; NaN where undefined, as with a NaN among them.

    >>> correlation([1, 2, 3, 4], [1, 3, 2, 4])["kendall"].__round__(4)
    0.6667
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    if not np.isfinite([a, b]).all():
        return dict.fromkeys(COEFFICIENTS, math.nan)
    values = Points.of(a, b, np.arange(len(a))).coefficients(np.ones((1, len(a))))
    return dict(zip(COEFFICIENTS, map(float, values[0, 0]), strict=True))


def partial(pairs: Mapping[tuple[int, int], Array], count: int) -> Array:
    """Partial coefficients of the variables 0 and 1, the other ones held fixed.

    `pairs` has the coefficients of each two of `count` variables, with any leading
    axes. Pearson's is the correlation of what linear regression on the controls
    leaves over, Spearman's the same of ranks, Kendall's the partial tau of Kendall
    (1942), for several controls by the same recursion. Undefined (NaN) where a
    coefficient is, or where the controls say all of a variable; there is no tau-c.

    >>> half, nothing = np.full(4, 0.5), np.zeros(4)
    >>> partial({(0, 1): half, (0, 2): nothing, (1, 2): nothing}, 3)
    array([0.5, 0.5, 0.5, nan])
    """
    known = dict(pairs)
    # Held fixed one after the other: the partial coefficients of the rest, each time.
    for last in range(count - 1, 1, -1):
        for i in range(last):
            for j in range(i + 1, last):
                a, b = known[i, last], known[j, last]
                rest = (1 - a * a) * (1 - b * b)
                with np.errstate(divide="ignore", invalid="ignore"):
                    value = (known[i, j] - a * b) / np.sqrt(np.where(rest > 1e-12, rest, np.nan))
                known[i, j] = np.clip(value, -1, 1)
    result = known[0, 1].copy()
    result[..., COEFFICIENTS.index("kendall-c")] = np.nan
    return result


def partial_p_values(
    values: Mapping[str, float], size: int, controls: int
) -> dict[str, float | None]:
    """Two-sided p-values of partial r and rho; the distribution of partial tau is not known."""
    return {name: _student_p(values[name], size - controls) for name in ("pearson", "spearman")}


def p_values(x: Array, y: Array) -> dict[str, float | None]:
    """The two-sided p-value of every coefficient; None where there is none."""
    values, size = correlation(x, y), len(x)
    kendall = None if math.isnan(values["kendall"]) else _kendall_p(x, y, values["kendall"])
    return {
        "pearson": _student_p(values["pearson"], size) if size > 2 else _of_two(values["pearson"]),
        "spearman": _student_p(values["spearman"], size),
        "kendall": kendall,
        "kendall-c": kendall,
    }


def _of_two(r: float) -> float | None:
    """Two points always lie on a line."""
    return None if math.isnan(r) else 1.0


def _student_p(r: float, size: int) -> float | None:
    freedom = size - 2
    if math.isnan(r) or freedom < 1:
        return None
    if abs(r) >= 1:
        return 0.0
    return 2 * student_tail(abs(r) * math.sqrt(freedom / ((1 - r) * (1 + r))), freedom)


def _kendall_p(x: Array, y: Array, tau: float) -> float:
    size = len(x)
    x_pairs, x_triples, x_spread = _ties(x)
    y_pairs, y_triples, y_spread = _ties(y)
    pairs = size * (size - 1) // 2
    # tau is (concordant - discordant) over a root, so the whole number comes back by rounding.
    surplus = round(tau * math.sqrt(pairs - x_pairs) * math.sqrt(pairs - y_pairs))
    if x_pairs == y_pairs == 0:
        discordant = (pairs - surplus) // 2
        if size <= _EXACT_SIZE or min(discordant, pairs - discordant) <= 1:
            return kendall_exact(size, discordant)
    m = size * (size - 1)
    variance = (m * (2 * size + 5) - x_spread - y_spread) / 18 + 2 * x_pairs * y_pairs / m
    if size > 2:
        variance += x_triples * y_triples / (9 * m * (size - 2))
    return 2 * normal_tail(abs(surplus) / math.sqrt(variance))


def _ties(values: Array) -> tuple[int, int, int]:
    counts = [int(count) for count in np.unique(values, return_counts=True)[1] if count > 1]
    return (
        sum(c * (c - 1) // 2 for c in counts),
        sum(c * (c - 1) * (c - 2) for c in counts),
        sum(c * (c - 1) * (2 * c + 5) for c in counts),
    )


def fisher_interval(
    coefficient: Coefficient, value: float, size: int, alpha: float
) -> Interval | None:
    """The interval of a coefficient by Fisher's z (Bonett and Wright 2000); None for few points.

    `alpha` is shared by both tails. At |value| = 1 the interval is that one point.
    """
    lost = 4 if coefficient.startswith("kendall") else 3
    if math.isnan(value) or size <= lost:
        return None
    if abs(value) >= 1:
        return Interval(value, value)
    scale = {
        "pearson": 1.0,
        "spearman": math.sqrt(1 + value * value / 2),
        "kendall": math.sqrt(0.437),
        "kendall-c": math.sqrt(0.437),
    }[coefficient]
    z = math.atanh(value)
    half = normal_quantile(1 - alpha / 2) * scale / math.sqrt(size - lost)
    return Interval(math.tanh(z - half), math.tanh(z + half))
