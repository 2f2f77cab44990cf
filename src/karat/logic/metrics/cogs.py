"""All metrics of logical forms in one run, and each as a metric of its own under the same name.

A metric of logical forms is a list of components. The kernel counts the columns of each group;
here is what they are called and what is made of their sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np

from karat import _native
from karat.core.capabilities import Reading, grid_in
from karat.core.marks import Score, cost, count, out_of, within
from karat.core.repairs import Claim, Target, f_score
from karat.core.scores import Array, Scores, harmonic, nest, quotient, ratio
from karat.logic.metrics.base import Component, Group, Input, LogicMetric, text_of
from karat.logic.model import DIALECT_HELP, GRAMMAR_HELP, AnyDialect, Counting, DialectName, Grammar
from karat.logic.repair import PARTITIONS, FormRepair, reading_of

KINDS = ("arguments", "predicates", "terms")
SCOPES = ("all", "prefix", "conjunction")
ORDERS = (1, 2, 3, 4)


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


# -- the metrics ----------------------------------------------------------------------------------

COUNTING_HELP = "how repeated items count [default: multiset, with legacy set]"
LEGACY_HELP = "the figures of the first COGS evaluator, to the last digit"


class PartMetric(LogicMetric):
    """Base class of metrics with precision and recall over parts."""

    dialect: Annotated[AnyDialect, DIALECT_HELP] = "cogs"
    grammar: Annotated[Grammar, GRAMMAR_HELP] = "tolerant"
    counting: Annotated[Counting | None, COUNTING_HELP] = None
    legacy: Annotated[bool, LEGACY_HELP] = False


class Cogs(PartMetric):
    """Every figure of the COGS, SLOG and ReCOGS papers, from one pass over the pairs.

    Exact match (of texts and of tokens), well-formedness (tolerant and strict),
    order-invariant match, semantic match (equality up to a renaming of constants),
    token edit distance, BLEU, and precision, recall and F1 over terms, predicates
    and arguments, in the whole form, its prefix and its conjunction. Variable-free
    forms have no constants: there, F1 is over (parent, role, child) triples.

    Differs from the first COGS evaluator in that repeated terms count, and in
    that the gold items of ill-formed output count as missed; `legacy` has its
    figures.

    >>> gold = "boy ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )"
    >>> scores = Cogs().score("boy ( x _ 3 ) AND run . agent ( x _ 2 , x _ 3 )", gold)
    >>> scores["exact_match"]["rate"], scores["semantic_match"]["rate"]
    (0.0, 1.0)
    """

    name = "cogs"

    tracing = grid_in("karat.logic.metrics.grids", "cogs")

    @property
    def main_score(self) -> str:  # type: ignore[override]
        # The indices of published ReCOGS are random, so equality of texts says little there.
        return "semantic_match.rate" if self.dialect == "recogs" else "exact_match.rate"

    @property
    def finer_score(self) -> str:  # type: ignore[override]
        return "triples.micro.f1" if self.dialect == "varfree" else "terms.all.micro.f1"

    def build(self) -> list[Component]:
        tail = [TokenEdits(), TokenBleu(), part_scores(self.dialect, self.legacy)]
        if self.dialect == "varfree":
            return [EXACT, WELL_FORMED_TREE, ORDER_INVARIANT, *tail]
        return [EXACT, WELL_FORMED, *order_checks(self.legacy), SemanticMatch(), *tail]

    # -- repairing -------------------------------------------------------------

    @property
    def partitions(self) -> tuple[str, ...]:
        return () if self.dialect == "varfree" else PARTITIONS

    @property
    def repair_claim(self) -> Claim:
        return "at least" if self.dialect == "recogs" else "equal"

    @property
    def unrepairable(self) -> str:
        if self.legacy or self.counting == "set":
            return "repeated terms that count once belong to no single edit"
        return ""

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        column, parts = self.main_score.partition(".")[0], self._parts
        f1 = f"{parts}.micro."
        return {
            self.main_score: Target({column: 1}, {"items": 1}, whole=True),
            f"{f1}f1": f_score(
                {f"{parts}.tp": 1},
                {f"{parts}.system": 1},
                {f"{parts}.gold": 1},
                f"{f1}precision",
                f"{f1}recall",
            ),
        }

    @property
    def _parts(self) -> str:
        return "triples" if self.dialect == "varfree" else "terms.all"

    def readings(self, pairs: Sequence[tuple[Input, Input]]) -> list[Reading]:
        """The terms of gold; variable-free forms have none."""
        if self.dialect == "varfree":
            return [{} for _ in pairs]
        return [reading_of(each) for each in self.repairs(pairs)]

    def repairs(self, pairs: Sequence[tuple[Input, Input]]) -> list[FormRepair]:
        first = self.columns.index(f"{self._parts}.tp")
        result = []
        for (system, gold), row in zip(pairs, self.measure_many(pairs), strict=True):
            texts = text_of(system), text_of(gold)
            forms = self.notation.parse(texts[0]), self.parse_gold(gold)
            common, ours, theirs = row[first : first + 3].tolist()
            columns = f"{self._parts}.tp", f"{self._parts}.system"
            counts = common, ours, theirs
            result.append(FormRepair(system, texts, *forms, self.dialect, counts, columns))
        return result


def order_checks(legacy: bool) -> list[Component]:
    """Order-invariant match; in legacy mode also as the first evaluator had it, over sets."""
    return [ORDER_INVARIANT, ORDER_INVARIANT_SET] if legacy else [ORDER_INVARIANT]


def part_scores(dialect: AnyDialect, legacy: bool) -> PartScores:
    """Precision, recall and F1 over the parts that a dialect has."""
    paths: list[tuple[str, ...]] = [(kind, scope) for kind in KINDS for scope in SCOPES]
    return PartScores([("triples",)] if dialect == "varfree" else paths, legacy=legacy)


# -- each of the scores as a metric of its own -----------------------------------------------------


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
