"""Words and characters of any script.

A word is what Unicode's default word boundaries (UAX #29) make of letters,
digits and marks: ``it's`` and ``1,200`` are one word each. Characters of scripts
that put no blanks between words are words of their own.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from karat.core.reading.strings import Strings
from karat.errors import MissingExtra

_NO_BLANKS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FFF),  # CJK radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x30FF),  # kana
    (0x3100, 0x312F),  # Bopomofo
    (0x31A0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x323AF),
)
_MID_LETTER = "':·.’‘․‧︓﹕：﹒＇．·՟״"
_MID_NUMBER = "',.;’․،؍٬߸⁄︐︔﹐﹔，；"


_ASCII = r"[a-z0-9](?:[a-z0-9_]|(?<=[a-z])[':.](?=[a-z])|(?<=[0-9])[',.;](?=[0-9]))*"
"""What `word_pattern` is for lower-case ASCII, where it takes a tenth of the time."""


@cache
def word_pattern() -> re.Pattern[str]:
    """One match per word of a text in normal form C."""
    classes: dict[str, list[int]] = {"L": [], "N": [], "M": [], "P": []}
    no_blanks = []
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category[0] in "LN" and any(low <= code <= high for low, high in _NO_BLANKS):
            no_blanks.append(code)
        elif category[0] in "LM":
            classes[category[0]].append(code)
        elif category == "Nd":
            classes["N"].append(code)
        elif category[0] == "N":
            classes["L"].append(code)
        elif category == "Pc":
            classes["P"].append(code)
    letter, digit, mark, joint = (_class(classes[name]) for name in "LNMP")
    extend = f"[{mark}\\u200d]*"
    inner = f"[{letter}{digit}{joint}]{extend}"
    letter_bridge = f"(?<=[{letter}{mark}])[{re.escape(_MID_LETTER)}]{extend}(?=[{letter}])"
    digit_bridge = f"(?<=[{digit}{mark}])[{re.escape(_MID_NUMBER)}]{extend}(?=[{digit}])"
    return re.compile(
        f"[{_class(no_blanks)}]{extend}|[{letter}{digit}]{extend}"
        f"(?:{inner}|{letter_bridge}|{digit_bridge})*"
    )


def _class(codes: list[int]) -> str:
    """Code points as the inside of a character class."""
    parts: list[str] = []
    begin = previous = -2
    for code in [*codes, -2]:
        if code == previous + 1:
            previous = code
            continue
        if begin >= 0:
            parts.append(
                re.escape(chr(begin))
                if begin == previous
                else f"{re.escape(chr(begin))}-{re.escape(chr(previous))}"
            )
        begin = previous = code
    return "".join(parts)


def words(text: str) -> list[str]:
    """The words of a text, in normal form C, without regard to case.

    >>> words("It's 1,200 Straße — 東京")
    ["it's", '1,200', 'strasse', '東', '京']
    """
    if text.isascii():
        return re.findall(_ASCII, text.lower())
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return word_pattern().findall(folded)


# -- kinds of characters

_UNKNOWN = 255
_ALL = 0x110000


class CharacterTable:
    """A number for the kind of each character, by a function, as a table for kernels.

    It is filled as characters are seen, since Unicode has many and its versions differ.
    """

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
