"""AutoSummENG, MeMoG and NPowER: graphs of character n-grams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from karat.core.marks import main, within
from karat.core.metric import Explanation
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded, OptionError
from karat.text.model import SentenceMetric, Text, sentences

_MOST_CHARACTERS = 5_000_000
_MOST_SHOWN = 50


@dataclass(frozen=True)
class Level:
    """The graph of one n: directed edges between n-grams, in order, and their weights."""

    edges: npt.NDArray[np.int64]
    weights: Array

    def similarity(self, other: Level) -> float:
        """The mean over edges of the larger graph of the smaller by the larger weight."""
        largest = max(len(self.edges), len(other.edges))
        if not largest:
            return 0.0
        _, mine, theirs = np.intersect1d(
            self.edges, other.edges, assume_unique=True, return_indices=True
        )
        a, b = self.weights[mine], other.weights[theirs]
        # The exact sum: the order of the edges depends on what else was measured before.
        return math.fsum((np.minimum(a, b) / np.maximum(a, b)).tolist()) / largest

    def merged(self, other: Level, number: int) -> Level:
        """With another graph taken in as the `number`-th: common weights move to its mean."""
        edges = np.union1d(self.edges, other.edges)
        mine, theirs = np.searchsorted(edges, self.edges), np.searchsorted(edges, other.edges)
        weights = np.zeros(len(edges))
        weights[theirs] = other.weights
        common = np.zeros(len(edges), bool)
        common[theirs] = True
        shared = common[mine]
        weights[mine] = self.weights
        at = mine[shared]
        place = np.searchsorted(other.edges, edges[at])
        weights[at] += (other.weights[place] - weights[at]) / number
        return Level(edges, weights)


def _shared_edges(mine: Level, theirs: Level, grams: Sequence[str]) -> Explanation:
    """How many edges two graphs have, how similar they are, and the heaviest that both have."""
    both, ours, others = np.intersect1d(
        mine.edges, theirs.edges, assume_unique=True, return_indices=True
    )
    weights = np.minimum(mine.weights[ours], theirs.weights[others])
    order = np.argsort(-weights, kind="stable")[:_MOST_SHOWN].tolist()
    return {
        "similarity": mine.similarity(theirs),
        "edges": {"system": len(mine.edges), "gold": len(theirs.edges), "common": len(both)},
        "matched": [
            {
                "edge": [grams[int(both[i]) >> 32], grams[int(both[i]) & 0xFFFFFFFF]],
                "system": int(mine.weights[ours[i]]),
                "gold": int(theirs.weights[others[i]]),
            }
            for i in order
        ],
    }


class AutoSummEng(SentenceMetric):
    """AutoSummENG, MeMoG (Giannakopoulos et al. 2008, 2010) and NPowER: n-gram graphs.

    A text is a graph of character n-grams that stand near each other.
    `AutoSummENG` is the mean similarity to the graphs of the references, `MeMoG`
    the similarity to one graph merged from them, `NPowER` a fixed combination of
    both. The Java engine that published figures come from merges into the first
    reference's graph and takes that for the first reference, and prints the
    similarity to the last reference as MeMoG: `legacy` does the same. With one
    reference there is no difference.

    >>> scores = AutoSummEng().score(
    ...     "Dan walked to the bakery this morning.",
    ...     ["Dan went to buy scones earlier this morning."],
    ... )
    >>> round(scores["NPowER"], 6)
    0.308208
    """

    name = "autosummeng"
    columns = ("items", "AutoSummENG", "MeMoG", "NPowER")

    min_n: Annotated[int, Range(1, 32), "the shortest n-grams"] = 3
    max_n: Annotated[int, Range(1, 32), "the longest n-grams"] = 3
    d_window: Annotated[int, Range(1, 1000), "how many n-grams before one are near it"] = 3
    min_score: Annotated[float, "what NPowER calls the worst"] = 0.0
    max_score: Annotated[float, "what NPowER calls the best"] = 1.0
    legacy: Annotated[bool, "do as the Java engine does"] = False

    def __post_init__(self) -> None:
        if self.min_n > self.max_n:
            raise OptionError(
                f"autosummeng: min_n {self.min_n} is above max_n {self.max_n}", code="K390"
            )

    def _npower(self, mean: float, memog: float) -> float:
        npower = (5.2905 * mean + 3.0053 * memog + 0.5866) / 10
        return self.min_score + npower * (self.max_score - self.min_score)

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        numbers: dict[str, int] = {}
        known: dict[str, list[Level]] = {}

        def graph(text: Text) -> list[Level]:
            whole = "\n".join(sentences(text))
            if whole not in known:
                known[whole] = self._graph(whole, numbers)
            return known[whole]

        rows = []
        for system, gold in pairs:
            self.check_texts(gold)
            rows.append(self._row(graph(system), [graph(reference) for reference in gold]))
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """For each reference and size how many edges both graphs have, and the heaviest of them.

        An edge goes from an n-gram to one that stands near it.
        """
        self.check_texts(gold)
        numbers: dict[str, int] = {}
        own, *others = (
            self._graph("\n".join(sentences(text)), numbers) for text in (system, *gold)
        )
        grams = list(numbers)
        return {
            "scores": self.score(system, gold),
            "references": [
                {
                    "similarity": self._similarity(own, other),
                    "sizes": {
                        str(n): _shared_edges(mine, theirs, grams)
                        for n, mine, theirs in zip(
                            range(self.min_n, self.max_n + 1), own, other, strict=True
                        )
                    },
                }
                for other in others
            ],
        }

    def _row(self, own: list[Level], references: list[list[Level]]) -> list[float]:
        merged = references[0]
        for number, reference in enumerate(references[1:], 2):
            merged = [
                mine.merged(other, number) for mine, other in zip(merged, reference, strict=True)
            ]
        if self.legacy:
            references = [merged, *references[1:]]
            merged = references[-1]
        each = [self._similarity(own, reference) for reference in references]
        mean, memog = sum(each) / len(each), self._similarity(own, merged)
        return [1.0, mean, memog, self._npower(mean, memog)]

    def _similarity(self, a: list[Level], b: list[Level]) -> float:
        """The levels weighted by the sum of the sizes of n-grams up to theirs."""
        importance = np.cumsum(np.arange(self.min_n, self.max_n + 1))
        each = [mine.similarity(other) for mine, other in zip(a, b, strict=True)]
        return float(np.dot(importance, each) / importance.sum())

    def _graph(self, text: str, numbers: dict[str, int]) -> list[Level]:
        if len(text) * self.d_window * (self.max_n - self.min_n + 1) > _MOST_CHARACTERS:
            raise LimitExceeded(
                f"a text of {len(text):,} characters is too long for autosummeng", code="K503"
            )
        if not text.endswith("\n"):
            text += "\n"
        return [self._level(text, n, numbers) for n in range(self.min_n, self.max_n + 1)]

    def _level(self, text: str, n: int, numbers: dict[str, int]) -> Level:
        grams = [text[i : i + n] for i in range(len(text) - n + 1)]
        codes = np.array([numbers.setdefault(gram, len(numbers)) for gram in grams], np.int64)
        links = [
            edge
            for distance in range(1, self.d_window + 1)
            for edge in (
                codes[distance:] << 32 | codes[:-distance],
                codes[:-distance] << 32 | codes[distance:],
            )
        ]
        edges, weights = np.unique(np.concatenate(links), return_counts=True)
        return Level(edges, weights.astype(np.float64))

    def summarize(self, totals: Array) -> Scores:
        items, mean, memog, npower = self.columns_of(totals)
        # NPowER of no and of full similarity.
        low, high = sorted(self._npower(similarity, similarity) for similarity in (0.0, 1.0))
        return {
            "AutoSummENG": ratio(mean, items),
            "MeMoG": ratio(memog, items),
            "NPowER": main(within(ratio(npower, items), low, high)),
        }
