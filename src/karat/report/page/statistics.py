"""The figures of a page: scores with intervals, ranks, paired tests, groups, and the headline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array, undefined_is_nan
from karat.errors import KaratError
from karat.report.contract import (
    Facet,
    Figure,
    Group,
    InputFile,
    MetricInfo,
    Pair,
    RunInfo,
    ScoreTable,
    System,
)
from karat.report.numbers import bounds, reasons_note, values_to_show
from karat.report.page.arrangement import Items
from karat.stats.intervals import Interval, Sample, intervals
from karat.stats.paired_tests import EXACT_TESTS, Differing, interval_of_difference
from karat.stats.resampling import Clusters, in_blocks, numbered

if TYPE_CHECKING:
    from karat.core.runs.comparison import Comparison

MOST_TRIALS, LEAST_TRIALS = 10_000, 1_000
_WORK = 20_000_000
ALPHA = 0.05
LEAST_TESTED = 10
"""Smaller groups have no test."""
MOST_GROUPS = 60
"""A field with more values is no facet unless it is asked for."""
Ints: TypeAlias = npt.NDArray[np.int64]


def trials_for(items: int) -> int:
    """So many trials has a test on so many items: fewer on many, where more would say no more."""
    return max(LEAST_TRIALS, min(MOST_TRIALS, _WORK // max(items, 1)))


def score_table(
    items: Items, metric: int, options: Mapping[str, Any], *, full_paths: bool = False
) -> ScoreTable:
    """The scores of all systems by one metric, their ranks and the tests of all pairs."""
    runs = items.runs[metric]
    measured = items.measured(metric)
    table = ScoreTable(
        runs=[None if run is None else _info(run, full_paths) for run in runs],
        figures=[None if run is None else _figures(run, options) for run in runs],
        means=[None if run is None else _mean(items, run) for run in runs],
        ranks=[None] * len(runs),
        pairs=[],
        test="",
        reasons=_reasons(measured, options),
    )
    if len(measured) > 1:
        _rank(table, measured, options)
    elif measured:
        table.ranks[measured[0][0]] = 1
    return table


def _info(run: Evaluation, full_paths: bool) -> RunInfo:
    files = run.inputs.files if run.inputs else ()
    return RunInfo(
        signature=run.signature(),
        items=len(run),
        skipped=run.skipped,
        inexact=run.inexact,
        warnings=run.remarks,
        files=[
            InputFile(
                each.role,
                each.name if full_paths else PurePath(each.name).name,
                each.reading or each.format,
                each.sha256,
            )
            for each in files
        ],
    )


def _figures(run: Evaluation, options: Mapping[str, Any]) -> list[Figure]:
    """All scores in the order of the metric's leaves."""
    found = run.confidence(**options)
    values = values_to_show(run)
    return [
        (_number(values.get(path)), *map(_number, bounds(found.get(path))))  # type: ignore[misc]
        for path in run.metric.about.marks
    ]


def _number(value: Any) -> float | None:
    """A number that JSON has; lists of numbers, which some scores are, have no place here."""
    if value is None or isinstance(value, (list, tuple, str)):
        return None
    number = float(value)
    return number if np.isfinite(number) else None


def _mean(items: Items, run: Evaluation) -> float | None:
    """The mean of the headline of items that have one; a count has none."""
    if run.metric.about.headline in run.metric.about.totals:
        return None
    own = items.scores(run)
    defined = own[~np.isnan(own)]
    return _number(defined.mean()) if len(defined) else None


def figure_of_items(run: Evaluation, options: Mapping[str, Any]) -> Figure:
    """The headline of a run with its interval."""
    path = run.metric.about.path_of()
    return _number(values_to_show(run)[path]), *bounds(run.confidence(**options).get(path))


def _reasons(measured: Sequence[tuple[int, Evaluation]], options: Mapping[str, Any]) -> str:
    return reasons_note(
        (run.system, found.reasons[path])
        for run, found, path in (
            (run, run.confidence(**options), run.metric.about.path_of()) for _, run in measured
        )
        if path in found.reasons
    )


def _rank(
    table: ScoreTable, measured: Sequence[tuple[int, Evaluation]], options: Mapping[str, Any]
) -> None:
    from karat.core.runs.comparison import Ranking  # takes its time to load

    runs = [run for _, run in measured]
    trials = trials_for(len(runs[0]))
    try:
        ranking = Ranking(
            runs, alpha=ALPHA, trials=trials, level=options["level"], seed=options["seed"],
            cluster=options.get("cluster"),
        )  # fmt: skip
    except KaratError as error:
        table.untested = error.headline
        return
    table.test = ranking.comparisons[0].test
    for (system, _), cluster in zip(measured, ranking.clusters, strict=True):
        table.ranks[system] = cluster
    for (i, j), comparison, p in zip(
        ranking.pairs, ranking.comparisons, ranking.adjusted, strict=True
    ):
        systems = measured[i][0], measured[j][0]
        table.pairs.append(pair_of(comparison, systems, p, len(ranking.pairs)))


