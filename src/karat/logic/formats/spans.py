"""Forms of lines that are not parsed: where they are in the bytes of a chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from karat.core.raw import RawItems
from karat.core.strings import Strings


class Spans(NamedTuple):
    """The forms of some lines, their sentences where these are compared, and the fields of gold."""

    forms: Strings
    sentences: Strings | None
    fields: Mapping[str, list[str]]


class HasSpans(Protocol):
    """A format of forms that finds them in lines without parsing these."""

    def spans(self, items: RawItems, /, *, is_gold: bool) -> Spans | None:
        """Where the forms are; None where a line has to be parsed to know."""


def spans_of(items: RawItems, *, is_gold: bool) -> Spans | None:
    """Where the forms of lines are; None where the lines have to be parsed."""
    find = getattr(items.format, "spans", None)
    return None if find is None else find(items, is_gold=is_gold)
