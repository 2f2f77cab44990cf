"""Graphs in PENMAN notation as they are written, for the metrics that count triples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO, Annotated

from karat._native import is_plain_penman
from karat.core.format import Format
from karat.core.items import Item
from karat.core.opener import Source
from karat.errors import quote_some
from karat.graphs.formats.base import UnreadableGraph, broken_item
from karat.graphs.penman import blocks, parse


class PenmanText(Format):
    """PENMAN notation, graphs with blank lines between them; each item is the text of one.

    Nothing is left out or turned around. Graphs meet by ``::id`` where all have one.
    """

    name = "penman"
    kind = "amr"

    def __init__(
        self, *, strict: Annotated[bool, "refuse parentheses that do not match"] = False
    ) -> None:
        self.strict = strict

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return bool(re.search(r"^\s*\(\s*[^\s()/]+\s*/", head, re.MULTILINE))

    def read(self, source: Source) -> Iterator[Item]:
        noticed: dict[str, list[str]] = {}
        for number, block in enumerate(blocks(source.lines()), 1):
            name = block.metadata.get("id", "").partition(" ")[0]
            key = (name,) if name else None
            if is_plain_penman(block.text):
                yield Item(block.text, key, block.line)
                continue
            try:
                penman = parse(block, strict=self.strict)
            except UnreadableGraph as problem:
                yield broken_item(problem, source, block.line, key)
                continue
            for warning in penman.warnings:
                noticed.setdefault(warning, []).append(name or str(number))
            yield Item(block.text, key, block.line)
        for warning, names in noticed.items():
            self.warnings.append(f"{len(names)} graphs {warning}: {quote_some(names)}")

    def write(self, values: Iterable[str], stream: IO[bytes]) -> None:
        for text in values:
            stream.write(text.encode() + b"\n\n")
