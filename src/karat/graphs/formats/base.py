"""What all formats of graphs share: injection, and how a graph becomes an item."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.items import Item
from karat.errors import FormatError, Place, quote_some
from karat.graphs.anchoring import CompanionText
from karat.graphs.model import Graph
from karat.graphs.transform import injected, parse_injection

MOST_DIGITS = 18
"""The most digits of a number in a file: what fits into 64 bits."""


class GraphFormat(Format, ABC):
    """The base of the readers and writers of graphs."""

    kind = "graph"
    of_systems = frozenset({"inject"})

    inject: Annotated[
        str, "a JSON object of fields to set in every graph that is no gold graph"
    ] = ""

    def __post_init__(self) -> None:
        self.injection, ignored = parse_injection(self.inject) if self.inject else ({}, [])
        self.warnings.extend(ignored)

    def read(self, source: Source) -> Iterator[Item]:
        return self.graphs(source)

    def changed(self, item: Item) -> Item:
        """The item with what is injected; one that could not be read stays as it is."""
        if item.error is not None or not self.injection:
            return item
        return item_of(injected(item.value, self.injection), item.line, item.notices)

    @abstractmethod
    def graphs(self, source: Source) -> Iterator[Item]:
        """All graphs of the source, lazily."""


def paragraphs(source: Source) -> Iterator[list[tuple[int, str]]]:
    """The numbered lines between blank lines; any number of those part two graphs."""
    block: list[tuple[int, str]] = []
    for number, line in source.block_lines():
        if line and not line.isspace():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def listed_files(source: Source, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Source]]:
    """The files that the numbered lines of a list name, relative to the list."""
    from pathlib import Path  # takes its time to load

    for number, line in lines:
        name = line.strip()
        if not name:
            continue
        path = Path(source.path).parent / name
        try:
            is_there = path.is_file()
        except (OSError, ValueError):  # no file can have that name
            is_there = False
        if not is_there:
            raise FormatError(
                f"there is no such file: {name[:80]!r}",
                code="K101",
                place=Place(source.name, number),
                advice="expected XML, or a list of file names, one a line",
            )
        yield number, Source(path)


def xml_files(folder: Source) -> list[Source]:
    """The XML files in a folder, by name."""
    from pathlib import Path

    paths = sorted(Path(folder.path).glob("*.xml"))
    if not paths:
        raise FormatError("the folder holds no .xml files", code="K101", place=Place(folder.name))
    return [Source(path) for path in paths]


def companion_warning(companion: CompanionText | None) -> list[str]:
    """What to tell of graphs that have no companion text."""
    if companion is None or not companion.missing:
        return []
    missing = companion.missing
    return [f"{len(missing)} graphs have no companion text: {quote_some(missing)}"]


def cannot_hold(graph: Graph, format: str, why: str) -> FormatError:
    """The error for a graph that a format has no way to write."""
    return FormatError(
        f"{format} cannot hold this graph: {why}",
        code="K126",
        place=Place("output", item=graph.id),
        advice="choose another format, or use ``on_error='skip'`` to leave such graphs out",
    )


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_bytes(graph: Graph, text: str) -> bytes:
    """The XML of a graph as it is written; XML has no way to say most control characters."""
    if match := _NOT_XML.search(text):
        raise cannot_hold(graph, "XML", f"it has the character U+{ord(match[0]):04X} in it")
    return text.encode()


def item_of(graph: Graph, line: int, notices: tuple[str, ...] = ()) -> Item:
    """A graph that was read, with the fields that scores can be broken down by."""
    fields = {}
    if graph.framework is not None:
        fields["framework"] = graph.framework
    if graph.language is not None:
        fields["language"] = graph.language
    if graph.source is not None:
        fields["source"] = graph.source
    fields["nodes"] = size_class(len(graph.nodes))
    if graph.input is not None:
        fields["words"] = size_class(len(graph.input.split()))
    return Item(graph, graph.key, line, fields, notices=notices)


def size_class(number: int) -> str:
    """Tens, so that groups by size are few, and sort.

    >>> size_class(7), size_class(23), size_class(140)
    ('00-09', '20-29', '100-')
    """
    if number >= 100:
        return "100-"
    first = number // 10 * 10
    return f"{first:02}-{first + 9:02}"


def whole_number(digits: str) -> int:
    """The number that digits mean, with a sign or without; no place in a text needs so many."""
    if len(digits) > MOST_DIGITS:
        raise UnreadableGraph(
            f"a number has {len(digits):,} digits, expected at most {MOST_DIGITS}", code="K122"
        )
    return int(digits)


class UnreadableGraph(Exception):
    """Raised inside a reader; it becomes a FormatError that knows its place."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        line: int = 0,
        column: int = 0,
        excerpt: str = "",
        advice: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.column = column
        self.excerpt = excerpt
        self.advice = advice


def broken_item(problem: UnreadableGraph, source: Source | str, line: int, key: Any = None) -> Item:
    """The item in the place of a graph that could not be read."""
    name = str(key[0]) if key and key[0] is not None else ""
    file = source if isinstance(source, str) else source.name
    place = Place(file, problem.line or line, problem.column, name)
    error = FormatError(
        str(problem), code=problem.code, place=place, excerpt=problem.excerpt, advice=problem.advice
    )
    return Item(None, key, line, error=error)
