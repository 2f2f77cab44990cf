"""Texts as flat arrays of numbers, each different text once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from karat.text.model import Text, sentences
from karat.text.rouge.profiles import Raw, Reading
from karat.text.unique_pairs import Ints, Offsets

Key: TypeAlias = str | tuple[str, ...]


def key_of(text: Text) -> Key:
    """A text as something that can be looked up."""
    return text if isinstance(text, str) else tuple(sentences(text))


class Numbers(dict[Raw, int]):
    """Numbers for tokens that count as the same; -1 for what is left out."""

    def __init__(self, normalize: Callable[[Raw], str | None]) -> None:
        super().__init__()
        self.normalize = normalize
        self.numbers: dict[str, int] = {}

    def __missing__(self, raw: Raw) -> int:
        token = self.normalize(raw)
        number = -1 if token is None else self.numbers.setdefault(token, len(self.numbers))
        self[raw] = number
        return number


class Coded:
    """Texts as the kernels take them: tokens, where sentences and where texts begin."""

    def __init__(
        self,
        reading: Reading,
        texts: Sequence[Text],
        numbers: Numbers,
        *,
        sentence_wise: bool = False,
    ) -> None:
        look_up = numbers.__getitem__
        tokens: list[int] = []
        sentence_ends = [0]
        text_ends = [0]
        for text in texts:
            for line in reading.lines(text, sentence_wise=sentence_wise):
                if reading.remove_stopwords:
                    tokens.extend(n for n in map(look_up, line) if n >= 0)
                else:
                    tokens.extend(map(look_up, line))
                sentence_ends.append(len(tokens))
            text_ends.append(len(sentence_ends) - 1)
        self.tokens: Ints = np.array(tokens, np.int32)
        self.sentences: Offsets = np.array(sentence_ends, np.int64)
        self.texts: Offsets = np.array(text_ends, np.int64)
        self.whole: Offsets = self.sentences[self.texts]
        """Where each text begins, counted in tokens."""
