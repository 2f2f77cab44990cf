"""METEOR, by the native or the Java engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import cost, main, within
from karat.core.metric import Explanation
from karat.core.reading.strings import Codes, Referenced, Strings, numbered
from karat.core.scores import Array, Scores, quotient, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import LimitExceeded, OptionError
from karat.text.model import Text
from karat.text.raw_texts import MarkedTexts, StringMetric
from karat.text.unique_pairs import Ints, Offsets, UniquePairs, first_best
from karat.text.words.english import martin_stem, smart_stopwords
from karat.text.words.unicode import WORD_CHARACTERS
from karat.text.words.wordnet import WordNet

STAGES = ("exact", "stem", "synonym", "paraphrase")
_WEIGHTS = (1.0, 0.6, 0.8, 0.6)
_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
MOST_PENALTY = _GAMMA
"""The penalty of a text whose matches all stand alone."""

COLUMNS = (
    "system_words", "gold_words", "system_function", "gold_function",
    *(
        f"{stage}_{side}_{kind}"
        for stage in STAGES
        for kind in ("content", "function")
        for side in ("system", "gold")
    ),
    "chunks", "system_matches", "gold_matches",
)  # fmt: skip
"""What an alignment is counted as; the columns add up over segments."""

_BUDGET = 1e8
_Data: TypeAlias = tuple[Ints, Offsets, Ints, npt.NDArray[np.uint8], Ints, Offsets]
_TOKEN = re.compile(r"\w+|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Words and marks, in lower case.

    >>> tokens("It's 5 o'clock.")
    ['it', "'", 's', '5', 'o', "'", 'clock', '.']
    """
    return _TOKEN.findall(text.lower())


class Aligner:
    """Aligns texts by words and stems, and with WordNet by synonyms."""

    def __init__(self, wordnet: WordNet | None) -> None:
        self.wordnet = wordnet

    def counts(self, texts: Sequence[str], pairs: Ints) -> Array:
        """A row of counts for each pair (system text, gold text)."""
        rows = _native.alignment_counts(*self._data(texts), pairs, _BUDGET)
        if (rows[:, 0] < 0).any():
            raise LimitExceeded(
                "two texts are too long to be aligned",
                code="K503",
                advice="score sentences or summaries rather than whole documents",
            )
        # There is no paraphrase stage here: its four columns are 0.
        places = [i for i, name in enumerate(COLUMNS) if not name.startswith("paraphrase")]
        result = np.zeros((len(rows), len(COLUMNS)))
        result[:, places] = rows
        return result

    def _data(self, texts: Sequence[str]) -> _Data:
        """Texts as numbers, and stem, kind and synonyms of each number."""
        codes = Codes()
        flat, offsets = numbered([tokens(text) for text in texts], codes)
        words = list(codes)
        stems = Codes()
        functions = smart_stopwords()
        return (
            flat,
            offsets,
            np.array([stems[martin_stem(word)] for word in words], np.int32),
            np.array([word in functions or _is_mark(word) for word in words], np.uint8),
            *self._synsets(words),
        )

    def _synsets(self, words: Sequence[str]) -> tuple[Ints, Offsets]:
        """The numbers of the sets of synonyms of words, one word after the other."""
        found = [self.wordnet.synsets(word) if self.wordnet else [] for word in words]
        numbers = {each: i for i, each in enumerate(sorted({s for some in found for s in some}))}
        return (
            np.array([numbers[each] for some in found for each in some], np.int32),
            np.cumsum([0, *map(len, found)]).astype(np.int64),
        )

    def explained(self, texts: Referenced, scores: list[bytes]) -> list[bytes]:
        """What explanations say of texts, as JSON: their words, and which match, where and how.

        `scores` are JSON already. Empty where two texts are too long to be aligned.
        """
        arguments = *self._texts(texts), scores
        return _native.meteor_explained(*arguments)

    def marks(self, texts: Referenced) -> list[bytes]:
        """The words that match as a layer of marks, which is a member of a JSON object.

        Texts that have more characters in lower case are not marked. Empty where two are too long.
        """
        return _native.meteor_marks(*self._texts(texts))

    def _texts(self, texts: Referenced) -> tuple[Any, ...]:
        """Texts as written and in lower case, the characters of words, function words, words with
        synonyms, and the budget."""
        lowered = texts.lowered()
        is_word = WORD_CHARACTERS.for_texts(lowered.systems, lowered.references)
        words: list[str] = []
        if self.wordnet is not None:
            both = (*lowered.systems.decoded(), *lowered.references.decoded())
            words = sorted({word for text in both for word in tokens(text)})
        functions, known = Strings.of(sorted(smart_stopwords())), Strings.of(words)
        return (
            *texts.columns, *lowered.columns, is_word, *functions.columns, *known.columns,
            *self._synsets(words), _BUDGET,
        )  # fmt: skip


def _is_mark(word: str) -> bool:
    """Marks count as function words, as they do in the original."""
    return not (word[0].isalnum() or word[0] == "_")


def without_whole_chunks(counts: Array) -> Array:
    """The counts of segments, with no chunk where one chunk is all of both sides.

    Such a segment has no order to get wrong. The engine forgets its chunk before it adds
    segments up, so that it costs nothing in the final score either.
    """
    chunks, ours, theirs = counts[..., -3], counts[..., -2], counts[..., -1]
    whole = (ours == counts[..., 0]) & (theirs == counts[..., 1]) & (chunks == 1)
    result = counts.copy()
    result[..., -3] = np.where(whole, 0.0, chunks)
    return result


def figures(counts: Array) -> dict[str, Array]:
    """Precision, recall, their mean, the penalty and the score, of any leading shape.

    The formula is that of Denkowski and Lavie (2014) for English. The counts are sums of what
    `without_whole_chunks` gives.
    """
    function = counts[..., 2], counts[..., 3]
    quotients = []
    for side in (0, 1):
        matched = sum(
            weight
            * (
                _DELTA * counts[..., 4 + 4 * stage + side]
                + (1 - _DELTA) * counts[..., 6 + 4 * stage + side]
            )
            for stage, weight in enumerate(_WEIGHTS)
        )
        content = counts[..., side] - function[side]
        whole = _DELTA * content + (1 - _DELTA) * function[side]
        quotients.append(quotient(matched, whole))
    precision, recall = quotients
    mean = quotient(precision * recall, _ALPHA * precision + (1 - _ALPHA) * recall)
    chunks, ours, theirs = counts[..., -3], counts[..., -2], counts[..., -1]
    penalty = _GAMMA * quotient(chunks, (ours + theirs) / 2) ** _BETA
    return {
        "score": mean * (1 - penalty),
        "precision": precision,
        "recall": recall,
        "fmean": mean,
        "penalty": penalty,
    }


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
        from karat.text.external.meteor import engine, find_jar

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
