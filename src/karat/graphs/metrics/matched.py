"""Base classes of the metrics that look for the best mapping of nodes.

A pair becomes tables of numbers, one native call finds the best mappings of a whole chunk,
and rows of counts follow from them, with the certified bound of what could match.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from karat.core.marks import count
from karat.core.metric import Explanation, Metric, Split
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.matching import certificates
from karat.graphs.matching.solver import DEFAULT_BUDGET, GraphPair, Kind, Matchings, match_many
from karat.graphs.matching.tuples import (
    ATTRIBUTE,
    INSTANCE,
    RELATION,
    TRIPLES,
    Tuples,
    as_pair,
    difference,
    shown_place,
)
from karat.graphs.metrics.base import DrawsGraphs, ProfilesErrors
from karat.graphs.model import Graph
from karat.graphs.pictures.marked import MarkedGraph, Part, anchor_text, once

System = TypeVar("System")
Gold = TypeVar("Gold")


class MatchingMetric(Metric[System, Gold], ABC):
    """Base class of metrics whose rows follow from one matching of each pair, or from several.

    A subclass says what to match (`prepare`) and what follows from it (`rows`); whether the
    mappings come from a search or from certificates is the same to it.
    """

    weights: ClassVar[Sequence[Kind]]
    """The weight of each kind of tuple, and its rank in breaking ties."""
    inexact_column = "inexact"
    chunk_size = 64
    certifies = True

    used: ClassVar[certificates.Used] = "value"
    """The part of a matching that rows follow from: its value, the counts by kind, the mapping."""
    several: ClassVar[bool] = True
    """Whether a pair has several matchings, whose certificates are kept as one."""
    budget: int = DEFAULT_BUDGET

    @abstractmethod
    def prepare(self, pairs: Sequence[tuple[System, Gold]]) -> tuple[Any, list[list[GraphPair]]]:
        """A chunk as `rows` needs it, and for each search the graphs of all pairs."""

    @abstractmethod
    def rows(self, known: Any, found: Sequence[Matchings]) -> Array:
        """The rows of a chunk, from what `prepare` gave and the matchings of each search."""

    def best_mappings(self, known: Any, searches: Sequence[Sequence[GraphPair]]) -> list[Matchings]:
        """The best mappings of what `prepare` gave."""
        return [match_many(each, self.weights, budget=self.budget) for each in searches]

    def measure_many(self, pairs: Sequence[tuple[System, Gold]]) -> Array:
        known, searches = self.prepare(pairs)
        return self.rows(known, self.best_mappings(known, searches))

    def measure_certified(self, pairs: Sequence[tuple[System, Gold]]) -> tuple[Array, list[bytes]]:
        known, searches = self.prepare(pairs)
        found = self.best_mappings(known, searches)
        proofs = [
            certificates.issue(each, self.weights, matchings, self.used)
            for each, matchings in zip(searches, found, strict=True)
        ]
        return self.rows(known, found), certificates.bundled(proofs) if self.several else proofs[0]

    def check_certified(
        self, pairs: Sequence[tuple[System, Gold]], proofs: Sequence[bytes]
    ) -> Array:
        known, searches = self.prepare(pairs)
        bundles = certificates.unbundled(proofs, len(searches)) if self.several else [proofs]
        found = [
            certificates.verify(each, self.weights, bundle, self.budget, self.used)
            for each, bundle in zip(searches, bundles, strict=True)
        ]
        return self.rows(known, found)


class MatchedMetric(ProfilesErrors, MatchingMetric[System, Gold]):
    """Base class of metrics that count tuples of several kinds under one mapping of nodes.

    `parts` names the kinds. A row holds for each how many tuples gold and system have and how
    many match.
    """

    parts: ClassVar[tuple[str, ...]]
    used = "counts"
    several = False

    @abstractmethod
    def as_pair(self, system: System, gold: Gold) -> GraphPair:
        """The pair as numbers."""

    @abstractmethod
    def is_null(self, system: System) -> bool:
        """Whether the system gave nothing."""

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        counts = (f"{part}.{side}" for part in self.parts for side in "gsc")
        return ("n", "null", "inexact", *counts, "bound")

    def prepare(
        self, pairs: Sequence[tuple[System, Gold]]
    ) -> tuple[Sequence[tuple[System, Gold]], list[list[GraphPair]]]:
        return pairs, [[self.as_pair(system, gold) for system, gold in pairs]]

    def matchings(self, pairs: Sequence[tuple[System, Gold]]) -> Matchings:
        """The best mappings of a chunk of pairs."""
        (found,) = self.best_mappings(*self.prepare(pairs))
        return found

    def rows(self, known: Sequence[tuple[System, Gold]], found: Sequence[Matchings]) -> Array:
        (matchings,) = found
        null = np.array([self.is_null(system) for system, _ in known], np.float64)
        return self.rows_of(matchings, null)

    def rows_of(self, matchings: Matchings, null: npt.NDArray[Any]) -> Array:
        """The rows of pairs, of which some have nothing of the system."""
        size = len(null)
        counts = np.moveaxis(matchings.counts, 1, 2).reshape(size, 3 * len(self.parts))
        front = np.stack((np.ones(size), null, ~matchings.proven), axis=1)
        back = np.reshape(matchings.bound, (-1, 1))
        return np.concatenate((front, counts, back), axis=1, dtype=np.float64)

    # -- parts of items ---------------------------------------------------------

    facets: ClassVar[tuple[str, ...]] = ("tuple",)

    def tuples(self, meaning: Any) -> Tuples:
        """The tuples of an item, for metrics that make them of both sides in the same way."""
        raise TypeError(f"{type(self).__name__} has no tuples method")

    def both_tuples(self, system: System, gold: Gold) -> tuple[Tuples, Tuples]:
        """The tuples of gold and of the system, as they are matched."""
        return self.tuples(gold), self.tuples(system)

    @abstractmethod
    def describe(self, kind: int, key: Any) -> str:
        """The name of a tuple for breakdowns: a label, a role, the name of a property."""

    def split(self, facet: str, pairs: Sequence[tuple[System, Gold]]) -> Split:
        """Counts by label, role and property, so that one sees which go wrong."""
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


class TripleMetric(DrawsGraphs, MatchedMetric[System, Gold]):
    """Base class of metrics of instances, attributes and relations, scored all together."""

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
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Sequence[tuple[System, Gold]]) -> list[Explanation]:
        """The same for many pairs, whose mappings are searched at once."""
        result: list[Explanation] = []
        both = [self.both_tuples(system, gold) for system, gold in pairs]
        prepared = [as_pair(*self.with_copies(*each)) for each in both]
        (matchings,) = self.best_mappings(pairs, [prepared])
        for (theirs, ours), found in zip(both, matchings, strict=True):
            missing, surplus = self.unmatched(theirs, ours, found.mapping.tolist())
            result.append(
                {
                    "correspondences": [[theirs.nodes[i], ours.nodes[j]] for i, j in found.pairs],
                    "missing": [shown_triple(each, theirs) for each in missing],
                    "surplus": [shown_triple(each, ours) for each in surplus],
                }
            )
        return result

    def as_pair(self, system: System, gold: Gold) -> GraphPair:
        return as_pair(*self.with_copies(*self.both_tuples(system, gold)))

    def with_copies(self, gold: Tuples, system: Tuples) -> tuple[Tuples, Tuples]:
        """Both sides as sets, with copies of what counts several times."""
        return gold, system

    def unmatched(
        self, gold: Tuples, system: Tuples, mapping: Sequence[int]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        """The triples that are missing and surplus under a correspondence."""
        parts = difference(gold, system, mapping)
        return parts.missing, parts.surplus

    def overlay(self, system: System, gold: Gold, explanation: Explanation) -> MarkedGraph:
        return self.laid_over(system, gold, explanation)

    def laid_over(
        self,
        system: System,
        gold: Gold,
        explanation: Explanation,
        *,
        copies: bool = False,
        words: Mapping[Hashable, str] | None = None,
    ) -> MarkedGraph:
        """Gold's triples and the system's; where `copies` count, repeated ones as well."""
        theirs, ours = self.both_tuples(system, gold)
        place = {name: i for i, name in enumerate(ours.nodes)}
        partner = dict(explanation["correspondences"])
        mapping = [place.get(partner.get(name), -1) for name in theirs.nodes]
        missing, surplus = self.unmatched(theirs, ours, mapping)
        text = gold.input if isinstance(gold, Graph) else None
        parts = _parts((*theirs.features, *theirs.links), theirs, text)
        return MarkedGraph(
            theirs.nodes,
            parts if copies else once(parts),
            missing=_parts(missing, theirs, text),
            surplus=_parts(surplus, ours, text),
            partners={ours: theirs for theirs, ours in explanation["correspondences"]},
            others=ours.nodes,
            words=words,
        )


def _parts(triples: Iterable[Any], tuples: Tuples, text_of_gold: str | None) -> list[Part]:
    """Some triples of a graph as parts of a picture."""
    result: list[Part] = []
    names = tuples.nodes
    for each in triples:
        *ends, kind, key = each
        nodes = (names[ends[0]],) if len(ends) == 1 else (names[ends[0]], names[ends[1]])
        if kind == INSTANCE:
            result.append(Part(None, "label", nodes, str(key), None, each))
        elif kind == RELATION:
            text = key if key.__class__ is str else _key_text(key)
            result.append(Part(None, "edge", nodes, text, key, each))
        elif key[0] == "top":
            text = "top" if key[1] == "top" else f"top {key[1]}"
            result.append(Part(None, "top", nodes, text, None, each))
        elif isinstance(key[1], str):
            result.append(Part(None, "property", nodes, " ".join(key), None, each))
        else:  # the anchors of a graph of another framework
            text = anchor_text(shown_place(key[1]), text_of_gold)
            result.append(Part(None, "anchor", nodes, text, None, each))
    return result


def _key_text(key: Any) -> str:
    if isinstance(key, tuple):
        return " ".join(map(_key_text, key))
    return "" if key is None else str(key)


def shown_triple(each: Any, tuples: Tuples) -> list[Any]:
    """A triple as role or concept and the nodes it is about, for people."""
    *ends, kind, key = each
    nodes = [tuples.nodes[end] for end in ends]
    if kind == INSTANCE:
        return ["instance", *nodes, key]
    if kind == ATTRIBUTE:
        role, value = key  # anchors, where it is no text
        return [role, *nodes, value if isinstance(value, str) else shown_place(value)]
    return [key, *nodes]


class FineMetric(MatchingMetric[str, str]):
    """Base class of metrics that score parts of graphs, each part as a row of its own.

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
        """The parts of a graph, from its text."""

    @abstractmethod
    def as_pair(self, gold: Any, system: Any, row: str) -> GraphPair:
        """The triples of a row, of both graphs."""

    @abstractmethod
    def entries(self, graph: Any, row: str) -> Iterable[Hashable]:
        """The entries of a graph that a row without mapping compares."""

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        counts = (f"{row}.{side}" for row in self.row_names for side in "gsc")
        return ("n", "inexact", *counts, *(f"{row}.bound" for row in self.matched))

    # -- counting -------------------------------------------------------------

    def prepare(
        self, pairs: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Any, Any]], list[list[GraphPair]]]:
        graphs = self._graphs(pairs)
        return graphs, self._searches(graphs, self.matched)

    def _graphs(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[Any, Any]]:
        return [(self.of_text(gold, True), self.of_text(system, False)) for system, gold in pairs]

    def _searches(
        self, graphs: Sequence[tuple[Any, Any]], names: Sequence[str]
    ) -> list[list[GraphPair]]:
        return [[self.as_pair(g, s, row) for g, s in graphs] for row in names]

    def rows(self, known: Sequence[tuple[Any, Any]], found: Sequence[Matchings]) -> Array:
        return self.counted_rows(known, dict(zip(self.matched, found, strict=True)), self._listed())

    def measure_rows(self, pairs: Sequence[tuple[str, str]], names: Collection[str]) -> Array:
        """The counts of some rows, with nothing but zeros in the columns of the others."""
        graphs = self._graphs(pairs)
        matched = [name for name in self.matched if name in names]
        found = self.best_mappings(graphs, self._searches(graphs, matched))
        listed = [name for name in self._listed() if name in names]
        return self.counted_rows(graphs, dict(zip(matched, found, strict=True)), listed)

    def counted_rows(
        self, known: Sequence[tuple[Any, Any]], found: Mapping[str, Matchings],
        listed: Sequence[str],
    ) -> Array:  # fmt: skip
        """The columns of rows with these matchings, and of these without."""
        place = {name: i for i, name in enumerate(self.columns)}
        rows = np.zeros((len(known), len(place)))
        rows[:, place["n"]] = 1
        for name, matchings in found.items():
            rows[:, place["inexact"]] = np.maximum(rows[:, place["inexact"]], ~matchings.proven)
            start = place[f"{name}.g"]
            rows[:, start : start + 3] = matchings.counts.sum(axis=2)
            rows[:, place[f"{name}.bound"]] = matchings.bound
        for name in listed:
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
