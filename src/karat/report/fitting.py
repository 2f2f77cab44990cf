"""Tables that fit a terminal: what is too wide is stacked, and nothing is cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from karat.report.numbers import Bold, letters_for

if TYPE_CHECKING:
    from karat.report import layout

_BETWEEN, _EDGES = 3, 2
"""The widths of the space between columns and at the edges."""
_LEAST_FIRST = 8
_LONG = 32


def table(content: layout.Table) -> FittingTable:
    """The table for rich, which adapts it to the width of the terminal."""
    result = FittingTable(
        box=box.SIMPLE_HEAD, pad_edge=False, title=content.title or None, title_justify="left"
    )
    result.together, result.beside = content.together, content.beside
    result.narrow, result.counts = content.narrow, content.counts
    result.below = content.below
    letters, legend = content.letters, content.legend
    if not letters:
        names = (*content.columns[1:], *(row.cells[0] for row in content.rows))
        letters, legend = letters_for(each for each in names if _is_long(each))
    if letters:
        result.short = lambda: table(_lettered(content, letters))
        result.legend = legend
    for i, column in enumerate(content.columns):
        result.add_column(column, justify="left" if i in content.left else "right", no_wrap=True)
    for row in content.rows:
        if row.begins_section:
            result.add_section()
        result.add_row(*map(_cell, row.cells))
    return result


def _is_long(name: str) -> bool:
    """Whether this is a name, of a file mostly, that takes more than its share of a line."""
    return cell_len(name) > _LONG and " " not in name and "\n" not in name


def _lettered(content: layout.Table, letters: Mapping[str, str]) -> layout.Table:
    """The same table with letters in place of long names."""
    result = copy(content)
    result.columns = [letters.get(each, each) for each in content.columns]
    result.rows = [
        row._replace(cells=(letters.get(row.cells[0], row.cells[0]), *row.cells[1:]))
        for row in content.rows
    ]
    result.narrow, result.letters = (), {}
    return result


def _cell(text: str) -> Text:
    return Text(str(text), style="bold" if isinstance(text, Bold) else "")


class FittingTable(Table):
    """A table whose columns are shown below each other, part by part, where they do not fit.

    Headers are folded first, which may be enough. Else each part begins with the first column;
    `together` columns that follow each other are not taken apart, nor are those in `beside`, a
    figure and what belongs to it: stacked, they follow each other. Plain `counts` come after all
    other columns. The first column is folded where there is no space for it; other cells
    never are, but where they are wider than the terminal. `narrow` are shorter cells for the first
    column, for that case. Where names would be broken even so, `short` gives a table with letters
    for them, which `legend` explains. Columns of long texts that are `below` come after the table,
    on lines that begin with the cells of the first column.
    """

    together = 1
    beside: tuple[int, int] | None = None
    counts: Collection[int] = ()
    narrow: Sequence[str] = ()
    short: Callable[[], FittingTable] | None = None
    legend: Sequence[str] = ()
    below: Collection[int] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        cells = [max((_width(cell) for cell in c.cells), default=0) for c in self.columns]
        sizes = [max(size, _width(c.header)) for size, c in zip(cells, self.columns, strict=True)]
        if self.title and console.is_terminal and _width(self.title) > min(_total(sizes), width):
            yield Text(str(self.title), style="table.title")  # has the terminal's width, not ours
            self.title = None
        if not console.is_terminal or len(sizes) < 2 or _total(sizes) <= width:
            yield from super().__rich_console__(console, options)
            return
        least = [
            max(size, *map(cell_len, str(c.header).split()), 1)
            for size, c in zip(cells, self.columns, strict=True)
        ]
        least[0] = sizes[0]
        names: list[RenderableType]
        if self.below:
            kept = [k for k in range(1, len(sizes)) if k not in self.below]
            names = list(self.columns[0].cells)
            yield from self._of(kept, sizes, names).__rich_console__(console, options)
            texts = [self.columns[k].cells for k in sorted(self.below)]
            lines = zip(names, map(_below, *texts), strict=True)
            yield from _grid(lines).__rich_console__(console, options)
            return
        if _total(least) <= width:
            order = list(range(1, len(sizes)))
            widths = _widened(order, least, sizes, width)
            whole = list(self.columns[0].cells)
            yield from self._of(order, widths, whole).__rich_console__(console, options)
            return
        names = list(self.narrow or self.columns[0].cells)
        if self.narrow:
            least[0] = max(_width(self.columns[0].header), *map(_width, self.narrow))
        groups = sorted(
            _groups(len(sizes), self.together, self.beside),
            key=lambda group: all(k in self.counts for k in group),
        )
        widest = max(_total([least[k] for k in group]) for group in groups)
        if self.short is not None and least[0] + _BETWEEN + widest > width:
            pairs = (map(Text, line.split("  ", 1)) for line in self.legend)
            yield from _grid(pairs).__rich_console__(console, options)
            short = self.short()
            short.title = self.title
            yield from short.__rich_console__(console, options)
            return
        least[0] = min(least[0], max(_LEAST_FIRST, width - widest - _BETWEEN))
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
            yield from self._of(part, widths, names).__rich_console__(console, options)

    def _of(self, columns: list[int], sizes: list[int], names: list[RenderableType]) -> Table:
        """A table of the first column, in which these names stand, and some others."""
        result = Table(box=self.box, pad_edge=self.pad_edge, title=self.title, title_justify="left")
        for i in (0, *columns):
            each = self.columns[i]
            result.add_column(
                each.header,
                justify=each.justify,
                overflow="fold",
                width=max(1, sizes[i]),
            )
        cells = [names, *(list(self.columns[i].cells) for i in columns)]
        for number, row in enumerate(self.rows):
            result.add_row(*(column[number] for column in cells), end_section=row.end_section)
        return result


def _grid(lines: Iterable[Iterable[RenderableType]]) -> Table:
    """Lines of a sign and what it stands for."""
    result = Table.grid(padding=(0, 2))
    result.add_column()
    result.add_column(overflow="fold")
    for line in lines:
        result.add_row(*line)
    return result


def _below(*cells: RenderableType) -> Text:
    return Text("\n").join(each for each in cells if isinstance(each, Text) and each.plain)


def _width(cell: object) -> int:
    text = cell.plain if isinstance(cell, Text) else str(cell)
    return max((cell_len(line) for line in text.split("\n")), default=0)


def _total(sizes: list[int]) -> int:
    return sum(sizes) + _BETWEEN * (len(sizes) - 1) + _EDGES


def _widened(part: Sequence[int], least: list[int], sizes: list[int], width: int) -> list[int]:
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


class FittingNote:
    """A line below a table; on a terminal it is broken at blanks and after the bars of signatures,
    not within a word."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [self.text]
        if console.is_terminal and cell_len(self.text) > options.max_width:
            lines = list(_broken(self.text, options.max_width))
        for line in lines:
            yield Text(line, style="dim")


def _broken(text: str, width: int) -> Iterator[str]:
    """
    >>> list(_broken("3 items  bleu()|case:mixed|smooth:exp", 16))
    ['3 items  bleu()|', 'case:mixed|', 'smooth:exp']
    """
    line = ""
    for piece in re.findall(r"[^|\s]*(?:\||\s+|$)", text):
        if line and cell_len(line + piece.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece
    if line:
        yield line.rstrip()
