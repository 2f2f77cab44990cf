"""How a profile reads a text: lines, length limits, tokens, stems.

What the other ROUGE tools do differently, and nothing else, is in here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from karat.errors import MissingExtra, OptionError, did_you_mean
from karat.text.model import Text, sentences
from karat.text.words.lists import smart_stopwords, wordnet_exceptions
from karat.text.words.porter import Variant, stem
from karat.text.words.unicode import words

Profile = Literal["1.5.5", "google", "unicode", "python-rouge"]
Raw: TypeAlias = bytes | str
"""A token as it stands in the text; bytes in the ASCII profiles, which is faster."""

_SEPARATE = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 10 if code == 10 else 32
    for code in range(256)
)
_NOT_LETTERS = bytes(code for code in range(256) if code >= 128 or not chr(code).isalpha())
_PERL_SPACE = re.compile(rb"[ \t\n\r\f\v]+")


@dataclass(frozen=True)
class Reading:
    """The options that decide which tokens a text has."""

    profile: Profile
    stemming: bool
    language: str | None = None
    remove_stopwords: bool = False
    max_words: int | None = None
    max_bytes: int | None = None

    @property
    def ascii_only(self) -> bool:
        return self.profile != "unicode"

    @property
    def limits_differ(self) -> bool:
        """Whether sentence-wise measures see another part of the text than the others."""
        return self.profile == "1.5.5" and self.max_bytes is not None

    def lines(self, text: Text, *, sentence_wise: bool = False) -> list[list[Raw]]:
        """The raw tokens of each line; lines without token are kept."""
        whole = text if isinstance(text, str) else "\n".join(sentences(text))
        if self.max_words is None and self.max_bytes is None:
            return self._tokens(whole)
        units = [line for line in whole.split("\n") if line]
        accumulate = not (sentence_wise and self.limits_differ)
        cut = self._cut([unit.encode("utf-8", "replace") for unit in units], accumulate)
        return self._tokens(b"\n".join(cut).decode("utf-8", "ignore"))

    def _tokens(self, whole: str) -> list[list[Raw]]:
        if self.profile == "unicode":
            return [list(words(line)) for line in whole.split("\n") if line]
        if self.profile == "google":
            whole = whole.lower()
        separated = whole.encode("ascii", "replace").translate(_SEPARATE)
        return [line.split() for line in separated.split(b"\n") if line]  # type: ignore[misc]

    def _cut(self, units: list[bytes], accumulate: bool) -> list[bytes]:
        """The units up to the limit of words or bytes; the last one may be cut."""
        result: list[bytes] = []
        used = 0
        for unit in units:
            if self.max_words is not None:
                size, limit = len(_perl_words(unit)), self.max_words
            else:
                size, limit = len(unit), self.max_bytes or 0
            if used + size >= limit:
                rest = limit - used
                cut = self.max_words is not None
                result.append(b" ".join(_perl_words(unit)[:rest]) if cut else unit[:rest])
                break
            result.append(unit)
            used += size if accumulate else 0
        return result

    def normalizer(self) -> Callable[[Raw], str | None]:
        """What a raw token counts as: its stem; None where it is left out."""
        stops = smart_stopwords() if self.remove_stopwords else frozenset[str]()
        reduce = self._stemmer()

        def normalize(raw: Raw) -> str | None:
            token = raw.decode() if isinstance(raw, bytes) else raw
            return None if token in stops else reduce(token)

        return normalize

    def _stemmer(self) -> Callable[[str], str]:
        if not self.stemming or (self.profile == "unicode" and self.language is None):
            return str
        if self.language is not None:
            return _snowball(self.language)
        return _STEMMERS[self.profile]


def _perl_words(line: bytes) -> list[bytes]:
    """What Perl's split makes of a line: a blank at the beginning gives an empty word."""
    parts = _PERL_SPACE.split(line)
    while parts and not parts[-1]:
        parts.pop()
    return parts


def letters(text: Text) -> tuple[int, int]:
    """How many letters a text has, and how many of them an ASCII profile drops."""
    whole = text if isinstance(text, str) else "".join(sentences(text))
    total = len(whole.encode("ascii", "replace").translate(None, _NOT_LETTERS))
    dropped = 0
    if not whole.isascii():
        dropped = sum(letter.isalpha() for letter in whole if letter > "\x7f")
        total += dropped
    return total, dropped


def _long_stem(variant: Variant, irregular: bool) -> Callable[[str], str]:
    """A stemmer for words of more than 3 letters, with or without the irregular forms."""

    @lru_cache(maxsize=1 << 17)
    def long_stem(token: str) -> str:
        if len(token) <= 3:
            return token
        base = wordnet_exceptions().get(token) if irregular else None
        return stem(token, variant) if base is None else base

    return long_stem


_STEMMERS: dict[str, Callable[[str], str]] = {
    "1.5.5": _long_stem("1.5.5", irregular=True),
    "python-rouge": _long_stem("original", irregular=True),
    "google": _long_stem("nltk", irregular=False),
}


def _snowball(language: str) -> Callable[[str], str]:
    try:
        import snowballstemmer
    except ImportError:
        raise MissingExtra.package(
            "snowballstemmer", "stemming", f"stemming {language} words"
        ) from None
    known = snowballstemmer.algorithms()
    if language not in known:
        raise OptionError(
            f"there is no Snowball stemmer for {language!r}{did_you_mean(language, known)}",
            code="K302",
            advice="languages: " + ", ".join(known),
        )
    stemmer = snowballstemmer.stemmer(language)
    return lambda token: str(stemmer.stemWord(token))