def pair_of(
    comparison: Comparison, systems: tuple[int, int], p: float | None, tests: int = 1
) -> Pair:
    """Two systems as compared, with the p-value as corrected for so many tests."""
    found = comparison[comparison.first.metric.about.headline]
    known = p if found.p_value is not None else None
    floor = tests / (comparison.trials + 1)
    at_floor = comparison.test not in EXACT_TESTS and known is not None and known <= floor
    return Pair(*systems, _number(found.difference), *bounds(found.interval), known, at_floor)


# -- groups ------------------------------------------------------------------------------------


def fields_of(items: Items, by: Sequence[str]) -> list[str]:
    """The fields to break items down by: those asked for, and all that make a few groups."""
    known = dict.fromkeys(by)
    for field, values in items.first.groups.items():
        if field not in known and 1 < len(set(values)) <= min(MOST_GROUPS, len(values) // 2):
            known[field] = None
    return list(known)


def facet(
    items: Items, field: str, metrics: Sequence[MetricInfo], options: Mapping[str, Any]
) -> Facet | None:
    """The groups of a field: headline of each system by each metric, and differences."""
    some = [run for row in items.runs for run in row if run is not None]
    if not all(field in run.groups or field in run.parts or "+" in field for run in some):
        return None
    sizes = items.first.group_sizes(field)
    by_run = {id(run): _parts(run, field) for run in some}
    groups = []
    for name in by_run[id(items.first)]:
        figures: list[list[Figure | None]] = []
        pairs: list[list[Pair]] = []
        for m in range(len(metrics)):
            parts = [
                None if run is None else by_run[id(run)].get(name) or _Part(run)
                for run in items.runs[m]
            ]
            figures.append([None if part is None else part.figure(options) for part in parts])
            tested = sizes[name] >= LEAST_TESTED
            pairs.append(_pairs(parts, options) if tested else [])
        groups.append(Group(name, sizes[name], figures, pairs))
    return Facet(field, groups, "", options["level"])


class _Part(NamedTuple):
    """The items of a run that are in a group."""

    run: Evaluation
    value: float | None = None
    """Their headline score."""
    rows: Ints | None = None
    """Where they are; None where items are split, not grouped."""
    own: Array | None = None
    """The headline of each."""
    observed: float = math.nan
    """Their headline, or NaN."""

    @property
    def path(self) -> tuple[str, ...]:
        return self.run.metric.about.path_of()

    @property
    def counts(self) -> Array:
        return self.run.counts[self.rows]

    def units(self, cluster: str | None) -> Clusters | None:
        found = self.run.units(cluster)
        return None if found is None else numbered(found[self.rows].tolist())

    def figure(self, options: Mapping[str, Any]) -> Figure:
        return self.value, *bounds(None if self.rows is None else self._interval(**options))

    def _interval(self, *, cluster: str | None = None, **options: Any) -> Interval | None:
        """That of the headline; a page shows no others of groups."""
        if self.own is None:  # a count, which statistics make no sense for
            return None
        path = self.path
        sample = Sample(
            self.counts, partial(_score_at, self.run, path), self.units(cluster),
            own={path: self.own}, observed={path: np.asarray(self.observed)},
        )  # fmt: skip
        range_of = self.run.metric.about.range_of
        found = intervals(
            sample.items, sample.summarize, range_of=range_of, sample=sample, **options
        )
        return found.get(path)


def _score_at(run: Evaluation, path: tuple[str, ...], totals: Array) -> dict[Any, Array]:
    """One score alone, by its path; NaN where it is 0/0."""
    with undefined_is_nan():
        found: Any = run.metric.summarize(totals)
    for name in path:
        found = found[name]
    return {path: np.asarray(found)}


def _parts(run: Evaluation, field: str) -> dict[str, _Part]:
    """The groups of a run by a field, with their scores."""
    path = run.metric.about.path_of()
    totals = run.group_totals(field)
    scores = _score_at(run, path, np.array([own for _, own in totals]))[path].tolist()
    values = map(_number, scores)
    names = [name for name, _ in totals]
    found = run.groups.get(field)
    if found is None:
        return {name: _Part(run, value) for name, value in zip(names, values, strict=True)}
    number = {name: i for i, name in enumerate(names)}
    coded = np.fromiter(map(number.__getitem__, found), np.int64, len(found))
    order = np.argsort(coded, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(coded, minlength=len(names)))[:-1])
    own = None
    if run.metric.about.headline not in run.metric.about.totals:
        own = in_blocks(partial(_score_at, run, path), run.counts)[path]
    return {
        name: _Part(run, value, at, None if own is None else own[at], observed)
        for name, value, at, observed in zip(names, values, rows, scores, strict=True)
    }


def _pairs(parts: Sequence[_Part | None], options: Mapping[str, Any]) -> list[Pair]:
    known = [(i, part) for i, part in enumerate(parts) if part is not None]
    result = []
    for place, (i, one) in enumerate(known):
        for j, other in known[place + 1 :]:
            if one.rows is None or one.value is None or other.value is None:
                continue
            interval = _interval(one, other, options)
            result.append(Pair(i, j, one.value - other.value, *bounds(interval), None))
    return result


