"""Tab-separated columns: every column of a gold file is a reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from karat.core.files.opener import Source
from karat.core.format import LineFormat
from karat.core.items import Item
from karat.core.options import Range
from karat.errors import FormatError, Place
from karat.text.model import TextRecord


class Tsv(LineFormat):
    """Columns of texts without header and without quoting.

    As gold, each column that is not empty is a reference; the system's file has
    one column, or `column` says which one to take.
    """

    name = "tsv"
    kind = "text"

    column: Annotated[int, Range(0), "the column to read, from 1; 0 takes all"] = 0

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return "\t" in head.partition("\n")[0]

    def lines_of(self, source: Source) -> Iterator[tuple[int, int, bytes]]:
        return source.byte_rows()

    def parse_line(self, item: Item, line: str, file: str) -> Item:
        cells = line.split("\t")
        if self.column > len(cells):
            error = FormatError(
                f"the line has {len(cells)} columns, expected at least {self.column}",
                code="K110",
                place=Place(file, item.line),
            )
            return Item(None, None, item.line, error=error)
        if self.column:
            cells = [cells[self.column - 1]]
        if len(cells) == 1:
            return Item(cells[0], None, item.line)
        references = tuple(cell for cell in cells if cell) or ("",)
        return Item(TextRecord(None, references), None, item.line)
