"""Plain text: one item per line, paired by position."""

from __future__ import annotations

from karat.core.format import LineFormat
from karat.core.items import Item


class Lines(LineFormat):
    """One text per line; an empty line is an empty text."""

    name = "lines"
    kind = "text"
    is_fallback = True

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return not head.lstrip().startswith("{")

    def parse_line(self, text: str, line: int, file: str) -> Item:
        return Item(text, None, line)
