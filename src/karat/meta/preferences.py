"""Pairwise preferences of people: strengths of systems, and agreement of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.errors import FormatError, OptionError, Place, quote_some
from karat.meta.datasets.reading import column, table_rows
from karat.meta.table import ScoreTable
from karat.stats.correlation import correlation, p_values, with_ties
from karat.stats.intervals import check_level
from karat.stats.pairwise import best_threshold, bradley_terry, strength_errors
from karat.stats.resampling import Array, bootstrap_sums, check_trials
from karat.stats.tails import normal_quantile

INTERVAL_PRIOR = 0.5
"""The prior of intervals where none is given."""
_TIES = ("tie", "equal", "both", "none", "=", "0", "")


@dataclass(frozen=True, slots=True)
class Preference:
    """One judgement: `better` is 1 for the first system, -1 for the second, 0 for a tie."""

    instance_id: str
    first: str
    second: str
    better: int


def read_preferences(paths: Iterable[str]) -> list[Preference]:
    """Judgements from tables with the columns instance_id, system_a, system_b and winner.

    The winner is the name of a system, ``a`` or ``b``, or ``tie``.
    """
    result = []
    for path in paths:
        for row, place in table_rows(path):
            instance = row[column(row, ("instance_id", "instance", "input", "item"), place)]
            a = row[column(row, ("system_a", "first", "a"), place)]
            b = row[column(row, ("system_b", "second", "b"), place)]
            winner = row[column(row, ("winner", "better", "preferred"), place)]
            result.append(Preference(instance, a, b, _better(winner, a, b, place)))
    if not result:
        raise OptionError("there are no judgements of pairs", code="K366")
    return result


def _better(winner: str, a: str, b: str, place: Place) -> int:
    if a == b:
        raise FormatError(f"{a!r} is compared with itself", code="K164", place=place)
    if winner == a or (winner.lower() in ("a", "system_a", "first") and b != winner):
        return 1
    if winner == b or winner.lower() in ("b", "system_b", "second"):
        return -1
    if winner.strip().lower() in _TIES:
        return 0
    raise FormatError(
        f"the winner {winner!r} is neither {a!r} nor {b!r} nor a tie", code="K164", place=place
    )


def win_matrix(preferences: Sequence[Preference]) -> tuple[list[str], Array]:
    """The systems in order of their names, and how often each was preferred to each."""
    names = sorted({name for p in preferences for name in (p.first, p.second)})
    return names, _wins(preferences, names)


def _wins(preferences: Iterable[Preference], names: Sequence[str]) -> Array:
    """How often each system was preferred to each; a tie is half a win of both."""
    place = {name: i for i, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    for p in preferences:
        i, j = place[p.first], place[p.second]
        wins[i, j] += (1 + p.better) / 2
        wins[j, i] += (1 - p.better) / 2
    return wins


@dataclass(frozen=True, slots=True)
class MetricPreference:
    """The agreement of a metric with pairwise judgements."""

    metric: str
    judgements: int
    """The number of judgements for which both outputs have a score."""
    accuracy: float
    calibrated: float
    threshold: float
    correlations: dict[str, dict[str, float | None]]
    """The correlations of the systems' mean scores with their strengths."""


@dataclass(frozen=True, slots=True)
class PreferenceResult:
    """Strengths of systems, and the agreement of metrics with the judgements."""

    systems: tuple[str, ...]
    strengths: tuple[float, ...]
    judgements: int
    ties: int
    prior: float
    metrics: tuple[MetricPreference, ...]
    intervals: tuple[tuple[float, float], ...] = ()
    interval_method: str = ""
    interval_prior: float = 0.0
    """The prior of the intervals: without one, strengths of few judgements may be infinite."""
    level: float = 0.95

    def summary(self) -> dict[str, Any]:
        """The result as JSON-ready values, strongest system first."""
        systems = zip(self.systems, self.strengths, self.intervals, strict=True)
        return {
            "judgements": self.judgements,
            "ties": self.ties,
            "prior": self.prior,
            "confidence": self.level,
            "interval_method": self.interval_method,
            "interval_prior": self.interval_prior,
            "systems": [
                {"system": name, "strength": strength, "low": low, "high": high}
                for name, strength, (low, high) in sorted(systems, key=lambda each: -each[1])
            ],
            "metrics": [
                {
                    "metric": each.metric,
                    "judgements": each.judgements,
                    "accuracy": each.accuracy,
                    "calibrated_accuracy": each.calibrated,
                    "threshold": each.threshold,
                    "system_level": each.correlations,
                }
                for each in self.metrics
            ],
        }


