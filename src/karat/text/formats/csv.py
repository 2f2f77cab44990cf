"""Comma-separated columns with a header."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Annotated, Any

from karat.core.format import Format
from karat.core.items import Item
from karat.core.opener import Source
from karat.errors import FormatError, OptionError, Place
from karat.text.records import DOCUMENTS, IDS, REFERENCES, TEXTS, UnfitError, broken, item_of


class Csv(Format):
    """Columns of texts under a header, quoted as spreadsheets do.

    Columns have the names that JSON lines have: `id`, `summary` or `text`, and
    `reference`; further columns whose names begin with `reference` or
    `document` (`reference_2`) hold further ones, and empty cells hold none.
    `text_column` takes one column as the text, whatever its name.
    """

    name = "csv"
    kind = "text"

    text_column: Annotated[str, "the name of the column with the text"] = ""
    delimiter: Annotated[str, "what separates the columns"] = ","

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1:
            raise OptionError(
                f"option 'delimiter' of format csv must be one character, got {self.delimiter!r}",
                code="K302",
            )

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.partition("\n")[0].split(",")
        return len(first) > 1 and first[0].strip('" \r') in (*IDS, *TEXTS, *REFERENCES)

    def read(self, source: Source) -> Iterator[Item]:
        lines = (line + "\n" for _, line in source.lines())
        rows = csv.reader(lines, delimiter=self.delimiter, strict=True)
        try:
            header = next(rows, None)
            if header is None:
                return
            self._check(header, source)
            begin = rows.line_num + 1
            for cells in rows:
                try:
                    if cells:
                        yield item_of(self._record(header, cells), begin)
                except UnfitError as unfit:
                    yield broken(source, begin, unfit)
                begin = rows.line_num + 1
        except csv.Error as error:
            raise FormatError(
                f"this is not CSV: {error}", code="K114", place=Place(source.name, rows.line_num)
            ) from None

    def _check(self, header: list[str], source: Source) -> None:
        known = {self.text_column} if self.text_column else {*TEXTS, *REFERENCES, *DOCUMENTS}
        if known.isdisjoint(header):
            raise FormatError(
                f"the header has no column of texts: {', '.join(header)}",
                code="K114",
                place=Place(source.name, 1),
                advice="name one with --text-column",
            )

    def _record(self, header: list[str], cells: list[str]) -> dict[str, Any]:
        if len(cells) != len(header):
            raise UnfitError(f"the row has {len(cells)} cells, the header has {len(header)}")
        record: dict[str, Any] = {}
        several: dict[str, list[str]] = {}
        for name, cell in zip(header, cells, strict=True):
            plural = next((p for p in ("references", "documents") if name.startswith(p[:-1])), None)
            if self.text_column and name == self.text_column:
                record["summary"] = cell
            elif plural is None:
                record[name] = cell
            elif cell:
                several.setdefault(plural, []).append(cell)
        return record | several
