"""Components of the metrics of logical forms: columns of counts, and scores from their sums.

A metric of logical forms is a list of components. Each turns a chunk of
compared pairs into columns, and a sum of them into scores.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.marks import Score, cost, count, out_of, within
from karat.core.scores import Array, Scores, harmonic, nest, quotient, ratio
from karat.core.tokens import Codes, numbered
from karat.logic.model import Counting, Form, Term, overlap

KINDS = ("arguments", "predicates", "terms")
SCOPES = ("all", "prefix", "conjunction")
Items: TypeAlias = Sequence[Hashable]
Parts: TypeAlias = tuple[Items, ...]
"""One list of items for each kind and scope, kinds first, in the order of KINDS and SCOPES."""

Parsed = TypeVar("Parsed")


class Compared(Generic[Parsed]):
    """A pair of texts with their tokens and forms; `system` is None where it is ill-formed."""

    __slots__ = ("gold", "gold_text", "gold_tokens", "system", "system_text", "system_tokens")

    def __init__(
        self, system_text: str, gold_text: str, system: Parsed | None, gold: Parsed
    ) -> None:
        self.system_text = system_text
        self.gold_text = gold_text
        self.system = system
        self.gold = gold
        self.gold_tokens = gold_text.split()
        self.system_tokens = self.gold_tokens if system_text == gold_text else system_text.split()


class Chunk(Generic[Parsed]):
    """Several pairs, and the arrays that components share."""

    def __init__(self, pairs: Sequence[Compared[Parsed]]) -> None:
        self.pairs = pairs

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def differing(self) -> list[int]:
        """The positions of pairs whose texts differ; in the others everything matches."""
        return [
            i for i, pair in enumerate(self.pairs) if pair.system_tokens is not pair.gold_tokens
        ]

    @cached_property
    def numbered(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The tokens of differing pairs as numbers: all of the system's texts, then the gold's."""
        texts = [self.pairs[i].system_tokens for i in self.differing]
        texts += [self.pairs[i].gold_tokens for i in self.differing]
        return numbered(texts, Codes())


class Component(ABC, Generic[Parsed]):
    """A group of columns, and the scores made from their sums."""

    columns: Sequence[str]

    @abstractmethod
    def measure(self, chunk: Chunk[Parsed]) -> Array:
        """Rows for a chunk of pairs, one column per name."""

    @abstractmethod
    def summarize(self, items: Array, totals: Array) -> Scores:
        """Scores from the number of items and the sums of the columns."""


class Rate(Component[Parsed]):
    """The number and the share of pairs that pass a test."""

    def __init__(self, name: str, passes: Callable[[Compared[Parsed]], bool]) -> None:
        self.name = name
        self.passes = passes
        self.columns = (name,)

    def measure(self, chunk: Chunk[Parsed]) -> Array:
        return np.array([[self.passes(pair)] for pair in chunk.pairs], np.float64).reshape(-1, 1)

    def summarize(self, items: Array, totals: Array) -> Scores:
        return {self.name: {"count": count(totals[..., 0]), "rate": ratio(totals[..., 0], items)}}


class TokenEdits(Component[Parsed]):
    """Levenshtein distance over tokens, of ill-formed output too."""

    columns = ("edit_distance", "gold_tokens")

    def measure(self, chunk: Chunk[Parsed]) -> Array:
        distances = np.zeros(len(chunk))
        if chunk.differing:
            tokens, offsets = chunk.numbered
            size = len(chunk.differing)
            middle = offsets[size]
            distances[chunk.differing] = _native.edit_distances(
                tokens[:middle], offsets[: size + 1], tokens[middle:], offsets[size:] - middle
            )
        lengths = [float(len(pair.gold_tokens)) for pair in chunk.pairs]
        return np.column_stack([distances, np.array(lengths)])

    def summarize(self, items: Array, totals: Array) -> Scores:
        distance, gold_tokens = totals[..., 0], totals[..., 1]
        return {
            "edit_distance": {
                "total": cost(count(distance)),
                "mean": cost(within(ratio(distance, items), 0)),
                "per_gold_token": cost(ratio(distance, gold_tokens)),
            }
        }


ORDERS = (1, 2, 3, 4)


