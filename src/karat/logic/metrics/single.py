"""The scores of `cogs`, each as a metric of its own under the same name."""

from __future__ import annotations

from typing import Annotated

from karat.logic.metrics.base import LogicMetric
from karat.logic.metrics.cogs import LEGACY_HELP, PartMetric, order_checks, part_scores
from karat.logic.metrics.components import (
    EXACT,
    ORDER_INVARIANT,
    WELL_FORMED,
    WELL_FORMED_TREE,
    Component,
    SemanticMatch,
    TokenBleu,
    TokenEdits,
)
from karat.logic.model import DIALECT_HELP, GRAMMAR_HELP, AnyDialect, DialectName, Grammar


class LfExact(LogicMetric):
    """Share of forms equal to the gold: as texts, and token by token.

    >>> LfExact().score("Layla ", "Layla")["exact_match_tokens"]
    {'count': 1, 'rate': 1.0}
    """

    name = "lf-exact"
    main_score = "exact_match.rate"

    def build(self) -> list[Component]:
        return [EXACT]


class LfWellFormed(LogicMetric):
    """Share of forms that the grammar allows: tolerant, and strict.

    >>> LfWellFormed().score("cat ( x _ 1 , x _ 2 )", "cat ( x _ 1 )")
    {'well_formed': {'count': 1, 'rate': 1.0}, 'well_formed_strict': {'count': 0, 'rate': 0.0}}
    """

    name = "lf-well-formed"
    main_score = "well_formed.rate"

    def build(self) -> list[Component]:
        return [WELL_FORMED_TREE if self.dialect == "varfree" else WELL_FORMED]


class LfOrderInvariant(LogicMetric):
    """Share of forms equal to the gold up to the order of terms (or of siblings).

    >>> LfOrderInvariant().score("cat ( x _ 1 ) AND dog ( x _ 2 )", "dog ( x _ 2 ) AND cat ( x _ 1 )")
    {'order_invariant': {'count': 1, 'rate': 1.0}}
    """  # noqa: E501

    name = "lf-order-invariant"
    main_score = "order_invariant.rate"

    dialect: Annotated[AnyDialect, DIALECT_HELP] = "cogs"
    grammar: Annotated[Grammar, GRAMMAR_HELP] = "tolerant"
    legacy: Annotated[bool, LEGACY_HELP] = False

    def build(self) -> list[Component]:
        if self.dialect == "varfree":
            return [ORDER_INVARIANT]
        return order_checks(self.legacy)


class LfSemantic(LogicMetric):
    """Share of forms equal to the gold up to order and a renaming of constants.

    A bijection between the constants must make the multisets of prefix terms and
    of conjuncts equal; names and predicates match literally, lambda letters by
    the position of their binder.

    >>> LfSemantic().score("run . agent ( x _ 5 , Emma )", "run . agent ( x _ 1 , Emma )")
    {'semantic_match': {'count': 1, 'rate': 1.0}}
    """

    name = "lf-semantic"
    main_score = "semantic_match.rate"

    dialect: Annotated[DialectName, DIALECT_HELP] = "cogs"

    def build(self) -> list[Component]:
        return [SemanticMatch()]


class LfEditDistance(LogicMetric):
    """Levenshtein distance over tokens: total, per pair, per gold token.

    >>> LfEditDistance().score("Emma", "run . agent ( x _ 1 , Emma )")["edit_distance"]["total"]
    9
    """

    name = "lf-edit-distance"
    main_score = "edit_distance.per_gold_token"

    def build(self) -> list[Component]:
        return [TokenEdits()]


class LfBleu(LogicMetric):
    """Corpus BLEU-4 over tokens, one reference, no smoothing.

    >>> LfBleu().score("run . agent ( x _ 1 , Emma )", "run . agent ( x _ 1 , Emma )")
    {'bleu': 100.0}
    """

    name = "lf-bleu"
    main_score = "bleu"

    def build(self) -> list[Component]:
        return [TokenBleu()]


class LfParts(PartMetric):
    """Precision, recall and F1 over terms, predicates and arguments, micro and macro.

    >>> gold = "boy ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )"
    >>> LfParts().score("boy ( x _ 1 )", gold)["terms"]["all"]["micro"]["recall"]
    0.5
    """

    name = "lf-parts"

    @property
    def main_score(self) -> str:  # type: ignore[override]
        return "triples.micro.f1" if self.dialect == "varfree" else "terms.all.micro.f1"

    def build(self) -> list[Component]:
        return [part_scores(self.dialect, self.legacy)]
