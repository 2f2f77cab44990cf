"""What a metric found wrong with a system's graph, laid over the gold graph.

The record is that of ``karat evaluate mrp --errors`` (a line per item, or one
object with framework and id outside, as mtool writes it): correspondences of nodes, and what
is missing and surplus of each kind, with gold ids here and system ids there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

from karat.core.opener import Source
from karat.errors import FormatError, Place
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.normalize import normalize

Record: TypeAlias = dict[str, Any]
Mark: TypeAlias = Literal["", "missing", "surplus"]
EdgeKey: TypeAlias = tuple[int, int, str | None]


class Differences:
    """The (normalised) gold graph with the surplus of the system added, and a mark on each part.

    Nodes that only the system has get ids from -1 downwards.
    """

    def __init__(self, gold: Graph, record: Record) -> None:
        self.gold = normalize(gold)
        self._gold_of = {theirs: mine for mine, theirs in record.get("correspondences", ())}
        self.paired = frozenset(self._gold_of.values())
        """The gold nodes that correspond to system nodes."""
        self._record = record
        known = self.gold.node_of
        self.labels = {node.id: self._marked_labels(node) for node in self.gold.nodes}
        self.properties = {node.id: self._marked_properties(node) for node in self.gold.nodes}
        self.positions: dict[int, list[tuple[str, Mark]]] = {node: [] for node in known}
        self.fresh: list[int] = []
        self._add_surplus()
        for node, places in self._of("anchors", "missing"):
            self.positions[node].insert(0, (_set(places), "missing"))
        missing_tops = set(self._of("tops", "missing"))
        self.tops: list[tuple[int, Mark]] = [
            (top, "missing" if top in missing_tops else "") for top in self.gold.tops
        ]
        self.tops += [(self._node(top), "surplus") for top in self._of("tops", "surplus")]
        self.edges = list(self._marked_edges())
        self.attributes = self._marked_attributes()

    def _of(self, kind: str, side: str) -> list[Any]:
        found: list[Any] = self._record.get(kind, {}).get(side, [])
        return found

    def _node(self, system_id: int) -> int:
        """The gold node that a system node corresponds to, or a fresh one."""
        if system_id not in self._gold_of:
            number = -1 - len(self.fresh)
            self._gold_of[system_id] = number
            self.fresh.append(number)
            self.labels[number], self.properties[number] = [], []
            self.positions[number] = []
        return int(self._gold_of[system_id])

    def _marked_labels(self, node: Node) -> list[tuple[str, Mark]]:
        if node.label is None:
            return []
        missing = any(number == node.id for number, _ in self._of("labels", "missing"))
        return [(node.label, "missing" if missing else "")]

    def _marked_properties(self, node: Node) -> list[tuple[str, str, Mark]]:
        missing = {tuple(map(str, each)) for each in self._of("properties", "missing")}
        return [
            (name, str(value), "missing" if (str(node.id), name, str(value)) in missing else "")
            for name, value in zip(node.properties, node.values, strict=False)
        ]

    def _add_surplus(self) -> None:
        for system_id, label in self._of("labels", "surplus"):
            self.labels[self._node(system_id)].append((str(label), "surplus"))
        for system_id, name, value in self._of("properties", "surplus"):
            node = self._node(system_id)
            self.properties[node].append((str(name), str(value), "surplus"))
        for system_id, places in self._of("anchors", "surplus"):
            node = self._node(system_id)
            self.positions[node].append((_set(places), "surplus"))

    def _marked_edges(self) -> Iterator[tuple[Edge, Mark]]:
        missing = {tuple(each) for each in self._of("edges", "missing")}
        for edge in self.gold.edges:
            key = (edge.source, edge.target, edge.label)
            yield edge, "missing" if key in missing else ""
        for source, target, label in self._of("edges", "surplus"):
            yield Edge(self._node(source), self._node(target), label), "surplus"

    def _marked_attributes(self) -> dict[EdgeKey, list[tuple[str, Mark]]]:
        """All attributes of edges, by their ends and label."""
        result: dict[EdgeKey, list[tuple[str, Mark]]] = {}
        missing = {tuple(map(str, each)) for each in self._of("attributes", "missing")}
        for edge in self.gold.edges:
            key = edge.source, edge.target, edge.label
            for name, value in zip(edge.attributes, edge.values, strict=False):
                mark: Mark = "missing" if (*map(str, key), name, str(value)) in missing else ""
                result.setdefault(key, []).append((_attribute(name, value), mark))
        for source, target, label, name, value in self._of("attributes", "surplus"):
            key = (self._node(source), self._node(target), label)
            result.setdefault(key, []).append((_attribute(name, value), "surplus"))
        return result

    def attributes_of(self, edge: Edge) -> list[tuple[str, Mark]]:
        """What an edge has beside its label, right and wrong."""
        return self.attributes.get((edge.source, edge.target, edge.label), [])


def _attribute(name: str, value: object) -> str:
    return name if str(value).lower() == "true" else f"{name}={value}"


def _set(places: list[int]) -> str:
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
                    f"expected what --errors writes: {error}",
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
