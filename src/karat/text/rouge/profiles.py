"""Profiles of ROUGE: lines, length limits, tokens and stems of a text, and texts as numbers.

All differences in how ROUGE tools read a text are in here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.strings import Codes, Strings, words_of
from karat.core.scores import Array
from karat.errors import MissingExtra, OptionError, did_you_mean
from karat.text.model import Text, sentences
from karat.text.unique_pairs import Ints, Offsets, TextPairs
from karat.text.words.english import Variant, smart_stopwords, wordnet_exceptions
from karat.text.words.unicode import LETTERS, words

Profile = Literal[
    "1.5.5", "google", "unicode", "python-rouge", "rouge", "rouge-metric", "coco"
]  # fmt: skip
PACKAGES: frozenset[Profile] = frozenset(("rouge", "rouge-metric", "coco"))
"""Profiles of packages that compare words as they are, separated by white space."""
Splitting = Literal["given", "whole", "full-stop", "marks"]
"""Sentences are lines or elements of a list; the whole text; what ends with a full stop; what ends
with a full stop, an exclamation or a question mark."""
_ENDINGS = {"full-stop": re.compile(r"(?<=\.)\s+"), "marks": re.compile(r"(?<=[.!?])\s+")}
Key: TypeAlias = str | tuple[str, ...]
_MOST_STEMS = 1 << 17
"""More words than that are not remembered."""
_FIRST = 512
"""So many tokens tell mostly that texts differ."""
_NUMBER = 4
"""The bytes of a number."""
_ROWS = 1e10
"""How many rows of tables of common subsequences are made at most."""
_PERL_SPACE = re.compile(rb"[ \t\n\r\f\v]+")
_LINE_END = 10
_PERL_BLANKS = np.isin(np.arange(256), list(b" \t\n\r\f\v"))


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
    sentences: Splitting = "given"
    irregular: bool = True

    @property
    def ascii_only(self) -> bool:
        return self.profile != "unicode" and self.profile not in PACKAGES

    @property
    def limits_differ(self) -> bool:
        """Whether sentence-wise measures see another part of the text than the others."""
        return self.profile == "1.5.5" and self.max_bytes is not None

    def cased(self, texts: Strings) -> Strings:
        """Texts in the case that they are compared in.

        Some characters beyond ASCII have ASCII letters as their lower case.
        """
        return texts.lowered() if self.profile == "google" else texts

    def split_all(self, texts: Strings) -> Strings:
        """Texts with a line for each sentence."""
        return texts if self.sentences == "given" else texts.changed(self.split)

    def cut_off(self, texts: Strings, sentence_wise: bool) -> Strings:
        """Texts up to the limits; the same object where nothing is cut."""
        if self.max_words is not None or self.max_bytes is not None:
            longer = self._too_long(texts)
            if longer:
                found = texts.decoded()
                for i in longer:
                    found[i] = self._limited(found[i], sentence_wise)
                texts = Strings.of(found)
        return texts

    def _too_long(self, texts: Strings) -> Sequence[int]:
        """The texts that limits may change, as far as sizes tell; all where that is hard to say."""
        data, begin, end = texts.columns
        sizes = end - begin
        if not texts.data.isascii() or b"\n\n" in texts.data or not sizes.all():
            return range(len(texts))
        if (data[begin] == _LINE_END).any() or (data[end - 1] == _LINE_END).any():
            return range(len(texts))
        if self.max_words is not None:
            spaces = np.concatenate([[0], np.cumsum(_PERL_BLANKS[data])])
            sizes, limit = spaces[end] - spaces[begin] + 1, self.max_words
        else:
            limit = self.max_bytes or 0
        return np.flatnonzero(sizes >= limit).tolist()

    def words_by_line(
        self, texts: Strings, *, sentence_wise: bool = False
    ) -> tuple[Strings, Coded]:
        """The words that texts have, and their numbers; lines without words are kept."""
        seen = self.cased(self.cut_off(self.split_all(texts), sentence_wise))
        if self.ascii_only:
            found = words_of(seen, "ascii")
            return found.words, Coded(found.tokens, found.lines, found.texts)
        spelt, coded = _in_python(seen, _Lines(self))
        return Strings.of(spelt), coded

    def stemmed(self, words: Strings) -> tuple[Ints, Strings]:
        """The stem of each word as a number, -1 where it is left out, and the stems."""
        if self.ascii_only:
            numbers, data, ends = _native.word_stems(*words.columns, *_rules(self))
            return numbers, Strings(data, ends[:-1], ends[1:])
        codes, numbers = _numbered_stems(self, words.decoded())
        return numbers, Strings.of(list(codes))

    def split(self, whole: str) -> str:
        """A text with a line for each sentence."""
        if self.sentences == "given":
            return whole
        whole = " ".join(whole.split("\n"))
        ending = _ENDINGS.get(self.sentences)
        return whole if ending is None else ending.sub("\n", whole)

    def _limited(self, whole: str, sentence_wise: bool) -> str:
        units = [line for line in whole.split("\n") if line]
        accumulate = not (sentence_wise and self.limits_differ)
        cut = self._cut([unit.encode("utf-8", "replace") for unit in units], accumulate)
        return b"\n".join(cut).decode("utf-8", "ignore")

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

    def lines_of(self, text: str) -> list[str]:
        """The lines of a text, as the profile tells them apart."""
        if self.profile == "rouge":  # The package cuts at every full stop.
            return [part for part in text.split(".") if part]
        if self.profile == "coco":
            return [" ".join(text.split("\n"))]
        lines = text.split("\n")
        return lines if self.profile == "rouge-metric" else [line for line in lines if line]

    def words_of_line(self, line: str) -> list[str]:
        """The words of one of them."""
        if self.profile == "rouge":  # What is blank between two full stops is a word.
            return " ".join(line.split()).split(" ")
        if self.profile == "coco":
            return line.split(" ")
        return line.split() if self.profile == "rouge-metric" else words(line)


@lru_cache(maxsize=16)
def _stems(language: str | None, without_stops: bool) -> Stems:
    """The stems of words of a language; the same object for equal options, since it remembers."""
    stop_words = smart_stopwords() if without_stops else frozenset[str]()
    return Stems(str if language is None else _snowball(language), stop_words)


def _perl_words(line: bytes) -> list[bytes]:
    """Splits a line as Perl does: a blank at the beginning gives an empty word."""
    parts = _PERL_SPACE.split(line)
    while parts and not parts[-1]:
        parts.pop()
    return parts


def letters(texts: Strings) -> Offsets:
    """The number of letters of each text, and of those that an ASCII profile drops."""
    return _native.letter_counts(*texts.columns, LETTERS.for_texts(texts))


_VARIANTS: dict[Profile, Variant] = {
    "1.5.5": "1.5.5",
    "python-rouge": "original",
    "google": "nltk",
}
_IRREGULAR: frozenset[Profile] = frozenset(("1.5.5", "python-rouge"))


def _rules(reading: Reading) -> tuple[Any, ...]:
    """How words of ASCII are stemmed, for a kernel."""
    variant = _VARIANTS[reading.profile] if reading.stemming else "none"
    irregular = reading.stemming and reading.irregular and reading.profile in _IRREGULAR
    forms, bases = _forms(irregular, reading.remove_stopwords)
    return (variant, *forms.columns, *bases.columns)


@lru_cache(maxsize=4)
def _forms(irregular: bool, stop_words: bool) -> tuple[Strings, Strings]:
    """Words that are not stemmed by rule and their stems; empty for those that are left out."""
    known: dict[str, str] = {}
    if irregular:
        known = {form: base for form, base in wordnet_exceptions().items() if len(form) > 3}
    if stop_words:
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
    stemmer, lock = snowballstemmer.stemmer(language), Lock()

    def stemmed(token: str) -> str:
        with lock:  # a stemmer holds the word that it is at
            return str(stemmer.stemWord(token))

    return stemmed


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

    def renumbered(self, numbers: Ints) -> tuple[Coded, npt.NDArray[np.bool_]]:
        """With other numbers for tokens, and which are kept: those whose number is not negative."""
        tokens = numbers[self.tokens]
        kept = tokens >= 0
        before = np.concatenate([[0], np.cumsum(kept)])
        return Coded(tokens[kept], before[self.sentences], self.texts), kept

    def is_like(self, other: Coded) -> bool:
        """Whether the texts are the same but for the numbers that tokens have."""
        ours, theirs = self.tokens, other.tokens
        if not (
            len(ours) == len(theirs)
            and np.array_equal(self.sentences, other.sentences)
            and np.array_equal(self.texts, other.texts)
        ):
            return False
        if not _tells(ours[:_FIRST], theirs[:_FIRST]):
            return False
        return _tells(ours, theirs) and _tells(theirs, ours)

    def parts(self, count: int) -> tuple[Coded, Coded]:
        """The first texts, and the others."""
        line = self.texts[count]
        token = self.sentences[line]
        return (
            Coded(self.tokens[:token], self.sentences[: line + 1], self.texts[: count + 1]),
            Coded(self.tokens[token:], self.sentences[line:] - token, self.texts[count:] - line),
        )


def _tells(tokens: Ints, others: Ints) -> bool:
    """Whether each token has one other at all its places."""
    if not len(tokens):
        return True
    other = np.empty(int(tokens.max()) + 1, others.dtype)
    other[tokens] = others
    return np.array_equal(other[tokens], others)


_Result = TypeVar("_Result")


class Shared(Protocol):
    """Is given all that a result depends on, and the function that makes it."""

    def __call__(self, parts: Sequence[Any], make: Callable[[], _Result], /) -> _Result: ...


def each_time(_: Sequence[Any], make: Callable[[], _Result]) -> _Result:
    """Makes it, whatever was made before."""
    return make()


def coded(reading: Reading, texts: Strings, shared: Shared = each_time) -> tuple[Coded, Coded]:
    """Texts as most measures see them, and as sentence-wise ones do."""
    ways = (False, True) if reading.limits_differ else (False,)
    split = shared(("split", reading.sentences, texts), lambda: reading.split_all(texts))

    def seen() -> Strings:
        return reading.cased(Strings.joined(*(reading.cut_off(split, wise) for wise in ways)))

    limits = (reading.profile == "google", reading.max_words, reading.max_bytes)
    found = shared(("seen", *limits, ways, split), seen)
    tokens = replace(reading, max_words=None, max_bytes=None, sentences="given")
    both = shared(("coded", tokens, found), lambda: _coded(tokens, found, shared))
    if len(ways) == 1:
        return both, both
    return shared(("parts", tokens, found), lambda: both.parts(len(texts)))


def _coded(reading: Reading, texts: Strings, shared: Shared) -> Coded:
    if not reading.ascii_only:
        known = shared(("lines", reading.profile), lambda: _Lines(reading))
        words = shared(("words", reading.profile, texts), lambda: _in_python(texts, known))
        return _stemmed(reading, *words)
    return Coded(*_native.stemmed_words(*texts.columns, *_rules(reading)))


class _Lines(dict[str, bytes]):
    """Lines as the numbers of their words, of 32 bits each, found once."""

    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self.reading = reading
        self.pieces = _Pieces(reading.profile in PACKAGES)
        self.lock = Lock()

    def __missing__(self, line: str) -> bytes:
        if self.pieces.are_words:
            found = b"".join(map(self.pieces.__getitem__, self.reading.words_of_line(line)))
        elif line.isascii():  # where no word goes on beyond a blank
            found = b"".join(map(self.pieces.__getitem__, line.split()))
        else:
            found = self.pieces.numbers(self.reading.words_of_line(line))
        self[line] = found
        return found


class _Pieces(dict[str, bytes]):
    """What stands between blanks, as the numbers of its words."""

    def __init__(self, are_words: bool) -> None:
        super().__init__()
        self.are_words = are_words
        self.codes = Codes()

    def __missing__(self, piece: str) -> bytes:
        found = self[piece] = self.numbers([piece] if self.are_words else words(piece))
        return found

    def numbers(self, words: Sequence[str]) -> bytes:
        return np.fromiter(map(self.codes.__getitem__, words), np.int32, len(words)).tobytes()


def _in_python(texts: Strings, known: _Lines) -> tuple[list[str], Coded]:
    """Texts of any script: the words that there are, and their numbers."""
    lines = [known.reading.lines_of(text) for text in texts.decoded()]
    with known.lock:  # so that no two words get the same number, on whatever threads
        words = [known[line] for text in lines for line in text]
        spelt = list(known.pieces.codes)
    sizes = np.array(list(map(len, words)), np.int64) // _NUMBER
    coded = Coded(
        np.frombuffer(b"".join(words), np.int32),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([[0], np.cumsum(list(map(len, lines)), dtype=np.int64)]),
    )
    return spelt, coded


def _numbered_stems(reading: Reading, words: Sequence[str]) -> tuple[Codes, Ints]:
    """The stems of words with their numbers, and that of each word; -1 where it has none."""
    language = reading.language if reading.stemming else None
    codes, stems = Codes(), _stems(language, reading.remove_stopwords)
    found = [-1 if (stem := stems[word]) is None else codes[stem] for word in words]
    return codes, np.array(found, np.int32)


def _stemmed(reading: Reading, words: Sequence[str], coded: Coded) -> Coded:
    """The same texts with stems in place of words, without those that are left out."""
    return coded.renumbered(_numbered_stems(reading, words)[1])[0]


def distinct_tables(
    coded: Coded, unique: TextPairs, orders: int, subsequences: bool, shared: Shared = each_time
) -> list[Array]:
    """Common, gold and system sizes of sets: of n-grams of each order, then of the words in common
    subsequences of sentences.

    As in the package rouge: a word counts once however often it occurs, and of two ways back
    through the table of a subsequence that lose nothing, that which leaves the system's word is
    taken.
    """

    def distinct(n: int) -> Coded:
        return shared(("distinct", n, coded.tokens, coded.whole), lambda: _distinct(coded, n))

    tables = [_common(distinct(n), unique) for n in range(1, orders + 1)]
    if subsequences:
        words = distinct(1)
        swapped = np.ascontiguousarray(unique.pairs[:, ::-1])
        hits = _native.lcs_unions(
            coded.tokens, coded.sentences, coded.texts, words.tokens, words.sentences, swapped,
            0.0, _ROWS,
        )[:, 0]  # fmt: skip
        sizes = np.diff(words.sentences).astype(np.float64)
        tables.append(np.column_stack([hits, sizes[unique.pairs[:, 1]], sizes[unique.pairs[:, 0]]]))
    return tables


def _distinct(coded: Coded, n: int) -> Coded:
    """Texts as their distinct n-grams, each as one number; that of a token is its own."""
    tokens, ends = coded.tokens.astype(np.int64), coded.whole
    text = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    base = int(tokens.max(initial=0)) + 1
    grams = tokens
    for k in range(1, n):
        longer = grams[: max(0, len(tokens) - k)] * base + tokens[k:]
        grams = np.unique(longer, return_inverse=True)[1]
    last = text[n - 1 :]
    inside = text[: len(last)] == last
    width = int(grams.max(initial=0)) + 1
    found = np.sort(text[: len(last)][inside] * width + grams[inside])
    found = found[np.diff(found, prepend=-1) > 0]
    offsets = np.searchsorted(found, np.arange(len(ends)) * width)
    return Coded((found % width).astype(np.int32), offsets, np.arange(len(ends), dtype=np.int64))


def _common(texts: Coded, unique: TextPairs) -> Array:
    table = _native.ngram_overlaps(texts.tokens, texts.sentences, unique.pairs, 1)
    return np.asarray(table[:, 0], np.float64)
