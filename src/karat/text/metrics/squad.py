"""Answers to questions: exact match and word overlap, as SQuAD counts them."""

from __future__ import annotations

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import main
from karat.core.reading.strings import Referenced
from karat.core.scores import Array, Scores, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.text.raw_texts import StringMetric
from karat.text.words.unicode import WORD_CHARACTERS


class Squad(StringMetric):
    """Exact match and F1 of answers (Rajpurkar et al. 2016), the bookkeeping of QA metrics.

    An item is the answer to one question, its references are the accepted answers; the
    best one counts. An empty answer says that there is none: it is right where an accepted
    answer is empty too. `em` and `f1` are means over questions, `is_answered` is the share
    of answers that are not empty.

    >>> Squad().score("the Eiffel tower", ["Eiffel Tower in Paris"])
    {'em': 0.0, 'f1': 0.6666666666666666, 'is_answered': 1.0}
    """

    name = "squad"
    tool_line = '{{"exact_match": {em}, "f1": {f1}}}'
    columns = ("questions", "em", "f1", "answered")

    def rows(self, texts: Referenced) -> Array:
        """The counts of answers with those that are accepted."""
        texts = texts.lowered()
        own, em, f1 = self._compared(texts)
        best_em, best_f1 = (np.maximum.reduceat(each, texts.starts) for each in (em, f1))
        answered = own[texts.starts] > 0
        return np.column_stack([np.ones(len(best_em)), best_em, best_f1, answered]).astype(
            np.float64
        )

    def _compared(self, texts: Referenced) -> tuple[Array, Array, Array]:
        """For each accepted answer the words of the answer, exact match, and F1."""
        table = WORD_CHARACTERS.for_texts(texts.systems, texts.references)
        own, gold, common, same = _native.answer_counts(*texts.columns, table).T
        f1 = np.where(own * gold > 0, 2 * common / np.maximum(own + gold, 1), same)
        return own, same, f1

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The words of the answer and of each accepted one, as they are compared."""
        texts = texts.lowered()
        _, em, f1 = self._compared(texts)
        figures = [
            b'"em":%b,"f1":%b' % (msgspec.json.encode(each), msgspec.json.encode(other))
            for each, other in zip(em.astype(np.float64).tolist(), f1.tolist(), strict=True)
        ]
        table = WORD_CHARACTERS.for_texts(texts.systems, texts.references)
        scores = nested_scores(encoded_scores(self, rows))
        return _native.answers_explained(*texts.columns, table, scores, figures)

    tracing = grid_in("karat.text.metrics.grids.words", "squad")

    def summarize(self, totals: Array) -> Scores:
        questions, em, f1, answered = self.columns_of(totals)
        return {
            "em": ratio(em, questions),
            "f1": main(ratio(f1, questions)),
            "is_answered": ratio(answered, questions),
        }
