"""Exact match."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from karat import _native
from karat.core.scores import Array, Scores, ratio
from karat.core.strings import Strings
from karat.core.tracing import Grid, grid_in
from karat.text.metrics.line_metric import LineMetric


class Exact(LineMetric):
    """Share of items whose system output equals the gold, token by token.

    Tokens are separated by white space, so spacing never matters; two empty
    texts are equal.

    >>> Exact().score("the  dog", "the dog")
    {'accuracy': 1.0}
    """

    name = "exact"
    columns = ("items", "correct")

    ignore_case: Annotated[bool, "compare without regard to case"] = False

    def rows(self, systems: Strings, golds: Strings) -> Array:
        if self.ignore_case:
            systems, golds = systems.lowered(str.casefold), golds.lowered(str.casefold)
        correct = _native.same_words(*systems.columns, *golds.columns)
        return np.column_stack([np.ones(len(correct)), correct.astype(np.float64)])

    @classmethod
    def tracing(cls) -> Grid:
        return grid_in("karat.text.metrics.grids.words", "exact")

    def summarize(self, totals: Array) -> Scores:
        items, correct = self.columns_of(totals)
        return {"accuracy": ratio(correct, items)}
