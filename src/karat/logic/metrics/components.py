"""Components of the metrics of logical forms: groups of columns, and scores from their sums.

A metric of logical forms is a list of components. The kernel counts the columns of each group;
here is what they are called and what is made of their sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from karat import _native
from karat.core.marks import Score, cost, count, out_of, within
from karat.core.scores import Array, Scores, harmonic, nest, quotient, ratio

KINDS = ("arguments", "predicates", "terms")
SCOPES = ("all", "prefix", "conjunction")
ORDERS = (1, 2, 3, 4)
Group: TypeAlias = Literal[
    "exact", "well_formed", "order", "order_set", "semantic", "edits", "bleu", "parts"
]
"""Columns that the kernel counts together."""


class Component(ABC):
    """A group of columns, and the scores made from their sums."""

    group: Group
    columns: Sequence[str]

    @abstractmethod
    def summarize(self, items: Array, totals: Array) -> Scores:
        """Scores from the number of items and the sums of the columns."""


class Rates(Component):
    """The number and the share of pairs that pass each of some tests."""

    def __init__(self, group: Group, *names: str) -> None:
        self.group = group
        self.columns = names

    def summarize(self, items: Array, totals: Array) -> Scores:
        return {
            name: {"count": count(totals[..., i]), "rate": ratio(totals[..., i], items)}
            for i, name in enumerate(self.columns)
        }


EXACT = Rates("exact", "exact_match", "exact_match_tokens")
"""Equality of the texts, and of their tokens."""
WELL_FORMED = Rates("well_formed", "well_formed", "well_formed_strict")
"""Whether the system's form parses, at both levels."""
WELL_FORMED_TREE = Rates("well_formed", "well_formed")
ORDER_INVARIANT = Rates("order", "order_invariant")
"""Equality up to the order of terms, or of siblings."""
ORDER_INVARIANT_SET = Rates("order_set", "order_invariant_set")
"""The same over sets of terms, as the first COGS evaluator had it."""


class SemanticMatch(Component):
    """Equality up to order and a renaming of constants; what could not be decided is counted."""

    group: Group = "semantic"
    columns = ("semantic_match", "undecided")

    def summarize(self, items: Array, totals: Array) -> Scores:
        found = totals[..., 0]
        return {"semantic_match": {"count": count(found), "rate": ratio(found, items)}}


class TokenEdits(Component):
    """Levenshtein distance over tokens, of ill-formed output too."""

    group: Group = "edits"
    columns = ("edit_distance", "gold_tokens")

    def summarize(self, items: Array, totals: Array) -> Scores:
        distance, gold_tokens = totals[..., 0], totals[..., 1]
        return {
            "edit_distance": {
                "total": cost(count(distance)),
                "mean": cost(within(ratio(distance, items), 0)),
                "per_gold_token": cost(ratio(distance, gold_tokens)),
            }
        }


class TokenBleu(Component):
    """Corpus BLEU-4 over tokens with one reference and no smoothing."""

    group: Group = "bleu"
    columns = (
        "system_tokens",
        "reference_tokens",
        *(f"common_{n}grams" for n in ORDERS),
        *(f"system_{n}grams" for n in ORDERS),
    )

    def summarize(self, items: Array, totals: Array) -> Scores:
        system, reference = totals[..., 0], totals[..., 1]
        product = np.ones(system.shape)
        for n in range(len(ORDERS)):
            product = product * quotient(totals[..., 2 + n], totals[..., 2 + len(ORDERS) + n])
        # The fourth root by square roots, which are the same for one number and for many.
        mean = np.sqrt(np.sqrt(product))
        return {"bleu": out_of(100 * mean * _brevity_penalty(system, reference), 100)}


def _brevity_penalty(system: Array, reference: Array) -> Array:
    excess = np.asarray(np.maximum(quotient(reference, system) - 1, 0.0))
    return _native.exponentials(-excess.ravel()).reshape(excess.shape)


class PartScores(Component):
    """Precision, recall and F1 over items of several kinds, micro and macro.

    In legacy mode the gold items of ill-formed output do not count, and a pair
    without any item has precision and recall 0, as the first COGS evaluator had it.
    """

    group: Group = "parts"
    COUNTS = ("tp", "system", "gold", "precision", "recall", "f1")

    def __init__(self, paths: Sequence[tuple[str, ...]], *, legacy: bool = False) -> None:
        self.paths = paths
        self.legacy = legacy
        self.columns = tuple(".".join((*path, name)) for path in paths for name in self.COUNTS)

    def summarize(self, items: Array, totals: Array) -> Scores:
        found: list[tuple[tuple[str, ...], Array | Score]] = []
        for i, path in enumerate(self.paths):
            first = i * len(self.COUNTS)
            tp, system, gold, *sums = (totals[..., first + j] for j in range(len(self.COUNTS)))
            found += [
                ((*path, "tp"), count(tp)),
                ((*path, "system"), count(system)),
                ((*path, "gold"), count(gold)),
            ]
            found += _triple((*path, "micro"), ratio(tp, system), ratio(tp, gold))
            found += _triple((*path, "macro"), ratio(sums[0], items), ratio(sums[1], items))
            if not self.legacy:
                found.append(((*path, "macro", "mean_f1"), ratio(sums[2], items)))
        return nest(found)


def _triple(
    path: tuple[str, ...], precision: Array, recall: Array
) -> list[tuple[tuple[str, ...], Array | Score]]:
    return [
        ((*path, "precision"), precision),
        ((*path, "recall"), recall),
        ((*path, "f1"), harmonic(precision, recall)),
    ]
