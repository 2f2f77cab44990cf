"""Structures of the Parallel Meaning Bank as they are written: blocks between blank lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, TypeAlias

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.reading.items import Item
from karat.errors import FormatError, Place
from karat.graphs.drs.clauses import read_clauses
from karat.graphs.drs.sbn import read_sbn, units
from karat.graphs.formats.base import paragraphs

Line: TypeAlias = tuple[int, str]


def _first_words(head: str) -> list[str]:
    """The words of the first line that is no comment."""
    lines = (line.split() for line in head.split("\n") if not line.startswith("%"))
    return next(filter(None, lines), [])


def _blocks(source: Source) -> Iterator[list[Line]]:
    """The lines between blank lines with their numbers, comments left out."""
    for block in paragraphs(source):
        if kept := [(number, line) for number, line in block if not line.startswith("%")]:
            yield kept


class _Blocks(Format, ABC):
    """The base: each item is the text of a block, comments left out, once it can be read."""

    @abstractmethod
    def check(self, text: str) -> None:
        """Raises a FormatError where a block cannot be read."""

    def read(self, source: Source) -> Iterator[Item]:
        for block in _blocks(source):
            yield self._item(source, block)

    def _item(self, source: Source, block: Sequence[Line]) -> Item:
        begin = block[0][0]
        text = "\n".join(line for _, line in block)
        try:
            self.check(text)
        except FormatError as problem:
            at = problem.place.line if problem.place else 1
            place = Place(source.name, block[at - 1][0])
            error = FormatError(problem.message, code=problem.code, place=place)
            return Item(None, None, begin, error=error)
        return Item(text, None, begin)


class Clf(_Blocks):
    """Discourse representation structures in clause form."""

    name = "clf"
    kind = "drs"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = _first_words(head)
        return len(first) >= 3 and first[0][0] in "bk"

    def check(self, text: str) -> None:
        read_clauses(text)


class SbnText(_Blocks):
    """Simplified box notation: a structure over several lines, or each on one line.

    A structure over several lines has one concept or one box word on each. So a file whose
    first line has several, with no blank line between it and the next, has one structure a line.
    """

    name = "sbn"
    kind = "sbn"

    layout: Annotated[
        Literal["auto", "blocks", "lines"],
        "where a structure ends: at a blank line, or with its line, an empty line being an "
        "empty structure",
    ] = "auto"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return "".join(_first_words(head)[:1]).count(".") >= 2

    def read(self, source: Source) -> Iterator[Item]:
        if self.layout == "lines":
            yield from self._lines(source)
            return
        by_line = False
        for number, block in enumerate(_blocks(source)):
            several = [units(line) > 1 for _, line in block]
            if self.layout == "blocks" or not (by_line or (len(block) > 1 and any(several))):
                yield self._item(source, block)
                continue
            if by_line or number or not several[0]:
                raise self._unclear(source, block[0][0] if by_line else _first(block, several))
            by_line = True
            yield from (self._item(source, [line]) for line in block)

    def check(self, text: str) -> None:
        read_sbn(text)

    def _lines(self, source: Source) -> Iterator[Item]:
        """Every line an item; empty ones at the end of the file are none."""
        empty: list[int] = []
        for number, line in source.lines():
            if line.startswith("%"):
                continue
            if not line.strip():
                empty.append(number)
                continue
            yield from (Item("", None, each) for each in empty)
            empty = []
            yield self._item(source, [(number, line)])

    def _unclear(self, source: Source, line: int) -> FormatError:
        return FormatError(
            "here it is unclear where structures end: some lines have several concepts or box "
            "words, and yet there are blank lines, or lines with one",
            code="K161",
            place=Place(source.name, line),
            advice="layout=lines takes each line for a structure, empty lines for empty ones; "
            "layout=blocks takes the lines between blank lines for one",
        )


def _first(block: Sequence[Line], chosen: Sequence[bool]) -> int:
    return next(number for (number, _), wanted in zip(block, chosen, strict=True) if wanted)
