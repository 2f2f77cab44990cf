"""Base classes of metrics that search several times for one pair, for parts of graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from karat.core.marks import count
from karat.core.metric import Explanation, Metric
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.matching import certificates
from karat.graphs.matching.solver import DEFAULT_BUDGET, GraphPair, Kind, Matchings, match_many

System = TypeVar("System")
Gold = TypeVar("Gold")


class SearchedMetric(Metric[System, Gold], ABC):
    """Base class of metrics whose rows follow from the best mappings of several graphs a pair.

    A subclass says what to match (`prepare`) and what follows from it (`rows`); how the
    mappings come about, by a search or from certificates, is the same for all.
    """

    weights: ClassVar[tuple[Kind, ...]]
    inexact_column = "inexact"
    chunk_size = 64
    certifies = True

    used: ClassVar[certificates.Used] = "value"
    """The part of a matching that decides the rows, and is certified."""
    budget: int = DEFAULT_BUDGET

    @abstractmethod
    def prepare(self, pairs: Sequence[tuple[System, Gold]]) -> tuple[Any, list[list[GraphPair]]]:
        """The input of `rows` for a chunk, and for each search the graphs of all pairs."""

    @abstractmethod
    def rows(self, known: Any, found: Sequence[Matchings]) -> Array:
        """The rows of a chunk, from what `prepare` told and the matchings of each search."""

    def measure_many(self, pairs: Sequence[tuple[System, Gold]]) -> Array:
        known, searches = self.prepare(pairs)
        return self.rows(known, self._searched(searches))

    def measure_certified(self, pairs: Sequence[tuple[System, Gold]]) -> tuple[Array, list[bytes]]:
        known, searches = self.prepare(pairs)
        found = self._searched(searches)
        proofs = [
            certificates.sealed(each, self.weights, matchings, self.used)
            for each, matchings in zip(searches, found, strict=True)
        ]
        return self.rows(known, found), certificates.bundled(proofs)

    def check_certified(
        self, pairs: Sequence[tuple[System, Gold]], proofs: Sequence[bytes]
    ) -> Array:
        known, searches = self.prepare(pairs)
        bundles = certificates.unbundled(proofs, len(searches))
        found = [
            certificates.checked(each, self.weights, bundle, self.budget, self.used)
            for each, bundle in zip(searches, bundles, strict=True)
        ]
        return self.rows(known, found)

    def _searched(self, searches: Sequence[Sequence[GraphPair]]) -> list[Matchings]:
        return [match_many(each, self.weights, budget=self.budget) for each in searches]


class FineMetric(SearchedMetric[str, str]):
    """Base class of metrics that look at parts of graphs, each part a row of its own.

    Rows in `matched` have the best mapping of their triples, each its own; the others
    compare the entries that the two graphs hold.
    """

    row_names: ClassVar[tuple[str, ...]]
    matched: ClassVar[tuple[str, ...]]
    main_row: ClassVar[str]
    """The row whose F is the headline."""
    weights = (Kind(rank=1), Kind(rank=3), Kind(rank=2))

    @abstractmethod
    def of_text(self, text: str, gold: bool) -> Any:
        """A graph, parsed as far as the rows need it."""

    @abstractmethod
    def as_pair(self, gold: Any, system: Any, row: str) -> GraphPair:
        """The triples of a row, of both graphs."""

    @abstractmethod
    def entries(self, graph: Any, row: str) -> Iterable[Hashable]:
        """The entries of a graph that a row without mapping compares."""

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
