"""Correlations of two scores at each level: values, p-values and intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import Source
from karat.core.runs import notebook
from karat.core.runs.notebook import Tabular
from karat.errors import FormatError, OptionError, Place, check_between, check_choice, shell
from karat.meta.table import Matrices, ScoreTable, Who
from karat.stats.correlation import (
    COEFFICIENTS,
    Coefficient,
    fisher_interval,
    p_values,
    partial_p_values,
)
from karat.stats.intervals import Interval, resampled_interval
from karat.stats.levels import LEVELS, Correlations, Level, Units
from karat.stats.pairwise import PairwiseAccuracy, pairwise_accuracy
from karat.stats.resampling import Array

IntervalMethod = Literal["bootstrap-both", "bootstrap-system", "bootstrap-input", "fisher", "none"]
INTERVALS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
USUAL: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")

Measure = Coefficient | Literal["spa"]
"""A coefficient, or soft pairwise accuracy, which is one of systems alone."""

SYMBOLS = {
    "pearson": "r",
    "spearman": "rho",
    "kendall": "tau",
    "kendall-c": "tau_c",
    "spa": "spa",
}
FIELDS: Mapping[Level, str] = {
    "summary": "summary_level",
    "system": "system_level",
    "global": "global",
    "by-system": "by_system",
}
"""The name of a level in JSON."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One coefficient at one level."""

    value: float | None
    p_value: float | None
    interval: Interval | None
    groups: int
    """The number of groups that it is the mean of (summary, by-system); else 1 or 0."""


@dataclass(frozen=True, slots=True)
class LevelResult:
    """The coefficients at one level."""

    level: Level
    size: int
    estimates: Mapping[Measure, Estimate]
    pairwise: PairwiseAccuracy | None
    samples: Array | None
    """The resampled coefficients, where there are any: (resamples, coefficients)."""


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


@dataclass(frozen=True, slots=True, repr=False)
class CorrelationResult(Tabular):
    """The correlation of the score `first` with the score `second`."""

    matrices: Matrices
    who: Who
    method: IntervalMethod
    alpha: float
    two_tailed: bool
    resamples: int
    seed: int
    levels: Mapping[Level, LevelResult]
    warnings: tuple[str, ...]
    lower_is_better: tuple[str, ...] = ()
    """Scores that were turned round; the matrices have them as they are."""
    given: tuple[str, ...] = ()
    """Scores that are held fixed: the coefficients are partial."""
    weight: str | None = None
    """The score that says how much each output counts."""

    def __repr__(self) -> str:
        return f"<Correlation of {self.first} with {self.second}: {', '.join(self.levels)}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: coefficients at each level, and their intervals drawn."""
        rows = []
        for level, result in self.levels.items():
            for coefficient, found in result.estimates.items():
                cells = [escape(f"{level}, {coefficient}"), notebook.shown(found.value), "–", ""]
                if found.interval is not None and found.value is not None:
                    low, high = found.interval.low, found.interval.high
                    cells[2] = f"[{low:.4f}, {high:.4f}]"
                    cells[3] = notebook.drawn(low, found.value, high, -1.0, 1.0, 0.0)
                rows.append([*cells, escape(notebook.shown_p(found.p_value))])
        return notebook.table(
            f"{self.first} with {self.second}", ("level", "value", "interval", "", "p"), rows
        )

    def to_columns(self) -> dict[str, Sequence[Any]]:
        """A row for each level and coefficient: value, interval, p-value."""
        rows = [
            (level, name, e.value, *_ends(e.interval), e.p_value, result.size)
            for level, result in self.levels.items()
            for name, e in result.estimates.items()
        ]
        names = ("level", "coefficient", "value", "low", "high", "p_value", "size")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    @property
    def first(self) -> str:
        return self.matrices.names[0]

    @property
    def second(self) -> str:
        return self.matrices.names[1]

    def summary(self) -> dict[str, Any]:
        """The result as JSON-ready values: undefined is None, never NaN."""
        drawn = self.method.startswith("bootstrap")
        return {
            "metric1": self.first,
            "metric2": self.second,
            "summarizer_type": self.who,
            "resamples": self.resamples if drawn else None,
            "seed": self.seed if drawn else None,
            "lower_is_better": list(self.lower_is_better),
            **({"given": list(self.given)} if self.given else {}),
            **({"weights": self.weight} if self.weight else {}),
            "dropped_records": self.matrices.dropped,
            **{FIELDS[level]: self._level(result) for level, result in self.levels.items()},
            "warnings": list(self.warnings),
        }

    def _level(self, result: LevelResult) -> dict[str, Any]:
        grouped = result.level in ("summary", "by-system")
        sizes = {
            "summary": {"num_summary_groups": _most_groups(result)},
            "by-system": {"num_summarizer_groups": _most_groups(result)},
            "system": {
                "num_summarizers": result.size,
                "num_instances": len(self.matrices.inputs),
            },
            "global": {"num_summaries": result.size},
        }[result.level]
        return {
            **sizes,
            "ci_method": self.method,
            "alpha": self.alpha,
            "two_tailed": self.two_tailed,
            **{
                name: {
                    SYMBOLS[name]: each.value,
                    **({"groups": each.groups} if grouped else {"p_value": each.p_value}),
                    "lower": each.interval.low if each.interval else None,
                    "upper": each.interval.high if each.interval else None,
                }
                for name, each in result.estimates.items()
            },
            **({"pairwise": asdict(result.pairwise)} if result.pairwise else {}),
        }


