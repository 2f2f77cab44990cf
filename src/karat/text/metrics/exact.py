"""Exact match."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.reading.strings import Columns, Referenced, Strings
from karat.core.scores import Array, Scores, ratio
from karat.text.metrics.edit_distance import MOST_CELLS
from karat.text.raw_texts import LineMetric


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

    def rows(self, texts: Referenced) -> Array:
        systems, golds = self._compared(texts.systems), self._compared(texts.references)
        correct = _native.same_words(*systems, *golds)
        return np.column_stack([np.ones(len(correct)), correct.astype(np.float64)])

    def _compared(self, texts: Strings) -> Columns:
        return (texts.lowered(str.casefold) if self.ignore_case else texts).columns

    tracing = grid_in("karat.text.metrics.grids.words", "exact")

    def summarize(self, totals: Array) -> Scores:
        items, correct = self.columns_of(totals)
        return {"accuracy": ratio(correct, items)}

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """Whether the tokens are equal, the first that is not, and the edits between them, unless
        they are very long."""
        systems, golds = self._compared(texts.systems), self._compared(texts.references)
        return _native.same_words_explained(*systems, *golds, MOST_CELLS)
