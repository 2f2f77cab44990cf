"""Meta-evaluation: how well metrics agree with human judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.lazy import loader

if TYPE_CHECKING:
    from karat.meta.annotators import agreement
    from karat.meta.comparing import compare_metrics, conjunction, significance
    from karat.meta.correlating import correlate
    from karat.meta.plans import read_plan
    from karat.meta.preferences import compare_preferences, read_preferences
    from karat.meta.records import Record, read_records, write_records
    from karat.meta.scoring import Files, ScoredItem, score, score_files
    from karat.meta.table import ScoreTable

_NAMES = {
    "annotators": "agreement",
    "comparing": "compare_metrics conjunction significance",
    "correlating": "correlate",
    "plans": "read_plan",
    "preferences": "compare_preferences read_preferences",
    "records": "Record read_records write_records",
    "scoring": "Files ScoredItem score score_files",
    "table": "ScoreTable",
}
"""The public names of each module."""

__all__ = [
    "Files",
    "Record",
    "ScoreTable",
    "ScoredItem",
    "agreement",
    "compare_metrics",
    "compare_preferences",
    "conjunction",
    "correlate",
    "read_plan",
    "read_preferences",
    "read_records",
    "score",
    "score_files",
    "significance",
    "write_records",
]

# A type checker knows the names above, and must refuse all others.
if not TYPE_CHECKING:
    __getattr__ = loader(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted(__all__)