def _most_groups(result: LevelResult) -> int:
    return max((each.groups for each in result.estimates.values()), default=0)


def correlate(
    table: ScoreTable,
    first: str,
    second: str,
    *,
    who: Who = "peer",
    levels: Sequence[Level] = LEVELS,
    coefficients: Sequence[Measure] = USUAL,
    method: IntervalMethod = "bootstrap-both",
    confidence: float = 0.95,
    two_tailed: bool = True,
    resamples: int = 1000,
    seed: int = 0,
    lower_is_better: Sequence[str] = (),
    pairwise: bool = False,
    given: Sequence[str] = (),
    weight: str | None = None,
) -> CorrelationResult:
    """The correlation of the score `first` with the score `second`.

    With `given`, coefficients are partial: how the two go together beyond what
    these scores explain. `weight` is a score that says how much an output counts:
    one of weight 2 counts like two equal ones, at the system level within the mean
    of its system. Weighted coefficients have no p-values.

    `bootstrap-both` resamples systems and inputs and is the one to generalise
    from; `bootstrap-input` is too narrow when other systems are meant; `fisher`
    assumes independent, normal points, which scores of one system on many inputs
    are not (Deutsch, Dror and Roth 2021).
    """
    check_between("a confidence", confidence)
    check_choice("an interval", method, INTERVALS)
    _check_given(first, second, given, weight, method, coefficients, pairwise)
    names = (first, second, *given, *([weight] if weight else []))
    matrices = table.matrices(names, who)
    values = matrices.turned(lower_is_better).values
    fixed = values[2 : 2 + len(given)]
    pair = Correlations(
        values[0], values[1], controls=fixed, weights=values[-1] if weight else None
    )
    alpha = round(1 - confidence, 12)
    tails = alpha if two_tailed else 2 * alpha
    samples: Mapping[Level, Array] = {}
    if method.startswith("bootstrap"):
        units: Units = method.removeprefix("bootstrap-")  # type: ignore[assignment]
        samples = pair.bootstrap(tuple(levels), units, resamples, seed)
    results, warnings = {}, [*matrices.warnings, *matrices.constant(2)]
    if len(values[0]) == 1:
        warnings.append("there is one system: only scores of its outputs can be correlated")
    plain: list[Coefficient] = [name for name in coefficients if name != "spa"]
    for level in levels:
        results[level], notes = _at_level(
            pair, level, plain, method, tails, samples.get(level), pairwise
        )
        warnings += notes
    if "spa" in coefficients:
        if "system" not in results:
            raise OptionError(
                "soft pairwise accuracy is a measure of systems: add the level 'system'",
                code="K387",
            )
        soft = _soft(values[0], values[1], method, tails, resamples, seed)
        found = results["system"]
        results["system"] = replace(found, estimates={**found.estimates, "spa": soft})
    return CorrelationResult(
        matrices, who, method, alpha, two_tailed, resamples, seed, results,
        tuple(warnings), tuple(lower_is_better), tuple(given), weight,
    )  # fmt: skip


def _soft(
    x: Array, y: Array, method: IntervalMethod, tails: float, resamples: int, seed: int
) -> Estimate:
    """Soft pairwise accuracy, with an interval over segments unless none is wanted."""
    from karat.stats.pairwise import resampled_spa, soft_pairwise_accuracy

    value = soft_pairwise_accuracy(x, y, seed=seed)
    if math.isnan(value):
        return Estimate(None, None, None, 0)
    interval = None
    if method.startswith("bootstrap"):
        interval = resampled_interval(resampled_spa(x, y, resamples, seed=seed), 1 - tails)
    return Estimate(value, None, interval, 1)


