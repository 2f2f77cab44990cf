"""AutoSummENG, MeMoG and NPowER: graphs of character n-grams."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from karat.core.marks import main, within
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded, OptionError
from karat.text.model import MeasuredOnce, SentenceMetric, Text, sentences

_MOST_CHARACTERS = 5_000_000
_MOST_SHOWN = 50


@dataclass(frozen=True)
class Level:
    """The graph of one n: directed edges between n-grams, in order, and their weights."""

    edges: npt.NDArray[np.int64]
    weights: Array

    def shared(self, other: Level) -> Shared:
        """The edges that both graphs have, and how similar the graphs are."""
        both, mine, theirs = np.intersect1d(
            self.edges, other.edges, assume_unique=True, return_indices=True
        )
        largest = max(len(self.edges), len(other.edges))
        if not largest:
            return Shared(both, mine, theirs, 0.0)
        a, b = self.weights[mine], other.weights[theirs]
        # The exact sum: the order of the edges depends on what else was measured before.
        similarity = math.fsum((np.minimum(a, b) / np.maximum(a, b)).tolist()) / largest
        return Shared(both, mine, theirs, similarity)

    def merged(self, other: Level, number: int) -> Level:
        """With another graph taken in as the `number`-th: common weights move to its mean."""
        edges = np.union1d(self.edges, other.edges)
        both = np.zeros((2, len(edges)))
        for weights, level in zip(both, (self, other), strict=True):
            weights[np.searchsorted(edges, level.edges)] = level.weights
        mine, theirs = both
        moved = mine + (theirs - mine) / number
        return Level(edges, np.where((mine > 0) & (theirs > 0), moved, mine + theirs))


class Shared(NamedTuple):
    """The edges of two graphs, where they stand in both, and the similarity of the graphs:
    the mean over edges of the larger graph of the smaller by the larger weight."""

    edges: npt.NDArray[np.int64]
    mine: npt.NDArray[np.int64]
    theirs: npt.NDArray[np.int64]
    similarity: float


def _told(mine: Level, theirs: Level, shared: Shared, grams: Sequence[str]) -> str:
    """How many edges two graphs have, how similar they are, and the heaviest that both have."""
    ours, others = mine.weights[shared.mine], theirs.weights[shared.theirs]
    order = np.argsort(-np.minimum(ours, others), kind="stable")[:_MOST_SHOWN]
    edges = shared.edges[order]
    begins, ends = (edges >> 32).tolist(), (edges & 0xFFFFFFFF).tolist()
    weights = (each[order].astype(np.int64).tolist() for each in (ours, others))
    matched = ",".join(
        f'{{"edge":[{grams[begin]},{grams[end]}],"system":{own},"gold":{other}}}'
        for begin, end, own, other in zip(begins, ends, *weights, strict=True)
    )
    sizes = {"system": len(mine.edges), "gold": len(theirs.edges), "common": len(shared.edges)}
    whole = _encoded({"similarity": shared.similarity, "edges": sizes})
    return f'{whole[:-1]},"matched":[{matched}]}}'


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()


class AutoSummEng(MeasuredOnce, SentenceMetric):
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

    def told(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Iterator[str]:
        """For each reference and size how many edges both graphs have, and the heaviest of them.

        An edge goes from an n-gram to one that stands near it.
        """
        for pair in pairs:
            yield f'"references":[{",".join(self._references(*pair))}]'

    def _references(self, system: Text, gold: Sequence[Text]) -> Iterator[str]:
        """What explanations say of each reference, as JSON."""
        from json.encoder import encode_basestring  # takes its time to load; keeps lone surrogates

        self.check_texts(gold)
        numbers: dict[str, int] = {}
        own, *others = (
            self._graph("\n".join(sentences(text)), numbers) for text in (system, *gold)
        )
        grams = list(map(encode_basestring, numbers))
        for other in others:
            shared = [mine.shared(theirs) for mine, theirs in zip(own, other, strict=True)]
            sizes = ",".join(
                f'"{n}":{_told(mine, theirs, each, grams)}'
                for n, mine, theirs, each in zip(
                    range(self.min_n, self.max_n + 1), own, other, shared, strict=True
                )
            )
            yield f'{{"similarity":{_encoded(self._weighted(shared))},"sizes":{{{sizes}}}}}'

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
        # With one reference there is nothing to merge.
        memog = each[0] if len(references) == 1 else self._similarity(own, merged)
        mean = sum(each) / len(each)
        return [1.0, mean, memog, self._npower(mean, memog)]

    def _similarity(self, a: list[Level], b: list[Level]) -> float:
        return self._weighted([mine.shared(other) for mine, other in zip(a, b, strict=True)])

    def _weighted(self, levels: list[Shared]) -> float:
        """The levels weighted by the sum of the sizes of n-grams up to theirs."""
        importance, total = self._importance
        return float(np.dot(importance, [found.similarity for found in levels]) / total)

    @cached_property
    def _importance(self) -> tuple[npt.NDArray[np.int64], int]:
        importance = np.cumsum(np.arange(self.min_n, self.max_n + 1))
        return importance, int(importance.sum())

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
        new = [gram for gram in dict.fromkeys(grams) if gram not in numbers]
        numbers.update(zip(new, range(len(numbers), len(numbers) + len(new)), strict=True))
        codes = np.fromiter(map(numbers.__getitem__, grams), np.int64, len(grams))
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
