"""Texts line by line: alone, or in tab-separated columns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO, Annotated

from karat.core.format import LineFormat
from karat.core.options import Range
from karat.core.reading.items import Item
from karat.errors import FormatError, Place, counted
from karat.text.model import TextRecord


def begins_records(head: str) -> bool:
    """Whether a text begins like a JSON array of records."""
    return re.match(r'\s*\[\s*\{\s*["}]', head) is not None


class Lines(LineFormat):
    """One text per line; an empty line is an empty text."""

    name = "lines"
    kind = "text"
    is_fallback = True
    has_keys = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return not head.lstrip().startswith("{") and not begins_records(head)

    def parse_line(self, text: str, line: int, file: str) -> Item:
        return Item(text, None, line)

    def write(self, values: Iterable[str], stream: IO[bytes]) -> None:
        for number, value in enumerate(values, 1):
            if "\n" in value or "\r" in value:
                raise FormatError(
                    f"text {number} has several lines, which one line cannot hold", code="K110"
                )
            stream.write(f"{value}\n".encode())


class Tsv(LineFormat):
    """Columns of texts without header and without quoting.

    As gold, each column that is not empty is a reference; the system's file has
    one column, or `column` says which one to take.
    """

    name = "tsv"
    kind = "text"
    blank_lines = "inside"
    has_keys = False

    column: Annotated[int, Range(0), "the column to read, from 1; 0 takes all"] = 0

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return "\t" in head.partition("\n")[0]

    def parse_line(self, text: str, line: int, file: str) -> Item:
        cells = text.split("\t")
        if self.column > len(cells):
            columns = counted(len(cells), "column")
            problem = f"the line has {columns}, expected at least {self.column}"
            return _unfit(problem, Place(file, line))
        if self.column:
            cells = [cells[self.column - 1]]
        if len(cells) == 1:
            return Item(cells[0], None, line)
        if self.role == "system":
            problem = f"the line has {len(cells)} columns, expected one text"
            advice = "say which one to take with ``column``; if the first line names the columns, "
            return _unfit(
                problem,
                Place(file, line),
                advice + "name those of texts: ``text_field``, ``gold_field``",
            )
        references = tuple(cell for cell in cells if cell) or ("",)
        return Item(TextRecord(None, references), None, line)


def _unfit(problem: str, place: Place, advice: str = "") -> Item:
    error = FormatError(problem, code="K110", place=place, advice=advice)
    return Item(None, None, place.line, error=error)
