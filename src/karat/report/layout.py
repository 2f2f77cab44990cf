"""Tables and notes as text: what is too wide for a terminal is stacked, and nothing is cut."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from importlib import import_module
from typing import IO, NamedTuple, TypeAlias

from karat.report.numbers import Bold, letters_for

_BETWEEN = "   "
_RULE = "─"
_PAGE = 80
"""The length of a rule where the width of the output is unknown."""
_LEAST_FIRST = 8
_LONG = 32
_EMPHASIS = {"bold": "1", "dim": "2", "italic": "3"}
_COLOURS = {"red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36"}
_AS_ON_TERMINALS = {"FORCE_COLOR", "TTY_COMPATIBLE"}
"""Variables of the environment that ask for bold and the like in pipes, too."""


class Medium(NamedTuple):
    """Where text is shown: a terminal, or a pipe or file, in which lines are never folded."""

    width: int | None = None
    emphasis: bool = False
    colours: bool = False

    def paint(self, text: str, style: str) -> str:
        """A text in a style, such as `bold green`."""
        known = {**(_EMPHASIS if self.emphasis else {}), **(_COLOURS if self.colours else {})}
        codes = ";".join(known[word] for word in style.split() if word in known)
        return f"\x1b[{codes}m{text}\x1b[0m" if codes and text.strip() else text


PIPE = Medium()


class Console:
    """Shows tables and notes in a file, by default on standard output."""

    def __init__(self, file: IO[str] | None = None, medium: Medium | None = None) -> None:
        self.file = file or sys.stdout
        self.medium = medium or _medium(file is None and sys.stdout.isatty())

    def print(self, shown: Shown) -> None:
        text = "".join(f"{line}\n" for line in shown.lines(self.medium))
        encoding = getattr(self.file, "encoding", None) or "utf-8"
        if not encoding.lower().startswith("utf"):
            text = text.replace(_RULE, "-").encode(encoding, "replace").decode(encoding)
        self.file.write(text)


def _medium(is_terminal: bool) -> Medium:
    has_styles = os.environ.get("TERM") not in ("dumb", "unknown")
    if not is_terminal:
        return Medium(emphasis=has_styles and bool(os.environ.keys() & _AS_ON_TERMINALS))
    if os.name == "nt":
        import_module("colorama").just_fix_windows_console()  # click brings it there
    given = os.environ.get("COLUMNS", "")
    width = int(given) if given.isdecimal() and int(given) else os.get_terminal_size().columns
    return Medium(width or _PAGE, has_styles, has_styles and not os.environ.get("NO_COLOR"))


class Row(NamedTuple):
    cells: tuple[str, ...]
    begins_section: bool = False


class Table:
    """A table whose first column is aligned to the left, and all others to the right, unless
    `left` says otherwise.

    On a terminal that is too narrow, headers are folded first, which may be enough. Else columns
    are shown below each other, part by part, each of which begins with the first column.
    `together` columns that follow each other are not taken apart, nor are those in `beside`, a
    figure and what belongs to it: stacked, they follow each other. Plain `counts` come after all
    other columns. The first column is folded where there is no space for it; other cells
    never are, but where they are wider than the terminal. `narrow` are shorter cells for the first
    column, for that case. Where names would be broken even so, `letters` stand for them, which
    `legend` explains. Columns of long texts that are `below` come after the table, on lines that
    begin with the cells of the first column.
    """

    def __init__(self, title: str, *columns: str, together: int = 1) -> None:
        self.title, self.columns, self.together = title, list(columns), together
        self.beside: tuple[int, int] | None = None
        self.counts: Collection[int] = ()
        self.narrow: Sequence[str] = ()
        self.letters: Mapping[str, str] = {}
        self.legend: Sequence[str] = ()
        self.below: Collection[int] = ()
        self.left = {0}
        """The columns of words, which are aligned to the left."""
        self.rows: list[Row] = []
        self._begins_section = False

    def add_row(self, *cells: str) -> None:
        """A row; cells at its end may be left out."""
        filled = (*cells, *[""] * (len(self.columns) - len(cells)))
        self.rows.append(Row(filled, self._begins_section))
        self._begins_section = False

    def add_section(self) -> None:
        """Sets the next row apart."""
        self._begins_section = bool(self.rows)

    def lines(self, on: Medium = PIPE) -> Iterator[str]:
        count = range(len(self.columns))
        cells = [max((_width(row.cells[k]) for row in self.rows), default=0) for k in count]
        sizes = [max(1, cells[k], _width(self.columns[k])) for k in count]
        title = self.title
        if title and on.width is not None and _width(title) > min(_total(sizes), on.width):
            yield from (on.paint(line, "italic") for line in _folded(title, on.width))
            title = ""  # it has the width of the terminal, not that of the table
        if on.width is None or len(sizes) < 2 or _total(sizes) <= on.width:
            yield from self._part(count[1:], sizes, on, title)
        elif self.below:
            yield from self._part([k for k in count[1:] if k not in self.below], sizes, on, title)
            texts = ("\n".join(filter(None, map(row.cells.__getitem__, sorted(self.below))))
                     for row in self.rows)  # fmt: skip
            yield from _beside((row.cells[0] for row in self.rows), texts, on.width)
        else:
            yield from self._stacked(cells, sizes, on.width, on, title)

    def _stacked(
        self, cells: list[int], sizes: list[int], width: int, on: Medium, title: str
    ) -> Iterator[str]:
        """The table in parts that fit."""
        least = [
            max(size, *map(_width, header.split()), 1)
            for size, header in zip(cells, self.columns, strict=True)
        ]
        least[0] = sizes[0]
        every = range(1, len(sizes))
        if _total(least) <= width:
            yield from self._part(every, _widened(every, least, sizes, width), on, title)
            return
        if self.narrow:
            least[0] = max(_width(self.columns[0]), *map(_width, self.narrow))
        groups = sorted(
            _groups(len(sizes), self.together, self.beside),
            key=lambda group: all(k in self.counts for k in group),
        )
        widest = max(_total([least[k] for k in group]) for group in groups)
        if least[0] + len(_BETWEEN) + widest > width:
            letters, legend = self.letters, self.legend
            if not letters:
                names = (*self.columns[1:], *(row.cells[0] for row in self.rows))
                letters, legend = letters_for(each for each in names if _is_long(each))
            if letters:
                signs, named = zip(*(line.split("  ", 1) for line in legend), strict=True)
                yield from _beside(signs, named, width)
                yield from self._lettered(letters, title).lines(on)
                return
        least[0] = min(least[0], max(_LEAST_FIRST, width - widest - len(_BETWEEN)))
        for group in groups:
            # Where the space is too small for words of headers, these are broken as well.
            if _total([least[0], *(least[k] for k in group)]) > width:
                for k in group:
                    least[k] = max(1, cells[k])
        for part in _parts(least, width, groups):
            widths = _widened(part, least, sizes, width)
            over = _total([widths[0], *(widths[k] for k in part)]) - width
            if over > 0:  # a text that is wider than the terminal
                widest = max(part, key=lambda k: widths[k])
                widths[widest] = max(1, widths[widest] - over)
            yield from self._part(part, widths, on, title, self.narrow)

    def _lettered(self, letters: Mapping[str, str], title: str) -> Table:
        """The same table with letters in place of long names."""
        result = copy(self)
        result.title, result.narrow = title, ()
        result.columns = [letters.get(each, each) for each in self.columns]
        result.rows = [
            row._replace(cells=(letters.get(row.cells[0], row.cells[0]), *row.cells[1:]))
            for row in self.rows
        ]
        return result

    def _part(
        self,
        columns: Iterable[int],
        sizes: Sequence[int],
        on: Medium,
        title: str,
        names: Sequence[str] = (),
    ) -> Iterator[str]:
        """The first column, with these names in it where there are any, and some others."""
        shown = [0, *columns]
        total = _total([sizes[k] for k in shown])
        for line in _folded(title, total) if title else ():
            yield on.paint(_padded(line, total), "italic")
        yield " " * total
        heads = [Bold(self.columns[k]) for k in shown]
        yield from self._aligned(heads, shown, sizes, on, at_bottom=True)
        yield f" {_RULE * (total - 2)} "
        for number, row in enumerate(self.rows):
            if row.begins_section:
                yield " " * total
            cells = [row.cells[k] for k in shown]
            cells[0] = names[number] if names else cells[0]
            yield from self._aligned(cells, shown, sizes, on)
        yield " " * total

    def _aligned(
        self,
        cells: Sequence[str],
        columns: Sequence[int],
        sizes: Sequence[int],
        on: Medium,
        *,
        at_bottom: bool = False,
    ) -> Iterator[str]:
        """The lines of a row, whose cells may have several; those of headers end together."""
        folded = [list(_folded(cell, sizes[k])) for cell, k in zip(cells, columns, strict=True)]
        height = max(map(len, folded))
        for number in range(height):
            found = []
            for cell, k, lines in zip(cells, columns, folded, strict=True):
                place = number - (height - len(lines) if at_bottom else 0)
                line = lines[place] if 0 <= place < len(lines) else ""
                padded = _padded(line, sizes[k], left=k in self.left)
                found.append(on.paint(padded, "bold" if isinstance(cell, Bold) else ""))
            yield f" {_BETWEEN.join(found)} "


class Note(NamedTuple):
    """A line below a table; on a terminal it is broken at blanks and after the bars of
    signatures, not within a word."""

    text: str

    def lines(self, on: Medium = PIPE) -> Iterator[str]:
        return (on.paint(line, "dim") for line in broken(self.text, on.width))


class Styled(NamedTuple):
    """A line of texts, each in the style that a terminal shows it in."""

    spans: tuple[tuple[str, str], ...]

    def lines(self, on: Medium = PIPE) -> Iterator[str]:
        line, used = "", 0
        for text, style in self.spans:
            piece = ""
            for word in re.findall(r"\s+|\S+", text):
                if on.width is not None and used and used + _width(word) > on.width:
                    yield line + on.paint(piece, style)
                    line, piece, used = "", "", 0
                    if word.isspace():
                        continue
                piece += word
                used += _width(word)
            line += on.paint(piece, style)
        yield line


class Rule(NamedTuple):
    """A title with a line to its right."""

    title: str

    def lines(self, on: Medium = PIPE) -> Iterator[str]:
        yield f"{self.title} ".ljust(on.width or _PAGE, _RULE)


class Group:
    """Tables and notes below each other."""

    def __init__(self, *parts: Shown) -> None:
        self.parts = parts

    def lines(self, on: Medium = PIPE) -> Iterator[str]:
        for part in self.parts:
            yield from part.lines(on)


Shown: TypeAlias = Table | Note | Styled | Rule | Group


def _is_long(name: str) -> bool:
    """Whether this is a name, of a file mostly, that takes more than its share of a line."""
    return _width(name) > _LONG and " " not in name and "\n" not in name


def _beside(signs: Iterable[str], texts: Iterable[str], width: int) -> Iterator[str]:
    """Signs, and to the right of each the text that it stands for."""
    shown = list(signs)
    indent = max(map(_width, shown), default=0) + 2
    for sign, text in zip(shown, texts, strict=True):
        for line in _folded(text, max(1, width - indent)):
            yield _padded(sign, indent) + line
            sign = ""


def _total(sizes: Sequence[int]) -> int:
    """The width of columns with the space between them and at the edges."""
    return sum(sizes) + len(_BETWEEN) * (len(sizes) - 1) + 2


def _widened(
    part: Sequence[int], least: Sequence[int], sizes: Sequence[int], width: int
) -> list[int]:
    """The widths of the columns of a part: as wide as their headers, while there is space."""
    result = list(least)
    left = width - _total([least[0], *(least[k] for k in part)])
    for k in part:
        more = max(0, min(sizes[k] - least[k], left))
        result[k] += more
        left -= more
    return result


def _groups(count: int, together: int, beside: tuple[int, int] | None) -> Iterator[list[int]]:
    """The columns after the first, those that belong together in one list.

    >>> list(_groups(6, 1, (3, 5)))
    [[1], [2], [3, 5], [4]]
    """
    for i in range(1, count, together):
        group = list(range(i, min(i + together, count)))
        if beside is not None and group == [beside[0]]:
            group.append(beside[1])
        if beside is None or group != [beside[1]]:
            yield group


def _parts(
    sizes: Sequence[int], width: int, groups: Sequence[Sequence[int]]
) -> Iterator[list[int]]:
    """The columns of each part, as many as fit beside the first one."""
    part: list[int] = []
    for group in groups:
        more = [*part, *group]
        if part and _total([sizes[0], *(sizes[k] for k in more)]) > width:
            yield part
            more = list(group)
        part = more
    yield part


def broken(text: str, width: int | None) -> Iterator[str]:
    """A text in lines of a width, broken at blanks and after the bars of signatures.

    >>> list(broken("3 items  bleu()|case:mixed|smooth:exp", 16))
    ['3 items  bleu()|', 'case:mixed|', 'smooth:exp']
    """
    if width is None or _width(text) <= width:
        yield from text.split("\n")
        return
    line = ""
    for piece in re.findall(r"[^|\s]*(?:\||\s+|$)", text):
        if line and _width(line + piece.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece
    if line:
        yield line.rstrip()


def _folded(text: str, width: int) -> Iterator[str]:
    """Lines of at most this width; a word that is wider is cut.

    >>> list(_folded("a title that is long", 8))
    ['a title', 'that is', 'long']
    >>> list(_folded("of words", 3))
    ['of', 'wor', 'ds']
    """
    for line in text.split("\n"):
        if _width(line) <= width:
            yield line
            continue
        found = ""
        for word in line.split(" "):
            if not found or _width(f"{found} {word}") <= width:
                found = f"{found} {word}" if found else word
            else:
                yield found
                found = word
            while _width(found) > width:
                fits = max(
                    (k for k in range(1, len(found)) if _width(found[:k]) <= width), default=1
                )
                yield found[:fits]
                found = found[fits:]
        yield found


def _padded(text: str, width: int, left: bool = True) -> str:
    space = " " * (width - _width(text))
    return text + space if left else space + text


def _width(text: str) -> int:
    """How many columns the widest line of a text takes."""
    if "\n" in text:
        return max(map(_width, text.split("\n")))
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1
        for c in text
    )