class TokenBleu(Component[Parsed]):
    """Corpus BLEU-4 over tokens with one reference and no smoothing."""

    columns = (
        "system_tokens",
        "reference_tokens",
        *(f"common_{n}grams" for n in ORDERS),
        *(f"system_{n}grams" for n in ORDERS),
    )

    def measure(self, chunk: Chunk[Parsed]) -> Array:
        lengths = np.array(
            [(len(pair.system_tokens), len(pair.gold_tokens)) for pair in chunk.pairs], np.float64
        ).reshape(-1, 2)
        totals = np.maximum(lengths[:, :1] - np.arange(len(ORDERS)), 0)
        common = totals.copy()
        if chunk.differing:
            size = len(chunk.differing)
            sides = np.arange(2 * size, dtype=np.int32).reshape(2, size).T.copy()
            overlaps = _native.ngram_overlaps(*chunk.numbered, sides, len(ORDERS))
            common[chunk.differing] = overlaps[:, :, 0]
        return np.concatenate([lengths, common, totals], axis=1)

    def summarize(self, items: Array, totals: Array) -> Scores:
        system, reference = totals[..., 0], totals[..., 1]
        product = np.ones(system.shape)
        for n in range(len(ORDERS)):
            product = product * quotient(totals[..., 2 + n], totals[..., 2 + len(ORDERS) + n])
        # The fourth root by square roots, which are the same for one number and for many.
        mean = np.sqrt(np.sqrt(product))
        return {"bleu": out_of(100 * mean * _brevity_penalty(system, reference), 100)}


def _brevity_penalty(system: Array, reference: Array) -> Array:
    excess = np.asarray(quotient(reference, system) - 1)
    penalty = np.array([math.exp(-max(e, 0.0)) for e in excess.ravel().tolist()])
    return penalty.reshape(excess.shape)


def parts_of(form: Form) -> Parts:
    """The items of a form: a bare name is one term without predicate or argument."""
    prefix = form.definite
    conjuncts = (Term(form.name, ()),) if form.type == "name" else form.conjuncts
    result: list[Items] = []
    before: Items = [a for _, arguments in prefix for a in arguments]
    after: Items = [a for _, arguments in conjuncts for a in arguments]
    result += [[*before, *after], before, after]
    if form.type == "name":
        result += [(), (), ()]
    else:
        before, after = [predicate for predicate, _ in prefix], [p for p, _ in conjuncts]
        result += [[*before, *after], before, after]
    return (*result, prefix + conjuncts, prefix, conjuncts)


def sizes(system: Items, gold: Items, counting: Counting) -> tuple[int, int, int]:
    """The numbers of common items, of the system's and of the gold's."""
    if not system and not gold:
        return 0, 0, 0
    if counting == "multiset":
        return overlap(system, gold), len(system), len(gold)
    ours, theirs = set(system), set(gold)
    return len(ours & theirs), len(ours), len(theirs)


class PartScores(Component[Parsed]):
    """Precision, recall and F1 over items of several kinds, micro and macro.

    In legacy mode the gold items of ill-formed output do not count, and a pair
    without any item has precision and recall 0, as the first COGS evaluator had it.
    """

    COUNTS = ("tp", "system", "gold", "precision", "recall", "f1")

    def __init__(
        self,
        paths: Sequence[tuple[str, ...]],
        parts: Callable[[Parsed], Sequence[Items]],
        *,
        counting: Counting = "multiset",
        legacy: bool = False,
    ) -> None:
        self.paths = paths
        self.parts = parts
        self.counting: Counting = counting
        self.legacy = legacy
        self.columns = tuple(".".join((*path, name)) for path in paths for name in self.COUNTS)

    def measure(self, chunk: Chunk[Parsed]) -> Array:
        pairs = chunk.pairs
        nothing: Sequence[Items] = ((),) * len(self.paths)
        rows = []
        for pair in pairs:
            golds = self.parts(pair.gold)
            systems = nothing if pair.system is None else self.parts(pair.system)
            rows.append(
                [
                    sizes(system, gold, self.counting)
                    for system, gold in zip(systems, golds, strict=True)
                ]
            )
        counts = np.array(rows, np.float64).reshape(len(pairs), len(self.paths), 3)
        formed = np.array([pair.system is not None for pair in pairs], bool)[:, None]
        common, system, gold = counts[..., 0], counts[..., 1], counts[..., 2]
        precision, recall = ratio(common, system), ratio(common, gold)
        f1 = harmonic(precision, recall)
        if self.legacy:
            gold = np.where(formed, gold, 0.0)
        else:
            perfect = formed & (system == 0) & (gold == 0)
            precision, recall, f1 = (np.where(perfect, 1.0, x) for x in (precision, recall, f1))
        table = np.stack([common, system, gold, precision, recall, f1], axis=-1)
        return table.reshape(len(pairs), -1)

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
