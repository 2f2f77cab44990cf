"""Dependency trees in memory: trees, CoNLL-U text, sentences of the package `conllu`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from karat.core.reading.doors import Door, Role, read_one
from karat.core.reading.items import Ints, Item, Key
from karat.trees.formats.conll import ConllU
from karat.trees.model import Reference, Tree
from karat.trees.sentence_alignment import Share


class TreeDoor(Door):
    """A tree, its rows in CoNLL-U, or a `conllu.TokenList`."""

    accepts = (
        "a Tree, a string of one sentence in CoNLL-U (ten columns with tabs between them), or a "
        "sentence of the package conllu"
    )
    kind = "tree"

    def __init__(self, metric: Any, format: Any = None) -> None:
        super().__init__(metric, format or ConllU())

    def key(self, value: Any, role: Role) -> Key | None:
        return self.key_of_item(value, role)

    def item(self, value: Any, role: Role, where: str) -> Item:
        if isinstance(value, Tree):
            return Item(value, (value.id,) if value.id else None)
        if isinstance(value, Reference) and role == "gold":
            return Item(value)
        return self._read(value, where)

    def _read(self, value: Any, where: str) -> Item:
        if _library(value) == "conllu" and hasattr(value, "serialize"):
            value = value.serialize()
        if not isinstance(value, str) or self.format is None:
            raise self.refuse(value)
        return read_one(self.format, value if value.endswith("\n\n") else value + "\n\n", where)

    def columns(self, items: Iterable[Item], size: int) -> dict[str, Ints]:
        """What files of trees say before they are parsed; documents are aligned by it."""
        rows = [_characters(item.value) for item in items]
        characters, last = np.array(rows, np.int64).reshape(size, 2).T
        return {"characters": characters, "last_word": last, "blanks": np.zeros(size, np.int64)}

    def native(self, value: Any, role: Role) -> Any:
        if isinstance(value, (Tree, Reference, Share)):
            return value
        if isinstance(value, (list, tuple)) and _library(value) != "conllu":
            if not all(isinstance(each, (Tree, Reference, str)) for each in value):
                raise self.refuse(value)
            return [self.native(each, role) if isinstance(each, str) else each for each in value]
        item = self._read(value, role)
        if item.error is not None:
            raise item.error
        return item.value


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _characters(tree: Tree | Reference | None) -> tuple[int, int]:
    """How many characters the tokens of a tree have, and those of its last word.

    0 for the last word of a token of several.
    """
    if isinstance(tree, Reference):
        tree = tree.tree
    if tree is None or tree.forms is None:
        return 0, 0
    sizes = [sum(not each.isspace() for each in form) for form in tree.forms]
    last = sizes[-1] if sizes else 0
    total = sum(sizes)
    for token in tree.multiword:
        total += sum(not each.isspace() for each in token.form)
        total -= sum(sizes[token.first - 1 : token.last])
        if token.last == len(sizes):
            last = 0
    return total, last
