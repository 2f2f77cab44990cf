"""Statistics on tables of counts and scores: arrays in, numbers out.

This package knows nothing of metrics: what it needs of one is a function from
sums of rows to named scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.lazy import loader
from karat.stats.intervals import Interval, Intervals, intervals

if TYPE_CHECKING:
    from karat.stats.multiplicity import holm, rank_clusters
    from karat.stats.paired_tests import Difference, compare_paired

__all__ = [
    "Difference",
    "Interval",
    "Intervals",
    "compare_paired",
    "holm",
    "intervals",
    "rank_clusters",
]

# A type checker knows the names above, and must refuse all others.
if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {"multiplicity": "holm rank_clusters", "paired_tests": "Difference compare_paired"},
    )


def __dir__() -> list[str]:
    return sorted(__all__)
