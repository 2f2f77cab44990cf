"""Profiles of ROUGE: lines, length limits, tokens and stems of a text, and texts as numbers.

All differences in how ROUGE tools read a text are in here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from karat.core.tokens import Codes, Words, tokenized
from karat.errors import MissingExtra, OptionError, did_you_mean
from karat.text.model import Text, sentences
from karat.text.unique_pairs import Ints, Offsets
from karat.text.words.lists import smart_stopwords, wordnet_exceptions
from karat.text.words.porter import Variant, stem
from karat.text.words.unicode import words

Profile = Literal["1.5.5", "google", "unicode", "python-rouge"]
Key: TypeAlias = str | tuple[str, ...]
_MOST_STEMS = 1 << 17
"""More words than that are not remembered."""
_NOT_LETTERS = bytes(code for code in range(256) if code >= 128 or not chr(code).isalpha())
_PERL_SPACE = re.compile(rb"[ \t\n\r\f\v]+")


class Stems(dict[str, str | None]):
    """The stems of words, made when they are first asked for; None for a word that is left out."""

    def __init__(self, stemmer: Callable[[str], str], stop_words: frozenset[str]) -> None:
        super().__init__()
        self.stemmer = stemmer
        self.stop_words = stop_words

    def __missing__(self, word: str) -> str | None:
        if len(self) >= _MOST_STEMS:
            self.clear()
        stem = self[word] = None if word in self.stop_words else self.stemmer(word)
        return stem


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

    def words(self, texts: Sequence[Text], *, sentence_wise: bool = False) -> Words:
        """The words of texts before stemming; empty lines are left out."""
        return tokenized((self._seen(text, sentence_wise) for text in texts), "ascii")

    def lines(self, text: Text, *, sentence_wise: bool = False) -> list[list[str]]:
        """The words of each line of a text; lines without words are kept."""
        whole = self._seen(text, sentence_wise)
        if not self.ascii_only:
            return [list(words(line)) for line in whole.split("\n") if line]
        found = tokenized([whole], "ascii")
        spelt, ends = found.spelt, found.lines.tolist()
        return [
            [spelt[number] for number in found.tokens[begin:end].tolist()]
            for begin, end in pairwise(ends)
        ]

    def _seen(self, text: Text, sentence_wise: bool) -> str:
        """The part of a text that is read, a line for each sentence."""
        whole = text if isinstance(text, str) else "\n".join(sentences(text))
        if self.max_words is not None or self.max_bytes is not None:
            units = [line for line in whole.split("\n") if line]
            accumulate = not (sentence_wise and self.limits_differ)
            cut = self._cut([unit.encode("utf-8", "replace") for unit in units], accumulate)
            whole = b"\n".join(cut).decode("utf-8", "ignore")
        # Some characters beyond ASCII have ASCII letters as their lower case.
        return whole.lower() if self.profile == "google" else whole

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

    @property
    def stems(self) -> Stems:
        """The stems of words; the same object for equal options, since it remembers them."""
        return _stems(self)

    def stemmer(self) -> Callable[[str], str]:
        if not self.stemming or (self.profile == "unicode" and self.language is None):
            return str
        if self.language is not None:
            return _snowball(self.language)
        return _STEMMERS[self.profile]


@lru_cache(maxsize=16)
def _stems(reading: Reading) -> Stems:
    stop_words = smart_stopwords() if reading.remove_stopwords else frozenset[str]()
    return Stems(reading.stemmer(), stop_words)


def _perl_words(line: bytes) -> list[bytes]:
    """Splits a line as Perl does: a blank at the beginning gives an empty word."""
    parts = _PERL_SPACE.split(line)
    while parts and not parts[-1]:
        parts.pop()
    return parts


def letters(text: Text) -> tuple[int, int]:
    """The number of letters of a text, and of those that an ASCII profile drops."""
    whole = text if isinstance(text, str) else "".join(sentences(text))
    total = len(whole.encode("ascii", "replace").translate(None, _NOT_LETTERS))
    dropped = 0
    if not whole.isascii():
        dropped = sum(letter.isalpha() for letter in whole if letter > "\x7f")
        total += dropped
    return total, dropped


def _long_stem(variant: Variant, irregular: bool) -> Callable[[str], str]:
    """A stemmer for words of more than 3 letters, with or without the irregular forms."""

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
