"""CoNLL-X, CoNLL-U, and the columns of the NED script."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Annotated

from karat.trees.formats.columns import CONLL_WIDTH, HEAD, ID, ColumnFormat, Conllu, write_rows
from karat.trees.model import Tree


class ConllX(ColumnFormat):
    """The ten columns of the CoNLL-X shared task: id, form, lemma, cpos, pos, feats, head, deprel.

    The last two (phead, pdeprel) are not read.
    """

    name = "conllx"

    conllu: Conllu = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        cells = head.partition("\n")[0].split("\t")
        return len(cells) == CONLL_WIDTH and cells[HEAD].lstrip("-").isdecimal()

    def write(self, values: Iterable[Tree], stream: IO[bytes]) -> None:
        for tree in values:
            stream.write(write_rows(row for row in tree.rows() if "-" not in row[0]))


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
            stream.write(write_rows(tree.rows()))


class NedColumns(ColumnFormat):
    """One column (head), three (word, POS, head), or the ten of CoNLL-X; the root is 0 or -1.

    A file has one of the three throughout; gold and system may differ in theirs.
    """

    name = "ned"
    widths = (1, 3, CONLL_WIDTH)

    conllu: Conllu = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        line = next((line for line in head.splitlines() if line and line[0] != "#"), "")
        cells = line.split("\t")
        if len(cells) == 1:
            return cells[0] == "-1" or cells[0].isdecimal()
        return len(cells) in cls.widths
