"""What a metric found wrong with a system's graph, laid over the gold graph.

The record is that of ``karat evaluate mrp`` as its errors (a line per item, or one
object with framework and id outside, as mtool writes it): correspondences of nodes, and what
is missing and surplus of each kind, with gold ids here and system ids there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from karat.core.files.opener import Source
from karat.errors import FormatError, Place
from karat.graphs.model import Graph
from karat.graphs.normalize import lowered, normalize
from karat.graphs.pictures.marked import MarkedGraph, Part, frozen, once

Record: TypeAlias = dict[str, Any]


def overlay_of(gold: Graph, record: Record, others: Iterable[int] = ()) -> MarkedGraph:
    """Gold, as it was compared, with the marks of a record; `others` are the system's nodes."""
    return MarkedGraph(
        [node.id for node in gold.nodes],
        once(_parts(gold)),
        missing=_listed(record, "missing"),
        surplus=_listed(record, "surplus"),
        partners={theirs: mine for mine, theirs in record.get("correspondences", ())},
        others=others,
        words=words_of_nodes(gold),
    )


def as_compared(gold: Graph, record: Record) -> Graph:
    """A gold graph as a record from a file saw it: normalised, or as it is."""
    missing = {frozen(part.said) for part in _listed(record, "missing") if part.look != "anchor"}
    standard = normalize(gold)
    for graph in (standard, gold):
        if missing <= {frozen(part.said) for part in _parts(graph)}:
            return graph
    return standard


def words_of_nodes(graph: Graph) -> dict[Hashable, str]:
    """The text that nodes are anchored to, by their ids."""
    if graph.input is None:
        return {}
    text = graph.input
    return {
        node.id: " … ".join(text[anchor.start : anchor.end] for anchor in node.anchors)
        for node in graph.nodes
        if node.anchors
    }


def _parts(graph: Graph) -> Iterator[Part]:
    """All parts of a graph but anchors, which are drawn only where they differ."""
    for top in graph.tops:
        yield _part("tops", top)
    for node in graph.nodes:
        if node.label is not None:
            yield _part("labels", [node.id, node.label])
        for name, value in zip(node.properties, node.values, strict=False):
            yield _part("properties", [node.id, name, lowered(value)])
    for edge in graph.edges:
        ends = edge.source, edge.target
        yield _part("edges", [*ends, edge.label])
        for name, value in zip(edge.attributes, edge.values, strict=False):
            yield _part("attributes", [*ends, edge.label, name, value])


def _listed(record: Record, side: str) -> list[Part]:
    kinds = ((kind, record[kind]) for kind in _KINDS if kind in record)
    return [_part(kind, each) for kind, found in kinds for each in found.get(side, ())]


_KINDS = ("tops", "labels", "properties", "anchors", "edges", "attributes")


def _part(kind: str, each: Any) -> Part:
    """An entry of a record, or what would be one."""
    said = [kind, each]
    match kind, each:
        case "tops", top:
            return Part(said, "top", (top,), "top")
        case "labels", [node, label]:
            return Part(said, "label", (node,), str(label))
        case "properties", [node, name, value]:
            return Part(said, "property", (node,), f"{name} {value}")
        case "anchors", [node, places]:
            return Part(said, "anchor", (node,), place_text(places))
        case "edges", [source, target, label]:
            return Part(said, "edge", (source, target), label or "", label)
        case "attributes", [source, target, label, name, value]:
            return Part(said, "attribute", (source, target), attribute_text(name, value), label)
    raise FormatError(f"expected what ``errors`` writes of {kind}, found {each!r}", code="K120")


def attribute_text(name: object, value: object) -> str:
    """An attribute of an edge, its value left out where that is true."""
    return str(name) if str(value).lower() == "true" else f"{name}={value}"


def place_text(places: Sequence[object]) -> str:
    """The characters or spans of an anchor."""
    return "{" + "\u2009".join(map(str, places)) + "}"


class Records:
    """The records of a file of errors by framework and id."""

    def __init__(self, path: str) -> None:
        source = Source(path)
        self._found: dict[tuple[str | None, str], Record] = {}
        for number, line in source.lines():
            if not line.strip():
                continue
            try:
                record = msgspec.json.decode(line, type=dict[str, Any])
            except msgspec.DecodeError as error:
                raise FormatError(
                    f"expected what ``errors`` writes: {error}",
                    code="K120",
                    place=Place(source.name, number),
                ) from None
            if "id" in record:
                self._found[record.get("framework"), str(record["id"])] = record
            else:
                for framework, items in record.items():
                    for name, each in items.items():
                        self._found[None if framework == "none" else framework, name] = each

    def of(self, graph: Graph) -> Record | None:
        return self._found.get((graph.framework, graph.id))
