"""Columns with a header, separated by commas or tabs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Annotated, Any

from karat.core.files.opener import Source
from karat.core.reading.fields import (
    IDS,
    REFERENCES,
    SYSTEMS,
    TEXTS,
    csv_module,
    csv_rows,
    other_delimiter,
)
from karat.core.reading.items import Item
from karat.errors import FormatError, OptionError, Place, counted
from karat.text.formats.records import RecordFormat
from karat.text.records.layout import DOCUMENTS, Layout
from karat.text.records.schemas import UnfitError, broken, item_of

_NAME = re.compile(r"[\w.-]+")
_KNOWN = frozenset((*IDS, *SYSTEMS, *TEXTS, *REFERENCES))
_SEVERAL = re.compile(r"(reference|document)s?(?:[ _-]?\d+)?")


class Csv(RecordFormat):
    """Columns of texts under a header, quoted as spreadsheets do.

    Columns have the names that JSON lines have: `id`, `summary` or `text`, and
    `reference`; further columns that are numbered (`reference_2`, `document_2`) hold
    further ones, and empty cells hold none.
    `text_field` takes one column as the text of the system, whatever its name, `gold_field`
    one as the reference; `text_column` is a text on either side.
    """

    name = "csv"

    text_column: Annotated[str, "the name of the column with the text"] = ""
    delimiter: Annotated[str, "what separates the columns"] = ","
    quoted: Annotated[bool, "cells may be in quotes, as spreadsheets write them"] = True

    def __post_init__(self) -> None:
        if self.text_column and self.text_field:
            raise OptionError(f"{self.name}: text_column and text_field are the same", code="K390")
        if len(self.delimiter) != 1:
            raise OptionError(
                f"option 'delimiter' of format {self.name} must be one character, "
                f"got {self.delimiter!r}",
                code="K302",
            )

    @property
    def named_text(self) -> str:
        return self.text_column

    @classmethod
    def recognizes(cls, head: str) -> bool:
        names = [name.strip('" \r') for name in head.partition("\n")[0].split(",")]
        if len(names) < 2 or not all(_NAME.fullmatch(name) for name in names):
            return False
        return names[0] in (*IDS, *SYSTEMS) or not {*TEXTS, *REFERENCES}.isdisjoint(names)

    def read(self, source: Source) -> Iterator[Item]:
        layout = self.layout()
        return self.noted(self._items(source, layout), layout)

    def _items(self, source: Source, layout: Layout) -> Iterator[Item]:
        quoting = csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE
        lines = (line for _, line in source.lines())
        rows = csv_rows(lines, delimiter=self.delimiter, strict=True, quoting=quoting)
        try:
            header = next(rows, None)
            if header is None:
                return
            self._check(header, source, layout)
            begin = rows.line_num + 1
            for cells in rows:
                try:
                    if cells:
                        yield item_of(_record(header, cells, layout), source.name, begin, layout)
                except UnfitError as unfit:
                    yield broken(source.name, begin, unfit)
                begin = rows.line_num + 1
        except csv_module().Error as error:
            raise FormatError(
                f"this is not CSV: {error}",
                code="K114",
                place=Place(source.name, rows.line_num),
                advice="if quotes are part of the texts, say ``quoted=False``"
                if self.quoted
                else "",
            ) from None

    def _check(self, header: list[str], source: Source, layout: Layout) -> None:
        def refuse(problem: str, advice: str, code: str = "K114") -> FormatError:
            message = f"{problem}: {', '.join(header)}"
            return FormatError(message, code=code, place=Place(source.name, 1), advice=advice)

        other = other_delimiter(header)
        advice = f"if {other!r} separates the columns, say ``delimiter={other!r}``" if other else ""
        if repeated := _repeated(header, layout):
            raise refuse(f"two columns have the name {repeated!r}", "rename one of them")
        named = [path for path in (layout.text, layout.gold, *layout.named_keys()) if path]
        wrong = [name for name in named if name not in header]
        if wrong and not (wrong == [layout.gold] and layout.role == "system"):
            raise refuse(f"the header has no column {wrong[0]!r}", advice)
        for singular in () if layout.names_gold else ("reference", "document"):
            if singular in header and f"{singular}s" in header:
                problem = f"the {singular} may be any of {singular!r}, {singular + 's'!r}; columns"
                raise refuse(problem, "say which one with ``gold_field='NAME'``", "K145")
        if not named and {*TEXTS, *REFERENCES, *DOCUMENTS}.isdisjoint(header):
            usual = "name one with ``text_field`` or ``gold_field``"
            raise refuse("the header has no column of texts", advice or usual)


class TsvRecords(Csv):
    """Columns under a header with tabs between them; otherwise as in a CSV file.

    A file of two or more columns is taken for such a table where at least two names of its first
    line are known.
    """

    name = "tsv-records"

    delimiter: Annotated[str, "what separates the columns"] = "\t"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        names = [name.strip('" \r') for name in head.partition("\n")[0].split("\t")]
        if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) for name in names):
            return False
        # One name may be a word of a text; two are hardly ever the first line of one.
        return sum(name in _KNOWN or bool(_SEVERAL.fullmatch(name)) for name in names) > 1


def _repeated(header: list[str], layout: Layout) -> str:
    """A name that several columns have; those of references and documents may, and empty ones."""
    seen: set[str] = set()
    for name in header:
        if name in seen and (layout.names_gold or not _SEVERAL.fullmatch(name)):
            return name
        seen.update({name} - {""})
    return ""


def _record(header: list[str], cells: list[str], layout: Layout) -> dict[str, Any]:
    """A row as a record; columns of references and documents become one list each."""
    if len(cells) != len(header):
        raise UnfitError(f"the row has {counted(len(cells), 'cell')}, the header has {len(header)}")
    record: dict[str, Any] = {}
    for name, cell in zip(header, cells, strict=True):
        several = _SEVERAL.fullmatch(name)
        plural = several and f"{several[1]}s"
        if name in (layout.text, *layout.named_keys()):
            record[name] = cell
        elif name == layout.gold and layout.names_gold:
            record[name] = cell or None
        elif plural == "references" and layout.names_gold:
            continue
        elif plural:
            record.setdefault(plural, [])
            record[plural] += [cell] if cell else []
        else:
            record[name] = cell or None if name in REFERENCES else cell
    return record
