"""METEOR without Java: alignments by words, stems and synonyms, their counts, and the score.

The formula is that of Denkowski and Lavie (2014) for English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.strings import Codes, Referenced, Strings, numbered
from karat.core.scores import Array, quotient
from karat.errors import LimitExceeded
from karat.text.unique_pairs import Ints, Offsets
from karat.text.words.lists import smart_stopwords
from karat.text.words.porter import martin_stem
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

    The counts are sums of what `without_whole_chunks` gives.
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
