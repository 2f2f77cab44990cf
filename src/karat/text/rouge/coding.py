"""Texts as flat arrays of numbers, each different text once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from karat.core.tokens import Codes
from karat.text.model import Text, sentences
from karat.text.rouge.profiles import Reading
from karat.text.unique_pairs import Ints, Offsets

Key: TypeAlias = str | tuple[str, ...]


def key_of(text: Text) -> Key:
    """A text as something that can be looked up."""
    return text if isinstance(text, str) else tuple(sentences(text))


class Coded:
    """Texts as the kernels take them: tokens, where sentences and where texts begin."""

    def __init__(
        self,
        reading: Reading,
        texts: Sequence[Text],
        codes: Codes,
        *,
        sentence_wise: bool = False,
    ) -> None:
        if reading.ascii_only:
            words = reading.words(texts, sentence_wise=sentence_wise)
            numbers = np.array(_numbers(words.spelt, reading, codes), np.int32)
            tokens, lines, ends = numbers[words.tokens], words.lines, words.texts
        else:
            tokens, lines, ends = _in_python(reading, texts, codes, sentence_wise)
        if reading.remove_stopwords:
            kept = tokens >= 0
            lines = np.concatenate([[0], np.cumsum(kept)])[lines]
            tokens = tokens[kept]
        self.tokens: Ints = tokens
        self.sentences: Offsets = lines
        self.texts: Offsets = ends
        self.whole: Offsets = lines[ends]
        """Where each text begins, counted in tokens."""


def _numbers(words: Iterable[str], reading: Reading, codes: Codes) -> list[int]:
    """Numbers for words, the same for the same stem; -1 for those that are left out."""
    stems = map(reading.stems.__getitem__, words)
    if reading.remove_stopwords:
        return [-1 if stem is None else codes[stem] for stem in stems]
    return list(map(codes.__getitem__, stems))  # type: ignore[arg-type]  # none is left out


def _in_python(
    reading: Reading, texts: Sequence[Text], codes: Codes, sentence_wise: bool
) -> tuple[Ints, Offsets, Offsets]:
    """The words of texts of any script, where lines end, and where texts end in lines."""
    tokens: list[int] = []
    line_ends, text_ends = [0], [0]
    for text in texts:
        for line in reading.lines(text, sentence_wise=sentence_wise):
            tokens.extend(_numbers(line, reading, codes))
            line_ends.append(len(tokens))
        text_ends.append(len(line_ends) - 1)
    return np.array(tokens, np.int32), np.array(line_ends), np.array(text_ends)
