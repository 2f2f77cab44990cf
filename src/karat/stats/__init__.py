"""Statistics on tables of counts and scores: arrays in, numbers out.

This package knows nothing of metrics: what it needs of one is a function from
sums of rows to named scores.
"""

from karat.stats.comparing import Difference, compare_paired
from karat.stats.intervals import Interval, intervals
from karat.stats.multiplicity import holm, rank_clusters

__all__ = ["Difference", "Interval", "compare_paired", "holm", "intervals", "rank_clusters"]
