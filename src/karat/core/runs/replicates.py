"""Mean and spread of the scores of several runs of one system, such as seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from karat.core import signature
from karat.core.runs.comparison import aligned, check_comparable
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import MetricsDict, leaves, nest
from karat.errors import OptionError, PairingError
from karat.version import VERSION


class Replicates:
    """Mean, standard deviation, least and greatest value of every score over runs.

    The standard deviation is that of a sample (n - 1 below the line), and
    undefined for a single run; so is any figure where a run has no score.
    """

    def __init__(self, runs: Sequence[Evaluation]) -> None:
        if not runs:
            raise OptionError("there are no runs to average", code="K372")
        self.runs = aligned(runs)
        self.metric = self.runs[0].metric
        for run in self.runs[1:]:
            if run.metric != self.metric:
                raise OptionError(
                    f"cannot average {self.metric!r} with {run.metric!r}", code="K316"
                )
            check_comparable(self.runs[0], run)

    def scores(self) -> MetricsDict:
        """Each score as mean, sd, min and max."""
        return _over([run.scores() for run in self.runs])

    def by(self, field: str) -> dict[str, MetricsDict]:
        """Mean, sd, min and max of each score for each group of items."""
        found = [run.by(field) for run in self.runs]
        if any(each.keys() != found[0].keys() for each in found):
            raise PairingError(f"the runs have different groups by {field!r}", code="K209")
        return {group: _over([each[group] for each in found]) for group in found[0]}

    def macro(self, field: str) -> MetricsDict:
        """Mean, sd, min and max of the means over groups."""
        return _over([run.macro(field) for run in self.runs])

    def summary(self, by: Sequence[str] = ()) -> dict[str, Any]:
        """The replicates as JSON-ready values."""
        return {
            "karat": VERSION,
            "metric": self.metric.name,
            "signature": signature.of_runs(self.runs),
            "n": len(self.runs[0]),
            "systems": [run.system for run in self.runs],
            "scores": self.scores(),
            **(
                {"by": {f: {"groups": self.by(f), "macro": self.macro(f)} for f in by}}
                if by
                else {}
            ),
        }


def _over(scores: Sequence[MetricsDict]) -> MetricsDict:
    found = [dict(leaves(each)) for each in scores]
    return nest((path, _spread([each[path] for each in found])) for path in found[0])


def _spread(values: Sequence[Any]) -> Any:
    if any(value is None for value in values):
        return dict.fromkeys(("mean", "sd", "min", "max"))
    array = np.asarray(values, float)
    return {
        "mean": float(array.mean()),
        "sd": float(array.std(ddof=1)) if len(array) > 1 else None,
        "min": float(array.min()),
        "max": float(array.max()),
    }
