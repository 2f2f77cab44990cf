"""GLEU, Google's BLEU for sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated

import numpy as np

from karat import _native
from karat.core.capabilities import Explanation, grid_in
from karat.core.marks import main
from karat.core.options import Range
from karat.core.reading.strings import Referenced
from karat.core.scores import Array, Scores, quotient, ratio
from karat.text.metrics.bleu import Bleu
from karat.text.model import Text
from karat.text.raw_texts import RowsOfStrings
from karat.text.unique_pairs import first_best
from karat.text.words.character_kinds import INTL


class Gleu(RowsOfStrings):
    """GLEU (Wu et al. 2016): the lesser of precision and recall of all n-grams, as in nltk.

    `gleu` is that of the summed counts, `sent-gleu` the mean of sentences. Of several references
    the one with the best score counts. nltk takes words from its user; `tokenize` has BLEU's
    tokenizers.

    >>> Gleu().score("the dog barks", ["the dog barks loudly"])["gleu"]
    0.6
    """

    name = "gleu"
    columns = ("segments", "sentence_gleu", "matches", "ngrams")

    tokenize: Annotated[str, "BLEU's tokenizer: none, 13a, intl, char, wordpunct, ..."] = "none"
    lowercase: Annotated[bool, "lower-case both sides"] = False
    max_ngram_order: Annotated[int, Range(1, 16), "the longest n-grams"] = 4

    @cached_property
    def _words(self) -> Bleu:
        """What makes words of texts."""
        return Bleu(tokenize=self.tokenize, lowercase=self.lowercase)

    def rows(self, texts: Referenced) -> Array:
        """The counts of texts with their references."""
        if not len(texts.systems):
            return np.empty((0, len(self.columns)))
        texts, how = self._words.prepared(texts)
        each = Referenced(
            texts.systems.take(np.repeat(np.arange(len(texts.systems)), texts.sizes)),
            texts.references,
            np.arange(len(texts.references) + 1),
        )
        kinds = INTL.for_texts(each.systems, each.references) if how == "intl" else None
        counts = _native.bleu_counts(
            *each.columns, tokenizer=how, orders=self.max_ngram_order, kinds=kinds
        ).astype(np.float64)
        matches = counts[:, 2 : 2 + self.max_ngram_order].sum(axis=1)
        sizes = np.maximum(self._ngrams(counts[:, 0]), self._ngrams(counts[:, 1]))
        # A reference without n-grams does not count, unless there is no other.
        best = first_best(np.where(sizes > 0, quotient(matches, sizes), -1.0), texts)
        matches, sizes = matches[best], sizes[best]
        return np.column_stack([np.ones(len(best)), ratio(matches, sizes), matches, sizes])

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

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """The tokens, and for each order the n-grams that match the reference that counts."""
        from karat.text.counted_grams import counted, ngrams, tokenized

        texts, how = self._words.prepared(Referenced.of([self.strings(system, gold)]))
        ours = tokenized(texts.systems.decoded(), how)[0]
        references = tokenized(texts.references.decoded(), how)
        scores = [self.score(system, [each])["gleu"] for each in gold]
        best = max(range(len(gold)), key=lambda i: (bool(references[i]), scores[i], -i))
        return {
            "scores": self.score(system, gold),
            "reference": best,
            "tokens": {"system": ours, "references": references},
            "ngrams": {
                str(n): counted(ngrams(ours, n), ngrams(references[best], n))
                for n in range(1, self.max_ngram_order + 1)
            },
        }

    tracing = grid_in("karat.text.metrics.grids.words", "gleu")
