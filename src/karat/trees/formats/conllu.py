"""CoNLL-U: ten columns, comments, multiword tokens and empty nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Annotated

from karat.trees.formats.columns import CONLL_WIDTH, HEAD, ID, ColumnFormat, write_rows
from karat.trees.formats.conllx import conll_rows
from karat.trees.model import Tree


class ConllU(ColumnFormat):
    """The format of Universal Dependencies.

    Comments stand before the first word; `sent_id` is the id. Multiword tokens
    are kept; other comments, empty nodes, enhanced dependencies and MISC are not.
    """

    name = "conllu"
    minus_one_is_root = False

    conllu: Annotated[bool, "allow comments, multiword tokens and empty nodes"] = True

    @classmethod
    def recognizes(cls, head: str) -> bool:
        lines = head.splitlines()
        first = next((line for line in lines if line and line[0] != "#"), "")
        cells = first.split("\t")
        return len(cells) == CONLL_WIDTH and (
            not cells[ID].isdecimal() or (lines[0].startswith("#") and cells[HEAD].isdecimal())
        )

    def write(self, values: Iterable[Tree], stream: IO[bytes]) -> None:
        for tree in values:
            if tree.id:
                stream.write(f"# sent_id = {tree.id}\n".encode())
            rows = conll_rows(tree)
            for token in reversed(tree.multiword):
                cells = [f"{token.first}-{token.last}", token.form, *"________"]
                rows.insert(token.first - 1, cells)
            stream.write(write_rows(rows))
