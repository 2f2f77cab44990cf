"""Parts of a gold graph, and what a system's graph has there under their correspondence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from karat.core.capabilities import ABSTAINS, Reading, Slot, Values
from karat.graphs.model import Graph
from karat.graphs.repair.item import GraphRepair
from karat.graphs.repair.steps import Element, Side

_PRESENT = "present"


def reading_of(pair: GraphRepair) -> Reading:
    """Labels, properties, anchors and tops of nodes, edges between two, and nodes as such."""
    return _Reading(pair).read()


class _Reading:
    def __init__(self, pair: GraphRepair) -> None:
        self.pair = pair
        self.gold, self.system = pair.gold, pair.system
        count = len(self.system.nodes)
        self.partner = {i: j for i, j in enumerate(pair.mapping) if 0 <= j < count}
        self.back = {j: i for i, j in self.partner.items()}

    def read(self) -> Reading:
        found: dict[Slot, Values] = {}
        theirs = dict(self._slots(self.pair.theirs, self.gold, None))
        ours = dict(self._slots(self.pair.ours, self.system, self.back))
        known = set(self.partner)
        virtual = not self.pair.nodes_count  # nodes are there as soon as an edge needs them
        for (slot, nodes), value in theirs.items():
            silent = not virtual and not all(node in known for node in nodes)
            found[slot] = Values(value, ABSTAINS if silent else ours.get((slot, nodes)))
        for (slot, _), value in ours.items():
            if slot not in found:
                found[slot] = Values(None, value)
        if not virtual:
            for i in range(len(self.gold.nodes)):
                there = _PRESENT if i in known else None
                found[Slot("node", self._name(i))] = Values(_PRESENT, there)
            found.update(self._new_nodes())
        return found

    def _name(self, i: int) -> str:
        node = self.gold.nodes[i]
        return f"{node.id} {node.label}" if node.label else str(node.id)

    def _slots(
        self, side: Side, graph: Graph, back: Mapping[int, int] | None
    ) -> Iterator[tuple[tuple[Slot, tuple[int, ...]], str]]:
        """The slots of one side with the positions of their nodes in gold, and their values."""
        values: dict[tuple[Slot, tuple[int, ...]], list[str]] = defaultdict(list)
        every: list[Any] = [*side.tuples.features, *side.tuples.links]
        for each in dict.fromkeys(every):
            *ends, _, key = each
            nodes = tuple(ends) if back is None else tuple(back.get(end, -1) for end in ends)
            if -1 in nodes:
                continue  # about a node that gold does not have
            for element in side.elements[each]:
                slot = self._slot(element, nodes)
                values[slot, nodes].append(_value(element, key))
        for at, found in values.items():
            yield at, "; ".join(sorted(found))

    def _slot(self, element: Element, nodes: tuple[int, ...]) -> Slot:
        names = " → ".join(map(self._name, nodes))
        if element.part in ("property", "attribute"):
            return Slot(element.part, f"{names} {element.name.lower()}")
        return Slot(element.part, names)

    def _new_nodes(self) -> Iterator[tuple[Slot, Values]]:
        """Nodes that gold lacks: by their anchors, else by label and neighbours in gold."""
        neighbours: dict[int, list[str]] = defaultdict(list)
        position = {node.id: j for j, node in enumerate(self.system.nodes)}
        for edge in self.system.edges:
            source, target = position[edge.source], position[edge.target]
            if target in self.back and source not in self.back:
                neighbours[source].append(f"{edge.label} → {self._name(self.back[target])}")
            if source in self.back and target not in self.back:
                neighbours[target].append(f"{self._name(self.back[source])} → {edge.label}")
        for j, node in enumerate(self.system.nodes):
            if j in self.back:
                continue
            label = node.label or _PRESENT
            if node.anchors:
                spans = ", ".join(f"{a.start}:{a.end}" for a in node.anchors)
                where = f"new at {spans}"
            else:
                where = f"new {label} {', '.join(sorted(neighbours[j]))}".rstrip()
            yield Slot("node", where), Values(None, label)


def _value(element: Element, key: Any) -> str:
    if element.part == "top":
        return "top"
    if element.part in ("property", "attribute") and isinstance(key, tuple):
        return _text(key[-1])
    return _text(key)


def _text(key: Any) -> str:
    if isinstance(key, tuple):
        return " ".join(map(_text, key))
    return "" if key is None else str(key)
