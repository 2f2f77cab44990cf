"""Metrics held against people: correlations at each level, and where the two disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from karat.core.runs.evaluation import Evaluation
from karat.core.scores import MetricsDict
from karat.errors import KaratError, OptionError
from karat.meta.comparing import compare_metrics
from karat.meta.correlating import correlate
from karat.meta.records import Record, read_records
from karat.meta.table import ScoreTable
from karat.report.contract import Agreement, Correlation, MetricInfo, MetricTest, Point
from karat.report.numbers import bounds
from karat.report.page.arrangement import Items
from karat.stats.correlation import Coefficient
from karat.stats.levels import Level

MOST_HUMAN = 12
MOST_POINTS = 20_000
MOST_DISAGREEMENTS = 500
_LEVELS: tuple[Level, ...] = ("summary", "system", "global")
_TESTED: tuple[Level, ...] = ("summary", "system")
_TEST: Coefficient = "kendall"


def agreements(
    items: Items,
    metrics: Sequence[MetricInfo],
    judgements: Sequence[str],
    options: Mapping[str, Any],
) -> tuple[list[Agreement], list[MetricTest]]:
    """For each metric and judgement how they go together; and the tests between metrics."""
    table = ScoreTable.read(judgements)
    human = table.names[:MOST_HUMAN]
    types = _types(judgements)
    places = [_outputs(items, m) for m in range(len(metrics))]
    names = [f"karat:{info.key}" for info in metrics]
    for name, outputs in zip(names, places, strict=True):
        _add(table, name, outputs, types)
    found = [
        one
        for name, info, outputs in zip(names, metrics, places, strict=True)
        for judged in human
        if (one := _agreement(table, name, judged, info, outputs, options)) is not None
    ]
    if not found:
        raise OptionError(
            "no output of the runs is judged in the files of judgements",
            code="K386",
            advice="instance_id and summarizer_id must be those of the items",
        )
    return found, _metric_tests(table, human, names, metrics, options)


def _metric_tests(
    table: ScoreTable,
    judged: Sequence[str],
    names: Sequence[str],
    metrics: Sequence[MetricInfo],
    options: Mapping[str, Any],
) -> list[MetricTest]:
    """Which metrics follow a judgement better than others, tested; nothing for one metric."""
    if len(metrics) < 2:
        return []
    lower = [name for name, info in zip(names, metrics, strict=True) if info.lower_is_better]
    found = []
    for human in judged:
        for level in _TESTED:
            try:
                ranking = compare_metrics(
                    table, human, names, level=level, coefficient=_TEST, lower_is_better=lower,
                    trials=options["resamples"], seed=options["seed"],
                )  # fmt: skip
            except KaratError:  # this judgement is about other outputs
                continue
            found += [
                MetricTest(
                    human, level, _TEST, metrics[i].label, metrics[j].label,
                    _minus(ranking.values[i], ranking.values[j]), float(ranking.adjusted[i, j]),
                    ranking.method,
                )
                for i in range(len(names))
                for j in range(i + 1, len(names))
                if ranking.adjusted[i, j] == ranking.adjusted[i, j]  # else it is undefined
            ]  # fmt: skip
    return found


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _types(judgements: Sequence[str]) -> dict[tuple[str, str], Any]:
    """Whether each judged output is a system's or a person's."""
    return {
        (record.instance_id, record.summarizer_id): record.summarizer_type
        for path in judgements
        for record, _ in read_records(path)
    }


def _add(
    table: ScoreTable,
    name: str,
    outputs: Mapping[tuple[str, str], tuple[int, int, float]],
    types: Mapping[tuple[str, str], Any],
) -> None:
    """The scores of a metric beside the judgements of the same outputs."""
    for (instance, system), (_, _, value) in outputs.items():
        known = types.get((instance, system))
        if known is not None and np.isfinite(value):
            table.add(Record(instance, system, known, MetricsDict({name: value})))


def _outputs(items: Items, metric: int) -> dict[tuple[str, str], tuple[int, int, float]]:
    """Row, system and score of each output, by input and the name of who wrote it."""
    found: dict[tuple[str, str], tuple[int, int, float]] = {}
    for s, run in items.measured(metric):
        for row, (key, value) in enumerate(zip(run.keys, items.scores(run), strict=True)):
            found.setdefault((str(key[0]), _who(run, row)), (row, s, float(value)))
    return found


def _who(run: Evaluation, row: int) -> str:
    """Who wrote an output: what its record says, or else the system's file."""
    if run.system_field in run.groups:
        return run.groups[run.system_field][row]
    key = run.keys[row]
    return str(key[1]) if len(key) > 1 and key[1] is not None else run.system


def _agreement(
    table: ScoreTable,
    name: str,
    judged: str,
    info: MetricInfo,
    outputs: Mapping[tuple[str, str], tuple[int, int, float]],
    options: Mapping[str, Any],
) -> Agreement | None:
    lower = [name] if info.lower_is_better else []
    try:
        result = correlate(
            table, name, judged, levels=_LEVELS, lower_is_better=lower,
            confidence=options["level"], resamples=options["resamples"], seed=options["seed"],
        )  # fmt: skip
    except KaratError:  # this judgement is about other outputs
        return None
    correlations = [
        Correlation(
            info.label,
            judged,
            str(level),
            {
                str(coefficient): (each.value, *bounds(each.interval))
                for coefficient, each in at.estimates.items()
            },
            at.size,
        )
        for level, at in result.levels.items()
    ]
    matrices = result.matrices
    mine, theirs = matrices.values[:2]
    points: list[Point] = []
    for i, system in enumerate(matrices.systems):
        for j, instance in enumerate(matrices.inputs):
            place = outputs.get((instance, system))
            if place is not None and np.isfinite(mine[i, j]) and np.isfinite(theirs[i, j]):
                value, human = float(mine[i, j]), float(theirs[i, j])
                points.append(Point(f"{system} · {instance}", place[0], place[1], value, human))
    means = [
        Point(system, -1, -1, float(np.nanmean(mine[i])), float(np.nanmean(theirs[i])))
        for i, system in enumerate(matrices.systems)
        if np.isfinite(mine[i]).any() and np.isfinite(theirs[i]).any()
    ]
    sign = -1 if lower else 1
    gaps = _ranks([sign * p.metric for p in points]) - _ranks([p.human for p in points])
    order = np.argsort(-np.abs(gaps), kind="stable")[:MOST_DISAGREEMENTS]
    kept = points[:MOST_POINTS]
    return Agreement(
        info.label,
        judged,
        correlations,
        kept,
        means,
        [(int(i), float(gaps[i])) for i in order if i < len(kept) and gaps[i]],
    )


def _ranks(values: Sequence[float]) -> Any:
    """Ranks from 1, the mean of them for ties."""
    _, inverse, counts = np.unique(
        np.asarray(values, float), return_inverse=True, return_counts=True
    )
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse] if len(values) else np.zeros(0)
