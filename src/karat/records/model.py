"""Documents: JSON as text, since numbers, doubled keys and errors are read from that."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from karat.errors import FormatError, OptionError, Place

JsonValue: TypeAlias = Any
"""What JSON can hold: None, truth values, numbers, strings, lists, dictionaries."""


class UnfitError(Exception):
    """A record of a file that does not fit its format."""


class Document(msgspec.Struct, frozen=True):
    """One document of a file: its text, where it is, and the gold that stands beside it."""

    text: bytes
    file: str = ""
    line: int = 0
    golds: tuple[bytes, ...] | None = None
    id: str = ""
    """Its id in a file of records, which is written with it."""

    def system_value(self) -> Document:
        """What the system wrote."""
        return self

    def gold_values(self) -> list[Document]:
        """Gold of its own, or what a gold file holds."""
        if self.golds is None:
            return [self]
        return [Document(text, self.file, self.line) for text in self.golds]

    def holds_gold(self) -> bool:
        """Whether gold stands beside it, so that no gold file is needed."""
        return self.golds is not None

    def has_other_gold(self, golds: Sequence[Any]) -> bool:
        """Whether it comes with gold of which nothing is among the given gold."""
        if self.golds is None:
            return False
        given = (own for each in golds if isinstance(each, Document) for own in each.gold_values())
        return {each.text for each in given}.isdisjoint(self.golds)

    def own_values(self) -> list[Document]:
        """What a file has of it: the output, or where there is none its gold."""
        return [self] if self.text else self.gold_values()

    def error(self, message: str, offset: int = -1) -> FormatError:
        """The error that gold cannot be used."""
        before = self.text[: max(offset, 0)]
        where = Place(
            self.file,
            self.line + before.count(b"\n") if self.line else 0,
            len(before.rpartition(b"\n")[2].decode(errors="replace")) + 1 if offset >= 0 else 0,
        )
        return FormatError(
            message,
            code="K175",
            place=where if self.file else None,
            excerpt=excerpt(self.text, offset),
        )


class Golds(msgspec.Struct, frozen=True):
    """Several gold documents of one item: the one that fits best counts."""

    documents: tuple[Any, ...]


def excerpt(text: bytes, offset: int) -> str:
    """Some 40 characters around a place in a text; empty where no place is known."""
    if offset < 0:
        return ""
    around = text[max(0, offset - 20) : offset + 20].decode(errors="replace")
    return "near: " + " ".join(around.split())


def encoded(value: JsonValue | Document) -> bytes:
    """A document as bytes: text as it is, other values written as JSON.

    >>> encoded({"a": [1, None]})
    b'{"a":[1,null]}'
    >>> encoded("not JSON")
    b'not JSON'
    """
    if isinstance(value, Document):
        return value.text
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return written(value)


def written(value: JsonValue) -> bytes:
    """A value as JSON. A tuple stands for a choice of gold: ``{"$any": [...]}``."""
    try:
        text = json.dumps(_plain(value), separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise FormatError("the value is nested too deeply", code="K175") from None
    except ValueError as error:
        raise FormatError(f"this is not a JSON value: {error}", code="K175") from None
    return text.encode()


def _plain(value: JsonValue) -> JsonValue:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise OptionError(f"a key of a record must be a string, got {key!r}", code="K317")
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, tuple):
        return {"$any": [_plain(each) for each in value]}
    raise OptionError(
        f"a record must be JSON text or a value of JSON, got {type(value).__name__}",
        code="K317",
        advice="give a string with JSON, or None, numbers, strings, lists and dictionaries",
    )
