"""CoNLL-X: ten columns, no comments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from karat.trees.formats.columns import CONLL_WIDTH, HEAD, ColumnFormat, Conllu, write_rows
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
            stream.write(write_rows(conll_rows(tree)))


def conll_rows(tree: Tree) -> list[list[str]]:
    """The ten cells of every word; ``_`` for what the tree does not have."""
    empty = ("_",) * len(tree)
    ids = map(str, range(1, len(tree) + 1))
    columns = (tree.forms, tree.lemmas, tree.upos, tree.xpos, tree.feats)
    heads = map(str, tree.heads)
    return [
        list(cells)
        for cells in zip(
            ids, *(column or empty for column in columns), heads, tree.deprels or empty, empty,
            empty, strict=True,
        )
    ]  # fmt: skip
