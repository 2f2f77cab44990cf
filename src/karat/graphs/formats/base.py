"""Base class of the formats of graphs, and helpers for reading and writing them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec
from msgspec.structs import replace

from karat.core.files.memory import MemorySource
from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import Source
from karat.core.format import Format, Notices
from karat.core.reading.items import Item
from karat.errors import FormatError, OptionError, Place, did_you_mean
from karat.graphs.anchoring import CompanionText
from karat.graphs.errors import UnreadableGraph, cannot_hold
from karat.graphs.model import FLAVORS, Anchor, Edge, Graph, Node, Token, Value
from karat.graphs.normalize import turned

Labelled: TypeAlias = tuple[int, int, str | None]
"""Source, target and label of an edge."""


class GraphFormat(Format, ABC):
    """Base class of the readers and writers of graphs."""

    kind = "graph"
    of_systems = frozenset({"inject"})
    framework: ClassVar[str] = ""
    """That of the graphs that are read, where it is not called like the format."""
    holds: ClassVar[frozenset[str]] = frozenset({"labels", "anchors"})
    """Which of these are in files: labels and anchors of nodes, edges that are `inverted`."""
    properties: ClassVar[frozenset[str] | None] = None
    """The properties that nodes may have in files; None: any."""

    attributes: ClassVar[frozenset[str]] = frozenset()
    """The attributes that edges may have in files."""

    inject: Annotated[str, "a JSON object of fields to set in every graph except gold graphs"] = ""

    def __post_init__(self) -> None:
        self.injection, ignored = parse_injection(self.inject) if self.inject else ({}, [])
        self.warnings.extend(ignored)

    def read(self, source: Source) -> Iterator[Item]:
        noticed = Notices(self.noun)
        for number, item in enumerate(self.graphs(source), self.before):
            noticed.add(item, number)
            yield replace(item, notices=()) if item.notices else item
        self.warnings.extend(noticed.warnings())

    def numbered(self, number: int) -> str:
        """The name of a graph that has none, by its place in the file."""
        return "" if self.alone else str(number)

    def item(
        self,
        source: Source | str,
        line: int,
        name: str | None,
        make: Callable[[], Graph],
        notices: Sequence[str] = (),
    ) -> Item:
        """The item of a graph that begins in a line; one that cannot be read carries its error."""
        try:
            return item_of(make(), line, tuple(notices))
        except UnreadableGraph as problem:
            key = None if name is None else (name, self.framework or self.name, None)
            return broken_item(problem, source, line, key)

    def graph(
        self,
        name: str,
        text: str | None,
        tops: Iterable[int],
        nodes: Iterable[Node],
        edges: Iterable[Labelled],
        tokens: Iterable[Token] = (),
    ) -> Graph:
        """A graph that was read; edges get ids in their order."""
        framework = self.framework or self.name
        return Graph(
            name,
            FLAVORS[framework],
            framework,
            input=text,
            tops=tuple(tops),
            nodes=tuple(nodes),
            edges=tuple(Edge(*edge, number) for number, edge in enumerate(edges)),
            tokens=tuple(tokens),
        )

    def told(self, values: Iterable[Graph]) -> Iterator[Graph]:
        """The graphs to write, each with a warning of what is lost, once it is written."""
        for graph in values:
            yield graph
            for what in self.losses(graph):
                names = self._lost.found.setdefault(what, [])
                # Graphs may be written twice in a row, to see if they can.
                if graph.id not in names[-1:]:
                    names.append(graph.id)
                self.warnings[:] = self._lost.warnings()

    def losses(self, graph: Graph) -> Iterator[str]:
        """What is not written of a graph, as it follows the number of graphs in a warning."""
        if "anchors" not in self.holds and graph.is_anchored:
            yield f"have anchors, which are not written as {self.name}"
        if "labels" not in self.holds and any(node.label is not None for node in graph.nodes):
            yield f"have labels of nodes, which are not written as {self.name}"
        known = self.properties
        if known is not None and any(not known.issuperset(node.properties) for node in graph.nodes):
            yield f"have properties that are not written as {self.name}"
        framework = graph.framework
        if "inverted" not in self.holds and any(turned(e, framework) != e for e in graph.edges):
            yield f"have inverted edges, which are read as any other from {self.name}"
        if any(not self.attributes.issuperset(edge.attributes) for edge in graph.edges):
            yield f"have attributes of edges that are not written as {self.name}"
        if any(edge.anchors for edge in graph.edges) or any(n.anchorings for n in graph.nodes):
            yield f"have anchors of edges or values, which are not written as {self.name}"

    @cached_property
    def _lost(self) -> Notices:
        return Notices(self.noun, {})

    def changed(self, item: Item) -> Item:
        """The item with what is injected; one that could not be read stays as it is."""
        if item.error is not None or not self.injection:
            return item
        return item_of(injected(item.value, self.injection), item.line, item.notices)

    @abstractmethod
    def graphs(self, source: Source) -> Iterator[Item]:
        """All graphs of the source, lazily."""


class CompanionFormat(GraphFormat):
    """Base class of formats that take the input of graphs from a companion text."""

    text: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.companion = CompanionText(self.text) if self.text else None

    def companion_text(self, name: str) -> str | None:
        """The text of a graph; None without companion, or where that does not have it."""
        return self.companion.get(name) if self.companion else None

    def notices_of(self, name: str) -> tuple[str, ...]:
        """What is to be said of a graph whose text is not in the companion."""
        missing = self.companion is not None and self.companion.get(name) is None
        return ("have no companion text",) if missing else ()


def node_of(
    number: int,
    label: str | None,
    pairs: Iterable[tuple[str, Value]],
    anchors: tuple[Anchor, ...] = (),
) -> Node:
    """A node with properties as pairs of name and value."""
    names, values = tuple(zip(*pairs, strict=True)) or ((), ())
    return Node(number, label, names, values, anchors)


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

    if isinstance(source, MemorySource):
        raise FormatError(
            "this is not XML, and a string in memory is not taken for a list of files",
            code="K128",
            place=Place(source.name),
        )
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
            if name[0] in "{[(":  # JSON, or PENMAN notation
                raise FormatError(
                    f"expected XML, or a list of file names, found {name[:40]!r}",
                    code="K128",
                    place=Place(source.name, number),
                    advice="graphs in other formats are read by the metrics mrp and ucca-mrp",
                )
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


_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def xml_bytes(graph: Graph, text: str) -> bytes:
    """The XML of a graph as it is written; XML has no way to say most control characters."""
    if match := re.search(_NOT_XML, text):
        raise cannot_hold(graph, "XML", f"it has the character U+{ord(match[0]):04X} in it")
    return text.encode()


def item_of(graph: Graph, line: int, notices: tuple[str, ...] = ()) -> Item:
    """A graph that was read, with the fields that scores can be broken down by."""
    words = None if graph.input is None else len(graph.input.split())
    told = graph.framework, graph.language, graph.source
    fields = fields_of(*told, nodes=len(graph.nodes), words=words)
    return Item(graph, graph.key, line, fields, notices=notices)


def fields_of(
    framework: str | None,
    language: str | None,
    source: str | None,
    *,
    nodes: int,
    words: int | None,
) -> dict[str, str]:
    """The fields of a graph that scores can be broken down by."""
    fields = {}
    if framework is not None:
        fields["framework"] = framework
    if language is not None:
        fields["language"] = language
    if source is not None:
        fields["source"] = source
    fields["nodes"] = size_class(nodes)
    if words is not None:
        fields["words"] = size_class(words)
    return fields


def size_class(number: int) -> str:
    """Tens, so that groups by size are few, and sort.

    >>> size_class(7), size_class(23), size_class(140)
    ('00-09', '20-29', '100-')
    """
    if number >= 100:
        return "100-"
    first = number // 10 * 10
    return f"{first:02}-{first + 9:02}"


def broken_item(problem: UnreadableGraph, source: Source | str, line: int, key: Any = None) -> Item:
    """The item in the place of a graph that could not be read."""
    name = str(key[0]) if key and key[0] is not None else ""
    file = source if isinstance(source, str) else source.name
    place = Place(file, problem.line or line, problem.column, name)
    error = FormatError(
        str(problem), code=problem.code, place=place, excerpt=problem.excerpt, advice=problem.advice
    )
    return Item(None, key, line, error=error)


_INJECTABLE: dict[str, tuple[Any, str]] = {
    "id": (str, "a string"),
    "time": (str | None, "a string"),
    "source": (str | None, "a string"),
    "provenance": (str | None, "a string"),
    "language": (str | None, "a string"),
    "flavor": (int | None, "a number"),
    "framework": (str | None, "a string"),
    "targets": (tuple[str, ...], "a list of strings"),
    "input": (str | None, "a string"),
}


def injected(graph: Graph, values: dict[str, Any]) -> Graph:
    """The graph with some of its fields overwritten."""
    return replace(graph, **values)


def parse_injection(text: str) -> tuple[dict[str, Any], list[str]]:
    """The fields to overwrite, from a JSON object; and what to say of others.

    >>> parse_injection('{"framework": "eds", "targets": ["eds"], "colour": "red"}')
    ({'framework': 'eds', 'targets': ('eds',)}, ["'colour' cannot be injected and is ignored"])
    """
    try:
        record = msgspec.json.decode(text)
    except NOT_JSON as error:
        raise OptionError(
            f"what to inject is not JSON: {error}",
            code="K340",
            advice="""write it as in ``inject='{"framework": "eds"}'``""",
        ) from None
    if not isinstance(record, dict):
        raise OptionError("what to inject must be a JSON object", code="K340")
    result, ignored = {}, []
    for name, value in record.items():
        if name not in _INJECTABLE:
            meant = did_you_mean(name, _INJECTABLE)
            ignored.append(f"{name!r} cannot be injected and is ignored{meant}")
            continue
        kind, expected = _INJECTABLE[name]
        try:
            result[name] = msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise OptionError(f"{name!r} must be {expected}, got {value!r}", code="K340") from None
    return result, ignored
