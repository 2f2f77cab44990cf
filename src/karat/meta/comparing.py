"""Tests whether one metric correlates better with human judgements than another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from karat.errors import OptionError, check_between, check_choice, counted, quote_some
from karat.meta.correlating import FIELDS, USUAL, Measure
from karat.meta.table import ScoreTable, Who
from karat.stats.correlation import COEFFICIENTS, Coefficient
from karat.stats.levels import LEVELS, Correlations, Level, Units
from karat.stats.metric_tests import PValues, paired_bootstrap, paired_permutation, williams
from karat.stats.multiplicity import (
    Correction,
    benjamini_hochberg,
    holm,
    partial_conjunction,
    rank_clusters,
)
from karat.stats.pairwise import soft_pairwise_accuracy, spa_permutation
from karat.stats.resampling import Array

TestMethod = Literal[
    "permutation-both", "permutation-system", "permutation-input",
    "bootstrap-both", "bootstrap-system", "bootstrap-input", "williams",
]  # fmt: skip
TEST_METHODS: tuple[TestMethod, ...] = get_args(TestMethod)


@dataclass(frozen=True, slots=True)
class SignificanceResult:
    """The result of a test of two metrics against one judgement."""

    first: str
    second: str
    dependent: str
    who: Who
    method: TestMethod
    alpha: float
    two_tailed: bool
    trials: int
    seed: int
    dropped: int
    coefficients: tuple[Coefficient, ...]
    levels: Mapping[Level, PValues]
    warnings: tuple[str, ...]
    lower_is_better: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """The result as JSON-ready values."""
        a, b = (f"r({name}, {self.dependent})" for name in (self.first, self.second))
        drawn = self.method != "williams"
        return {
            "dependent_metric": self.dependent,
            "metric_A": self.first,
            "metric_B": self.second,
            "summarizer_type": self.who,
            "test_method": self.method,
            "alpha": self.alpha,
            "two_tailed": self.two_tailed,
            "H0": f"{a} {'==' if self.two_tailed else '<='} {b}",
            "H1": f"{a} {'!=' if self.two_tailed else '>'} {b}",
            "trials": self.trials if drawn else None,
            "seed": self.seed if drawn else None,
            "lower_is_better": list(self.lower_is_better),
            "dropped_records": self.dropped,
            **{
                FIELDS[level]: {
                    name: self._one(values, COEFFICIENTS.index(name)) for name in self.coefficients
                }
                for level, values in self.levels.items()
            },
            "warnings": list(self.warnings),
        }

    def _one(self, values: PValues, place: int) -> dict[str, Any]:
        p = values.values[place]
        return {
            "pvalue": p,
            "is_significant": None if p is None else p <= self.alpha,
            **({"undefined_trials": self.trials - values.trials[place]} if values.trials else {}),
        }


def _p_values(
    x: Array,
    y: Array,
    z: Array,
    levels: tuple[Level, ...],
    method: TestMethod,
    two_tailed: bool,
    trials: int,
    seed: int,
) -> dict[Level, PValues]:
    if method == "williams":
        return williams(x, y, z, levels, two_tailed=two_tailed)
    kind, _, rest = method.partition("-")
    units: Units = rest  # type: ignore[assignment]
    if kind == "permutation":
        return paired_permutation(
            x, y, z, levels, units=units, two_tailed=two_tailed, trials=trials, seed=seed
        )
    return paired_bootstrap(
        x, y, z, levels, units=units, two_tailed=two_tailed, resamples=trials, seed=seed
    )


def _check(method: str, alpha: float) -> None:
    check_choice("a test", method, TEST_METHODS)
    check_between("alpha", alpha)


def significance(
    table: ScoreTable,
    dependent: str,
    first: str,
    second: str,
    *,
    who: Who = "peer",
    levels: Sequence[Level] = LEVELS,
    coefficients: Sequence[Coefficient] = USUAL,
    method: TestMethod = "permutation-both",
    alpha: float = 0.05,
    two_tailed: bool = False,
    trials: int = 1000,
    seed: int = 0,
    lower_is_better: Sequence[str] = (),
) -> SignificanceResult:
    """Whether `first` follows `dependent` better than `second` does.

    For means of systems, permutation-both finds true differences most often
    (Deutsch, Dror and Roth 2021).
    """
    _check(method, alpha)
    matrices = table.matrices((first, second, dependent), who).turned(lower_is_better)
    x, y, z = matrices.values
    found = _p_values(x, y, z, tuple(levels), method, two_tailed, trials, seed)
    warnings = [*matrices.warnings]
    for level, values in found.items():
        none = []
        for name in coefficients:
            place = COEFFICIENTS.index(name)
            if values.values[place] is None:
                none.append(name)
            elif values.trials and values.trials[place] < trials / 2:
                warnings.append(
                    f"{level} {name} is undefined in {trials - values.trials[place]} of "
                    f"{counted(trials, 'trial')}: do not rely on its p-value"
                )
        if none:
            warnings.append(f"{level} {', '.join(none)}: too little varies for a p-value")
        if method == "williams":
            held = [Correlations(each, z).observed(level).values for each in (x, y)]
            for name in coefficients:
                place = COEFFICIENTS.index(name)
                own = {first: float(held[0][place]), second: float(held[1][place])}
                warnings += _turned_round(level, name, own)
    return SignificanceResult(
        first, second, dependent, who, method, alpha, two_tailed, trials, seed,
        matrices.dropped, tuple(coefficients), found, tuple(warnings),
        tuple(lower_is_better),
    )  # fmt: skip


def conjunction(
    tests: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    *,
    alpha: float = 0.05,
    method: Correction = "bonferroni",
) -> dict[str, Any]:
    """The number of significance tests that show an effect, and which ones.

    `tests` are the JSON documents of `significance`.
    """
    if len(tests) != len(names) or len(set(names)) != len(names):
        raise OptionError(
            f"there are {len(tests)} results and {len(set(names))} different names", code="K384"
        )
    check_between("alpha", alpha)
    shapes = {
        tuple((field, tuple(document[field])) for field in FIELDS.values() if document.get(field))
        for document in tests
    }
    if len(shapes) != 1:
        raise OptionError("the results have different levels or coefficients", code="K384")
    (shape,) = shapes
    if not shape:
        raise OptionError("the results have no level", code="K384")
    return {
        "method": method,
        "names": list(names),
        "alpha": alpha,
        **{
            field: {
                coefficient: _conjunction(
                    [test[field][coefficient]["pvalue"] for test in tests], names, alpha, method
                )
                for coefficient in coefficients
            }
            for field, coefficients in shape
        },
    }


def _conjunction(
    p_values: Sequence[float | None], names: Sequence[str], alpha: float, method: Correction
) -> dict[str, Any]:
    # An undefined p-value is no evidence.
    given = [1.0 if p is None else float(p) for p in p_values]
    found = partial_conjunction(given, alpha, method)
    return {
        "k": found.k,
        "significant": [names[i] for i in found.rejected],
        "p_values": list(found.p_values),
    }


@dataclass(frozen=True, slots=True)
class MetricRanking:
    """Metrics ranked by their correlation with a judgement, with tests of all pairs."""

    dependent: str
    names: tuple[str, ...]
    values: tuple[float | None, ...]
    p_values: Array
    """Row better than column, one-tailed; the diagonal is 1, NaN is undefined."""
    adjusted: Array
    """Two-tailed, corrected for all pairs; symmetric."""
    clusters: tuple[int, ...]
    level: Level
    coefficient: Measure
    method: TestMethod
    correction: str
    alpha: float
    trials: int
    seed: int
    who: Who
    dropped: int
    warnings: tuple[str, ...]
    lower_is_better: tuple[str, ...]

    @property
    def order(self) -> list[int]:
        """The metrics, best first."""
        return sorted(
            range(len(self.names)),
            key=lambda i: (self.values[i] is None, -(self.values[i] or 0.0)),
        )

    def summary(self) -> dict[str, Any]:
        """The ranking as JSON-ready values, best metric first."""
        order = self.order
        return {
            "dependent_metric": self.dependent,
            "summarizer_type": self.who,
            "level": FIELDS[self.level],
            "coefficient": self.coefficient,
            "test_method": self.method,
            "correction": self.correction,
            "alpha": self.alpha,
            "trials": None if self.method == "williams" else self.trials,
            "seed": None if self.method == "williams" else self.seed,
            "lower_is_better": list(self.lower_is_better),
            "dropped_records": self.dropped,
            "metrics": [
                {"metric": self.names[i], "value": self.values[i], "rank": self.clusters[i]}
                for i in order
            ],
            "p_values": _plain(self.p_values[np.ix_(order, order)]),
            "adjusted_two_tailed": _plain(self.adjusted[np.ix_(order, order)]),
            "warnings": list(self.warnings),
        }


def _plain(p_values: Array) -> list[list[float | None]]:
    return [[None if p != p else p for p in row] for row in p_values.tolist()]


_ADJUST: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "none": list,
}


def compare_metrics(
    table: ScoreTable,
    dependent: str,
    names: Sequence[str],
    *,
    who: Who = "peer",
    level: Level = "system",
    coefficient: Measure = "kendall",
    method: TestMethod = "permutation-both",
    correction: Literal["holm", "benjamini-hochberg", "none"] = "holm",
    alpha: float = 0.05,
    trials: int = 1000,
    seed: int = 0,
    lower_is_better: Sequence[str] = (),
) -> MetricRanking:
    """All pairs of metrics, on the outputs that have all of them and the judgement."""
    _check(method, alpha)
    if len(names) < 2:
        raise OptionError(
            f"at least two metrics are needed, got {quote_some(names) or 'none'}",
            code="K385",
            advice="name more with ``metric``, or give a name with *",
        )
    matrices = table.matrices((*names, dependent), who).turned(lower_is_better)
    *metrics, judged = matrices.values
    count = len(names)
    values = _values(metrics, judged, level, coefficient, method, seed)
    one_tailed, symmetric = np.ones((count, count)), np.ones((count, count))
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]

    def test(i: int, j: int, two_tailed: bool) -> float:
        if coefficient == "spa":
            units: Units = method.removeprefix("permutation-")  # type: ignore[assignment]
            tested = spa_permutation(
                metrics[i], metrics[j], judged,
                units=units, two_tailed=two_tailed, trials=trials, seed=seed,
            )  # fmt: skip
            found = tested.values[0]
        else:
            found = _p_values(
                metrics[i], metrics[j], judged, (level,), method, two_tailed, trials, seed
            )[level].values[COEFFICIENTS.index(coefficient)]
        return np.nan if found is None else found

    warnings = [*matrices.warnings, *matrices.constant()]
    for i, j in pairs:
        one_tailed[i, j], one_tailed[j, i] = test(i, j, False), test(j, i, False)
    both = np.array([test(i, j, True) for i, j in pairs])
    # An undefined p-value is no evidence, but was asked for.
    corrected = _ADJUST[correction](np.nan_to_num(both, nan=1.0).tolist())
    for (i, j), p, given in zip(pairs, corrected, both, strict=True):
        symmetric[i, j] = symmetric[j, i] = np.nan if np.isnan(given) else p
    if undefined := [pair for pair, p in zip(pairs, both, strict=True) if np.isnan(p)]:
        shown = [f"{names[i]} and {names[j]}" for i, j in undefined]
        warnings.append(f"{quote_some(shown)}: too little varies for a p-value")
    if method == "williams":
        warnings += _turned_round(level, coefficient, dict(zip(names, values, strict=True)))
    worth = [-np.inf if np.isnan(value) else value for value in values]
    return MetricRanking(
        dependent, tuple(names), tuple(None if np.isnan(v) else v for v in values),
        one_tailed, symmetric, tuple(rank_clusters(worth, symmetric, alpha)), level, coefficient,
        method, correction, alpha, trials, seed, who, matrices.dropped,
        tuple(warnings), tuple(lower_is_better),
    )  # fmt: skip


def _turned_round(level: Level, coefficient: str, values: Mapping[str, float]) -> list[str]:
    """A warning where Williams' test takes an inverse correlation for a good one."""
    below = [name for name, value in values.items() if value < 0]
    if not below:
        return []
    named = f"{level} {coefficient} of {quote_some(below)}"
    return [f"{named} is negative, but williams compares absolute values"]


def _values(
    metrics: Sequence[Array],
    judged: Array,
    level: Level,
    coefficient: Measure,
    method: TestMethod,
    seed: int,
) -> list[float]:
    """The correlation of each metric with the judgement."""
    if coefficient != "spa":
        place = COEFFICIENTS.index(coefficient)
        return [float(Correlations(m, judged).observed(level).values[place]) for m in metrics]
    if level != "system" or not method.startswith("permutation"):
        raise OptionError(
            "soft pairwise accuracy is a measure of systems, and is tested by permutation",
            code="K387",
            advice="use the level 'system' and the test 'permutation-both'",
        )
    return [soft_pairwise_accuracy(each, judged, seed=seed) for each in metrics]