def _interval(one: _Part, other: _Part, options: Mapping[str, Any]) -> Any:
    units, path = one.units(options.get("cluster")), one.path
    found = Differing(one.counts, other.counts, one.run._flat, units)
    ends = one.run.metric.about.range_of(path)
    return interval_of_difference(found, path, options["level"], ends)[0]


# -- in words ----------------------------------------------------------------------------------


def headline(
    systems: Sequence[System],
    metrics: Sequence[MetricInfo],
    tables: Sequence[ScoreTable],
    facets: Sequence[Facet],
    level: float,
    size: str,
) -> list[str]:
    """What was found, in fixed words: the result first, then what qualifies it."""
    info, table = metrics[0], tables[0]
    fixed = partial(_fixed, digits=info.digits)
    known = [(s, each[info.headline]) for s, each in enumerate(table.figures) if each is not None]
    if not known:
        return ["Nothing was measured"]
    sign = -1 if info.lower_is_better else 1
    defined = [(s, figure) for s, figure in known if figure[0] is not None]
    if len(known) == 1 or len(defined) < 2:
        s, (value, low, high) = (defined or known)[0]
        between = (
            f"{100 * level:g} % interval {fixed(low)} to {fixed(high)}, " if low is not None else ""
        )
        return [f"{systems[s].name}: {info.label} {fixed(value)}", f"{between}{size}."]
    best, second = (s for s, _ in sorted(defined, key=lambda each: -sign * (each[1][0] or 0.0))[:2])
    pair = next((p for p in table.pairs if {p.first, p.second} == {best, second}), None)
    names = systems[best].name, systems[second].name
    if pair is None or pair.difference is None or pair.p is None:
        top = fixed(dict(defined)[best][0])
        return [f"{names[0]} has the best {info.label}: {top}", f"{size}; {table.untested}"]
    turn = 1 if pair.first == best else -1
    gap = abs(pair.difference)
    if pair.p <= ALPHA:
        first = f"{names[0]} is better than {names[1]} by {fixed(gap)} {info.label}."
    else:
        first = f"{names[0]} and {names[1]} cannot be told apart by {info.label}."
    ends = sorted(turn * end for end in (pair.low, pair.high) if end is not None)
    told = f"Difference {fixed(turn * pair.difference)}"
    several = len(table.pairs) > 1
    if len(ends) == 2:
        corrected = " (not corrected)" if several else ""
        told += f", {100 * level:g} % interval {fixed(ends[0])} to {fixed(ends[1])}{corrected}"
    told += f", {p_text(pair)}{' (corrected)' if several else ''}, {size}."
    lines = [first, told]
    lines += _groups_ahead(systems, facets, best, second, sign)
    lines += _other_order(metrics, tables, best, second)
    return lines


def p_text(pair: Pair) -> str:
    """A p-value as it is written; at the floor of the resampling, it is at most that."""
    if pair.p is None:
        return "no p-value"
    digits = 4 if pair.p < 0.001 else 3
    return f"p {'≤' if pair.floor else '='} {pair.p:.{digits}f}"


def _fixed(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "\u2212")


def _groups_ahead(
    systems: Sequence[System], facets: Sequence[Facet], best: int, second: int, sign: int
) -> list[str]:
    """Groups in which the difference goes one way beyond chance, corrected for their number."""
    if not facets:
        return []
    ahead: list[str] = []
    behind: list[str] = []
    for group in facets[0].groups:
        for pair in group.pairs[0] if group.pairs else []:
            if {pair.first, pair.second} != {best, second} or pair.low is None:
                continue
            turn = sign if pair.first == best else -sign
            low, high = sorted((turn * pair.low, turn * (pair.high or 0.0)))
            if low > 0:
                ahead.append(group.name or "(none)")
            elif high < 0:
                behind.append(group.name or "(none)")
    said = []
    if ahead and behind:
        said.append(f"ahead in {_listed(ahead)}")
    if behind:
        said.append(f"behind in {_listed(behind)}")
    if not said:
        return []
    name = systems[best].name
    return [f"{name} is {' and '.join(said)} ({facets[0].name}; intervals not corrected)."]


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _other_order(
    metrics: Sequence[MetricInfo],
    tables: Sequence[ScoreTable],
    best: int,
    second: int,
) -> list[str]:
    """Other metrics that have the two the other way round."""
    others = []
    for info, table in zip(metrics[1:], tables[1:], strict=True):
        both = table.figures[best], table.figures[second]
        if both[0] is None or both[1] is None:
            continue
        values = both[0][info.headline][0], both[1][info.headline][0]
        if values[0] is None or values[1] is None:
            continue
        sign = -1 if info.lower_is_better else 1
        if sign * (values[0] - values[1]) < 0:
            others.append(info.label)
    verb = "ranks" if len(others) == 1 else "rank"
    return [f"{_listed(others)} {verb} them differently."] if others else []
