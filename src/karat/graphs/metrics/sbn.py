"""Simplified box notation by Smatch."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from karat.graphs.drs.sbn import Compat, Structure, Variant, read_sbn, sbn_tuples
from karat.graphs.matching.solver import DEFAULT_BUDGET, Budget, GraphPair
from karat.graphs.matching.tuples import Tuples, as_pair
from karat.graphs.metrics.matched import TripleMetric

Strict: TypeAlias = Annotated[
    bool, "a system's structure with a cycle or an index that points nowhere is empty"
]
CompatOption: TypeAlias = Annotated[
    Compat | None, "keep one role between two concepts, and one digit of an index, as the tool does"
]


class Sbn(TripleMetric[str, str]):
    """Boxes, concepts and roles shared under the best mapping, as Smatch counts them.

    `variant="coarse"` takes a concept for one thing, as the evaluation tool of the
    Parallel Meaning Bank does; `sense` and `no-sense` split it into lemma, part of
    speech and sense, as UD-Boxer does, which makes figures higher. Both tools give no
    point to a system's structure with a cycle of roles as they are written, and the first
    none to one with an index that points before the first concept or behind the last;
    `strict` does so. Of several roles between two concepts they keep the last, which
    `compat` does.

    >>> Sbn().score("dog.n.01\\nbark.v.01 Theme -1", "dog.n.01\\nbark.v.01 Agent -1")["c"]
    6
    """

    name = "sbn"
    kind = "sbn"

    variant: Annotated[Variant, "how much of a concept is told apart"] = "coarse"
    strict: Strict = False
    compat: CompatOption = None
    budget: Budget = DEFAULT_BUDGET

    def absent(self, gold: str) -> str:
        return ""

    def is_null(self, system: str) -> bool:
        return not self._of_system(system).nodes

    def why_null(self, system: str) -> tuple[str, str]:
        found = read_sbn(system, self.compat)
        advice = "without --strict such structures are scored as far as they can be read"
        if found.astray:
            return "an index leads to no concept", advice
        return ("its roles form a cycle", advice) if found.is_cyclic() else ("", "")

    def as_pair(self, system: str, gold: str) -> GraphPair:
        return as_pair(*self.both_tuples(system, gold))

    def both_tuples(self, system: str, gold: str) -> tuple[Tuples, Tuples]:
        theirs = sbn_tuples(read_sbn(gold, self.compat), self.variant)
        return theirs, self._of_system(system)

    def _of_system(self, system: str) -> Tuples:
        return sbn_tuples(system_structure(system, self.strict, self.compat), self.variant)


def system_structure(text: str, strict: bool, compat: Compat | None) -> Structure:
    """The structure that a system wrote; an empty one where `strict` refuses it."""
    found = read_sbn(text, compat)
    return Structure() if strict and (found.astray or found.is_cyclic()) else found
