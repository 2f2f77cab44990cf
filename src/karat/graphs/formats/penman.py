"""Graphs in PENMAN notation as they are written, for the metrics that count triples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import IO, Annotated, NamedTuple

from karat._native import graph_names, is_plain_penman
from karat.core.format import BlockFormat, Part, block_text
from karat.core.items import Item, NameKeys, Refs
from karat.core.strings import Strings
from karat.graphs.amr.penman import Block, blocks, parse
from karat.graphs.errors import UnreadableGraph
from karat.graphs.formats.base import broken_item
from karat.graphs.formats.penman_writer import penman_of
from karat.graphs.model import Graph

_ID = re.compile(r"^#(?:.*\s)?::id +(\S+)", re.MULTILINE)


class PenmanText(BlockFormat):
    """PENMAN notation, graphs with blank lines between them; each item is the text of one.

    Nothing is left out or turned around. Graphs are paired by ``::id`` where all have one.
    """

    name = "penman"
    kind = "amr"
    indented_comments = True
    other_reading = "amr"
    other_options = frozenset({"full", "reify", "text", "alignment", "inject"})

    strict: Annotated[bool, "refuse parentheses that do not match"] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return bool(re.search(r"^\s*\(\s*[^\s()/]+\s*/", head, re.MULTILINE))

    def name_items(self, part: Part, file: str) -> None:
        refs = part.refs
        begin, end = refs.begin - part.offset, refs.end - part.offset
        spans = graph_names(part.content, begin, begin + refs.extra["body"], end)
        if spans is not None and len(spans):
            refs.keys = NameKeys(Strings.at(part.content, spans).compact())
            return
        bodies = part.refs.extra["body"].tolist()
        names = [_name(data, body) for data, body in zip(part.data(), bodies, strict=True)]
        if any(names):
            part.refs.keys = [(name,) if name else None for name in names]

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        lines = zip(data, refs.line.tolist(), strict=True)
        return [self._item(text_block(block_text(each), line), file) for each, line in lines]

    def write(self, values: Iterable[str | Graph], stream: IO[bytes]) -> None:
        for value in values:
            text = value if isinstance(value, str) else penman_of(value)
            stream.write(f"{text.strip()}\n\n".encode())

    def _item(self, block: TextBlock, file: str) -> Item:
        key = (block.id,) if block.id else None
        notices: tuple[str, ...] = ()
        if not block.plain:
            try:
                read = Block(block.line, {}, block.text, block.text_line)
                notices = parse(read, strict=self.strict).warnings
            except UnreadableGraph as problem:
                return broken_item(problem, file, block.line, key)
        return Item(block.text, key, block.line, notices=notices)


def _name(data: bytes, body: int) -> str:
    """The id of a graph whose comments come before `body`."""
    head = data[:body]
    if b"#" not in data[body:] and b"\n " not in head and b"\n\t" not in head:
        before, *after = head.split(b"::id")
        if not after:
            return ""
        if head[:1] == b"#" and len(after) == 1 and b"::snt" not in before and head.isascii():
            found = _ID.search(block_text(head))
            return found[1] if found else ""
    return text_block(block_text(data), 1).id


class TextBlock(NamedTuple):
    """The text of one graph, where it and its comments begin, and its id."""

    line: int
    id: str
    text: str
    text_line: int
    plain: bool
    """Whether the native reader knows all that is in it."""


def text_block(text: str, line: int) -> TextBlock:
    """The graph that a block of lines holds; `line` is the number of the first one."""
    begin = 0
    while text.startswith("#", begin):
        begin = text.find("\n", begin) + 1
    head, body = text[:begin], text[begin:]
    ends_plainly = "\r" not in text and not body[-1].isspace()
    before, *after = head.split("::id")
    has_plain_id = len(after) < 2 and "::snt" not in before
    if ends_plainly and has_plain_id and is_plain_penman(body):
        found = _ID.search(head) if head else None
        return TextBlock(line, found[1] if found else "", body, line + head.count("\n"), True)
    lines = (each.removesuffix("\r") for each in text.split("\n"))
    (block,) = blocks(enumerate(lines, line))
    name = block.metadata.get("id", "").partition(" ")[0]
    return TextBlock(block.line, name, block.text, block.text_line, False)