def _check_given(
    first: str,
    second: str,
    given: Sequence[str],
    weight: str | None,
    method: IntervalMethod,
    coefficients: Sequence[Measure],
    pairwise: bool,
) -> None:
    """Raises for combinations that partial and weighted coefficients do not allow."""
    if len({first, second, *given}) != len({first, second}) + len(given):
        raise OptionError(
            "a score cannot be held fixed and correlated, or fixed twice", code="K387"
        )
    if given and "kendall-c" in coefficients:
        raise OptionError("there is no partial tau-c: leave kendall-c out", code="K387")
    if "spa" in coefficients and (given or weight):
        raise OptionError("soft pairwise accuracy takes no weights and no controls", code="K387")
    if pairwise and (given or weight):
        raise OptionError("pairwise accuracy takes no weights and no controls", code="K387")
    if weight and method == "fisher":
        raise OptionError(
            "a weighted coefficient has no Fisher interval",
            code="K387",
            advice="use a bootstrap interval, or none",
        )


def _at_level(
    pair: Correlations,
    level: Level,
    coefficients: Sequence[Coefficient],
    method: IntervalMethod,
    tails: float,
    samples: Array | None,
    pairwise: bool,
) -> tuple[LevelResult, list[str]]:
    observed, size = pair.observed(level), pair.size(level)
    p: Mapping[str, float | None] = {}
    if level in ("summary", "by-system") or pair.weights is not None:
        pass
    elif pair.controls:
        p = partial_p_values(
            dict(zip(COEFFICIENTS, map(float, observed.values), strict=True)), size, pair.controls
        )
    elif level == "system":
        p = p_values(*pair.means())
    else:
        p = p_values(pair.x[pair.present], pair.y[pair.present])
    estimates: dict[Measure, Estimate] = {}
    notes, same = [], []
    for name in coefficients:
        place = COEFFICIENTS.index(name)
        value = float(observed.values[place])
        interval = None
        if method == "fisher":
            # Each control takes a point; nothing is known of the spread of partial tau.
            if not (pair.controls and name == "kendall"):
                interval = fisher_interval(name, value, size - pair.controls, tails)
            if interval and interval.low == interval.high:
                notes.append(f"{level} {name} is {value:g}: its Fisher interval is that one point")
        elif samples is not None:
            drawn = samples[:, place]
            undefined = int(np.isnan(drawn).sum())
            if not math.isnan(value):
                interval = resampled_interval(drawn, 1 - tails)
            if interval is None and not math.isnan(value):
                same.append(name)
            elif undefined > len(drawn) / 2 and interval is not None:
                notes.append(
                    f"{level} {name} is undefined in {undefined} of {len(drawn)} resamples: "
                    "do not rely on its interval"
                )
        estimates[name] = Estimate(
            None if math.isnan(value) else value,
            p.get(name),
            interval,
            observed.groups[place],
        )
    if same:
        notes.append(f"{level} {', '.join(same)}: no resample differs, so there is no interval")
    if method == "fisher" and level in ("summary", "by-system"):
        notes.append(
            f"the {level} coefficients are means of correlations: "
            "their Fisher intervals are an approximation"
        )
    accuracy = pairwise_accuracy(pair, level) if pairwise else None
    return LevelResult(level, size, estimates, accuracy, samples), notes


# -- results of earlier commands, read back from their JSON ----------------------


def read_tests(path: str) -> dict[str, Any]:
    """A result of `karat significance`, its p-values checked."""
    document = _json(path, "significance")
    if not isinstance(document, dict) or "test_method" not in document:
        raise _unfit(path, "this is not a result of karat significance", "K154", "significance")
    for field in FIELDS.values():
        level = document.get(field, {})
        if not isinstance(level, dict) or not all(
            isinstance(one, dict) and _is_p(one.get("pvalue", ())) for one in level.values()
        ):
            raise _unfit(path, f"$.{field} holds no p-values", "K154", "significance")
    return document


def _is_p(value: Any) -> bool:
    return value is None or (_is_number(value) and 0 <= value <= 1)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_correlations(path: str) -> list[dict[str, Any]]:
    """The results of `karat correlate`, one or several in a file."""
    document = _json(path, "correlate")
    documents = document if isinstance(document, list) else [document]
    for each in documents:
        if not isinstance(each, dict) or "metric1" not in each or not _has_levels(each):
            raise _unfit(path, "this is not a result of karat correlate", "K157", "correlate")
    return documents


def _has_levels(document: dict[str, Any]) -> bool:
    levels = [document.get(field, {}) for field in FIELDS.values()]
    return all(isinstance(level, dict) for level in levels) and all(
        number is None or _is_number(number)
        for level in levels
        for one in level.values()
        if isinstance(one, dict)
        for number in one.values()
    )


def _json(path: str, command: str) -> Any:
    source = Source(path)
    try:
        return msgspec.json.decode(source.content())
    except NOT_JSON as error:
        raise _unfit(source.name, f"this is not JSON: {error}", "K147", command) from None


def _unfit(path: str, message: str, code: str, command: str) -> FormatError:
    return FormatError(
        message,
        code=code,
        place=Place(path),
        advice="write it with " + shell(command, "json", "PATH"),
    )
