"""Answers to questions: exact match and word overlap, as SQuAD counts them."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.marks import main
from karat.core.metric import Counts, Explanation
from karat.core.scores import Array, Scores, ratio
from karat.text.model import ReferenceMetric, Text
from karat.text.questions import matched, normalized


class Squad(ReferenceMetric):
    """Exact match and F1 of answers (Rajpurkar et al. 2016), the bookkeeping of QA metrics.

    An item is the answer to one question, its references are the accepted answers; the
    best one counts. An empty answer says that there is none: it is right where an accepted
    answer is empty too. `em` and `f1` are means over questions, `is_answered` is the share
    of answers that are not empty.

    >>> Squad().score("the Eiffel tower", ["Eiffel Tower in Paris"])
    {'em': 0.0, 'f1': 0.6666666666666666, 'is_answered': 1.0}
    """

    name = "squad"
    columns = ("questions", "em", "f1", "answered")

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        text, references = self.strings(system, gold)
        em, f1 = matched(text, references)
        return (1.0, em, f1, float(bool(normalized(text))))

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """The words of the answer and of each accepted one, as they are compared."""
        from karat.text.counted_grams import counted, ngrams

        text, references = self.strings(system, gold)
        own = normalized(text)
        accepted = []
        for reference in references:
            em, f1 = matched(text, [reference])
            answer = normalized(reference)
            words = counted(ngrams(own.split(), 1), ngrams(answer.split(), 1))
            accepted.append({"answer": answer, "em": em, "f1": f1, "words": words})
        return {"scores": self.score(system, gold), "answer": own, "accepted": accepted}

    def summarize(self, totals: Array) -> Scores:
        questions, em, f1, answered = self.columns_of(totals)
        return {
            "em": ratio(em, questions),
            "f1": main(ratio(f1, questions)),
            "is_answered": ratio(answered, questions),
        }
