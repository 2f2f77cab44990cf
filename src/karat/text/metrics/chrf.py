"""chrF and chrF++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, TypeAlias

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import main, out_of
from karat.core.options import Range
from karat.core.reading.strings import Referenced
from karat.core.scores import Array, MetricsDict, Scores, quotient, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.text.metrics.sacrebleu_base import SacreMetric, yes
from karat.text.raw_texts import ListedGrams
from karat.text.unique_pairs import first_best

CharOrder: TypeAlias = Annotated[int, Range(1, 32), "the longest character n-grams"]


class Chrf(ListedGrams, SacreMetric):
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

    def choices(self) -> Mapping[str, str]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": yes(not self.eps_smoothing),
            "nc": str(self.char_order),
            "nw": str(self.word_order),
            "space": yes(self.whitespace),
        }

    def rows(self, texts: Referenced) -> Array:
        stats = self.ngram_counts(texts)
        scores = self.from_counts(stats)
        if len(scores) > len(texts.systems):
            best = first_best(scores, texts)
            scores, stats = scores[best], stats[best]
        return np.column_stack([np.ones(len(stats)), scores, stats])

    def ngram_counts(self, texts: Referenced) -> Array:
        """The n-grams of texts with each of their references."""
        if self.lowercase:
            texts = texts.lowered()
        return counted_ngrams(texts, self.char_order, self.word_order, self.whitespace)

    def explain_texts(
        self,
        texts: Referenced,
        rows: Array,
        *,
        matched: bool = False,
        errors: _native.FrequentErrors | None = None,
    ) -> list[bytes]:
        """The reference that counts, and order by order the n-grams of characters and words that
        are missing or surplus; with `matched` also those that match."""
        best, of_references = texts.starts, rows[:, 1]
        if len(texts.references) > len(texts.systems):
            of_references = self.from_counts(self.ngram_counts(texts))
            best = first_best(of_references, texts)
        chosen = texts.references.take(best)
        parts = zip(
            nested_scores(encoded_scores(self, rows)),
            (best - texts.starts + 1).tolist(),
            _native.json_texts(*chosen.columns, np.arange(len(chosen) + 1), "", "", ""),
            pairwise(texts.bounds.tolist()),
            strict=True,
        )
        scores = of_references.tolist()
        heads = [
            b'{"scores":%b,"reference":{"number":%d,"text":%b},"reference_scores":%b'
            % (own, number, text, msgspec.json.encode(scores[begin:end]))
            for own, number, text, (begin, end) in parts
        ]
        lowered = texts.lowered() if self.lowercase else texts
        return _native.chrf_explained(
            *lowered.systems.columns, *lowered.references.take(best).columns,
            self.char_order, self.word_order, self.whitespace, heads, matched, errors,
        )  # fmt: skip

    def summarize(self, totals: Array) -> Scores:
        return {
            self.name: main(out_of(self.from_counts(totals[..., 2:]), 100)),
            f"sent-{self.name}": out_of(ratio(totals[..., 1], totals[..., 0]), 100),
        }

    tracing = grid_in("karat.text.metrics.grids.chrf")

    def line(self, scores: MetricsDict) -> str:
        """The line of sacreBLEU's score object."""
        return f"chrF{self.beta}{'+' * self.word_order} = {scores[self.name]:.2f}"

    def from_counts(self, stats: Array) -> Array:
        """The score of sums of n-grams, of any leading shape."""
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


def counted_ngrams(texts: Referenced, characters: int, words: int, whitespace: bool) -> Array:
    """N-grams of the system, of gold and of both, by order: of characters, then of words."""
    return _native.chrf_counts(*texts.columns, characters, words, whitespace).astype(np.float64)


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