def compare_preferences(
    preferences: Sequence[Preference],
    table: ScoreTable | None = None,
    metrics: Sequence[str] = (),
    *,
    prior: float = 0.0,
    lower_is_better: Sequence[str] = (),
    level: float = 0.95,
    resamples: int = 500,
    seed: int = 0,
) -> PreferenceResult:
    """Strengths by Bradley and Terry, and how often metrics prefer what people prefer."""
    check_level(level)
    check_trials(resamples, seed)
    names, wins = win_matrix(preferences)
    strengths = bradley_terry(wins, prior=prior)
    held = []
    for metric in metrics:
        if table is None:
            raise OptionError("metrics need files of scores", code="K366")
        found = table.matrices((metric,), "all")
        (values,) = found.turned([metric] if metric in lower_is_better else []).values
        held.append(_held_against(metric, preferences, values, found.systems, found.inputs,
                                  dict(zip(names, strengths.tolist(), strict=True))))  # fmt: skip
    return PreferenceResult(
        tuple(names), tuple(strengths.tolist()), len(preferences),
        sum(p.better == 0 for p in preferences), prior, tuple(held),
        *_intervals(preferences, names, wins, prior or INTERVAL_PRIOR, level, resamples, seed),
    )  # fmt: skip


def _intervals(
    preferences: Sequence[Preference],
    names: Sequence[str],
    wins: Array,
    prior: float,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[tuple[tuple[float, float], ...], str, float, float]:
    """Intervals of strengths with a prior, how they were made, the prior and the level.

    Where inputs have several judgements, these are not independent: inputs are resampled, unless
    all have the same judgements, so that no resample differs.
    """
    inputs: dict[str, list[Preference]] = {}
    for p in preferences:
        inputs.setdefault(p.instance_id, []).append(p)
    by_input = np.array([_wins(group, names).ravel() for group in inputs.values()])
    if len(inputs) < len(preferences) and np.ptp(by_input, axis=0).any():
        sums = bootstrap_sums(by_input, resamples, seed)
        drawn = [bradley_terry(each.reshape(wins.shape), prior=prior) for each in sums]
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
        method = "bootstrap over inputs"
    else:
        strengths = bradley_terry(wins, prior=prior)
        half = normal_quantile((1 + level) / 2) * strength_errors(wins, strengths, prior=prior)
        low, high = strengths - half, strengths + half
        method = "information"
    return tuple(zip(low.tolist(), high.tolist(), strict=True)), method, prior, level


def _held_against(
    metric: str,
    preferences: Sequence[Preference],
    values: Array,
    systems: Sequence[str],
    inputs: Sequence[str],
    strengths: dict[str, float],
) -> MetricPreference:
    row = {name: i for i, name in enumerate(systems)}
    place = {name: j for j, name in enumerate(inputs)}
    differences, better = [], []
    for p in preferences:
        if p.first in row and p.second in row and p.instance_id in place:
            j = place[p.instance_id]
            difference = values[row[p.first], j] - values[row[p.second], j]
            if not np.isnan(difference):
                differences.append(float(difference))
                better.append(p.better)
    if not differences:
        raise OptionError(
            f"of no judgement both outputs have the score {metric!r}",
            code="K382",
            advice=f"judged systems: {quote_some(list(strengths))}; systems with scores: "
            + quote_some(systems),
        )
    d, b = np.array(differences), np.array(better)
    right = (np.sign(d) == b) & (b != 0)
    gains = ((b == 0).astype(float) - right) / len(d)
    largest = float(np.nanmax(np.abs(values)))
    accuracy = best_threshold(np.abs(d), gains, float(right.mean()), largest)
    both = [name for name in systems if name in strengths]
    means = with_ties(np.array([np.nanmean(values[row[name]]) for name in both]))
    powers = np.array([strengths[name] for name in both])
    coefficients: dict[str, dict[str, float | None]] = {}
    if len(both) > 1:
        found, p_found = correlation(means, powers), p_values(means, powers)
        coefficients = {
            name: {
                "value": None if np.isnan(found[name]) else found[name],
                "p_value": p_found[name],
            }
            for name in ("pearson", "spearman", "kendall")
        }
    return MetricPreference(metric, len(differences), *accuracy, coefficients)
