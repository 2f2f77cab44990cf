"""Files of labelled spans: tags in columns, and JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import IO, Annotated, Any

import msgspec

from karat.core.format import BlockFormat, LineFormat, block_text
from karat.core.reading.items import Item, Refs
from karat.errors import FormatError, Place, counted
from karat.records.model import UnfitError
from karat.records.spans import Span, SpanList, Tagged

_FIELDS = ("spans", "entities", "labels", "ents", "predictions", "gold")


class TagColumns(BlockFormat):
    """A token and its tags on each line, sentences between blank lines.

    The token is the first column, the tag the last one, or the one that `column` names. Where a
    file has two columns of tags and no gold file is given, the last but one is gold, as
    conlleval has it. Columns are separated by tabs or blanks; ``-DOCSTART-`` lines are left out.
    """

    name = "tag-columns"
    kind = "span"
    comment = b""

    column: Annotated[int, "the column of the tag, from 1; 0 is the last, -1 the last but one"] = 0

    @classmethod
    def recognizes(cls, head: str) -> bool:
        lines = [line for line in head.split("\n") if line.strip()][:5]
        return (
            bool(lines)
            and not lines[0].lstrip().startswith(("{", "["))
            and all(
                len(line.split()) >= 2 and line.split()[-1][:2].rstrip("-") in "BIOESUL"
                for line in lines[:-1]
            )
        )

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        blocks = zip(data, refs.line.tolist(), strict=True)
        return [self._item(block_text(block), line, file) for block, line in blocks]

    def _item(self, text: str, first: int, file: str) -> Item:
        rows = [
            (number, line.split("\t") if "\t" in line else list(filter(None, line.split(" "))))
            for number, line in enumerate(text.split("\n"), first)
            if line.strip(" \t")
        ]
        rows = [row for row in rows if row[1][0] != "-DOCSTART-"]
        at = self.column - 1
        for number, cells in rows:
            if len(cells) < 2 or not -len(cells) <= at < len(cells):
                error = FormatError(
                    f"expected a token and its tag, got {' '.join(cells)[:60]!r}",
                    code="K177",
                    place=Place(file, number),
                )
                return Item(None, None, first, error=error)
        gold = None
        if (
            self.role != "gold"
            and not self.column
            and rows
            and all(len(cells) >= 3 for _, cells in rows)
        ):
            gold = tuple(cells[-2] for _, cells in rows)
        tokens = tuple(cells[0] for _, cells in rows)
        return Item(Tagged(tuple(cells[at] for _, cells in rows), tokens, gold), None, first)

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            if not isinstance(value, Tagged):
                raise FormatError("spans without tokens cannot be written as tags", code="K126")
            tokens = value.tokens or ("_",) * len(value.tags)
            golds = [] if value.gold is None else [value.gold]
            rows = map("\t".join, zip(tokens, *golds, value.tags, strict=True))
            stream.write("".join(f"{row}\n" for row in rows).encode() + b"\n")


class SpanLines(LineFormat):
    """JSON lines: a list of spans, or an object with an id and such a list.

    A span is ``[label, begin, end]`` or an object with `label`, `start` and `end`. The list is
    under `spans`, `entities` or `labels`, or the field that is named; a list of strings is
    the tags of tokens. Where the object has a `text`, pages show it with the spans.
    """

    name = "span-lines"
    json_keys = "all"
    kind = "span"
    blank_lines = "skipped"

    spans_field: Annotated[str, "the field with the spans"] = ""
    id_field: Annotated[str, "the field with the id"] = "id"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith(("{", "["))

    def parse_line(self, text: str, line: int, file: str) -> Item:
        try:
            return self._item(msgspec.json.decode(text), line)
        except (msgspec.DecodeError, RecursionError) as error:
            message = f"this is not JSON: {error}"
        except UnfitError as error:
            message = str(error)
        return Item(
            None, None, line, error=FormatError(message, code="K177", place=Place(file, line))
        )

    def _item(self, record: Any, line: int) -> Item:
        if isinstance(record, list):
            return Item(record, None, line)
        if not isinstance(record, dict):
            raise UnfitError("expected a list of spans or an object that has one")
        names = [self.spans_field] if self.spans_field else [n for n in _FIELDS if n in record]
        if len(names) != 1 or not isinstance(record.get(names[0]), list):
            found = ", ".join(map(repr, list(record)[:8])) or "none"
            raise UnfitError(f"name the field with the spans by ``spans_field``; there are {found}")
        value = record[names[0]]
        if value and all(isinstance(each, str) for each in value):
            tokens = record.get("tokens") or record.get("words") or ()
            if tokens and (not isinstance(tokens, list) or len(tokens) != len(value)):
                got = len(tokens) if isinstance(tokens, list) else "something else"
                raise UnfitError(
                    f"expected a list of {counted(len(value), 'token')}, one a tag; got {got}"
                )
            value = Tagged(tuple(value), tuple(map(str, tokens)))
        else:
            text = record.get("text")
            value = SpanList(value, text if isinstance(text, str) else "")
        name = record.get(self.id_field)
        fields = {k: v for k, v in record.items() if isinstance(v, str) and k != self.id_field}
        return Item(value, None if name is None else (str(name),), line, fields)

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            text = json.dumps(_written(value), ensure_ascii=False)
            stream.write(text.encode("utf-8", "surrogatepass") + b"\n")


def _written(value: Any) -> Any:
    """Spans or tags as a list, or as an object where more is known of them."""
    key = getattr(value, "key", None)
    record: dict[str, Any] = {"id": key[0]} if key else {}
    if isinstance(value, Tagged):
        return {**record, "tokens": value.tokens, "labels": value.tags}
    spans = [list(each) if isinstance(each, Span) else each for each in value]
    if isinstance(value, SpanList) and value.text:
        record["text"] = value.text
    return {**record, "spans": spans} if record else spans
