"""Dependency trees in memory: trees, CoNLL-U text, sentences of the package `conllu`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from karat.core.reading.doors import Door, Role, read_one
from karat.core.reading.items import Ints, Item, Key
from karat.trees.formats.conll import ConllU, characters_of, side_of_trees
from karat.trees.model import Reference, Tree
from karat.trees.pairing import Share

_NO_WORDS = Tree(heads=())
"""In place of an item that cannot be read."""


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
        return self.parsed(value, role).key

    def item(self, value: Any, role: Role, where: str) -> Item:
        if isinstance(value, Tree):
            return Item(value, (value.id,) if value.id else None)
        if isinstance(value, Reference) and role == "gold":
            return Item(value)
        if _library(value) == "conllu" and hasattr(value, "serialize"):
            value = value.serialize()
        if not isinstance(value, str) or self.format is None:
            raise self.refuse(value)
        return read_one(self.format, value if value.endswith("\n\n") else value + "\n\n", where)

    def columns(self, items: Iterable[Item], size: int) -> dict[str, Ints]:
        """What files of trees say before they are parsed; documents are aligned by it."""
        values = [item.value or _NO_WORDS for item in items]
        trees = [value.tree if isinstance(value, Reference) else value for value in values]
        data, begin, end, *_ = side_of_trees(trees)
        return characters_of(data, begin, end) | {"blanks": np.zeros(size, np.int64)}

    def native(self, value: Any, role: Role) -> Any:
        if isinstance(value, (Tree, Reference, Share)):
            return value
        if isinstance(value, (list, tuple)) and _library(value) != "conllu":
            if not all(isinstance(each, (Tree, Reference, str)) for each in value):
                raise self.refuse(value)
            return [self.native(each, role) if isinstance(each, str) else each for each in value]
        return self.parsed(value, role).value


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]
