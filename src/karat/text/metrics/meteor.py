"""METEOR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from karat.core.capabilities import grid_in
from karat.core.marks import cost, main, within
from karat.core.metric import Explanation
from karat.core.reading.strings import Referenced
from karat.core.scores import Array, Scores, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import OptionError
from karat.text.meteor.alignment import (
    COLUMNS,
    MOST_PENALTY,
    Aligner,
    figures,
    without_whole_chunks,
)
from karat.text.model import Text
from karat.text.raw_texts import MarkedTexts, StringMetric
from karat.text.unique_pairs import UniquePairs, first_best


class Meteor(MarkedTexts, StringMetric):
    """METEOR (Denkowski and Lavie 2014): words aligned by form, stem and meaning.

    `METEOR` is the mean over items, each the mean (or with ``refs='max'`` the
    best) over its references; `METEOR-final` is computed from the summed counts
    of all alignments, as the engine's final score is.

    The engine ``native`` matches equal words, Porter stems and, with `synonyms`, words that
    share a WordNet synset; function words are those of the SMART list and marks of punctuation.
    It has no paraphrases, so its scores differ from the original's. The engine ``java`` is the
    original, version 1.5 for English, with all modules.

    >>> scores = Meteor().score("the dogs bark", ["the dog barks"])
    >>> round(scores["METEOR"], 4), round(scores["penalty"], 4)
    (0.6571, 0.0)
    """

    name = "meteor"
    columns = ("items", "scores", "pairs", *COLUMNS)
    chunk_size = 512
    releases_gil = False

    engine: Annotated[Literal["native", "java"], "the engine that aligns the words"] = "native"
    refs: Annotated[Literal["mean", "max"], "how several references combine"] = "mean"
    synonyms: Annotated[bool, "match synonyms (native engine)"] = False
    wordnet: Annotated[str | None, "the folder of WordNet's files"] = None
    jar: Annotated[str | None, "the file meteor-1.5.jar (java engine)"] = None

    def __post_init__(self) -> None:
        if self.engine == "java" and (self.synonyms or self.wordnet is not None):
            raise OptionError("meteor: the java engine has its own synonyms", code="K390")
        if self.engine == "native" and self.jar is not None:
            raise OptionError("meteor: jar is for the java engine", code="K390")
        if self.wordnet is not None and (not self.synonyms):
            raise OptionError("meteor: wordnet is for synonyms", code="K390")

    def runs(self) -> str:
        if self.engine == "native":
            return ""
        return f"java with the jar {self.jar!r}" if self.jar else "java with METEOR's jar"

    def _aligner(self) -> Aligner:
        if not self.synonyms:
            return Aligner(None)
        from karat.text.words.wordnet import find_wordnet, load_wordnet

        return Aligner(load_wordnet(str(find_wordnet(self.wordnet))))

    def _counter(self) -> Any:
        if self.engine == "native":
            return self._aligner()
        from karat.text.meteor.java import engine, find_jar

        return engine(str(find_jar(self.jar)))

    def rows(self, texts: Referenced) -> Array:
        """The counts of texts with their references."""
        return self.combined(*self.aligned(texts))

    def aligned(self, texts: Referenced) -> tuple[UniquePairs[str], Array]:
        """The counts of each text with each of its references."""
        unique = UniquePairs(texts.pairs())
        return unique, without_whole_chunks(self._counter().counts(unique.texts, unique.pairs))

    def combined(self, unique: UniquePairs[str], each: Array) -> Array:
        """The counts of items, from those of pairs."""
        scores = figures(each)["score"]
        pairs = unique.systems
        if self.refs == "max":
            best = unique.members[first_best(scores[unique.members], unique)]
            ones = np.ones(len(pairs))
            return np.column_stack([ones, scores[best], ones, each[best]])
        sums = np.add.reduceat(each[unique.members], unique.starts, axis=0)
        means = np.add.reduceat(scores[unique.members], unique.starts) / unique.sizes
        return np.column_stack([np.ones(len(pairs)), means, unique.sizes, sums])

    def summarize(self, totals: Array) -> Scores:
        pooled = figures(totals[..., 3:])
        return {
            "METEOR": main(ratio(totals[..., 1], totals[..., 0])),
            "METEOR-final": pooled["score"],
            "precision": pooled["precision"],
            "recall": pooled["recall"],
            "fmean": pooled["fmean"],
            "penalty": cost(within(pooled["penalty"], 0, MOST_PENALTY)),
        }

    tracing = grid_in("karat.text.metrics.grids.words", "meteor")

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        self._check_explains()  # before anything is measured
        return super().explain(system, gold)

    def _check_explains(self) -> None:
        if self.engine != "native":
            raise OptionError("the java engine of meteor does not show its alignments", code="K308")

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The words that match with each reference, where and how (native engine)."""
        self._check_explains()
        return self._aligner().explained(texts, nested_scores(encoded_scores(self, rows)))

    def layers_of_texts(self, texts: Referenced) -> list[bytes]:
        if self.engine != "native":
            return [b""] * len(texts.systems)
        return self._aligner().marks(texts)
