"""Checks of a pair that pass or fail: equality, well-formedness, order, meaning."""

from __future__ import annotations

import numpy as np

from karat.core.marks import count
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded
from karat.logic.grammar import strict_flaw
from karat.logic.metrics.components import Chunk, Compared, Component, Parsed, Rate
from karat.logic.model import Counting, DialectName, Form, same_items
from karat.logic.semantic import same_meaning
from karat.logic.varfree import Tree, same_tree


def exact() -> list[Component[Parsed]]:
    """Equality of the texts, and of their tokens."""
    return [
        Rate("exact_match", lambda pair: pair.system_text == pair.gold_text),
        Rate("exact_match_tokens", lambda pair: pair.system_tokens == pair.gold_tokens),
    ]


def well_formed(dialect: DialectName) -> list[Component[Form]]:
    """Whether the system's form parses, at both levels."""

    def strictly(pair: Compared[Form]) -> bool:
        return pair.system is not None and not strict_flaw(pair.system, dialect)

    return [Rate("well_formed", lambda pair: pair.system is not None),
            Rate("well_formed_strict", strictly)]  # fmt: skip


def well_formed_tree() -> list[Component[Tree]]:
    """Whether the system's tree parses."""
    return [Rate("well_formed", lambda pair: pair.system is not None)]


def order_invariant(name: str, counting: Counting) -> Component[Form]:
    """Equality up to the order of terms."""

    def passes(pair: Compared[Form]) -> bool:
        return pair.system is not None and (
            pair.system is pair.gold or same_items(pair.system, pair.gold, counting)
        )

    return Rate(name, passes)


def order_invariant_tree() -> Component[Tree]:
    """Equality up to the order of siblings."""

    def passes(pair: Compared[Tree]) -> bool:
        return pair.system is not None and same_tree(pair.system, pair.gold)

    return Rate("order_invariant", passes)


class SemanticMatch(Component[Form]):
    """Equality up to order and a renaming of constants; what could not be decided is counted."""

    columns = ("semantic_match", "undecided")

    def measure(self, chunk: Chunk[Form]) -> Array:
        return np.array([self._decide(pair) for pair in chunk.pairs], np.float64).reshape(-1, 2)

    def _decide(self, pair: Compared[Form]) -> tuple[bool, bool]:
        system, gold = pair.system, pair.gold
        if system is None:
            return False, False
        if system is gold or (gold.type != "lambda" and same_items(system, gold)):
            return True, False
        try:
            return same_meaning(system, gold), False
        except LimitExceeded:
            return False, True

    def summarize(self, items: Array, totals: Array) -> Scores:
        found = totals[..., 0]
        return {"semantic_match": {"count": count(found), "rate": ratio(found, items)}}
