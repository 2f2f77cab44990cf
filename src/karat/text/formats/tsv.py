"""Tab-separated columns: every column of a gold file is a reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from karat.core.format import Format
from karat.core.items import Item
from karat.core.opener import Source
from karat.core.options import Range
from karat.errors import FormatError, Place
from karat.text.model import TextRecord


class Tsv(Format):
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

    def read(self, source: Source) -> Iterator[Item]:
        for number, line in source.rows():
            cells = line.split("\t")
            if self.column > len(cells):
                error = FormatError(
                    f"the line has {len(cells)} columns, expected at least {self.column}",
                    code="K110",
                    place=Place(source.name, number),
                )
                yield Item(None, None, number, error=error)
                continue
            if self.column:
                cells = [cells[self.column - 1]]
            if len(cells) == 1:
                yield Item(cells[0], None, number)
            else:
                references = tuple(cell for cell in cells if cell) or ("",)
                yield Item(TextRecord(None, references), None, number)
