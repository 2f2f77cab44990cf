"""GLEU, Google's BLEU for sentences."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import main
from karat.core.options import Range
from karat.core.reading.strings import Offsets, Referenced
from karat.core.scores import Array, Scores, quotient, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.text.metrics.bleu import Bleu
from karat.text.raw_texts import ListedGrams, StringMetric
from karat.text.unique_pairs import first_best


class Gleu(ListedGrams, StringMetric):
    """GLEU (Wu et al. 2016): the lesser of precision and recall of all n-grams, as in nltk.

    `gleu` is that of the summed counts, `sent-gleu` the mean of sentences. Of several references
    the one with the best score counts. nltk expects words; `tokenize` offers BLEU's
    tokenizers.

    >>> Gleu().score("the dog barks", ["the dog barks loudly"])["gleu"]
    0.6
    """

    name = "gleu"
    columns = ("segments", "sentence_gleu", "matches", "ngrams")

    tokenize: Annotated[str, "BLEU's tokenizer: none, 13a, intl, char, wordpunct, string, ..."] = (
        "none"
    )
    lowercase: Annotated[bool, "lower-case both sides"] = False
    max_ngram_order: Annotated[int, Range(1, 16), "the longest n-grams"] = 4

    @cached_property
    def _words(self) -> Bleu:
        """What makes words of texts."""
        return Bleu(tokenize=self.tokenize, lowercase=self.lowercase)

    def rows(self, texts: Referenced) -> Array:
        """The counts of texts with their references."""
        matches, sizes = self._of_references(texts)
        best = _that_counts(matches, sizes, texts)
        matches, sizes = matches[best], sizes[best]
        return np.column_stack([np.ones(len(best)), ratio(matches, sizes), matches, sizes])

    def _of_references(self, texts: Referenced) -> tuple[Array, Array]:
        """Matches with each reference, and the n-grams of the longer side."""
        texts, how = self._words.prepared(texts)
        each = Referenced(
            texts.systems.take(np.repeat(np.arange(len(texts.systems)), texts.sizes)),
            texts.references,
            np.arange(len(texts.references) + 1),
        )
        found = _native.bleu_counts(*each.columns, orders=self.max_ngram_order, **how)
        counts = found.astype(np.float64)
        matches = counts[:, 2 : 2 + self.max_ngram_order].sum(axis=1)
        return matches, np.maximum(self._ngrams(counts[:, 0]), self._ngrams(counts[:, 1]))

    def _ngrams(self, words: Array) -> Array:
        """How many n-grams texts of so many words have."""
        orders = range(self.max_ngram_order)
        return np.sum([np.maximum(words - n, 0.0) for n in orders], axis=0)  # type: ignore[no-any-return]

    def summarize(self, totals: Array) -> Scores:
        segments, sentences, matches, ngrams = self.columns_of(totals)
        return {
            "gleu": main(ratio(matches, ngrams)),
            "sent-gleu": ratio(sentences, segments),
        }

    def explain_texts(
        self,
        texts: Referenced,
        rows: Array,
        *,
        matched: bool = False,
        errors: _native.FrequentErrors | None = None,
    ) -> list[bytes]:
        """The tokens, and for each order the n-grams that are missing or surplus beside the
        reference that counts; with `matched` also those that match."""
        chosen = np.zeros(len(texts.systems), np.int64)
        if len(texts.references) > len(texts.systems):
            chosen = _that_counts(*self._of_references(texts), texts) - texts.starts
        prepared, how = self._words.prepared(texts)
        return _native.gleu_explained(
            *prepared.columns, orders=self.max_ngram_order, **how,
            scores=nested_scores(encoded_scores(self, rows)), chosen=chosen,
            matched=matched, errors=errors,
        )  # fmt: skip

    tracing = grid_in("karat.text.metrics.grids.words", "gleu")


def _that_counts(matches: Array, sizes: Array, texts: Referenced) -> Offsets:
    """The reference that counts for each text.

    One without n-grams does not count, unless there is no other.
    """
    return first_best(np.where(sizes > 0, quotient(matches, sizes), -1.0), texts)
