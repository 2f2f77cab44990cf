"""Base classes of metrics that look for the best correspondence of nodes.

A pair becomes tuples on nodes, one native call finds the best correspondences of
a whole chunk, and a row holds for each part how many tuples gold and system have
and how many match, with the certified bound of the sum.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from karat.core.marks import count
from karat.core.metric import Explanation, Metric, Split
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.error_profile import profile
from karat.graphs.matching import certificates
from karat.graphs.matching.solver import DEFAULT_BUDGET, GraphPair, Kind, Matchings, match_many
from karat.graphs.matching.tuples import ATTRIBUTE, INSTANCE, TRIPLES, Tuples, difference

System = TypeVar("System")
Gold = TypeVar("Gold")


class MatchedMetric(Metric[System, Gold], ABC):
    """Base class of metrics of matched tuples; `parts` names the kinds of tuples."""

    parts: ClassVar[tuple[str, ...]]
    weights: ClassVar[Sequence[Kind]]
    """The weight of each part in `all`, and its rank in breaking ties."""
    inexact_column = "inexact"
    chunk_size = 64

    budget: int = DEFAULT_BUDGET

    @abstractmethod
    def as_pair(self, system: System, gold: Gold) -> GraphPair:
        """The pair as the matcher takes it."""

    @abstractmethod
    def is_null(self, system: System) -> bool:
        """Whether the system gave nothing."""

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        counts = (f"{part}.{side}" for part in self.parts for side in "gsc")
        return ("n", "null", "inexact", *counts, "bound")

    def matchings(self, pairs: Sequence[tuple[System, Gold]]) -> Matchings:
        """The best correspondences of a chunk of pairs."""
        prepared = [self.as_pair(system, gold) for system, gold in pairs]
        return match_many(prepared, self.weights, budget=self.budget)

    def measure_many(self, pairs: Sequence[tuple[System, Gold]]) -> Array:
        return self.rows(pairs, self.matchings(pairs))

    def rows(self, pairs: Sequence[tuple[System, Gold]], found: Matchings) -> Array:
        """The rows of counts of correspondences that were found."""
        null = np.array([self.is_null(system) for system, _ in pairs], np.float64)
        counts = np.moveaxis(found.counts, 1, 2).reshape(len(pairs), 3 * len(self.parts))
        front = np.stack((np.ones(len(pairs)), null, ~found.proven), axis=1)
        back = np.reshape(found.bound, (-1, 1))
        return np.concatenate((front, counts, back), axis=1, dtype=np.float64)

    # -- parts of items ---------------------------------------------------------

    facets: ClassVar[tuple[str, ...]] = ("tuple",)

    @abstractmethod
    def both_tuples(self, system: System, gold: Gold) -> tuple[Tuples, Tuples]:
        """The tuples of gold and of the system, as they are matched."""

    @abstractmethod
    def describe(self, kind: int, key: Any) -> str:
        """The name that a tuple is counted under: a label, a role, the name of a property."""

    def split(self, facet: str, pairs: Sequence[tuple[System, Gold]]) -> Split:
        """Counts by what tuples are instances of: which labels, roles, properties go wrong."""
        found = self.matchings(pairs)
        columns = {name: i for i, name in enumerate(self.columns)}
        places: list[int] = []
        values: list[str] = []
        rows: list[Array] = []
        for place, ((system, gold), matching) in enumerate(zip(pairs, found, strict=True)):
            theirs, ours = self.both_tuples(system, gold)
            parts = difference(theirs, ours, matching.mapping.tolist())
            counts: dict[str, Array] = {}
            for sides, tuples in (
                ("gsc", parts.matched),
                ("g", parts.missing),
                ("s", parts.surplus),
            ):
                for *_, kind, key in tuples:
                    value = self.describe(kind, key)
                    row = counts.setdefault(value, np.zeros(len(columns)))
                    for side in sides:
                        row[columns[f"{self.parts[kind]}.{side}"]] += 1
                    if "c" in sides:
                        row[columns["bound"]] += self.weights[kind].weight
            places += [place] * len(counts)
            values += counts
            rows += counts.values()
        return Split(places, values, np.array(rows).reshape(len(rows), len(columns)))

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The most frequent errors by kind, and what is taken for what."""
        return profile(explanations)

    # -- certificates -----------------------------------------------------------

    certifies = True

    def measure_certified(self, pairs: Sequence[tuple[System, Gold]]) -> tuple[Array, list[bytes]]:
        prepared = [self.as_pair(system, gold) for system, gold in pairs]
        found = match_many(prepared, self.weights, budget=self.budget)
        return self.rows(pairs, found), certificates.sealed(prepared, self.weights, found)

    def check_certified(
        self, pairs: Sequence[tuple[System, Gold]], proofs: Sequence[bytes]
    ) -> Array:
        prepared = [self.as_pair(system, gold) for system, gold in pairs]
        return self.rows(pairs, certificates.checked(prepared, self.weights, proofs, self.budget))

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)
        counts = [np.stack([column[f"{part}.{each}"] for part in self.parts]) for each in "gsc"]
        weights = np.array([kind.weight for kind in self.weights], np.float64)
        gold, system, common = (np.tensordot(weights, each, 1) for each in counts)
        best = precision_recall(gold, system, column["bound"])
        scores: dict[str, Any] = {
            "n": count(column["n"]),
            "null": count(column["null"]),
            "exact": count(column["n"] - column["inexact"]),
        }
        scores |= {
            part: precision_recall(*(each[place] for each in counts))
            for place, part in enumerate(self.parts)
        }
        scores["all"] = precision_recall(gold, system, common, headline=True)
        scores["bound"] = {name: best[name] for name in "cprf"}
        return scores


class TripleMetric(MatchedMetric[System, Gold]):
    """Base class of metrics whose scores are those of all triples together."""

    parts = TRIPLES
    weights = (Kind(rank=1), Kind(rank=3), Kind(rank=2))

    def describe(self, kind: int, key: Any) -> str:
        if kind == INSTANCE:
            return f"concept {key}"
        return f"role {key[0]}" if kind == ATTRIBUTE else f"role {key}"

    def summarize(self, totals: Array) -> Scores:
        scores: dict[str, Any] = dict(super().summarize(totals))
        return {"n": scores.pop("n"), **scores.pop("all"), **scores}

    def explain(self, system: System, gold: Gold) -> Explanation:
        """Which nodes correspond, and the triples that are missing or surplus."""
        theirs, ours = self.both_tuples(system, gold)
        mapping = self.matchings([(system, gold)])[0].mapping.tolist()
        missing, surplus = self.unmatched(theirs, ours, mapping)
        return {
            "correspondences": [
                [theirs.nodes[i], ours.nodes[j]] for i, j in enumerate(mapping) if j >= 0
            ],
            "missing": [shown_triple(each, theirs) for each in missing],
            "surplus": [shown_triple(each, ours) for each in surplus],
        }

    def unmatched(
        self, gold: Tuples, system: Tuples, mapping: Sequence[int]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        """The triples that are missing and surplus under a correspondence."""
        parts = difference(gold, system, mapping)
        return parts.missing, parts.surplus


def shown_triple(each: Any, tuples: Tuples) -> list[Any]:
    """A triple as role or concept and the nodes it is about, for people."""
    *ends, kind, key = each
    nodes = [tuples.nodes[end] for end in ends]
    if kind == INSTANCE:
        return ["instance", *nodes, key]
    if kind == ATTRIBUTE:
        return [key[0], *nodes, *key[1:]]
    return [key, *nodes]
