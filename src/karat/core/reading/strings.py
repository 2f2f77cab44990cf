"""Strings and tokens in the form that native code takes: blocks of bytes with offsets, numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native

Offsets: TypeAlias = npt.NDArray[np.int64]
Columns: TypeAlias = tuple[npt.NDArray[np.uint8], Offsets, Offsets]

ReferencedColumns: TypeAlias = tuple[
    npt.NDArray[np.uint8], Offsets, Offsets, npt.NDArray[np.uint8], Offsets, Offsets, Offsets
]


_T = TypeVar("_T")
_object = msgspec.json.Decoder(dict[str, Any])


def decoded_as(decoder: msgspec.json.Decoder[_T], data: bytes) -> _T:
    """Decodes JSON that native code wrote; lone surrogates are kept."""
    try:
        return decoder.decode(data)
    except msgspec.DecodeError:
        import json  # takes its time to load

        return msgspec.convert(json.loads(data), decoder.type)


def decoded_json(data: bytes) -> dict[str, Any]:
    """Decodes a JSON object that native code wrote."""
    return decoded_as(_object, data)


class Strings(msgspec.Struct, frozen=True):
    """Strings in UTF-8; surrogates are encoded like other characters.

    >>> Strings.of(["a dog", "barks"]).decoded()
    ['a dog', 'barks']
    """

    data: bytes
    begin: Offsets
    end: Offsets

    @classmethod
    def of(cls, texts: Sequence[str]) -> Strings:
        """Strings of Python, one after the other."""
        whole = "".join(texts)
        if whole.isascii():
            data, sizes = whole.encode(), [len(text) for text in texts]
        else:
            encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
            data, sizes = b"".join(encoded), [len(each) for each in encoded]
        ends = np.cumsum(sizes, dtype=np.int64)
        return cls(data, ends - np.array(sizes, np.int64), ends)

    @classmethod
    def at(cls, data: bytes, spans: Offsets) -> Strings:
        """Strings by where they begin and end, a row for each."""
        return cls(data, spans[:, 0], spans[:, 1])

    @classmethod
    def interleaved(cls, columns: Sequence[Strings]) -> Strings:
        """The first string of each column, then the second of each, and so on."""
        order = np.arange(sum(map(len, columns))).reshape(len(columns), -1).T.ravel()
        return cls.joined(*columns).take(order)

    @classmethod
    def joined(cls, *columns: Strings) -> Strings:
        """The strings of all columns, one after the other."""
        if len(columns) == 1:
            return columns[0]
        sizes = np.cumsum([0, *(len(each.data) for each in columns)])
        moved = list(zip(columns, sizes.tolist(), strict=False))
        return cls(
            b"".join(each.data for each in columns),
            np.concatenate([each.begin + size for each, size in moved]),
            np.concatenate([each.end + size for each, size in moved]),
        )

    def take(self, rows: npt.NDArray[np.integer[Any]] | slice) -> Strings:
        """Some of the strings."""
        return Strings(self.data, self.begin[rows], self.end[rows])

    def compact(self) -> Strings:
        """A copy without the bytes that belong to no string."""
        sizes = self.end - self.begin
        ends = np.cumsum(sizes)
        if not len(sizes):
            return Strings(b"", ends, ends)
        begins = ends - sizes
        if np.array_equal(self.begin[1:], self.end[:-1]):  # one after the other already
            data = self.data[int(self.begin[0]) : int(self.end[-1])]
        else:
            places = np.repeat(self.begin - begins, sizes) + np.arange(int(ends[-1]))
            data = np.frombuffer(self.data, np.uint8)[places].tobytes()
        return Strings(data, begins, ends)

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def columns(self) -> Columns:
        """The bytes and the bounds, for a kernel."""
        return np.frombuffer(self.data, np.uint8), self.begin, self.end

    @property
    def spans(self) -> Offsets:
        """Where each string begins and ends, a row for each."""
        return np.column_stack([self.begin, self.end])

    def text(self, number: int) -> str:
        """One of the strings."""
        begin, end = int(self.begin[number]), int(self.end[number])
        return self.data[begin:end].decode("utf-8", "surrogatepass")

    def decoded(self) -> list[str]:
        """The strings of Python."""
        spans = zip(self.begin.tolist(), self.end.tolist(), strict=True)
        if self.data.isascii():
            whole = self.data.decode("ascii")
            return [whole[begin:end] for begin, end in spans]
        data = self.data
        return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in spans]

    def changed(self, change: Callable[[str], str]) -> Strings:
        """The strings after a function is applied to each."""
        return Strings.of([change(text) for text in self.decoded()])

    def lowered(self, change: Callable[[str], str] = str.lower) -> Strings:
        """The strings in lower case; `change` must lower ASCII as `str.lower` does."""
        if self.data.isascii():
            return Strings(self.data.lower(), self.begin, self.end)
        return self.changed(change)

    def blank(self) -> npt.NDArray[np.bool_]:
        """Which strings are blank: empty, or white space alone."""
        found: npt.NDArray[np.bool_] = self.begin == self.end
        data = np.frombuffer(self.data, np.uint8)
        some = np.flatnonzero(~found)
        for i in some[_MAY_BE_BLANK[data[self.begin[some]]]].tolist():
            found[i] = not self.text(i).strip()
        return found


_MAY_BE_BLANK = np.zeros(256, bool)
"""The bytes that white space begins with."""
_MAY_BE_BLANK[list(b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \xc2\xe1\xe2\xe3")] = True


class Referenced(msgspec.Struct, frozen=True):
    """Texts with any number of references each: those of text i are bounds[i] to bounds[i + 1]."""

    systems: Strings
    references: Strings
    bounds: Offsets

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, Sequence[str]]]) -> Referenced:
        """Pairs of a text and its references."""
        bounds = np.zeros(len(pairs) + 1, np.int64)
        np.cumsum([len(golds) for _, golds in pairs], out=bounds[1:])
        return cls(
            Strings.of([system for system, _ in pairs]),
            Strings.of([gold for _, golds in pairs for gold in golds]),
            bounds,
        )

    def pairs(self) -> list[tuple[str, list[str]]]:
        """The texts with their references, as strings of Python."""
        references, bounds = self.references.decoded(), self.bounds.tolist()
        return [
            (text, references[begin:end])
            for text, (begin, end) in zip(self.systems.decoded(), pairwise(bounds), strict=True)
        ]

    @property
    def columns(self) -> ReferencedColumns:
        """All arrays, as arguments of native functions."""
        return (*self.systems.columns, *self.references.columns, self.bounds)

    def parts(self, size: int) -> Iterator[Referenced]:
        """Parts of so many texts each."""
        for first in range(0, len(self.systems), size):
            bounds = self.bounds[first : first + size + 1]
            yield Referenced(
                self.systems.take(slice(first, first + size)),
                self.references.take(slice(int(bounds[0]), int(bounds[-1]))),
                bounds - bounds[0],
            )

    @property
    def starts(self) -> Offsets:
        """The first reference of each text."""
        return self.bounds[:-1]

    @property
    def sizes(self) -> Offsets:
        """The number of references of each text."""
        return np.diff(self.bounds)

    def lowered(self) -> Referenced:
        """Both sides in lower case."""
        return Referenced(self.systems.lowered(), self.references.lowered(), self.bounds)

    def changed(self, change: Callable[[str], str]) -> Referenced:
        """The texts of both sides after a function is applied to each."""
        return Referenced(
            self.systems.changed(change), self.references.changed(change), self.bounds
        )


def as_text(value: object) -> str | None:
    """A text, or sentences as lines; None for what is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return None


def utf16(text: str) -> list[int] | None:
    """The UTF-16 offset of each character; None if all are equal to the offsets in the text.

    >>> utf16("a\U0001f600b"), utf16("ab")
    ([0, 1, 3, 4], None)
    """
    if text.isascii() or max(text) <= "\uffff":
        return None
    places, at = [0], 0
    for mark in text:
        at += 2 if mark > "\uffff" else 1
        places.append(at)
    return places


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
