"""Tokens as numbers, the form that native code takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.strings import Strings

Tokenizer = Literal["none", "13a", "char", "ascii"]
"""Tokenizers that are kernels: white space, mteval-v13a, characters, and lower-cased runs of
ASCII letters and digits."""


class Words(NamedTuple):
    """The words of texts as numbers, one text after the other."""

    tokens: npt.NDArray[np.int32]
    lines: npt.NDArray[np.int64]
    """Where lines end, in tokens, after a 0; all but ``ascii`` see a text as one line."""
    texts: npt.NDArray[np.int64]
    """Where texts end, in lines, after a 0."""
    vocabulary: bytes
    """The words, one after the other in the order of their numbers."""
    ends: npt.NDArray[np.int64]
    """Where the words of the vocabulary end, after a 0."""

    @property
    def words(self) -> Strings:
        """The words of the vocabulary, not decoded."""
        return Strings(self.vocabulary, self.ends[:-1], self.ends[1:])


def words_of(texts: Strings, tokenizer: Tokenizer) -> Words:
    """The words of texts, numbered in the order in which they first occur.

    >>> words_of(Strings.of(["a b", "b."]), "13a").tokens
    array([0, 1, 1, 2], dtype=int32)
    """
    return Words(*_native.text_words(*texts.columns, tokenizer))


class Codes(dict[str, int]):
    """A number for each token, the next free one for a new token."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


def numbered(
    texts: Iterable[Sequence[str]], codes: dict[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Tokens as numbers, one text after the other, and where each begins.

    `codes` takes up the new tokens; `Codes` are the fastest kind of it.

    >>> numbered([["a", "b"], ["b"]], Codes())
    (array([0, 1, 1], dtype=int32), array([0, 2, 3]))
    """
    known = codes if isinstance(codes, Codes) else Codes(codes)
    flat: list[int] = []
    offsets = [0]
    for tokens in texts:
        flat.extend(map(known.__getitem__, tokens))
        offsets.append(len(flat))
    if known is not codes:
        codes.update(known)
    return np.array(flat, np.int32), np.array(offsets, np.int64)
