"""Base class of metrics that count instances, attributes and relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.core.metric import Explanation
from karat.core.scores import Array, Scores
from karat.graphs.matching.solver import Kind
from karat.graphs.matching.tuples import ATTRIBUTE, INSTANCE, TRIPLES, Tuples, difference
from karat.graphs.metrics.matched import Gold, MatchedMetric, System


class TripleMetric(MatchedMetric[System, Gold]):
    """Base class of metrics whose scores are those of all triples together."""

    parts = TRIPLES
    worth = (Kind(rank=1), Kind(rank=3), Kind(rank=2))

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
