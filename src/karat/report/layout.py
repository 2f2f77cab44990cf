"""Tables and notes as such: plain text for pipes and files, made for rich where a terminal shows
them, which takes its time to load."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from rich.console import RenderableType

_BETWEEN = "   "
_RULE = "─"
_PAGE = 80
"""The length of a rule where the width of the output is unknown."""


class Row(NamedTuple):
    cells: tuple[str, ...]
    begins_section: bool = False


class Table:
    """A table whose first column is aligned to the left, and all others to the right, unless
    `left` says otherwise.

    `together`, `beside`, `counts`, `narrow`, `letters`, `legend` and `below` say how it is laid out
    on a narrow terminal: see `fitting.FittingTable`.
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

    def lines(self) -> Iterator[str]:
        """The table as plain text, of whatever width."""
        rows = [list(map(_split, row.cells)) for row in self.rows]
        header = list(map(_split, self.columns))
        sizes = [
            max(1, *(_width(line) for cells in (header, *rows) for line in cells[k]))
            for k in range(len(header))
        ]
        whole = sum(sizes) + len(_BETWEEN) * (len(sizes) - 1)
        for line in _folded(self.title, whole + 2) if self.title else ():
            yield line + " " * (whole + 2 - _width(line))
        blank = " " * (whole + 2)
        yield blank
        yield from _aligned(header, sizes, self.left, at_bottom=True)
        yield f" {_RULE * whole} "
        for row, cells in zip(self.rows, rows, strict=True):
            if row.begins_section:
                yield blank
            yield from _aligned(cells, sizes, self.left)
        yield blank

    def __rich__(self) -> RenderableType:
        from karat.report.fitting import table

        return table(self)


class Note(NamedTuple):
    """A line below a table."""

    text: str

    def lines(self) -> Iterator[str]:
        """The text, whatever its width."""
        yield from self.text.split("\n")

    def __rich__(self) -> RenderableType:
        from karat.report.fitting import FittingNote

        return FittingNote(self.text)


class Styled(NamedTuple):
    """A line of texts, each in the style that a terminal shows it in."""

    spans: tuple[tuple[str, str], ...]

    def lines(self) -> Iterator[str]:
        yield "".join(text for text, _ in self.spans)

    def __rich__(self) -> RenderableType:
        from rich.text import Text

        return Text.assemble(*self.spans)


class Rule(NamedTuple):
    """A title with a line to its right."""

    title: str

    def lines(self) -> Iterator[str]:
        yield f"{self.title} ".ljust(_PAGE, _RULE)

    def __rich__(self) -> RenderableType:
        from rich.rule import Rule as Ruled
        from rich.text import Text

        return Ruled(Text(self.title), align="left")


class Group:
    """Tables and notes below each other."""

    def __init__(self, *parts: Shown) -> None:
        self.parts = parts

    def lines(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.lines()

    def __rich__(self) -> RenderableType:
        from rich.console import Group as Renderables

        return Renderables(*self.parts)


Shown: TypeAlias = Table | Note | Styled | Rule | Group


class Console(Protocol):
    """An output of tables."""

    def print(self, shown: Shown, /) -> None:
        """Shows one of them."""


class PlainConsole:
    """A pipe or a file, without colours and without a width."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file

    def print(self, shown: Shown, /) -> None:
        self.file.write("".join(f"{line}\n" for line in shown.lines()))


def _split(cell: str) -> list[str]:
    return cell.split("\n")


def _aligned(
    cells: list[list[str]], sizes: list[int], left: Collection[int], *, at_bottom: bool = False
) -> Iterator[str]:
    """The lines of a row, whose cells may have several; those of headers end together."""
    height = max(map(len, cells))
    padded = [
        [""] * (height - len(lines)) + lines if at_bottom else lines + [""] * (height - len(lines))
        for lines in cells
    ]
    for lines in zip(*padded, strict=True):
        found = []
        for k, (line, size) in enumerate(zip(lines, sizes, strict=True)):
            space = " " * (size - _width(line))
            found.append(line + space if k in left else space + line)
        yield f" {_BETWEEN.join(found)} "


def _folded(text: str, width: int) -> Iterator[str]:
    """Lines of at most this width; a word that is wider is cut.

    >>> list(_folded("a title that is long", 8))
    ['a title', 'that is', 'long']
    >>> list(_folded("of words", 3))
    ['of', 'wor', 'ds']
    """
    for line in text.split("\n"):
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


def _width(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1
        for c in text
    )
