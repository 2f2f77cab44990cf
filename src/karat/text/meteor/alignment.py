"""METEOR without Java: alignments by words, stems and synonyms, their counts, and the score.

The formula is that of Denkowski and Lavie (2014) for English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.strings import Referenced, Strings
from karat.core.reading.tokens import Codes, numbered
from karat.core.scores import Array, quotient
from karat.core.shown import Kind
from karat.errors import LimitExceeded
from karat.text.raw_texts import places
from karat.text.unique_pairs import Ints, Offsets
from karat.text.words.lists import smart_stopwords
from karat.text.words.porter import martin_stem
from karat.text.words.unicode import WORD_CHARACTERS
from karat.text.words.wordnet import WordNet

STAGES = ("exact", "stem", "synonym", "paraphrase")
_KINDS = {"exact": Kind.MATCHED, "stem": Kind.STEM, "synonym": Kind.SYNONYM}
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
    """Counts pairs of texts, and shows the alignment of one pair."""

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

    def matches(self, system: str, gold: str) -> list[dict[str, Any]]:
        """The words that match, each with where and how."""
        ours, theirs = tokens(system), tokens(gold)
        places, stages = _native.word_alignment(*self._data([system, gold]), _BUDGET).tolist()
        return [
            {"system": i, "gold": place, "words": [ours[i], theirs[place]], "stage": STAGES[stage]}
            for i, (place, stage) in enumerate(zip(places, stages, strict=True))
            if place >= 0
        ]

    def _data(self, texts: Sequence[str]) -> _Data:
        """Texts as numbers, and stem, kind and synonyms of each number."""
        codes = Codes()
        flat, offsets = numbered([tokens(text) for text in texts], codes)
        words = list(codes)
        stems = Codes()
        functions = smart_stopwords()
        synsets = [self.wordnet.synsets(word) if self.wordnet else [] for word in words]
        numbers = {
            synset: i for i, synset in enumerate(sorted({s for each in synsets for s in each}))
        }
        return (
            flat,
            offsets,
            np.array([stems[martin_stem(word)] for word in words], np.int32),
            np.array([word in functions or _is_mark(word) for word in words], np.uint8),
            np.array([numbers[s] for each in synsets for s in each], np.int32),
            np.cumsum([0, *map(len, synsets)]).astype(np.int64),
        )


def _is_mark(word: str) -> bool:
    """Marks count as function words, as they do in the original."""
    return not (word[0].isalnum() or word[0] == "_")


def told_alignments(texts: Referenced, scores: list[bytes]) -> list[bytes]:
    """What explanations say of texts that are aligned by words and stems, as JSON.

    `scores` are JSON already. Empty where two texts are too long to be aligned.
    """
    lowered, is_word, functions = _lowered(texts)
    return _native.meteor_explained(
        *texts.columns, *lowered.columns, is_word, *functions.columns, _BUDGET, scores
    )


def marked_alignments(texts: Referenced) -> list[bytes]:
    """The same alignments as a layer of marks, which is a member of a JSON object.

    Empty where two texts are too long, or where one has other characters in lower case.
    """
    lowered, is_word, functions = _lowered(texts)
    return _native.meteor_marks(
        *texts.columns, *lowered.columns, is_word, *functions.columns, _BUDGET
    )


def alignment_layer(system: str, golds: Sequence[str], told: Mapping[str, Any]) -> list[int]:
    """The same of one text, from its explanation: words that are aligned, in each reference."""
    ours = places(system, told["system"])
    marks: list[int] = []
    for number, (gold, found) in enumerate(zip(golds, told["references"], strict=True)):
        theirs = places(gold, found["tokens"])
        if ours is None or theirs is None:
            continue
        for match in found["matched"]:
            kind = _KINDS[match["stage"]]
            marks += [kind, number, *theirs[match["gold"]], *ours[match["system"]]]
    return marks


def _lowered(texts: Referenced) -> tuple[Referenced, npt.NDArray[np.uint8], Strings]:
    """The texts in lower case, which characters are part of words, and the function words."""
    lowered = texts.lowered()
    is_word = WORD_CHARACTERS.for_texts(lowered.systems, lowered.references)
    return lowered, is_word, Strings.of(sorted(smart_stopwords()))


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
