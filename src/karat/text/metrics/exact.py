"""Exact match."""

from __future__ import annotations

from typing import Annotated

from karat.core.metric import Counts
from karat.core.scores import Array, Scores, ratio
from karat.text.model import LineMetric


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

    def measure(self, system: str, gold: str) -> Counts:
        system, gold = self.one_string(system), self.one_string(gold)
        if self.ignore_case:
            system, gold = system.casefold(), gold.casefold()
        return (1.0, float(system.split() == gold.split()))

    def summarize(self, totals: Array) -> Scores:
        items, correct = self.columns_of(totals)
        return {"accuracy": ratio(correct, items)}
