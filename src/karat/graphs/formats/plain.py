"""Parts of graphs as plain lines: ids, texts, sources, targets; and the input of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import IO

import msgspec

from karat.core.format import Format
from karat.graphs.formats.mrp import as_record
from karat.graphs.model import Graph


class _Lines(Format, ABC):
    kind = "graph"

    @abstractmethod
    def lines(self, graph: Graph) -> Iterator[str]: ...

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in values:
            for line in self.lines(graph):
                stream.write(" ".join(line.split("\n")).encode() + b"\n")


class Ids(_Lines):
    """The id of each graph."""

    name = "id"

    def lines(self, graph: Graph) -> Iterator[str]:
        yield graph.id


class Texts(_Lines):
    """The id and the input of each graph, as companion text."""

    name = "txt"

    def lines(self, graph: Graph) -> Iterator[str]:
        yield f"{graph.id}\t{graph.input or ''}"


class Sources(_Lines):
    """The id and the source of each graph."""

    name = "source"

    def lines(self, graph: Graph) -> Iterator[str]:
        yield f"{graph.id}\t{graph.source or ''}"


class Targets(_Lines):
    """The id and each target of each graph."""

    name = "targets"

    def lines(self, graph: Graph) -> Iterator[str]:
        for target in graph.targets:
            yield f"{graph.id}\t{target}"


class Evaluation(Format):
    """The input of parsers in a shared task: MRP without the graphs."""

    name = "evaluation"
    kind = "graph"

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in values:
            record = as_record(graph)
            for name in ("flavor", "framework", "tops", "nodes", "edges"):
                record.pop(name, None)
            stream.write(msgspec.json.encode(record) + b"\n")
