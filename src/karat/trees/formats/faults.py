"""What is wrong with a sentence that the native reader refuses, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

from karat.core.format import block_text
from karat.errors import Place, counted
from karat.trees.model import TreeError

_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_SKIPPED = re.compile(r"[0-9]{1,9}-[0-9]{1,9}\Z|[0-9]+\.[0-9]+\Z")


class Fault(IntEnum):
    """What the reader finds, by its numbers."""

    WIDTH = 1
    ID = 2
    RANGE = 3
    RANGE_END = 4
    NO_WORDS = 5
    HEAD = 6
    CYCLE = 7


class Layout(Protocol):
    """What a format says about its columns."""

    @property
    def widths(self) -> tuple[int, ...]: ...

    @property
    def conllu(self) -> bool: ...

    @property
    def minus_one_is_root(self) -> bool: ...


class Sentence:
    """The lines of a sentence that cannot be read, and where they are."""

    def __init__(
        self, text: bytes, file: str, line: int, name: str, layout: Layout, width: int
    ) -> None:
        self.rows = [line.split("\t") for line in block_text(text).split("\n")]
        self.file, self.line, self.name = file, line, name
        self.layout = layout
        self.width = width
        """The number of columns of the file; 0 where no line has a possible one."""

    def error(self, fault: int, row: int) -> TreeError:
        """The error for what the reader found in a row, from 0; of a cycle it is a word."""
        match Fault(fault):
            case Fault.WIDTH:
                return self._wrong_width(row)
            case Fault.ID:
                return self._wrong_id(row)
            case Fault.RANGE:
                return self._wrong_range(row)
            case Fault.RANGE_END:
                first, last = self._ranges(row + 1)[-1]
                return self._error(
                    row,
                    f"the multiword token {first}-{last} ends after the last word, "
                    f"{len(self._words(row + 1))}",
                    "K185",
                )
            case Fault.NO_WORDS:
                return self._error(row, "the sentence has no words", "K184")
            case Fault.HEAD:
                return self._wrong_head(row)
            case Fault.CYCLE:
                return self._cycle(row)

    def _error(self, row: int, message: str, code: str, advice: str = "") -> TreeError:
        place = Place(self.file, self.line + row, item=self.name)
        return TreeError(message, code=code, place=place, advice=advice)

    def _words(self, rows: int) -> Sequence[int]:
        """Which of the first rows are words."""
        if self.width != 10:
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
        return 6 if self.width == 10 else self.width - 1

    def _cycle(self, word: int) -> TreeError:
        row = self._words(len(self.rows))[word - 1]
        cells = self.rows[row]
        form = str(word) if self.width == 1 else cells[1 if self.width == 10 else 0]
        head = int(cells[self._head_column])
        if head == word:
            message = f"word {word} ({form!r}) is its own head"
        else:
            message = f"word {word} ({form!r}) with head {head} is in a cycle"
        return self._error(row, message, "K183")
