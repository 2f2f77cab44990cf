"""Base class of formats with one word per line in tab-separated columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec
import numpy as np

from karat._native import comment_values, token_characters
from karat.core.files.opener import Source
from karat.core.format import BlockFormat, Part, block_text
from karat.core.items import Ints, Item, Refs
from karat.core.raw import RawItems
from karat.errors import Place
from karat.trees.model import (
    CELLS_PER_ROW,
    COLUMNS,
    MultiwordToken,
    Tree,
    TreeError,
    climb,
    first_in_cycle,
    flat_parents,
    offsets_of,
)

ID, FORM, HEAD = 0, 1, 6
CONLL_WIDTH = 10

Conllu: TypeAlias = Annotated[bool, "skip comments, multiword tokens and empty nodes"]

_NUMBERS = {str(i): i for i in range(1000)}
_HEADS = {**_NUMBERS, "-1": 0}
_IDS = tuple(map(str, range(1, 1001)))
_JOINTS = [f"_\n{i}" for i in range(2, 1001)]
_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})\Z")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+\Z")


class Block(msgspec.Struct):
    """The lines of one sentence, not yet split into columns."""

    number: int
    line: int
    """The line that `text` begins on."""
    text: str
    comments: Sequence[str] = ()
    """The lines with # before the first word, where comments are allowed."""
    blanks_before: int = 0
    closed: bool = True


class ColumnFormat(BlockFormat):
    """Base class of formats with one word per line and a blank line between sentences."""

    kind = "tree"
    widths: ClassVar[tuple[int, ...]] = (CONLL_WIDTH,)
    """The numbers of columns that a file may have."""
    minus_one_is_root: ClassVar[bool] = True
    conllu: bool

    white_space_is_blank = False

    @property
    def comment(self) -> bytes:  # type: ignore[override]
        return b"#" if self.conllu else b""

    def parts(self, source: Source) -> Iterator[Part]:
        width = 0
        for part in super().parts(source):
            if not width:
                width = self._width(part)
            part.refs.state = width
            yield part

    def _width(self, part: Part) -> int:
        """The number of columns of a file: that of its first line which has a possible one."""
        for begin, body in zip(part.refs.begin - part.offset, part.refs.extra["body"], strict=True):
            line = part.content[begin + body :].partition(b"\n")[0]
            if line.count(b"\t") + 1 in self.widths:
                return line.count(b"\t") + 1
        return 0

    def name_items(self, part: Part, file: str) -> None:
        refs, content = part.refs, part.content
        begin = refs.begin - part.offset
        body = begin + refs.extra["body"]
        characters, last, multiword = token_characters(content, body, refs.end - part.offset).T
        refs.extra["characters"] = characters
        refs.extra["last_word"] = np.where(multiword, 0, last)
        if not refs.extra["body"].any():  # no sentence has comments
            return
        found = comment_values(content, begin, body, b"sent_id").tolist()
        names = [content[first:last].decode().strip() for first, last in found]
        if any(names):
            refs.keys = [(name,) if name else None for name in names]

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        reader = _Reader(file, self.widths, self.conllu, self.minus_one_is_root, refs.state)
        columns = (
            refs.number,
            *(refs.extra[name] for name in ("body_line", "body", "blanks", "closed")),
        )
        blocks = [
            _block(each, *row)
            for each, *row in zip(data, *(column.tolist() for column in columns), strict=True)
        ]
        return list(reader.items(blocks))


Side: TypeAlias = tuple[bytes, Ints, Ints, int, bool, bool]
"""Sentences of a file as the kernels take them: bytes, where the words of each begin and end, the
number of columns, whether CoNLL-U is allowed, and whether -1 is the root."""


def side_of(items: RawItems) -> Side | None:
    """Sentences that are not parsed; None where their file cannot be read in columns."""
    format, refs = items.format, items.refs
    if not isinstance(format, ColumnFormat) or not refs.state:
        return None
    begin = items.begin + refs.extra["body"]
    return items.data, begin, items.end, refs.state, format.conllu, format.minus_one_is_root


def same_ids(first: RawItems, second: RawItems) -> bool:
    """Whether no two sentences at the same place have ids that differ."""
    ours, theirs = (
        comment_values(items.data, items.begin, items.begin + items.refs.extra["body"], b"sent_id")
        if items.refs.extra["body"].any()
        else None
        for items in (first, second)
    )
    if ours is None or theirs is None:
        return True
    both = (ours[:, 1] > ours[:, 0]) & (theirs[:, 1] > theirs[:, 0])
    return all(
        first.data[a:b] == second.data[c:d]
        for a, b, c, d in np.concatenate([ours, theirs], axis=1)[both].tolist()
    )


def _block(data: bytes, number: int, line: int, body: int, blanks: int, closed: int) -> Block:
    text, head = block_text(data[body:] if body else data), ()  # type: str, Sequence[str]
    if body:
        head = block_text(data[:body]).split("\n")[:-1]
    return Block(number + 1, line, text, head, blanks, bool(closed))


