"""The three column formats of the NED script, recognised by the number of columns."""

from __future__ import annotations

from karat.trees.formats.columns import CONLL_WIDTH, ColumnFormat, Conllu


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
