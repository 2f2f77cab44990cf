"""What kinds characters are of, in tables for kernels.

A table is filled as characters are seen, by the functions that define the kinds, since Unicode
has many characters and its versions differ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from karat.core.reading.strings import Strings
from karat.errors import MissingExtra

_UNKNOWN = 255
_ALL = 0x110000


class CharacterTable:
    """A number for each character, by a function."""

    def __init__(self, kind: Callable[[str], int]) -> None:
        self._kind = kind
        self._table: npt.NDArray[np.uint8] | None = None

    def for_texts(self, *texts: Strings) -> npt.NDArray[np.uint8]:
        """The table, which is right for the characters of these texts."""
        if self._table is None:
            table = np.full(_ALL, _UNKNOWN, np.uint8)
            table[:128] = [self._kind(chr(code)) for code in range(128)]
            self._table = table
        for each in texts:
            if each.data.isascii():
                continue
            whole = each.data.decode("utf-8", "surrogatepass")
            points = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), "<u4")
            points = np.unique(points[points > 127])
            for point in points[self._table[points] == _UNKNOWN].tolist():
                self._table[point] = self._kind(chr(point))
        return self._table


def _intl(character: str) -> int:
    """1 for numbers, 2 for punctuation, 3 for symbols: as sacreBLEU's tokenizer intl has it.

    It asks the package `regex`, which has a Unicode table of its own.
    """
    try:
        import regex  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise MissingExtra.package("regex", "text", "the tokenizer intl") from None
    for number, kind in enumerate("NPS", 1):
        if regex.match(rf"\p{{{kind}}}", character):
            return number
    return 0


INTL = CharacterTable(_intl)
LETTERS = CharacterTable(lambda character: int(character.isalpha()))
WORD_CHARACTERS = CharacterTable(lambda character: int(character.isalnum() or character == "_"))
"""1 for what regular expressions take for part of a word."""
