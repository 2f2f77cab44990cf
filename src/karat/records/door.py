"""Documents and labelled spans in memory: JSON values, JSON text, tags, lists of spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.core.reading.doors import Door, Role
from karat.core.reading.items import Item, Key
from karat.errors import FormatError, OptionError
from karat.records.model import Document, Golds, written
from karat.records.spans import Span, SpanList, Tagged

_PLAIN = (str, bytes, bool, int, float, type(None))


class RecordDoor(Door):
    """A value of JSON, or JSON text."""

    accepts = (
        "JSON text (what a model wrote), or a value of JSON: a dictionary, a list, a number, a "
        "string; in gold, a tuple is a choice"
    )
    kind = "record"

    def key(self, value: Any, role: Role) -> Key | None:
        return (value.id,) if isinstance(value, Document) and value.id else None

    def item(self, value: Any, role: Role, where: str) -> Item:
        found = self.native(value, role)
        if isinstance(found, (dict, list, tuple)):
            try:
                written(found)  # so that what is inside and no JSON is told with its place
            except OptionError as problem:
                raise FormatError(problem.message, code="K175", advice=problem.advice) from None
        return Item(found)

    def native(self, value: Any, role: Role) -> Any:
        if isinstance(value, Document) or (role == "gold" and isinstance(value, Golds)):
            return value
        if not isinstance(value, (*_PLAIN, dict, list, tuple)):
            raise self.refuse(value)
        return value


class SpanDoor(Door):
    """The tags of a sentence, or a list of spans."""

    accepts = (
        "a list of tags of tokens, or a list of spans: [label, begin, end], or objects with label, "
        "start and end"
    )
    kind = "span"

    def key(self, value: Any, role: Role) -> Key | None:
        return value.key if isinstance(value, (SpanList, Tagged)) else None

    def native(self, value: Any, role: Role) -> Any:
        if isinstance(value, Tagged):
            return value
        if not isinstance(value, (list, tuple)) or isinstance(value, Span):
            raise self.refuse(value)
        are_tags = all(isinstance(each, str) for each in value)
        if not are_tags and not all(isinstance(each, (list, tuple, Mapping)) for each in value):
            raise self.refuse(value)
        return value
