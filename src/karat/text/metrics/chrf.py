"""chrF and chrF++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import numpy as np

from karat import _native
from karat.core.marks import main, out_of
from karat.core.options import Range
from karat.core.scores import Array, Scores, quotient, ratio
from karat.core.tokens import Codes, characters, numbered
from karat.text.metrics.sacrebleu_base import SacreMetric
from karat.text.model import Text
from karat.text.unique_pairs import UniquePairs, first_best

CharOrder: TypeAlias = Annotated[int, Range(1, 32), "the longest character n-grams"]


class Chrf(SacreMetric):
    """chrF (Popović 2015), and chrF++ with `word_order=2`, equal to sacreBLEU.

    `chrf` is the corpus score from summed n-gram counts, `sent-chrf` the mean of
    sentence scores. Of several references, a segment takes the one with the
    best score.

    >>> Chrf().score("the dog", ["the dogs"])["chrf"]
    77.57103344229319
    """

    name = "chrf"
    peer_name = "CHRF"

    char_order: CharOrder = 6
    word_order: Annotated[int, Range(0, 32), "the longest word n-grams; 2 is chrF++"] = 0
    beta: Annotated[int, Range(1, 1000), "how much more recall counts than precision"] = 2
    lowercase: Annotated[bool, "lower-case both sides"] = False
    whitespace: Annotated[bool, "count white space as characters"] = False
    eps_smoothing: Annotated[bool, "smooth as chrF++.py, NLTK and Moses do"] = False

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return (
            "segments",
            "sentence_chrf",
            *(
                f"{side}_{n}"
                for n in range(1, self.char_order + self.word_order + 1)
                for side in ("system", "gold", "common")
            ),
        )

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        if not pairs:
            return np.empty((0, len(self.columns)))
        unique = UniquePairs([self.strings(system, gold) for system, gold in pairs])
        texts = [text.lower() for text in unique.texts] if self.lowercase else unique.texts
        squeezed = texts if self.whitespace else ["".join(text.split()) for text in texts]
        counts = _native.ngram_overlaps(*characters(squeezed), unique.pairs, self.char_order)
        if self.word_order:
            words = numbered([self._peer._remove_punctuation(text) for text in texts], Codes())
            more = _native.ngram_overlaps(*words, unique.pairs, self.word_order)
            counts = np.concatenate([counts, more], axis=1)
        common, gold, system = np.moveaxis(counts.astype(np.float64), -1, 0)
        # Without n-grams in the reference those of the system do not count.
        system = np.where(gold > 0, system, 0.0)
        stats = np.stack([system, gold, common], axis=-1).reshape(len(counts), -1)
        scores = self._score(stats)
        best = unique.members[first_best(scores[unique.members], unique)]
        return np.column_stack([np.ones(len(pairs)), scores[best], stats[best]])

    def summarize(self, totals: Array) -> Scores:
        return {
            self.name: main(out_of(self._score(totals[..., 2:]), 100)),
            f"sent-{self.name}": out_of(ratio(totals[..., 1], totals[..., 0]), 100),
        }

    def _score(self, stats: Array) -> Array:
        factor, tiny = float(self.beta**2), 1e-16
        shape = stats.shape[:-1]
        smoothed, precisions, recalls, orders = (np.zeros(shape) for _ in range(4))
        for i in range(0, stats.shape[-1], 3):
            system, gold, common = stats[..., i], stats[..., i + 1], stats[..., i + 2]
            precision = quotient(common, system, empty=tiny)
            recall = quotient(common, gold, empty=tiny)
            smoothed = smoothed + quotient(
                (1 + factor) * precision * recall, factor * precision + recall, empty=tiny
            )
            both = (system > 0) & (gold > 0)
            precisions = precisions + np.where(both, precision, 0.0)
            recalls = recalls + np.where(both, recall, 0.0)
            orders = orders + both
        if self.eps_smoothing:
            return np.asarray(100 * smoothed / (self.char_order + self.word_order))
        precision, recall = quotient(precisions, orders), quotient(recalls, orders)
        return 100 * quotient((1 + factor) * precision * recall, factor * precision + recall)


class ChrfPlusPlus(Chrf):
    """chrF++ (Popović 2017), equal to sacreBLEU: chrF with n-grams of words besides characters.

    `chrf++` is the corpus score from summed n-gram counts, `sent-chrf++` the mean of
    sentence scores. The same figures come from `chrf` with `word_order=2`.

    >>> ChrfPlusPlus().score("the dog", ["the dogs"])["chrf++"]
    64.5005199907557
    """

    name = "chrf++"

    char_order: CharOrder = 6
    word_order: Annotated[int, Range(1, 32), "the longest word n-grams"] = 2