class _Reader:
    """Turns blocks of one file into trees, a batch at a time."""

    def __init__(
        self, file: str, widths: Sequence[int], conllu: bool, minus_one_is_root: bool, width: int
    ) -> None:
        self.file = file
        self.widths = widths
        self.conllu = conllu
        self.heads = _HEADS if minus_one_is_root else _NUMBERS
        self.width = width
        """The number of columns of this file; 0 where no line has a possible one."""

    def items(self, batch: Sequence[Block]) -> Iterator[Item]:
        read: list[Tree | TreeError] = []
        for block in batch:
            try:
                read.append(self._tree(block))
            except TreeError as error:
                read.append(error)
        cyclic = _cyclic([tree for tree in read if isinstance(tree, Tree)])
        for block, tree in zip(batch, read, strict=True):
            if isinstance(tree, Tree) and id(tree) in cyclic:
                tree = _cycle_error(tree)
            if isinstance(tree, TreeError):
                name = _sentence_id(block)
                yield Item(None, (name,) if name else None, block.line, error=tree)
            else:
                yield Item(tree, (tree.id,) if tree.id else None, block.line)

    def _error(
        self, block: Block, row: int, message: str, code: str, advice: str = ""
    ) -> TreeError:
        name = _sentence_id(block) or str(block.number)
        place = Place(self.file, block.line + row, item=name)
        return TreeError(message, code=code, place=place, advice=advice)

    def _tree(self, block: Block) -> Tree:
        text = block.text
        if not self.width:
            self._check_widths(block, _split(text))
        if self.width == 1 and "\t" not in text:
            heads = self._read_heads(block, text.split("\n"))
            return Tree(heads=heads, **self._origin(block))
        if self.width == 3 and (columns := _three_columns(text)):
            heads = self._read_heads(block, columns[2])
            named = {"forms": columns[0], "xpos": columns[1]}
            return Tree(heads=heads, columns=named, **self._origin(block))
        if self.width == CONLL_WIDTH and (cells := _plain_cells(text)):
            heads = self._read_heads(block, cells[HEAD::CELLS_PER_ROW])
            return Tree(heads=heads, cells=cells, **self._origin(block))
        # Ten columns with other ids than 1, 2, 3, ..., or an error.
        rows = _split(text)
        self._check_widths(block, rows)
        return self._conll(block, rows)

    def _check_widths(self, block: Block, rows: Sequence[Sequence[str]]) -> None:
        if not self.width and len(rows[0]) in self.widths:
            self.width = len(rows[0])
        if set(map(len, rows)) == {self.width}:
            return
        for row, cells in enumerate(rows):
            width = len(cells)
            if width == self.width:
                continue
            found = f"the line has {width} column{'s' * (width != 1)}"
            if width in self.widths:
                raise self._error(
                    block, row, f"{found}, the lines before have {self.width}", "K181"
                )
            advice = "columns are separated by tabs" if " " in cells[0] else ""
            if cells[0].startswith("#") and not self.conllu:
                advice = "``conllu=True`` skips comments, multiword tokens and empty nodes"
            expected = " or ".join(map(str, (self.width,) if self.width else self.widths))
            raise self._error(block, row, f"{found}, expected {expected}", "K180", advice)

    def _conll(self, block: Block, rows: list[list[str]]) -> Tree:
        columns = list(zip(*rows, strict=True))
        ids = columns[ID]
        words: Sequence[int] = range(len(rows))
        multiword: tuple[MultiwordToken, ...] = ()
        if ids != _ids(len(ids)):
            words, multiword = self._words(block, ids, columns[FORM])
        lines = None
        if len(words) != len(rows):
            lines = tuple(block.line + row for row in words)
            columns = [tuple([column[row] for row in words]) for column in columns]
        return Tree(
            heads=self._read_heads(block, columns[HEAD], words),
            columns={name: columns[place] for name, place in COLUMNS.items()},
            multiword=multiword,
            lines=lines,
            **self._origin(block),
        )

    def _words(
        self, block: Block, ids: Sequence[str], forms: Sequence[str]
    ) -> tuple[list[int], tuple[MultiwordToken, ...]]:
        """The rows that are words, and the multiword tokens; wrong ids are errors."""
        words: list[int] = []
        multiword: list[MultiwordToken] = []
        for row, cell in enumerate(ids):
            expected = str(len(words) + 1)
            if cell == expected:
                words.append(row)
                continue
            if not self.conllu:
                skippable = _RANGE.match(cell) or _EMPTY_NODE.match(cell)
                advice = (
                    "``conllu=True`` skips multiword tokens and empty nodes" if skippable else ""
                )
                raise self._error(
                    block, row, f"the id is {cell!r}, expected {expected}", "K184", advice
                )
            if _EMPTY_NODE.match(cell):
                continue
            span = _RANGE.match(cell)
            if span is None:
                raise self._error(block, row, f"the id is {cell!r}, expected {expected}", "K184")
            first, last = int(span[1]), int(span[2])
            after = multiword[-1].last if multiword else 0
            if first != len(words) + 1 or last < first or first <= after:
                raise self._error(
                    block,
                    row,
                    f"the multiword token {cell!r} does not fit: expected it to begin with "
                    f"{max(after, len(words)) + 1} and not to end before",
                    "K185",
                )
            multiword.append(MultiwordToken(first, last, forms[row]))
        if multiword and multiword[-1].last > len(words):
            raise self._error(
                block,
                len(ids) - 1,
                f"the multiword token {multiword[-1].first}-{multiword[-1].last} ends after "
                f"the last word, {len(words)}",
                "K185",
            )
        if not words:
            raise self._error(block, 0, "the sentence has no words", "K184")
        return words, tuple(multiword)

    def _read_heads(
        self, block: Block, cells: Sequence[str], rows: Sequence[int] | None = None
    ) -> tuple[int, ...]:
        size = len(cells)
        try:
            heads = tuple([self.heads[cell] for cell in cells])
        except KeyError:
            heads = ()
        if heads and max(heads) <= size:
            return heads
        return tuple(
            self._read_head(block, rows[i] if rows else i, cell, size)
            for i, cell in enumerate(cells)
        )

    def _read_head(self, block: Block, row: int, cell: str, size: int) -> int:
        head = self.heads.get(cell)
        if head is None and _NUMBER.match(cell):
            head = int(cell)
        if head is None:
            root = "0 or -1" if "-1" in self.heads else "0"
            raise self._error(
                block, row, f"the head is {cell!r}, expected a number from 1 to {size}, or {root} "
                "for the root", "K182", "columns are separated by tabs" if " " in cell else "",
            )  # fmt: skip
        if head > size:
            raise self._error(
                block, row, f"the head is {head}, but the sentence has {size} words", "K182"
            )
        return head

    def _origin(self, block: Block) -> Mapping[str, Any]:
        return {
            "id": _sentence_id(block) if block.comments else "",
            "file": self.file,
            "number": block.number,
            "line": block.line,
            "blanks_before": block.blanks_before,
            "closed": block.closed,
        }


