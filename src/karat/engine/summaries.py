"""Scores of tables of counts, which any engine may have made or summed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.arrow import as_table
from karat.core.registry import parse
from karat.core.scores import MetricsDict
from karat.core.scoring import total_scores
from karat.errors import OptionError, PairingError

if TYPE_CHECKING:
    from karat.core.metric import Metric


def summarize(counts: Any, metric: Metric[Any, Any] | str) -> MetricsDict:
    """The scores of a table of counts: of all its rows together.

    The table is one that `Metric.measure_arrow` or ``--save counts.parquet`` made, or any sum of
    its rows; it may have other columns besides. `counts` may also be a data frame, or whatever
    else gives an Arrow table.
    """
    if isinstance(metric, str):
        metric = parse(metric)
    table = as_table(counts)
    missing = [name for name in metric.columns if name not in table.column_names]
    if missing:
        raise OptionError(
            f"the table has no column {missing[0]!r}, which {metric!r} counts",
            code="K315",
            advice="give the metric with the options that the counts were made with",
        )
    if not len(table):
        raise PairingError("the table has no rows", code="K203")
    matrix = np.empty((len(table), len(metric.columns)))
    for i, name in enumerate(metric.columns):
        matrix[:, i] = table.column(name).to_numpy()
    if np.isnan(matrix).any():
        raise PairingError("a count of the table is missing", code="K203")
    return total_scores(metric, matrix.sum(axis=0))
