"""Mean and spread of the scores of several runs of one system, such as seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from karat.core import signature
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
        first = runs[0]
        for run in runs[1:]:
            if run.metric != first.metric:
                raise OptionError(
                    f"cannot average {first.metric!r} with {run.metric!r}", code="K316"
                )
            if run.ids != first.ids:
                raise PairingError(
                    f"{run.system or 'a run'} was not measured on the same items as "
                    f"{first.system or 'the first'}",
                    code="K209",
                )
        self.runs = list(runs)
        self.metric = first.metric

    def scores(self) -> MetricsDict:
        """Each score as mean, sd, min and max."""
        return self._over(Evaluation.scores)

    def by(self, field: str) -> dict[str, MetricsDict]:
        """Mean, sd, min and max of each score for each group of items."""
        return {group: self._over(lambda run, group=group: run.by(field)[group])  # type: ignore[misc]
                for group in self.runs[0].by(field)}  # fmt: skip

    def macro(self, field: str) -> MetricsDict:
        """Mean, sd, min and max of the means over groups."""
        return self._over(lambda run: run.macro(field))

    def _over(self, scores_of: Callable[[Evaluation], MetricsDict]) -> MetricsDict:
        found = [dict(leaves(scores_of(run))) for run in self.runs]
        return nest((path, _spread([each[path] for each in found])) for path in found[0])

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