def _split(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.split("\n")]


def _plain_cells(text: str) -> list[str] | None:
    """The cells of a sentence of ten columns, if its ids are 1, 2, 3, ...

    The text is split at tabs only, so that the last cell of a row and the id of
    the next are one cell, with the line end in it. If all these have a line end,
    and no other cell has one, every row has ten cells.
    """
    cells = text.split("\t")
    rows, odd = divmod(len(cells), CELLS_PER_ROW)
    if odd != 1 or cells[0] != "1" or text.count("\n") != rows - 1:
        return None
    joints = cells[CELLS_PER_ROW:-1:CELLS_PER_ROW]
    if joints == _JOINTS[: rows - 1]:
        return cells
    ids = ("1", *(joint.rpartition("\n")[2] for joint in joints if "\n" in joint))
    return cells if ids == _ids(rows) else None


def _three_columns(text: str) -> tuple[tuple[str, ...], tuple[str, ...], list[str]] | None:
    """Words, tags and heads, if every line has three cells; split as `_plain_cells` does."""
    cells = text.split("\t")
    joints = cells[2::2]  # a head and the word of the next line; at last a head alone
    parts = "\n".join(joints).split("\n")
    rows = len(joints)
    if len(cells) != 2 * rows + 1 or len(parts) != 2 * rows - 1 or "\n" in joints[-1]:
        return None
    if text.count("\n") != rows - 1 or not all("\n" in joint for joint in joints[:-1]):
        return None
    return (cells[0], *parts[1::2]), tuple(cells[1::2]), parts[::2]


def _ids(size: int) -> tuple[str, ...]:
    return _IDS[:size] if size <= len(_IDS) else tuple(map(str, range(1, size + 1)))


def _sentence_id(block: Block) -> str:
    for comment in block.comments:
        name, equals, value = comment[1:].partition("=")
        if equals and name.strip() == "sent_id":
            return value.strip()
    return ""


def _cyclic(trees: Sequence[Tree]) -> set[int]:
    """The identities of the trees with a cycle."""
    if not trees:
        return set()
    offsets = offsets_of(trees)
    ends = climb(flat_parents(trees, offsets))
    lost = np.flatnonzero(ends != len(ends) - 1)
    which = np.searchsorted(offsets, lost, side="right") - 1
    return {id(trees[i]) for i in set(which.tolist())}


def _cycle_error(tree: Tree) -> TreeError:
    word = first_in_cycle(tree.heads)
    assert word is not None
    head = tree.heads[word - 1]
    if head == word:
        message = f"word {word} ({tree.form(word)!r}) is its own head"
    else:
        message = f"word {word} ({tree.form(word)!r}) with head {head} is in a cycle"
    return TreeError(message, code="K183", place=tree.place(word))


def write_rows(rows: Iterable[Sequence[str]]) -> bytes:
    """Lines of tab-separated cells, and the blank line that ends a sentence."""
    return ("".join("\t".join(row) + "\n" for row in rows) + "\n").encode()
