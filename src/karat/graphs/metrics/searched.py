"""Base class of metrics that search several times for one pair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from karat.core.metric import Metric
from karat.core.scores import Array
from karat.graphs.matching import certificates
from karat.graphs.matching.solver import DEFAULT_BUDGET, GraphPair, Kind, Matchings, match_many

System = TypeVar("System")
Gold = TypeVar("Gold")


class SearchedMetric(Metric[System, Gold], ABC):
    """Base class of metrics whose rows follow from the best mappings of several graphs a pair.

    A subclass says what to match (`prepare`) and what follows from it (`rows`); how the
    mappings come about, by a search or from certificates, is the same for all.
    """

    worth: ClassVar[tuple[Kind, ...]]
    inexact_column = "inexact"
    chunk_size = 64
    certifies = True

    used: ClassVar[certificates.Used] = "value"
    """What of a matching the rows follow from."""
    budget: int = DEFAULT_BUDGET

    @abstractmethod
    def prepare(self, pairs: Sequence[tuple[System, Gold]]) -> tuple[Any, list[list[GraphPair]]]:
        """What `rows` needs to know of a chunk, and for each search the graphs of all pairs."""

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
            certificates.sealed(each, self.worth, matchings, self.used)
            for each, matchings in zip(searches, found, strict=True)
        ]
        return self.rows(known, found), certificates.bundled(proofs)

    def check_certified(
        self, pairs: Sequence[tuple[System, Gold]], proofs: Sequence[bytes]
    ) -> Array:
        known, searches = self.prepare(pairs)
        bundles = certificates.unbundled(proofs, len(searches))
        found = [
            certificates.checked(each, self.worth, bundle, self.budget, self.used)
            for each, bundle in zip(searches, bundles, strict=True)
        ]
        return self.rows(known, found)

    def _searched(self, searches: Sequence[Sequence[GraphPair]]) -> list[Matchings]:
        return [match_many(each, self.worth, budget=self.budget) for each in searches]
