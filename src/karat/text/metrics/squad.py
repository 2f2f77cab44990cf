"""Answers to questions: exact match and word overlap, as SQuAD counts them."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

from karat.core.metric import Counts
from karat.core.scores import Array, Scores, ratio
from karat.text.model import ReferenceMetric, Text

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(answer: str) -> str:
    """Lower case, without punctuation and articles, single blanks.

    >>> normalized("The  U.S., (an) answer")
    'us answer'
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


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
    headline = "f1"

    def __init__(self) -> None:
        pass

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        text, references = self.strings(system, gold)
        own = normalized(text)
        accepted = [normalized(reference) for reference in references]
        best = max(_overlap(own.split(), answer.split()) for answer in accepted)
        return (1.0, float(own in accepted), best, float(bool(own)))

    def summarize(self, totals: Array) -> Scores:
        questions, em, f1, answered = self.columns_of(totals)
        return {
            "em": ratio(em, questions),
            "f1": ratio(f1, questions),
            "is_answered": ratio(answered, questions),
        }


def _overlap(own: list[str], answer: list[str]) -> float:
    if not own or not answer:
        return float(own == answer)
    common = (Counter(own) & Counter(answer)).total()
    return 2 * common / (len(own) + len(answer))
