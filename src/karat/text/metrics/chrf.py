"""chrF and chrF++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import numpy as np

from karat import _native
from karat.core.marks import main, out_of
from karat.core.metric import Explanation
from karat.core.options import Range
from karat.core.reading.strings import Referenced
from karat.core.scores import Array, MetricsDict, Scores, quotient, ratio
from karat.core.tracing import grid_in
from karat.text.metrics.sacrebleu_base import SacreMetric, yes
from karat.text.model import Text
from karat.text.unique_pairs import first_best

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
        return _native.chrf_counts(
            *texts.columns, self.char_order, self.word_order, self.whitespace
        ).astype(np.float64)

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """The reference that counts, and its n-grams of characters and words, order by order."""
        from karat.text.counted_grams import counted, ngrams, tokenized

        text, references = self.strings(system, gold)
        pair = Referenced.of([(text, references)])
        scores = self.from_counts(self.ngram_counts(pair))
        best = int(first_best(scores, pair)[0])
        sides = [text, references[best]]
        if self.lowercase:
            sides = [side.lower() for side in sides]
        kinds = {
            "characters": (self._characters(sides), self.char_order, ""),
            "words": (tokenized(sides, "marks"), self.word_order, " "),
        }
        result: Explanation = {
            "scores": self.score(system, gold),
            "reference": {"number": best + 1, "text": references[best]},
            "reference_scores": scores.tolist(),
        }
        for kind, ((ours, theirs), orders, between) in kinds.items():
            if orders:
                result[kind] = {
                    # Where the reference is too short for an order, nothing is counted.
                    str(n): counted(
                        ngrams(ours if len(theirs) >= n else [], n), ngrams(theirs, n), between
                    )
                    for n in range(1, orders + 1)
                }
        return result

    def _characters(self, texts: Sequence[str]) -> list[list[str]]:
        return [[c for c in text if self.whitespace or not c.isspace()] for text in texts]

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
