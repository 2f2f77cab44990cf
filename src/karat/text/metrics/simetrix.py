"""SIMetrix: how the words of a summary are distributed, against its source documents."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np

from karat.core.scores import Array, Scores, ratio
from karat.text.distributions import jensen_shannon, kullback_leibler, relative
from karat.text.model import DocumentMetric, Text, sentences
from karat.text.porter import stem
from karat.text.wordlists import smart_stopwords

_GAMMA, _BINS = 0.005, 1.5
_TOKEN = re.compile("[A-Za-z0-9]+")


class Simetrix(DocumentMetric):
    """SIMetrix (Louis and Nenkova 2013): divergences between a summary and its documents.

    Lower divergences and higher probabilities are better: a good summary has the
    words of its input in their proportions. `KLInputSummary` and
    `KLSummaryInput` are Kullback-Leibler divergences of smoothed distributions,
    `unsmoothedJSD` and `smoothedJSD` Jensen-Shannon divergences (nats),
    `unigramProb` and `multinomialProb` the base-10 logarithms of the probability
    of the summary's words under the input's distribution. An input without words
    gives no score. The features of the original tool that need a background
    corpus are not among them.

    >>> scores = Simetrix().score("Dogs bark.", [["A dog barked.", "Another dog slept."]])
    >>> round(scores["smoothedJSD"], 6)
    0.101325
    """

    name = "simetrix"
    columns = (
        "scored", "KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD",
        "unigramProb", "multinomialProb",
    )  # fmt: skip
    headline = "smoothedJSD"
    lower_is_better = frozenset(
        {"KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD"}
    )

    def __init__(
        self,
        *,
        use_stemmer: Annotated[bool, "compare stems"] = True,
        remove_stopwords: Annotated[bool, "leave out the words of the SMART list"] = True,
    ) -> None:
        self.use_stemmer = use_stemmer
        self.remove_stopwords = remove_stopwords

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        inputs: dict[tuple[str, ...], Counter[Hashable]] = {}
        rows = []
        for system, documents in pairs:
            self.check_texts(documents)
            key = tuple(unit for document in documents for unit in sentences(document))
            if key not in inputs:
                inputs[key] = self._words(key)
            rows.append(self._row(self._words(sentences(system)), inputs[key]))
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def _words(self, units: Sequence[str]) -> Counter[Hashable]:
        tokens = (token for unit in units for token in _TOKEN.findall(unit.lower()))
        if self.remove_stopwords:
            stops = smart_stopwords()
            tokens = (token for token in tokens if token not in stops)
        return Counter(map(_stem, tokens) if self.use_stemmer else tokens)

    def _row(self, own: Counter[Hashable], source: Counter[Hashable]) -> list[float]:
        if not source:
            return [0.0] * len(self.columns)
        bins = _BINS * len(source)
        words = {**own, **source}

        def smoothed(counts: Counter[Hashable]) -> dict[Hashable, float]:
            total = counts.total() + _GAMMA * bins
            return {word: (counts[word] + _GAMMA) / total for word in words}

        mine, theirs = smoothed(own), smoothed(source)
        size = source.total()
        likelihood = math.fsum(
            count * math.log10(source[word] / size) for word, count in own.items() if source[word]
        )
        arrangements = math.lgamma(own.total() + 1) - math.fsum(
            math.lgamma(count + 1) for count in own.values()
        )
        return [
            1.0,
            kullback_leibler(theirs, mine),
            kullback_leibler(mine, theirs),
            jensen_shannon(relative(own), relative(source)),
            jensen_shannon(mine, theirs),
            likelihood,
            likelihood + arrangements / math.log(10),
        ]

    def summarize(self, totals: Array) -> Scores:
        scored, *sums = self.columns_of(totals)
        return {
            name: ratio(total, scored, empty=math.nan)
            for name, total in zip(self.columns[1:], sums, strict=True)
        }


@lru_cache(maxsize=1 << 17)
def _stem(word: str) -> str:
    return stem(word, "martin")
