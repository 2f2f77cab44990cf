"""Words on lines of tab-separated columns: CoNLL-X, CoNLL-U, and the columns of the NED script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Annotated, ClassVar, TypeAlias

import numpy as np

from karat._native import comment_keys, read_trees, token_characters
from karat.core.files.opener import Source
from karat.core.format import BlockFormat, Part
from karat.core.reading.items import Ints, Item, Refs
from karat.core.reading.raw import RawItems
from karat.errors import LimitExceeded
from karat.trees.formats.faults import Sentence
from karat.trees.model import MultiwordToken, Tree

ID, HEAD = 0, 6
CONLL_WIDTH = 10
_MOST_DATA = (1 << 31) - 2
"""The kernels take so many bytes at once."""

_TAGS = {
    3: re.compile(rb"^[^\t\n]*\t(?!_\t)", re.MULTILINE),
    10: re.compile(rb"^[0-9]+(?:\t[^\t\n]*){2}\t(?!_\t_\t)", re.MULTILINE),
}
"""A line with a part of speech, by the number of columns."""

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
            tagged = tagged or (width in _TAGS and _TAGS[width].search(part.content) is not None)
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
                sentence = Sentence(lines, file, line, name or str(number + 1), self, width)
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
    return _lines(rows) + b"\n\n"


def _lines(rows: Iterable[Sequence[str]]) -> bytes:
    return "\n".join(map("\t".join, rows)).encode()


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
    texts = [tree.text if tree.width == CONLL_WIDTH else _lines(tree.rows()) for tree in trees]
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    end = np.cumsum(sizes)
    if sizes.sum() > _MOST_DATA:
        raise LimitExceeded(
            f"{len(trees):,} sentences cannot be cut into smaller parts, and are too much to align",
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
