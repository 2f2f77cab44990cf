"""The path between two words of a tree, as labels climbed and labels descended."""

from __future__ import annotations

from typing import NamedTuple

from karat.trees.model import Tree


class Path(NamedTuple):
    """What DERP compares: up to the lowest common ancestor, the direction, and down again."""

    up: tuple[str, ...]
    direction: str
    """``alpha`` if the first word stands left of the second, else ``beta``."""
    down: tuple[str, ...]

    def __str__(self) -> str:
        parts = (" ".join(self.up) or "-", self.direction, " ".join(self.down) or "-")
        return "({}, {}, {})".format(*parts)


def path(tree: Tree, first: int, second: int) -> Path:
    """The path between two different words.

    >>> tree = Tree.of([2, 3, 0, 3], deprels=["det", "nsubj", "root", "obj"])
    >>> print(path(tree, 1, 4))
    (det nsubj, alpha, obj)
    """
    labels = tree.deprels or ("_",) * len(tree)
    ours, theirs = _to_root(tree, first), _to_root(tree, second)
    while ours and theirs and ours[-1] == theirs[-1]:
        ours.pop()
        theirs.pop()
    return Path(
        tuple(labels[word - 1] for word in ours),
        "alpha" if first < second else "beta",
        tuple(labels[word - 1] for word in reversed(theirs)),
    )


def _to_root(tree: Tree, word: int) -> list[int]:
    words = []
    while word:
        words.append(word)
        word = tree.heads[word - 1]
    return words
