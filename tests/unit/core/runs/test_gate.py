"""What a gate says besides its verdict."""

from __future__ import annotations

import numpy as np

from karat.core.marks import main, tiebreak
from karat.core.metric import Counts, Metric
from karat.core.runs.evaluation import Evaluation
from karat.core.runs.gate import Gate
from karat.core.scores import Array, Scores, ratio


class Coarse(Metric[str, str]):
    """A headline of 0 and 1, and a finer score below it."""

    name = "coarse"
    kind = "text"
    columns = ("items", "right", "near")

    def measure(self, system: str, gold: str) -> Counts:
        return self.row(items=1, right=system == gold, near=len(set(system) & set(gold)) / 4)

    def summarize(self, totals: Array) -> Scores:
        items, right, near = self.columns_of(totals)
        return {"right": main(ratio(right, items)), "near": tiebreak(ratio(near, items))}


def test_of_equal_losses_the_finer_score_tells_which_is_greater() -> None:
    base = np.array([[1, 1, 1]] * 4, float)
    new = np.array([[1, 0, 0.75], [1, 0, 0.25], [1, 1, 0], [1, 0, 0.5]])
    runs = [Evaluation(Coarse(), ["a", "b", "c", "d"], rows) for rows in (base, new)]
    assert Gate(*runs, {"right": 0.1}).lost_most() == ["b", "d", "a"]
