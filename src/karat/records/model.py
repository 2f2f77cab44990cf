"""Documents: JSON as text, since numbers, doubled keys and errors are read from that.

And JSON as values that are written again with the digits that were read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any, TypeAlias
from unicodedata import normalize

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


# -- JSON whose numbers keep their digits ------------------------------------------------------


class Number(float):
    """A number that keeps its digits when it is written again."""

    text: str

    def __new__(cls, text: str) -> Number:
        made = super().__new__(cls, 0.0)
        made.text = text
        return made


class Reader:
    """Reads JSON, and notices keys that occur twice in one object; the last one counts."""

    def __init__(self) -> None:
        self.doubled = False

    def __call__(self, text: bytes) -> Any:
        """JSON whose numbers keep their digits; what is none raises a ValueError."""
        try:
            return json.loads(
                text.decode("utf-8", "surrogatepass"),
                parse_float=Number,
                parse_int=Number,
                parse_constant=_refuse,
                object_pairs_hook=self._object,
            )
        except RecursionError:
            raise ValueError("nested too deeply") from None

    def _object(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        keys = found if all(map(str.isascii, found)) else {normalize("NFC", key) for key in found}
        self.doubled |= len(keys) < len(members)
        return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class _Text(str):
    """Text that is JSON already."""

    __slots__ = ()


_COMMA, _END_OF_LIST, _END_OF_OBJECT = _Text(","), _Text("]"), _Text("}")


def rendered(value: Any) -> str:
    """A decoded value as JSON again.

    >>> rendered({"a": [Number("1.50"), None]})
    '{"a":[1.50,null]}'
    """
    parts: list[str] = []
    waiting = [value]  # rather than recursion, which ends where Python's stack does
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is _Text:
            parts.append(each)
        elif kind is Number:
            parts.append(each.text)
        elif kind is str:
            parts.append(_quoted(each))
        elif kind is dict and each:
            parts.append("{")
            waiting.append(_END_OF_OBJECT)
            for key in reversed(each):
                waiting += (each[key], _Text(f",{_quoted(key)}:"))
            waiting[-1] = _Text(waiting[-1][1:])
        elif kind is list and each:
            parts.append("[")
            waiting.append(_END_OF_LIST)
            for below in reversed(each):
                waiting += (below, _COMMA)
            waiting.pop()
        else:
            parts.append(json.dumps(each))
    return "".join(parts)
