"""The figures of runs in files: JSON and tab-separated rows for programs, Markdown for papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from karat import cores
from karat.core.files.writing import text_cell
from karat.core.metric import Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import MetricsDict, leaves, nest, undefined_is_nan
from karat.report.exports import markdown_table
from karat.report.numbers import ends, shown, values_to_show
from karat.stats.intervals import Intervals

HEADER = ("metric", "system", "field", "group", "items", "score", "value", "low", "high")
_MANY_ITEMS = 1 << 12
"""So many items take longer than it takes to start threads."""


def json(
    evaluation: Evaluation, statistics: Mapping[str, Any], by: Sequence[str]
) -> dict[str, Any]:
    """The JSON of a run: scores, intervals, averages over items, and groups."""
    cluster = statistics.get("cluster")
    parts: list[Callable[[], Any]] = [
        lambda: evaluation.confidence(**statistics),  # which mostly draws, without the GIL
        lambda: evaluation.standard_errors(cluster),
        evaluation.summary,
        evaluation.macro,
    ]
    with evaluation.keeping_item_scores():
        threads = cores.usable() if len(evaluation) >= _MANY_ITEMS else 1
        found, errors, summary, macro = cores.together(parts, threads)
    record: dict[str, Any] = summary
    if cluster:
        record["clusters"] = evaluation.cluster_count(cluster)
        record["warnings"] += evaluation.cluster_remarks(cluster)
    record["macro"] = macro
    record["confidence"] = {
        **statistics,
        "resampling": found.resampling,
        "intervals": _shown(found, errors),
    }
    if by:
        record["by"] = {
            field: {"groups": evaluation.by(field), "macro": evaluation.macro(field)}
            for field in by
        }
    if evaluation.system_field in by:
        record["by"][evaluation.system_field]["intervals"] = {
            part.system: _shown(part.confidence(**statistics), part.standard_errors(cluster))
            for part in evaluation.split(evaluation.system_field)
        }
    return record


def _shown(found: Intervals, errors: Mapping[tuple[str, ...], float | None]) -> MetricsDict:
    return nest(
        (path, {**_interval(found, path), "standard_error": errors[path]}) for path in found
    )


def _interval(found: Intervals, path: tuple[str, ...]) -> dict[str, Any]:
    one = found[path]
    if one is None:
        reason = found.reasons[path]
        return {"low": None, "high": None, "interval_method": None, "interval_reason": reason}
    return {"low": one.low, "high": one.high, "interval_method": found.methods[path]}


def tsv(
    runs: Sequence[Evaluation], by: Sequence[str], statistics: Mapping[str, Any] | None = None
) -> str:
    """One row per score, with all its digits: of the whole, of each group, of their mean.

    Scores of the whole have the ends of their intervals, unless `statistics` is left out.
    """
    lines = ["\t".join(HEADER)]
    for run in runs:
        found = Intervals() if statistics is None else run.confidence(**statistics)
        for field, group, items, scores in _blocks(run, by):
            for path, value in leaves(scores):
                cells = (run.metric.name, run.system, field, group, items, ".".join(path))
                interval = None if field else found.get(path)
                numbers = [value, *((interval.low, interval.high) if interval else (None, None))]
                written = ["" if each is None else repr(each) for each in numbers]
                lines.append("\t".join([*(text_cell(_clean(str(c))) for c in cells), *written]))
    return "\n".join(lines) + "\n"


def _blocks(run: Evaluation, by: Sequence[str]) -> Iterator[tuple[str, str, int, Any]]:
    yield "", "", len(run), run.scores()
    for field in by:
        sizes = run.group_sizes(field)
        for group, scores in run.by(field).items():
            yield field, group, sizes[group], scores
        yield field, "mean of groups", len(run), run.macro(field)


def _clean(cell: str) -> str:
    return " ".join(cell.split())


def markdown(
    runs: Sequence[Evaluation], by: Sequence[str], statistics: Mapping[str, Any] | None = None
) -> str:
    """A table for each metric, systems side by side; then one for each field and system.

    Scores have their intervals beside them, unless `statistics` is left out.
    """
    tables = []
    for metric in dict.fromkeys(run.metric for run in runs):
        same = [run for run in runs if run.metric == metric]
        columns = [
            (
                values_to_show(run),
                Intervals() if statistics is None else run.confidence(**statistics),
            )
            for run in same
        ]
        rows = [
            [
                ".".join(path),
                *(_with_interval(metric, path, values[path], found) for values, found in columns),
            ]
            for path in columns[0][0]
        ]
        tables.append(markdown_table([metric.name, *(run.system or "score" for run in same)], rows))
        tables += [_group_table(run, field) for field in by for run in same]
    return "\n".join(tables)


def _with_interval(
    metric: Metric[Any, Any], path: tuple[str, ...], value: Any, found: Intervals
) -> str:
    scale = metric.about.scale_of(path)
    interval = found.get(path)
    return shown(value, scale) + (f" {ends(interval, scale)}" if interval else "")


def _group_table(run: Evaluation, field: str) -> str:
    metric = run.metric
    paths = [path for path, _ in leaves(run.scores()) if ".".join(path) not in metric.about.totals]
    with undefined_is_nan():
        countable = run.by(field)
    rows = []
    for name, group, items, scores in _blocks(run, [field]):
        if name:
            found = dict(leaves(countable.get(group, scores)))
            cells = [shown(found.get(path), metric.about.scale_of(path)) for path in paths]
            rows.append([group or "(none)", f"{items:,}", *cells])
    return markdown_table(
        [f"{run.system} by {field}", "items", *(".".join(path) for path in paths)], rows
    )
