"""Tables that fit a terminal: what is too wide is stacked, and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_BETWEEN, _EDGES = 3, 2
"""How wide the space between columns is, and that at the edges."""
_LEAST_FIRST = 8


class FittingTable(Table):
    """A table whose columns are shown below each other, part by part, where they do not fit.

    Each part begins with the first column; `together` columns that follow each other are not
    taken apart. Headers and the first column are folded where there is no space for them;
    other cells never are.
    """

    together = 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        cells = [max((_width(cell) for cell in c.cells), default=0) for c in self.columns]
        sizes = [max(size, _width(c.header)) for size, c in zip(cells, self.columns, strict=True)]
        if not console.is_terminal or len(sizes) < 2 or _total(sizes) <= width:
            yield from super().__rich_console__(console, options)
            return
        groups = list(_groups(len(sizes), self.together))
        widest = max(_total(cells[i:j]) for i, j in groups)
        sizes[0] = min(sizes[0], max(_LEAST_FIRST, width - widest - _BETWEEN))
        for i, j in groups:
            # Headers are folded where they are wider than what is left beside the cells.
            left = max(0, width - _total([sizes[0], *cells[i:j]]))
            for k in range(i, j):
                sizes[k] = min(sizes[k], cells[k] + left)
        for part in _parts(sizes, width, self.together):
            yield from self._of(part, sizes).__rich_console__(console, options)

    def _of(self, columns: list[int], sizes: list[int]) -> Table:
        """A table of the first column and some others."""
        result = Table(box=self.box, pad_edge=self.pad_edge, title=self.title, title_justify="left")
        for i in (0, *columns):
            each = self.columns[i]
            result.add_column(
                each.header,
                justify=each.justify,
                overflow="fold",
                width=max(1, sizes[i]),
            )
        cells = [list(self.columns[i].cells) for i in (0, *columns)]
        for number, row in enumerate(self.rows):
            result.add_row(*(column[number] for column in cells), end_section=row.end_section)
        return result


def _width(cell: object) -> int:
    text = cell.plain if isinstance(cell, Text) else str(cell)
    return max((cell_len(line) for line in text.split("\n")), default=0)


def _total(sizes: list[int]) -> int:
    return sum(sizes) + _BETWEEN * (len(sizes) - 1) + _EDGES


def _groups(count: int, together: int) -> Iterator[tuple[int, int]]:
    """The columns after the first, so many at a time."""
    for i in range(1, count, together):
        yield i, min(i + together, count)


def _parts(sizes: list[int], width: int, together: int) -> Iterator[list[int]]:
    """The columns of each part, as many as fit beside the first one."""
    part: list[int] = []
    for i, j in _groups(len(sizes), together):
        more = [*part, *range(i, j)]
        if part and _total([sizes[0], *(sizes[k] for k in more)]) > width:
            yield part
            more = list(range(i, j))
        part = more
    yield part
