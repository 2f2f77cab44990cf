"""Words on lines of tab-separated columns: CoNLL-X, CoNLL-U, and the columns of the NED script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import IO, Annotated, ClassVar, TypeAlias

import numpy as np

from karat._native import comment_keys, read_trees, token_characters
from karat.core.files.opener import Source
from karat.core.format import BlockFormat, Part, block_text
from karat.core.reading.items import Ints, Item, Refs
from karat.core.reading.raw import RawItems
from karat.errors import LimitExceeded, Place, counted
from karat.trees.model import MultiwordToken, Tree, TreeError

ID, HEAD = 0, 6
CONLL_WIDTH = 10
_MOST_DATA = (1 << 31) - 2
"""The kernels take so many bytes at once."""

_TAGS = {
    3: rb"(?m)^[^\t\n]*\t(?!_\t)",
    10: rb"(?m)^[0-9]+(?:\t[^\t\n]*){2}\t(?!_\t_\t)",
}
"""A line with a part of speech, by the number of columns."""

_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_SKIPPED = re.compile(r"[0-9]{1,9}-[0-9]{1,9}\Z|[0-9]+\.[0-9]+\Z")

Conllu: TypeAlias = Annotated[bool, "skip comments, multiword tokens and empty nodes"]


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
        width, tagged = 0, False
        for part in super().parts(source):
            width = width or self._width(part)
            tagged = tagged or (
                width in _TAGS and re.search(_TAGS[width], part.content) is not None
            )
            part.refs.state = width, tagged
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
        refs.extra |= characters_of(content, body, refs.end - part.offset)
        if not refs.extra["body"].any():  # no sentence has comments
            return
        refs.keys = comment_keys(content, begin, body, b"sent_id")

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        (width, tagged), extra = refs.state, refs.extra
        found = read_trees(data, extra["body"], width, self.conllu, self.minus_one_is_root)
        items = []
        for each, read, number, line, body, blanks, closed in zip(
            data,
            found,
            refs.number.tolist(),
            *(extra[name].tolist() for name in ("body_line", "body", "blanks", "closed")),
            strict=True,
        ):
            name, *outcome = read
            key = (name,) if name else None
            lines = each[body:] if body else each
            if len(outcome) == 2:
                sentence = _Unreadable(lines, file, line, name or str(number + 1), self, width)
                items.append(Item(None, key, line, error=sentence.error(*outcome)))
                continue
            heads, rows, multiword = outcome
            tree = Tree(
                heads=heads,
                text=lines,
                width=width,
                tagged_file=tagged,
                multiword=tuple([MultiwordToken(*token) for token in multiword]),
                id=name,
                file=file,
                number=number + 1,
                line=line,
                lines=None if rows is None else tuple([line + row for row in rows]),
                blanks_before=blanks,
                closed=bool(closed),
            )
            items.append(Item(tree, key, line))
        return items


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
        lines = head.split("\n")
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
        lines = head.replace("\r\n", "\n").split("\n")
        cells = next((line for line in lines if line and line[0] != "#"), "").split("\t")
        if len(cells) == 1:
            return cells[0] == "-1" or cells[0].isdecimal()
        return len(cells) in cls.widths


def write_rows(rows: Iterable[Sequence[str]]) -> bytes:
    """Lines of tab-separated cells, and the blank line that ends a sentence."""
    return lines(rows) + b"\n\n"


def lines(rows: Iterable[Sequence[str]]) -> bytes:
    return "\n".join(map("\t".join, rows)).encode()


# -- errors ---------------------------------------------------------------------------------------


class _Fault(IntEnum):
    """What the native reader finds wrong with a sentence, by its numbers."""

    WIDTH = 1
    ID = 2
    RANGE = 3
    RANGE_END = 4
    NO_WORDS = 5
    HEAD = 6
    CYCLE = 7


class _Unreadable:
    """The lines of a sentence that cannot be read, and where they are."""

    def __init__(
        self, text: bytes, file: str, line: int, name: str, layout: ColumnFormat, width: int
    ) -> None:
        self.rows = [line.split("\t") for line in block_text(text).split("\n")]
        self.file, self.line, self.name = file, line, name
        self.layout = layout
        self.width = width
        """The number of columns of the file; 0 where no line has a possible one."""

    def error(self, fault: int, row: int) -> TreeError:
        """The error for what the reader found in a row, from 0; of a cycle it is a word."""
        match _Fault(fault):
            case _Fault.WIDTH:
                return self._wrong_width(row)
            case _Fault.ID:
                return self._wrong_id(row)
            case _Fault.RANGE:
                return self._wrong_range(row)
            case _Fault.RANGE_END:
                first, last = self._ranges(row + 1)[-1]
                return self._error(
                    row,
                    f"the multiword token {first}-{last} ends after the last word, "
                    f"{len(self._words(row + 1))}",
                    "K185",
                )
            case _Fault.NO_WORDS:
                return self._error(row, "the sentence has no words", "K184")
            case _Fault.HEAD:
                return self._wrong_head(row)
            case _Fault.CYCLE:
                return self._cycle(row)

    def _error(self, row: int, message: str, code: str, advice: str = "") -> TreeError:
        place = Place(self.file, self.line + row, item=self.name)
        return TreeError(message, code=code, place=place, advice=advice)

    def _words(self, rows: int) -> Sequence[int]:
        """Which of the first rows are words."""
        if self.width != CONLL_WIDTH:
            return range(rows)
        return [row for row in range(rows) if self.rows[row][0].isdecimal()]

    def _ranges(self, rows: int) -> list[tuple[int, int]]:
        """First and last words of the multiword tokens in the first rows."""
        ids = [self.rows[row][0].partition("-") for row in range(rows)]
        return [(int(first), int(last)) for first, dash, last in ids if dash]

    def _wrong_width(self, row: int) -> TreeError:
        cells, widths = self.rows[row], self.layout.widths
        width = len(cells)
        found = f"the line has {width} column{'s' * (width != 1)}"
        if width in widths:
            return self._error(row, f"{found}, the lines before have {self.width}", "K181")
        advice = "columns are separated by tabs" if " " in cells[0] else ""
        if cells[0].startswith("#") and not self.layout.conllu:
            advice = "``conllu=True`` skips comments, multiword tokens and empty nodes"
        expected = " or ".join(map(str, (self.width,) if self.width else widths))
        return self._error(row, f"{found}, expected {expected}", "K180", advice)

    def _wrong_id(self, row: int) -> TreeError:
        cell = self.rows[row][0]
        advice = ""
        if not self.layout.conllu and _SKIPPED.match(cell):
            advice = "``conllu=True`` skips multiword tokens and empty nodes"
        expected = len(self._words(row)) + 1
        return self._error(row, f"the id is {cell!r}, expected {expected}", "K184", advice)

    def _wrong_range(self, row: int) -> TreeError:
        covered = max([len(self._words(row)), *(last for _, last in self._ranges(row))])
        return self._error(
            row,
            f"the multiword token {self.rows[row][0]!r} does not fit: expected it to begin with "
            f"{covered + 1} and not to end before",
            "K185",
        )

    def _wrong_head(self, row: int) -> TreeError:
        cell = self.rows[row][self._head_column]
        size = len(self._words(len(self.rows)))
        if _NUMBER.match(cell):
            message = f"the head is {int(cell)}, but the sentence has {counted(size, 'word')}"
            return self._error(row, message, "K182")
        root = "0 or -1" if self.layout.minus_one_is_root else "0"
        return self._error(
            row,
            f"the head is {cell!r}, expected a number from 1 to {size}, or {root} for the root",
            "K182",
            "columns are separated by tabs" if " " in cell else "",
        )

    @property
    def _head_column(self) -> int:
        return HEAD if self.width == CONLL_WIDTH else self.width - 1

    def _cycle(self, word: int) -> TreeError:
        row = self._words(len(self.rows))[word - 1]
        cells = self.rows[row]
        form = str(word) if self.width == 1 else cells[1 if self.width == CONLL_WIDTH else 0]
        head = int(cells[self._head_column])
        if head == word:
            message = f"word {word} ({form!r}) is its own head"
        else:
            message = f"word {word} ({form!r}) with head {head} is in a cycle"
        return self._error(row, message, "K183")


# -- sentences for the kernels --------------------------------------------------------------------


def characters_of(data: bytes, begin: Ints, end: Ints) -> dict[str, Ints]:
    """How many characters the tokens of sentences have, and those of their last words.

    By these, documents are cut. Of a token of several words there is no last word: 0.
    """
    characters, last, multiword = token_characters(data, begin, end).T
    return {"characters": characters, "last_word": np.where(multiword, 0, last)}


Side: TypeAlias = tuple[bytes, Ints, Ints, int, bool, bool, bool]
"""Sentences of a file as the kernels take them: bytes, where the words of each begin and end, the
number of columns, whether CoNLL-U is allowed, whether -1 is the root, and whether the file has
parts of speech."""


def side_of(items: RawItems) -> Side | None:
    """Sentences that are not parsed; None where their file cannot be read in columns."""
    format, refs = items.format, items.refs
    if not isinstance(format, ColumnFormat) or not refs.state[0] or len(items.data) > _MOST_DATA:
        return None
    width, tagged = refs.state
    begin = items.begin + refs.extra["body"]
    return items.data, begin, items.end, width, format.conllu, format.minus_one_is_root, tagged


def side_of_trees(trees: Sequence[Tree]) -> Side:
    """Sentences that are parsed, in ten columns."""
    return side_of_texts(
        [tree.text if tree.width == CONLL_WIDTH else lines(tree.rows()) for tree in trees]
    )


def side_of_texts(texts: Sequence[bytes]) -> Side:
    """The lines of sentences, in ten columns."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    end = np.cumsum(sizes)
    if sizes.sum() > _MOST_DATA:
        raise LimitExceeded(
            f"{counted(len(texts), 'sentence')}: too much to align in one part",
            code="K520",
        )
    return b"".join(texts), end - sizes, end, CONLL_WIDTH, True, True, False


def same_ids(first: RawItems, second: RawItems) -> bool:
    """Whether no two sentences at the same place have ids that differ."""
    ours, theirs = (
        comment_keys(items.data, items.begin, items.begin + items.refs.extra["body"], b"sent_id")
        for items in (first, second)
    )
    if ours is None or theirs is None or ours == theirs:
        return True
    return all(a == b or a is None or b is None for a, b in zip(ours, theirs, strict=True))
