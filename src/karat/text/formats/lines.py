"""Plain text: one item per line, paired by position."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.format import Format
from karat.core.items import Item
from karat.core.opener import Source


class Lines(Format):
    """One text per line; an empty line is an empty text."""

    name = "lines"
    kind = "text"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return not head.lstrip().startswith("{")

    def read(self, source: Source) -> Iterator[Item]:
        for number, line in source.lines():
            yield Item(line, None, number)
