"""Simplified box notation by Smatch."""

from __future__ import annotations

from typing import Annotated, Any

from karat.core.metric import Explanation
from karat.core.options import Range
from karat.core.scores import Array, Scores
from karat.graphs.matching import DEFAULT_BUDGET, GraphPair, Kind
from karat.graphs.metrics.matched import MatchedMetric
from karat.graphs.metrics.smatch import PARTS, shown_triple
from karat.graphs.sbn import Structure, Variant, read_sbn, sbn_tuples
from karat.graphs.tuples import Tuples, as_pair, difference


class Sbn(MatchedMetric[str, str]):
    """Boxes, concepts and roles shared under the best mapping, as Smatch counts them.

    `variant="coarse"` takes a concept for one thing, as the evaluation tool of the
    Parallel Meaning Bank does; `sense` and `no-sense` split it into lemma, part of
    speech and sense, as UD-Boxer does, which makes figures higher. Both tools give no
    point to a system's structure with a cycle, or with an index that points behind the
    last concept; `strict` does so.

    >>> Sbn().score("dog.n.01\\nbark.v.01 Theme -1", "dog.n.01\\nbark.v.01 Agent -1")["c"]
    6
    """

    name = "sbn"
    kind = "sbn"
    headline = "f"
    parts = PARTS
    worth = (Kind(rank=1), Kind(rank=3), Kind(rank=2))

    def __init__(
        self,
        *,
        variant: Annotated[Variant, "how much of a concept is told apart"] = "coarse",
        strict: Annotated[
            bool, "a system's structure with a cycle or an index that points nowhere is empty"
        ] = False,
        budget: Annotated[
            int, Range(0), "work to spend on one pair before its score is called not proven"
        ] = DEFAULT_BUDGET,
    ) -> None:
        self.variant = variant
        self.strict = strict
        self.budget = budget

    def absent(self, gold: str) -> str:
        return ""

    def is_null(self, system: str) -> bool:
        return not self._of_system(system).nodes

    def as_pair(self, system: str, gold: str) -> GraphPair:
        return as_pair(*self.both_tuples(system, gold))

    def both_tuples(self, system: str, gold: str) -> tuple[Tuples, Tuples]:
        return sbn_tuples(read_sbn(gold), self.variant), self._of_system(system)

    def _of_system(self, system: str) -> Tuples:
        return sbn_tuples(system_structure(system, self.strict), self.variant)

    def describe(self, kind: int, key: Any) -> str:
        name = key[0] if isinstance(key, tuple) else key
        return f"concept {name}" if kind == 0 else f"role {name}"

    def summarize(self, totals: Array) -> Scores:
        scores: dict[str, Any] = dict(super().summarize(totals))
        return {"n": scores.pop("n"), **scores.pop("all"), **scores}

    @property
    def totals(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset(name.removeprefix("all.") for name in super().totals)

    def explain(self, system: str, gold: str) -> Explanation:
        """Which nodes correspond, and the triples that are missing or surplus."""
        theirs, ours = self.both_tuples(system, gold)
        mapping = self.matchings([(system, gold)])[0].mapping.tolist()
        parts = difference(theirs, ours, mapping)
        return {
            "correspondences": [
                [theirs.nodes[i], ours.nodes[j]] for i, j in enumerate(mapping) if j >= 0
            ],
            "missing": [shown_triple(each, theirs) for each in parts.missing],
            "surplus": [shown_triple(each, ours) for each in parts.surplus],
        }


def system_structure(text: str, strict: bool) -> Structure:
    """What a system wrote; nothing, where it is strictly no graph of concepts."""
    found = read_sbn(text)
    return Structure() if strict and (found.astray or found.is_cyclic()) else found
