"""Forms of lines that are not parsed: where they are in the bytes of a chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from karat.core.items import Ints
from karat.core.raw import RawItems


class Texts(NamedTuple):
    """Texts in UTF-8, and where each begins and ends."""

    data: bytes
    spans: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Texts one after the other."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
        spans = np.column_stack([np.concatenate([[0], ends[:-1]])[: len(ends)], ends])
        return cls(b"".join(encoded), np.ascontiguousarray(spans, np.int64))

    def text(self, number: int) -> str:
        begin, end = self.spans[number].tolist()
        return self.data[begin:end].decode("utf-8", "surrogatepass")


class Spans(NamedTuple):
    """The forms of some lines, their sentences where these are compared, and the fields of gold."""

    forms: Texts
    sentences: Texts | None
    fields: Mapping[str, list[str]]


class HasSpans(Protocol):
    """A format of forms that finds them in lines without parsing these."""

    def spans(self, items: RawItems, /, *, is_gold: bool) -> Spans | None:
        """Where the forms are; None where a line has to be parsed to know."""


def spans_of(items: RawItems, *, is_gold: bool) -> Spans | None:
    """Where the forms of lines are; None where the lines have to be parsed."""
    find = getattr(items.format, "spans", None)
    return None if find is None else find(items, is_gold=is_gold)


def lines_of(items: RawItems) -> Ints:
    """Where lines begin and end."""
    return np.column_stack([items.begin, items.end])
