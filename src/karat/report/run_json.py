"""The JSON of a run, with what the user asked for beyond the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.runs.evaluation import Evaluation
from karat.core.scores import MetricsDict, nest
from karat.stats.intervals import Intervals


def run(evaluation: Evaluation, statistics: Mapping[str, Any], by: Sequence[str]) -> dict[str, Any]:
    """Scores, intervals, averages over items, and groups."""
    found = evaluation.confidence(**statistics)
    record = evaluation.summary()
    record["macro"] = evaluation.macro()
    record["confidence"] = {**statistics, "intervals": _shown(found)}
    if by:
        record["by"] = {
            field: {"groups": evaluation.by(field), "macro": evaluation.macro(field)}
            for field in by
        }
    if evaluation.system_field in by:
        record["by"][evaluation.system_field]["intervals"] = {
            part.system: _shown(part.confidence(**statistics))
            for part in evaluation.split(evaluation.system_field)
        }
    return record


def _shown(found: Intervals) -> MetricsDict:
    return nest((path, _interval(found, path)) for path in found)


def _interval(found: Intervals, path: tuple[str, ...]) -> dict[str, Any]:
    one = found[path]
    if one is None:
        reason = found.reasons[path]
        return {"low": None, "high": None, "interval_method": None, "interval_reason": reason}
    return {"low": one.low, "high": one.high, "interval_method": found.methods[path]}
