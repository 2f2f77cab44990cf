"""BERT's tokens: words split into the longest known pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from karat.errors import FormatError, Place

_LONGEST_WORD = 100
_HAN = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """A vocabulary and how texts become numbers of its pieces."""

    def __init__(self, path: Path, *, lower: bool = True) -> None:
        try:
            pieces = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise FormatError(
                f"the vocabulary cannot be read: {error}", code="K101", place=Place(str(path))
            ) from None
        self.pieces = pieces
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._lower = lower
        missing = [name for name in ("[UNK]", "[CLS]", "[SEP]") if name not in self._numbers]
        if missing:
            raise FormatError(
                f"the vocabulary has no {missing[0]}", code="K108", place=Place(str(path))
            )
        self.unknown, self.begin, self.end = (
            self._numbers[name] for name in ("[UNK]", "[CLS]", "[SEP]")
        )

    def numbers(self, text: str) -> list[int]:
        """The pieces of a text, without marks of beginning and end."""
        return [number for word in self._words(text) for number in self._pieces(word)]

    def is_continuation(self, number: int) -> bool:
        """Whether a piece goes on with the word of the piece before."""
        return self.pieces[number].startswith("##")

    def _words(self, text: str) -> Sequence[str]:
        spaced = []
        for character in text:
            code = ord(character)
            category = unicodedata.category(character)
            if code in (0, 0xFFFD) or (category in ("Cc", "Cf") and character not in "\t\n\r"):
                continue
            if any(low <= code <= high for low, high in _HAN):
                spaced.append(f" {character} ")
            else:
                spaced.append(" " if character.isspace() else character)
        words = []
        for word in "".join(spaced).split():
            if self._lower:
                parts = unicodedata.normalize("NFD", word.lower())
                word = "".join(c for c in parts if unicodedata.category(c) != "Mn")
            words += _split_marks(word)
        return words

    def _pieces(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self.unknown]
        result = []
        begin = 0
        while begin < len(word):
            prefix = "##" if begin else ""
            for end in range(len(word), begin, -1):
                number = self._numbers.get(prefix + word[begin:end])
                if number is not None:
                    result.append(number)
                    begin = end
                    break
            else:
                return [self.unknown]
        return result


def _split_marks(word: str) -> list[str]:
    """Each mark is a word of its own."""
    parts: list[str] = []
    begin = 0
    for place, character in enumerate(word):
        if _is_mark(character):
            if begin < place:
                parts.append(word[begin:place])
            parts.append(character)
            begin = place + 1
    if begin < len(word):
        parts.append(word[begin:])
    return parts


@lru_cache(maxsize=1 << 16)
def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("P") or (
        character.isascii() and not character.isalnum() and character.isprintable()
    )
