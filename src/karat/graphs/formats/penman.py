"""Graphs in PENMAN notation as they are written, for the metrics that count triples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from karat._native import is_plain_penman
from karat.core.files.opener import Held, Source
from karat.core.format import Format
from karat.core.items import Item
from karat.errors import quote_some
from karat.graphs.amr.penman import Block, blocks, parse
from karat.graphs.errors import UnreadableGraph
from karat.graphs.formats.base import broken_item

_ID = re.compile(r"^#(?:.*\s)?::id +(\S+)", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[^\S\n]+\n")
_LONG = 1 << 20


class PenmanText(Format):
    """PENMAN notation, graphs with blank lines between them; each item is the text of one.

    Nothing is left out or turned around. Graphs are paired by ``::id`` where all have one.
    """

    name = "penman"
    kind = "amr"
    other_reading = "amr"
    other_options = frozenset({"full", "reify", "text", "alignment", "inject"})

    strict: Annotated[bool, "refuse parentheses that do not match"] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return bool(re.search(r"^\s*\(\s*[^\s()/]+\s*/", head, re.MULTILINE))

    def read(self, source: Source) -> Iterator[Item]:
        noticed: dict[str, list[str]] = {}
        for number, block in enumerate(text_blocks(source), 1):
            key = (block.id,) if block.id else None
            if not block.plain:
                try:
                    penman = parse(
                        Block(block.line, {}, block.text, block.text_line), strict=self.strict
                    )
                except UnreadableGraph as problem:
                    yield broken_item(problem, source, block.line, key)
                    continue
                for warning in penman.warnings:
                    noticed.setdefault(warning, []).append(block.id or str(number))
            yield Item(block.text, key, block.line)
        for warning, names in noticed.items():
            self.warnings.append(f"{len(names)} graphs {warning}: {quote_some(names)}")


class TextBlock(NamedTuple):
    """The text of one graph, where it and its comments begin, and its id."""

    line: int
    id: str
    text: str
    text_line: int
    plain: bool
    """Whether the native reader knows all that is in it."""


def text_blocks(source: Source) -> Iterator[TextBlock]:
    """The blocks of `karat.graphs.amr.penman.blocks`, many lines at a time."""
    rest, line = "", 1
    held = Held(source.name)
    for _, chunk in source.chunks():
        if "\r" in chunk:
            chunk = chunk.replace("\r\n", "\n").removesuffix("\r")
        *pieces, rest = f"{rest}{chunk}\n".split("\n\n")
        if len(rest) > _LONG:  # perhaps the lines between graphs have blanks in them
            *more, rest = _BLANK_LINE.split(rest)
            pieces += more
        for piece in pieces:
            yield from _blocks_of(piece, line)
            line += piece.count("\n") + 2
        held.begin()
        held.add(line, len(rest), rest.count("\n"))
    yield from _blocks_of(rest, line)


def _blocks_of(piece: str, line: int) -> Iterator[TextBlock]:
    """The graphs in a piece without empty lines, which may have lines of blanks."""
    text = piece.lstrip("\n")
    if not text:
        return
    line += len(piece) - len(text)
    begin = 0
    while text.startswith("#", begin):
        begin = text.find("\n", begin) + 1
        if not begin:
            return
    head, body = text[:begin], text[begin:].rstrip("\n")
    if not body.strip():
        return
    ends_plainly = "\r" not in text and not body[-1].isspace()
    before, *after = head.split("::id")
    has_plain_id = len(after) < 2 and "::snt" not in before
    if ends_plainly and has_plain_id and is_plain_penman(body):
        found = _ID.search(head) if head else None
        yield TextBlock(line, found[1] if found else "", body, line + head.count("\n"), True)
        return
    for block in blocks(enumerate((each.removesuffix("\r") for each in text.split("\n")), line)):
        name = block.metadata.get("id", "").partition(" ")[0]
        yield TextBlock(block.line, name, block.text, block.text_line, False)
