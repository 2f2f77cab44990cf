"""The JSON of a run, with what the user asked for beyond the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.evaluation import Evaluation
from karat.core.scores import nest


def run(evaluation: Evaluation, statistics: Mapping[str, Any], by: Sequence[str]) -> dict[str, Any]:
    """Scores, intervals, averages over items, and groups."""
    found = evaluation.confidence(**statistics)
    record = evaluation.summary()
    record["macro"] = evaluation.macro()
    record["confidence"] = {
        **statistics,
        "intervals": nest(
            (path, None if one is None else {"low": one.low, "high": one.high})
            for path, one in found.items()
        ),
    }
    if by:
        record["by"] = {
            field: {"groups": evaluation.by(field), "macro": evaluation.macro(field)}
            for field in by
        }
    return record
