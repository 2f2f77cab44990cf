"""Profiles of ROUGE: lines, length limits, tokens and stems of a text, and texts as numbers.

All differences in how ROUGE tools read a text are in here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from karat import _native
from karat.core.strings import Strings
from karat.core.tokens import Codes, tokenized, words_of
from karat.errors import MissingExtra, OptionError, did_you_mean
from karat.text.model import Text, sentences
from karat.text.unique_pairs import Ints, Offsets
from karat.text.words.character_kinds import LETTERS
from karat.text.words.lists import smart_stopwords, wordnet_exceptions
from karat.text.words.porter import Variant, stem
from karat.text.words.unicode import words

Profile = Literal["1.5.5", "google", "unicode", "python-rouge"]
Key: TypeAlias = str | tuple[str, ...]
_MOST_STEMS = 1 << 17
"""More words than that are not remembered."""
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

    def seen(self, texts: Strings, *, sentence_wise: bool = False) -> Strings:
        """The parts of texts that are read."""
        if self.max_words is not None or self.max_bytes is not None:
            return texts.changed(lambda text: self._seen(text, sentence_wise))
        return texts.lowered() if self.profile == "google" else texts

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

    def words_by_line(
        self, texts: Strings, *, sentence_wise: bool = False
    ) -> tuple[list[str], Offsets, Offsets]:
        """The words of texts, where lines end in words, and texts in lines, both after a 0."""
        if self.ascii_only:
            found = words_of(self.seen(texts, sentence_wise=sentence_wise), "ascii")
            spelt = found.spelt
            return [spelt[i] for i in found.tokens.tolist()], found.lines, found.texts
        flat: list[str] = []
        line_ends, text_ends = [0], [0]
        for text in texts.decoded():
            for line in self.lines(text, sentence_wise=sentence_wise):
                flat += line
                line_ends.append(len(flat))
            text_ends.append(len(line_ends) - 1)
        return flat, np.array(line_ends), np.array(text_ends)

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
        return _long_stem(_VARIANTS[self.profile], self.profile in _IRREGULAR)


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


def letters(texts: Strings) -> Offsets:
    """The number of letters of each text, and of those that an ASCII profile drops."""
    return _native.letter_counts(*texts.columns, LETTERS.for_texts(texts))


def _long_stem(variant: Variant, irregular: bool) -> Callable[[str], str]:
    """A stemmer for words of more than 3 letters, with or without the irregular forms."""

    def long_stem(token: str) -> str:
        if len(token) <= 3:
            return token
        base = wordnet_exceptions().get(token) if irregular else None
        return stem(token, variant) if base is None else base

    return long_stem


_VARIANTS: dict[Profile, Variant] = {
    "1.5.5": "1.5.5",
    "python-rouge": "original",
    "google": "nltk",
}
_IRREGULAR: frozenset[Profile] = frozenset(("1.5.5", "python-rouge"))


@lru_cache(maxsize=16)
def _known_forms(reading: Reading) -> tuple[Strings, Strings]:
    """Words that are not stemmed by rule and their stems; empty for those that are left out."""
    known: dict[str, str] = {}
    if reading.stemming and reading.profile in _IRREGULAR:
        known = {form: base for form, base in wordnet_exceptions().items() if len(form) > 3}
    if reading.remove_stopwords:
        known |= dict.fromkeys(smart_stopwords(), "")
    return Strings.of(list(known)), Strings.of(list(known.values()))


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

    def __init__(self, tokens: Ints, lines: Offsets, ends: Offsets) -> None:
        self.tokens = tokens
        self.sentences = lines
        self.texts = ends
        self.whole: Offsets = lines[ends]
        """Where each text begins, counted in tokens."""

    def parts(self, count: int) -> tuple[Coded, Coded]:
        """The first texts, and the others."""
        line = self.texts[count]
        token = self.sentences[line]
        return (
            Coded(self.tokens[:token], self.sentences[: line + 1], self.texts[: count + 1]),
            Coded(self.tokens[token:], self.sentences[line:] - token, self.texts[count:] - line),
        )


def coded(reading: Reading, texts: Strings) -> tuple[Coded, Coded]:
    """Texts as most measures see them, and as sentence-wise ones do."""
    if not reading.limits_differ:
        whole = _coded(reading, reading.seen(texts))
        return whole, whole
    parts = [reading.seen(texts, sentence_wise=wise) for wise in (False, True)]
    return _coded(reading, Strings.joined(*parts)).parts(len(texts))


def _coded(reading: Reading, texts: Strings) -> Coded:
    if not reading.ascii_only:
        return _in_python(reading, texts)
    variant = _VARIANTS[reading.profile] if reading.stemming else "none"
    forms, bases = _known_forms(reading)
    return Coded(*_native.stemmed_words(*texts.columns, variant, *forms.columns, *bases.columns))


def _in_python(reading: Reading, texts: Strings) -> Coded:
    """Texts of any script."""
    codes, stems = Codes(), reading.stems
    tokens: list[int] = []
    line_ends, text_ends = [0], [0]
    for text in texts.decoded():
        for line in filter(None, text.split("\n")):
            kept = (stem for word in words(line) if (stem := stems[word]) is not None)
            tokens.extend(map(codes.__getitem__, kept))
            line_ends.append(len(tokens))
        text_ends.append(len(line_ends) - 1)
    return Coded(np.array(tokens, np.int32), np.array(line_ends), np.array(text_ends))
