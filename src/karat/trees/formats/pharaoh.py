"""Word alignments in Pharaoh format: ``0-0 1-2 2-1``, one sentence per line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO, Annotated, Literal, TypeAlias

from karat.core.format import LineFormat
from karat.core.reading.items import Item
from karat.errors import Place
from karat.trees.model import Links, TreeError

LinkOrder: TypeAlias = Annotated[Literal["hyp-ref", "ref-hyp"], "which word of a link comes first"]
UsePossible: TypeAlias = Annotated[bool, "take possible links, i?j and ipj, too"]

_LINK = re.compile(r"([0-9]{1,9})([-?p])([0-9]{1,9})\Z")


class Pharaoh(LineFormat):
    """A line for each sentence, with links ``i-j`` between words that are numbered from 0.

    Possible links are written ``i?j`` or ``ipj``.
    """

    name = "pharaoh"
    kind = "alignment"
    has_keys = False

    align_order: LinkOrder = "hyp-ref"
    use_possible: UsePossible = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = next((line for line in head.splitlines() if line.strip()), "")
        return all(_LINK.match(item) for item in first.split())

    def parse_line(self, text: str, line: int, file: str) -> Item:
        try:
            return Item(self._links(text), None, line)
        except ValueError as error:
            place = Place(file, line, item=str(line))
            return Item(None, None, line, error=TreeError(str(error), code="K193", place=place))

    def _links(self, line: str) -> Links:
        links = set()
        for item in line.split():
            match = _LINK.match(item)
            if match is None:
                raise ValueError(f"{item!r} is not a link, expected i-j, or i?j for a possible one")
            first, sure, second = int(match[1]), match[2] == "-", int(match[3])
            if sure or self.use_possible:
                links.add((first, second) if self.align_order == "hyp-ref" else (second, first))
        return tuple(sorted(links))

    def write(self, values: Iterable[Links], stream: IO[bytes]) -> None:
        swap = self.align_order == "ref-hyp"
        for links in values:
            items = sorted((r, h) if swap else (h, r) for h, r in links)
            stream.write((" ".join(f"{i}-{j}" for i, j in items) + "\n").encode())
