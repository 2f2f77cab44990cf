"""Structures of the Parallel Meaning Bank as they are written: blocks between blank lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from karat.core.format import Format
from karat.core.items import Item
from karat.core.opener import Source
from karat.errors import FormatError, Place
from karat.graphs.clauses import read_clauses
from karat.graphs.sbn import read_sbn


class _Blocks(Format, ABC):
    """The base: each item is the text of a block, comments left out, once it can be read."""

    @abstractmethod
    def check(self, text: str) -> None:
        """Raises a FormatError where a block cannot be read."""

    def read(self, source: Source) -> Iterator[Item]:
        lines: list[str] = []
        begin = 0
        for number, line in source.block_lines():
            if line.strip():
                if not line.startswith("%"):
                    begin = begin or number
                    lines.append(line)
            elif lines:
                yield self._item(source, lines, begin)
                lines, begin = [], 0
        if lines:
            yield self._item(source, lines, begin)

    def _item(self, source: Source, lines: list[str], begin: int) -> Item:
        text = "\n".join(lines)
        try:
            self.check(text)
        except FormatError as problem:
            error = FormatError(
                str(problem.message), code=problem.code, place=Place(source.name, begin)
            )
            return Item(None, None, begin, error=error)
        return Item(text, None, begin)


class Clf(_Blocks):
    """Discourse representation structures in clause form."""

    name = "clf"
    kind = "drs"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = [line.split() for line in head.split("\n") if line and not line.startswith("%")]
        return bool(first) and len(first[0]) >= 3 and first[0][0][:1] in "bk"

    def check(self, text: str) -> None:
        read_clauses(text)


class SbnText(_Blocks):
    """Simplified box notation."""

    name = "sbn"
    kind = "sbn"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = [line.split() for line in head.split("\n") if line and not line.startswith("%")]
        return bool(first) and first[0][0].count(".") >= 2

    def check(self, text: str) -> None:
        read_sbn(text)
