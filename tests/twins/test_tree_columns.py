"""The native reader of trees against one in Python that splits lines and looks at every cell.

The same trees, and the same errors at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from drawn import drawn
from karat._native import read_trees, tree_column, tree_pairs, ud_rows
from karat.core.files.opener import Source
from karat.core.format import block_text
from karat.core.reading.items import Item
from karat.errors import Place
from karat.trees.formats.conll import ColumnFormat, ConllU, ConllX, NedColumns
from karat.trees.model import COLUMNS, MultiwordToken, Tree, TreeError, first_in_cycle

# -- the twin -----------------------------------------------------------------------

_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})\Z")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+\Z")


class Twin:
    """Reads one sentence after its comments."""

    def __init__(self, format: ColumnFormat, file: str, width: int) -> None:
        self.format, self.file, self.width = format, file, width

    def read(self, data: bytes, body: int, number: int, line: int, **origin: Any) -> Item:
        comments = block_text(data[:body]).split("\n")[:-1]
        self.name = next(
            (
                value.strip()
                for name, equals, value in (each[1:].partition("=") for each in comments)
                if equals and name.strip() == "sent_id"
            ),
            "",
        )
        self.number, self.line = number, line
        key = (self.name,) if self.name else None
        rows = [each.split("\t") for each in block_text(data[body:]).split("\n")]
        try:
            return Item(self._tree(rows, origin), key, line)
        except TreeError as error:
            return Item(None, key, line, error=error)

    def _error(self, row: int, message: str, code: str, advice: str = "") -> TreeError:
        place = Place(self.file, self.line + row, item=self.name or str(self.number))
        return TreeError(message, code=code, place=place, advice=advice)

    def _tree(self, rows: list[list[str]], origin: dict[str, Any]) -> Tree:
        self._check_widths(rows)
        words: Sequence[int] = range(len(rows))
        multiword: tuple[MultiwordToken, ...] = ()
        places = {1: {}, 3: {"forms": 0, "xpos": 1}, 10: COLUMNS}[self.width]
        if self.width == 10:
            words, multiword = self._words(rows)
        head = 6 if self.width == 10 else self.width - 1
        size = len(words)
        tree = Tree(
            heads=tuple(self._read_head(row, rows[row][head], size) for row in words),
            columns={name: tuple(rows[row][at] for row in words) for name, at in places.items()},
            multiword=multiword,
            lines=None if size == len(rows) else tuple(self.line + row for row in words),
            id=self.name,
            file=self.file,
            number=self.number,
            line=self.line,
            **origin,
        )
        word = first_in_cycle(tree.heads)
        if word is None:
            return tree
        head = tree.heads[word - 1]
        how = "is its own head" if head == word else f"with head {head} is in a cycle"
        message = f"word {word} ({tree.form(word)!r}) {how}"
        raise TreeError(message, code="K183", place=tree.place(word))

    def _check_widths(self, rows: list[list[str]]) -> None:
        if set(map(len, rows)) == {self.width}:
            return
        for row, cells in enumerate(rows):
            width = len(cells)
            if width == self.width:
                continue
            found = f"the line has {width} column{'s' * (width != 1)}"
            if width in self.format.widths:
                raise self._error(row, f"{found}, the lines before have {self.width}", "K181")
            advice = "columns are separated by tabs" if " " in cells[0] else ""
            if cells[0].startswith("#") and not self.format.conllu:
                advice = "``conllu=True`` skips comments, multiword tokens and empty nodes"
            expected = " or ".join(map(str, (self.width,) if self.width else self.format.widths))
            raise self._error(row, f"{found}, expected {expected}", "K180", advice)

    def _words(self, rows: list[list[str]]) -> tuple[list[int], tuple[MultiwordToken, ...]]:
        """The rows that are words, and the multiword tokens; wrong ids are errors."""
        ids = [cells[0] for cells in rows]
        words: list[int] = []
        multiword: list[MultiwordToken] = []
        for row, cell in enumerate(ids):
            expected = str(len(words) + 1)
            if cell == expected:
                words.append(row)
                continue
            if not self.format.conllu:
                skippable = _RANGE.match(cell) or _EMPTY_NODE.match(cell)
                advice = (
                    "``conllu=True`` skips multiword tokens and empty nodes" if skippable else ""
                )
                raise self._error(row, f"the id is {cell!r}, expected {expected}", "K184", advice)
            if _EMPTY_NODE.match(cell):
                continue
            span = _RANGE.match(cell)
            if span is None:
                raise self._error(row, f"the id is {cell!r}, expected {expected}", "K184")
            first, last = int(span[1]), int(span[2])
            after = multiword[-1].last if multiword else 0
            if first != len(words) + 1 or last < first or first <= after:
                raise self._error(
                    row,
                    f"the multiword token {cell!r} does not fit: expected it to begin with "
                    f"{max(after, len(words)) + 1} and not to end before",
                    "K185",
                )
            multiword.append(MultiwordToken(first, last, rows[row][1]))
        if multiword and multiword[-1].last > len(words):
            raise self._error(
                len(ids) - 1,
                f"the multiword token {multiword[-1].first}-{multiword[-1].last} ends after "
                f"the last word, {len(words)}",
                "K185",
            )
        if not words:
            raise self._error(0, "the sentence has no words", "K184")
        return words, tuple(multiword)

    def _read_head(self, row: int, cell: str, size: int) -> int:
        head = int(cell) if _NUMBER.match(cell) else None
        if cell == "-1" and self.format.minus_one_is_root:
            head = 0
        if head is None:
            root = "0 or -1" if self.format.minus_one_is_root else "0"
            raise self._error(
                row, f"the head is {cell!r}, expected a number from 1 to {size}, or {root} "
                "for the root", "K182", "columns are separated by tabs" if " " in cell else "",
            )  # fmt: skip
        if head > size:
            raise self._error(row, f"the head is {head}, but the sentence has {size} words", "K182")
        return head


# -- the comparison ------------------------------------------------------------------

CELLS = [
    "_",
    "a",
    "é",
    "",
    "1",
    "2",
    "0",
    "-1",
    "1-2",
    "2-3",
    "1.1",
    "0.1",
    " ",
    "07",
    "#",
    "x y",
    "\r",
]
CELLS += ["9" * 9, "9" * 10, "٢", "+1", "1-", "-", ".", "1.", "a:b"]


@st.composite
def sentences(draw: st.DrawFn, width: int) -> str:
    """Lines that are nearly right: most ids and heads fit, most lines have all columns."""
    size = draw(st.integers(1, 6))
    lines = []
    word = 0
    for _ in range(size):
        cells = ["_"] * width
        head = str(draw(st.integers(0, size)))
        kind = draw(st.integers(0, 9))
        if width == 10 and kind == 0:
            cells[0] = f"{word + 1}-{word + draw(st.integers(0, 3))}"
        elif width == 10 and kind == 1:
            cells[0] = f"{word}.1"
        else:
            word += 1
            cells[6 if width == 10 else width - 1] = head
            if width == 10:
                cells[0] = str(word)
        if draw(st.integers(0, 7)) == 0:
            cells[draw(st.integers(0, width - 1))] = draw(st.sampled_from(CELLS))
        if draw(st.integers(0, 30)) == 0:
            cells = cells[:-1] if draw(st.booleans()) else [*cells, "_"]
        lines.append("\t".join(cells))
    comments = draw(
        st.lists(st.sampled_from(["# sent_id = s", "# text", "#sent_id=\u2003t"]), max_size=2)
    )
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    return "".join(f"{line}{end}" for line in [*comments, *lines])


FORMATS = [ConllU(), ConllX(), ConllX(conllu=True), NedColumns(), NedColumns(conllu=True)]


def _read_by_twin(path: Path, format: ColumnFormat) -> list[Item]:
    refs = format.scan(Source(path))
    if not len(refs):
        return []
    twin = Twin(format, str(path), refs.state[0])
    data = Source(path).read_spans(refs.begin.tolist(), refs.end.tolist())
    extra = [refs.extra[name] for name in ("body_line", "body", "blanks", "closed")]
    columns = [refs.number + 1, *extra]
    return [
        twin.read(each, body, number, line, blanks_before=blanks, closed=bool(closed))
        for each, number, line, body, blanks, closed in zip(
            data, *(column.tolist() for column in columns), strict=True
        )
    ]


def _shown(item: Item) -> Any:
    if item.error is not None:
        return str(item.error), item.error.code, item.error.advice, item.key, item.line
    tree: Tree = item.value
    places = [tree.place(word) for word in range(1, len(tree) + 1)]
    return tree, tree.tags, places, tree.name, tree.blanks_before, tree.closed, item.key, item.line


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees") / "file"


@settings(max_examples=drawn(300))
@given(st.data(), st.sampled_from(FORMATS), st.sampled_from([1, 3, 10, 10, 10]))
def test_readers(path: Path, data: st.DataObject, format: ColumnFormat, width: int) -> None:
    texts = data.draw(st.lists(sentences(width), min_size=1, max_size=4))
    blank = data.draw(st.sampled_from(["\n", "\n\n", "\r\n"]))
    path.write_bytes(blank.join(texts).encode() + data.draw(st.sampled_from([b"", b"\n"])))
    found = list(format.read(Source(path)))
    assert list(map(_shown, found)) == list(map(_shown, _read_by_twin(path, format)))
    readable = [item.value for item in found if item.error is None]
    assert readable == [item.value for item in _read_by_twin(path, format) if item.error is None], (
        "trees from text and from columns are equal"
    )


def test_what_cannot_be_handed_over() -> None:
    """Wrong arguments are errors rather than reads out of bounds."""
    word, zero = b"1\ta\t_\t_\t_\t_\t0\tx\t_\t_", np.array([0])
    side = (word, zero, np.array([len(word)]), 10, True, False, False)
    nothing = (word, zero[:0], zero[:0], 10, True, False, False)
    assert ud_rows(side, side, True) is not None
    assert ud_rows(side, nothing, True) is None
    for wrong in (
        lambda: read_trees([word], zero, 2, True, False),
        lambda: read_trees([word, word], zero, 10, True, False),
        lambda: read_trees([word], zero + 99, 10, True, False),
        lambda: tree_column(word, 10, 8),
        lambda: tree_column(word, 1, 1),
        lambda: tree_column(b"x", 10, 1),
        lambda: ud_rows(side, (word, zero, np.array([99]), 10, True, False, False), True),
        lambda: ud_rows(side, (word, zero, zero[:0], 10, True, False, False), True),
        lambda: ud_rows(side, (word, zero, zero, 3, True, False, False), True),
        lambda: tree_pairs(side, nothing, "", [], False, False, False),
        lambda: tree_pairs(side, side, "lemma", [], False, False, False),
    ):
        with pytest.raises(ValueError):
            wrong()
