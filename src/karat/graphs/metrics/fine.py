"""Base class of fine-grained metrics: rows of matched triples, and rows of mere entries."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from karat.core.marks import count
from karat.core.metric import Explanation
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.matching.solver import GraphPair, Kind, Matchings
from karat.graphs.metrics.searched import SearchedMetric


class FineMetric(SearchedMetric[str, str]):
    """Base class of metrics that look at parts of graphs, each part a row of its own.

    Rows in `matched` have the best mapping of their triples, each its own; the others
    compare the entries that the two graphs hold.
    """

    row_names: ClassVar[tuple[str, ...]]
    matched: ClassVar[tuple[str, ...]]
    main_row: ClassVar[str]
    """The row whose F is the headline."""
    worth = (Kind(rank=1), Kind(rank=3), Kind(rank=2))

    @abstractmethod
    def of_text(self, text: str, gold: bool) -> Any:
        """What is known of a graph."""

    @abstractmethod
    def as_pair(self, gold: Any, system: Any, row: str) -> GraphPair:
        """The triples of a row, of both graphs."""

    @abstractmethod
    def entries(self, graph: Any, row: str) -> Iterable[Hashable]:
        """What a row without mapping compares."""

    def absent(self, gold: str) -> str:
        return ""

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        counts = (f"{row}.{side}" for row in self.row_names for side in "gsc")
        return ("n", "inexact", *counts, *(f"{row}.bound" for row in self.matched))

    # -- counting -------------------------------------------------------------

    def prepare(
        self, pairs: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Any, Any]], list[list[GraphPair]]]:
        graphs = [(self.of_text(gold, True), self.of_text(system, False)) for system, gold in pairs]
        searches = [[self.as_pair(g, s, row) for g, s in graphs] for row in self.matched]
        return graphs, searches

    def rows(self, known: Sequence[tuple[Any, Any]], found: Sequence[Matchings]) -> Array:
        place = {name: i for i, name in enumerate(self.columns)}
        rows = np.zeros((len(known), len(place)))
        rows[:, place["n"]] = 1
        rows[:, place["inexact"]] = np.any([~each.proven for each in found], axis=0)
        for name, matchings in zip(self.matched, found, strict=True):
            start = place[f"{name}.g"]
            rows[:, start : start + 3] = matchings.counts.sum(axis=2)
            rows[:, place[f"{name}.bound"]] = matchings.bound
        for name in self._listed():
            start = place[f"{name}.g"]
            for row, (gold, system) in zip(rows, known, strict=True):
                g, s = Counter(self.entries(gold, name)), Counter(self.entries(system, name))
                row[start : start + 3] = g.total(), s.total(), (g & s).total()
        return rows

    def _listed(self) -> list[str]:
        return [row for row in self.row_names if row not in self.matched]

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)
        scores: dict[str, Any] = {
            "n": count(column["n"]),
            "exact": count(column["n"] - column["inexact"]),
        }
        for row in self.row_names:
            scores[row] = precision_recall(
                *(column[f"{row}.{side}"] for side in "gsc"), headline=row == self.main_row
            )
        for row in self.matched:
            scores[row]["bound"] = count(column[f"{row}.bound"])
        return scores

    def explain(self, system: str, gold: str) -> Explanation:
        """The entries of each row without mapping that are missing or surplus."""
        theirs, ours = self.of_text(gold, True), self.of_text(system, False)
        result: dict[str, Any] = {}
        for name in self._listed():
            g, s = Counter(self.entries(theirs, name)), Counter(self.entries(ours, name))
            found = {"missing": list((g - s).elements()), "surplus": list((s - g).elements())}
            if any(found.values()):
                result[name] = {side: each for side, each in found.items() if each}
        return result
