"""All metrics of logical forms in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from karat.core.capabilities import Reading, grid_in
from karat.core.repairs import Claim, Target, f_score
from karat.logic.metrics.base import Input, LogicMetric, text_of
from karat.logic.metrics.components import (
    EXACT,
    KINDS,
    ORDER_INVARIANT,
    ORDER_INVARIANT_SET,
    SCOPES,
    WELL_FORMED,
    WELL_FORMED_TREE,
    Component,
    PartScores,
    SemanticMatch,
    TokenBleu,
    TokenEdits,
)
from karat.logic.model import DIALECT_HELP, GRAMMAR_HELP, AnyDialect, Counting, Grammar
from karat.logic.repair import PARTITIONS, FormRepair, reading_of

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
