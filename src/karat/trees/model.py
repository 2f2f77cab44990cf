"""Dependency trees, references with word alignments, and trees as flat arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat._native import tree_column
from karat.errors import FormatError, OptionError, Place, did_you_mean

COLUMNS = {"forms": 1, "lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "deprels": 7}
"""The columns of a tree, and their places among the ten of CoNLL-X and CoNLL-U."""
_PLACES: dict[int, Mapping[str, int]] = {1: {}, 3: {"forms": 0, "xpos": 1}, 10: COLUMNS}
"""The places of columns in files of so many."""

_NO_CELL = r"[\t\n\r\ud800-\udfff]"

Column: TypeAlias = tuple[str, ...] | None
Indices: TypeAlias = npt.NDArray[np.int64]
Links: TypeAlias = tuple[tuple[int, int], ...]
"""Word alignments: pairs (hypothesis word, reference word), from 0, sorted, each once."""


class TreeError(FormatError):
    """A file of trees or alignments is not what is asked for: fix the file."""


class MultiwordToken(msgspec.Struct, frozen=True, gc=False):
    """A token that stands for several words: the first and the last of them, from 1."""

    first: int
    last: int
    form: str


class Tree(msgspec.Struct, frozen=True, gc=False, kw_only=True, eq=False):
    """Words 1 to n, each with a head: another word, or 0 for ROOT.

    A column that the file does not have is None. Two trees are equal if their
    words and edges are; where they were read does not matter.
    """

    heads: tuple[int, ...]
    columns: dict[str, tuple[str, ...]] = {}
    """The columns by name; those of `text` come here when they are asked for."""
    text: bytes = b""
    """The lines of the sentence in its file, of `width` columns."""
    width: int = 0
    tagged_file: bool = False
    """Whether some sentence of its file has parts of speech."""
    multiword: tuple[MultiwordToken, ...] = ()
    id: str = ""
    file: str = ""
    number: int = 0
    line: int = 0
    """The line of the first word."""
    lines: tuple[int, ...] | None = None
    """The line of each word, where they do not follow each other."""
    blanks_before: int = 0
    """How many blank lines stand between this sentence and the one before."""
    closed: bool = True
    """Whether a blank line follows."""

    def column(self, name: str) -> Column:
        """A column by its name in `COLUMNS`; what the lines say is read once."""
        found = self.columns.get(name)
        if found is None and self.text and name in _PLACES[self.width]:
            found = tree_column(self.text, self.width, _PLACES[self.width][name])
            self.columns[name] = found
        return found

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self.columns or (bool(self.text) and name in _PLACES[self.width])

    def cell(self, name: str, word: int) -> str | None:
        """What a column says of a word; None without that column."""
        column = self.column(name)
        return column[word - 1] if column else None

    @property
    def forms(self) -> Column:
        return self.column("forms")

    @property
    def lemmas(self) -> Column:
        return self.column("lemmas")

    @property
    def upos(self) -> Column:
        return self.column("upos")

    @property
    def xpos(self) -> Column:
        return self.column("xpos")

    @property
    def feats(self) -> Column:
        return self.column("feats")

    @property
    def deprels(self) -> Column:
        return self.column("deprels")

    @classmethod
    def of(cls, heads: Iterable[int], **columns: Sequence[str]) -> Tree:
        """A tree from its heads and any of the columns; a wrong one is an error.

        >>> Tree.of([2, 0, 2], forms=["I", "eat", "fish"]).roots
        (2,)
        """
        tree = cls(
            heads=tuple(heads),
            columns={name: tuple(column) for name, column in columns.items()},
        )
        for name, column in columns.items():
            if name not in COLUMNS:
                raise OptionError(
                    f"a tree has no column {name!r}{did_you_mean(name, COLUMNS)}", code="K330"
                )
            if len(column) != len(tree):
                raise OptionError(
                    f"there are {len(column)} {name} for {len(tree)} heads", code="K330"
                )
        for word, head in enumerate(tree.heads, 1):
            if not 0 <= head <= len(tree):
                raise OptionError(
                    f"the head of word {word} must be from 0 to {len(tree)}, got {head}",
                    code="K330",
                )
        for name, column in tree.columns.items():
            for word, cell in enumerate(column, 1):
                if not cell.isprintable() and re.search(_NO_CELL, cell):
                    raise OptionError(
                        f"{name} must be texts without tabs and line ends, that of word {word} is "
                        f"{cell!r}",
                        code="K330",
                    )
        cyclic = first_in_cycle(tree.heads)
        if cyclic is not None:
            raise OptionError(f"word {cyclic} is in a cycle", code="K330")
        return tree

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def tokens(self) -> int:
        """How many tokens there are; the words of a multiword token are one."""
        return len(self.heads) - sum(token.last - token.first for token in self.multiword)

    @property
    def content(self) -> tuple[Any, ...]:
        """The words and edges, by which trees are compared."""
        return self.heads, *map(self.column, COLUMNS), self.multiword

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.content == other.content

    def __hash__(self) -> int:
        # Equal trees have equal heads and forms; the other columns take their time to be read.
        return hash((self.heads, self.forms))

    @property
    def roots(self) -> tuple[int, ...]:
        """The words whose head is ROOT."""
        return tuple(word for word, head in enumerate(self.heads, 1) if head == 0)

    @property
    def tags(self) -> Column:
        """The part of speech of each word: the XPOS, or the UPOS where that is ``_``."""
        tags = self.xpos
        if tags is None or "_" in tags:
            upos = self.upos
            if tags is None or upos is None:
                tags = tags or upos
            else:
                pairs = zip(tags, upos, strict=True)
                tags = tuple(other if tag == "_" else tag for tag, other in pairs)
        if not tags or (tags[0] == "_" and all(tag == "_" for tag in tags)):
            return None
        return tags

    def rows(self) -> list[list[str]]:
        """The lines of CoNLL-U as their cells; ``_`` for what the tree does not have."""
        empty = ("_",) * len(self)
        columns = [self.column(name) or empty for name in COLUMNS]
        columns.insert(5, tuple(map(str, self.heads)))
        rows = [[str(i), *cells, "_", "_"] for i, cells in enumerate(zip(*columns, strict=True), 1)]
        for token in reversed(self.multiword):
            rows.insert(token.first - 1, [f"{token.first}-{token.last}", token.form, *"________"])
        return rows

    def form(self, word: int) -> str:
        """The form of a word for messages; 0 is ROOT."""
        if word == 0:
            return "ROOT"
        forms = self.forms
        return forms[word - 1] if forms else str(word)

    def place(self, word: int = 1) -> Place:
        """The place of a word in its file, for errors."""
        line = self.lines[word - 1] if self.lines else self.line and self.line + word - 1
        return Place(self.file, line, item=self.name)

    @property
    def name(self) -> str:
        """The id, or the number in the file."""
        return self.id or (str(self.number) if self.number else "")


class Reference(msgspec.Struct, frozen=True, gc=False):
    """A reference tree, and its links with the hypothesis; None leaves them to the aligner."""

    tree: Tree
    links: Links | None = None


def tags_of(system: Tree, gold: Tree) -> Column:
    """The parts of speech of gold; where its file has none, those of the system."""
    return gold.tags or (None if gold.tagged_file else system.tags)


Gold: TypeAlias = Tree | Reference | Sequence[Tree | Reference]
"""One reference or several."""


def trees_of(gold: Gold) -> list[Tree]:
    """The trees of all references."""
    given = [gold] if isinstance(gold, (Tree, Reference)) else list(gold)
    return [each.tree if isinstance(each, Reference) else each for each in given]


def first_in_cycle(heads: Sequence[int]) -> int | None:
    """The first word of a cycle; None where every word reaches ROOT."""
    reaches_root = [True] + [False] * len(heads)
    for start in range(1, len(heads) + 1):
        path: list[int] = []
        on_path: set[int] = set()
        word = start
        while not reaches_root[word]:
            if word in on_path:
                return min(path[path.index(word) :])
            on_path.add(word)
            path.append(word)
            word = heads[word - 1]
        for word in path:
            reaches_root[word] = True
    return None


def flat_parents(trees: Sequence[Tree], offsets: Indices) -> Indices:
    """The parent of every word of all trees, numbered through from 0; ROOT is the last number.

    ROOT is its own parent, so that a step up from anywhere is one look-up.
    """
    root = int(offsets[-1])
    heads = np.fromiter(chain.from_iterable([tree.heads for tree in trees]), np.int64, count=root)
    parents = np.empty(root + 1, np.int64)
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    np.copyto(parents[:-1], np.where(heads == 0, root, starts + heads - 1))
    parents[root] = root
    return parents


def offsets_of(trees: Sequence[Tree]) -> Indices:
    """The number of the first word of each tree, and of all words."""
    result = np.zeros(len(trees) + 1, np.int64)
    np.cumsum([len(tree.heads) for tree in trees], out=result[1:])
    return result


def climb(step: Indices) -> Indices:
    """The fixed point that repeated steps lead to from each place; there is none in a cycle.

    Steps are doubled, so that a chain of n words takes log n rounds.
    """
    for _ in range(len(step).bit_length()):
        further = step[step]
        if np.array_equal(further, step):
            break
        step = further
    return step


def depths(parents: Indices) -> Indices:
    """The number of edges from each word to ROOT (the last place); 1 for a root word."""
    root = len(parents) - 1
    step = parents
    depth = np.ones(len(parents), np.int64)
    depth[root] = 0
    while np.any(step != root):
        depth = depth + depth[step]
        step = step[step]
    return depth


def depths_of(tree: Tree) -> list[int]:
    """The number of edges from each word of one tree to ROOT.

    >>> depths_of(Tree.of([2, 0, 2, 3]))
    [2, 1, 2, 3]
    """
    return depths(flat_parents([tree], offsets_of([tree])))[:-1].tolist()  # type: ignore[no-any-return]
