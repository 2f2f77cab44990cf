"""A system's graph after some steps: what is added is copied from gold, as it is written there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.normalize import normal_anchors
from karat.graphs.repair.steps import Element, Side, Step, Tuple

Property: TypeAlias = tuple[str, Any, tuple[Anchor, ...] | None]
"""Name, value, and the anchors of the value."""


class Editing:
    """A graph that is being changed; positions are those of the graph before the first step."""

    def __init__(
        self, system: Graph, gold: Graph, mapping: Sequence[int], *, nodes_count: bool = True
    ) -> None:
        self.system = system
        self.gold = gold
        self.nodes: dict[int, Node] = {node.id: node for node in system.nodes}
        self.properties: dict[int, dict[tuple[bool, int], Property]] = {}
        """Of nodes whose properties were changed, by side (gold or not) and position there."""
        self.edges: dict[int, Edge] = dict(enumerate(system.edges))
        self.tops: dict[int, None] = dict.fromkeys(system.tops)
        self.partner: dict[int, int] = {
            gold.nodes[i].id: system.nodes[j].id
            for i, j in enumerate(mapping)
            if 0 <= j < len(system.nodes)
        }
        """The system's node for each node of gold, those that were added included."""
        self.added: dict[int, None] = {}
        """The ids, in gold, of nodes that were added."""
        self.placed: set[int] = set()
        """The nodes that stand where they do in gold's text: added, or with anchors from there."""
        self.nodes_count = nodes_count
        """Whether nodes are parts; else they come and go with what hangs on them."""
        self._anchors = {node.id: node.anchors for node in system.nodes}
        self._known = {node.id for node in system.nodes}
        self._free = max(self._known, default=-1) + 1

    # -- single parts ----------------------------------------------------------------------------

    def delete_node(self, number: int) -> None:
        """Deletes a node by its id, with all edges that touch it."""
        del self.nodes[number]
        self.tops.pop(number, None)
        for j, edge in list(self.edges.items()):
            if number in (edge.source, edge.target):
                del self.edges[j]

    def add_node(self, node: Node) -> None:
        """Adds a node of gold, with its label, properties and anchors."""
        if node.id in self.partner:
            return
        number = node.id
        if number in self._known:
            number, self._free = self._free, self._free + 1
        self._free = max(self._free, number + 1)
        self._known.add(number)
        self.partner[node.id] = number
        self.added[node.id] = None
        self.placed.add(number)
        self.nodes[number] = replace(node, id=number)

    def remove(self, element: Element) -> None:
        """Takes a part of the system's graph away."""
        if element.part in ("edge", "attribute"):
            edge = self.edges.get(element.at)
            if edge is not None and element.part == "edge":
                del self.edges[element.at]
            elif edge is not None:
                names, values = _without(edge, element.name)
                self.edges[element.at] = replace(edge, attributes=names, values=values)
            return
        number = self.system.nodes[element.at].id
        if element.part == "top":
            self.tops.pop(number, None)
        elif element.part == "label":
            self.nodes[number] = replace(self.nodes[number], label=None)
        elif element.part == "anchor":
            self.nodes[number] = replace(self.nodes[number], anchors=())
        else:
            self._properties(number).pop((False, element.place), None)

    def copy(self, element: Element, place: int | None = None) -> None:
        """Adds a part of gold; an edge in the place of the one that it stands for."""
        if element.part == "edge":
            self._copy_edge(self.gold.edges[element.at], place)
            return
        if element.part == "attribute":
            self._copy_attribute(element)
            return
        theirs = self.gold.nodes[element.at]
        if theirs.id in self.added and element.part != "top":
            return  # it came with its node
        number = self._partner(theirs.id)
        if element.part == "top":
            self.tops[number] = None
        elif element.part == "label":
            self.nodes[number] = replace(self.nodes[number], label=theirs.label)
        elif element.part == "anchor":
            self.nodes[number] = replace(self.nodes[number], anchors=theirs.anchors)
            self.placed.add(number)
        else:
            found = _properties_of(theirs)[element.place]
            self._properties(number)[True, element.place] = found

    def _properties(self, number: int) -> dict[tuple[bool, int], Property]:
        if number not in self.properties:
            found = enumerate(_properties_of(self.nodes[number]))
            self.properties[number] = {(False, place): each for place, each in found}
        return self.properties[number]

    def _partner(self, number: int) -> int:
        """The system's node for one of gold, which may have to be added for it."""
        if number not in self.partner and not self.nodes_count:
            self.add_node(self.gold.node_of[number])
        return self.partner[number]

    def _copy_edge(self, edge: Edge, place: int | None) -> None:
        number = len(self.system.edges) + len(self.edges) if place is None else place
        while number in self.edges:
            number += 1
        ends = self._partner(edge.source), self._partner(edge.target)
        self.edges[number] = replace(edge, source=ends[0], target=ends[1])

    def _copy_attribute(self, element: Element) -> None:
        theirs = self.gold.edges[element.at]
        ends = self.partner[theirs.source], self.partner[theirs.target]
        for number, edge in self.edges.items():
            labels = [(each.label or "").lower() for each in (edge, theirs)]
            if (edge.source, edge.target) == ends and labels[0] == labels[1]:
                names, values = _without(edge, element.name)
                found = [
                    (name, value)
                    for name, value in zip(theirs.attributes, theirs.values, strict=False)
                    if name.lower() == element.name.lower()
                ]
                self.edges[number] = replace(
                    edge,
                    attributes=(*names, *(name for name, _ in found)),
                    values=(*values, *(value for _, value in found)),
                )
                return

    # -- the graph -------------------------------------------------------------------------------

    def graph(self, complete: bool) -> Graph:
        """The graph as it is now; `complete` says that all steps were made."""
        for number, properties in self.properties.items():
            if number in self.nodes:
                self.nodes[number] = _with_properties(self.nodes[number], properties.values())
        if not self.nodes_count:
            self._drop_unused(complete)
        if complete:
            self._anchor_as_gold()
        order = self._order(complete)
        edges = [
            edge if edge.id is None else replace(edge, id=number)
            for number, (_, edge) in enumerate(sorted(self.edges.items()))
        ]
        text = self.system.input
        if self.gold.input != text and (complete or self.placed):
            text = self._moved_to_gold(text)
        result = replace(
            self.system,
            tops=tuple(self.tops),
            nodes=tuple(self.nodes[number] for number in order),
            edges=tuple(edges),
            input=text,
        )
        return self._renumbered(result, complete) if self.system.tokens else result

    def _drop_unused(self, complete: bool) -> None:
        """Without anything that hung on it, a node that gold does not have is none."""
        before, after = (
            {end for edge in edges for end in (edge.source, edge.target)}.union(tops)
            for edges, tops in (
                (self.system.edges, self.system.tops),
                (self.edges.values(), self.tops),
            )
        )
        if complete:
            before = set(self.nodes)
        for number in before - after - set(self.partner.values()):
            del self.nodes[number]

    def _moved_to_gold(self, text: str | None) -> str | None:
        """The text that anchors of gold are those of; the others cover there what they did."""
        anchored = [number for number, node in self.nodes.items() if node.anchors]
        if self.gold.input is None and not anchored:
            return text
        for number in anchored:
            if number not in self.placed:
                node = self.nodes[number]
                self.nodes[number] = replace(node, anchors=normal_anchors(node.anchors, text))
        return self.gold.input

    def _anchor_as_gold(self) -> None:
        """Anchors that are compared as equal may be written in other ways, which formats refuse."""
        for theirs, ours in self.partner.items():
            node, anchors = self.nodes[ours], self.gold.node_of[theirs].anchors
            self.placed.add(ours)
            if node.anchors != anchors:
                self.nodes[ours] = replace(node, anchors=anchors)

    def _order(self, complete: bool) -> list[int]:
        """The ids of the nodes: added ones after the node that gold has before them; when all is
        done, those that the text puts in order are in that of gold."""
        if complete and self.gold.flavor == 0:
            order = [self.partner.get(node.id, -1) for node in self.gold.nodes]
            if sorted(order) == sorted(self.nodes):
                return order
        order = [node.id for node in self.system.nodes if node.id in self.nodes]
        before: int | None = None
        for node in self.gold.nodes:
            number = self.partner.get(node.id)
            if number is None or number not in self.nodes:
                continue
            if node.id in self.added:
                order.insert(0 if before is None else order.index(before) + 1, number)
            before = number
        return order

    def _renumbered(self, graph: Graph, complete: bool) -> Graph:
        """In rows of tokens a node has the number of its token, also after it was moved; rows of
        other tokens than gold's are those of gold when all is done."""
        back = {ours: theirs for theirs, ours in self.partner.items()}
        if complete and _forms(self.gold) and _forms(self.gold) != _forms(self.system):
            names = {node.id: back.get(node.id, -1) for node in graph.nodes}
            if sorted(names.values()) == sorted(node.id for node in self.gold.nodes):
                return renamed(replace(graph, tokens=self.gold.tokens), names)
        names = {}
        for node in graph.nodes:
            theirs = back.get(node.id)
            moved = theirs is not None and node.anchors != self._anchors.get(node.id)
            names[node.id] = theirs if moved and theirs is not None else node.id
        if len(set(names.values())) < len(names) or list(names.values()) != sorted(names.values()):
            names = {node.id: back.get(node.id, node.id) for node in graph.nodes}
        return renamed(graph, names) if len(set(names.values())) == len(names) else graph


def _forms(graph: Graph) -> list[str]:
    return [token.form for token in graph.tokens]


def renamed(graph: Graph, names: Mapping[int, int]) -> Graph:
    """The graph with other ids of nodes, in whose order they then are."""
    nodes = sorted((replace(node, id=names[node.id]) for node in graph.nodes), key=lambda n: n.id)
    return replace(
        graph,
        tops=tuple(names[top] for top in graph.tops),
        nodes=tuple(nodes),
        edges=tuple(
            replace(edge, source=names[edge.source], target=names[edge.target])
            for edge in graph.edges
        ),
    )


def _without(edge: Edge, name: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    kept = [
        (each, value)
        for each, value in zip(edge.attributes, edge.values, strict=False)
        if each.lower() != name.lower()
    ]
    return tuple(each for each, _ in kept), tuple(value for _, value in kept)


def _properties_of(node: Node) -> list[Property]:
    anchorings = [*node.anchorings, *[None] * len(node.properties)]
    return list(zip(node.properties, node.values, anchorings, strict=False))


def _with_properties(node: Node, found: Iterable[Property]) -> Node:
    properties = list(found)
    anchorings = [anchors for _, _, anchors in properties if anchors is not None]
    return replace(
        node,
        properties=tuple(name for name, _, _ in properties),
        values=tuple(value for _, value, _ in properties),
        anchorings=tuple(anchorings) if len(anchorings) == len(properties) else (),
    )


def applied(
    editing: Editing, gold: Side, system: Side, steps: Sequence[Step], chosen: Collection[int]
) -> Graph:
    """The system's graph after the chosen steps."""
    made = [step for i, step in enumerate(steps) if i in chosen]
    removed = {each for step in made for each in step.surplus}
    for each in removed:
        for element in system.elements[each]:
            editing.remove(element)
    for step in made:
        if step.action == "delete":
            for position in step.nodes:
                editing.delete_node(editing.system.nodes[position].id)
    for step in made:
        if step.action == "add":
            for position in step.nodes:
                editing.add_node(editing.gold.nodes[position])
    for step in made:
        place = _first_edge(step.surplus, system)
        for each in step.missing:
            editing.copy(gold.elements[each][0], place)
            place = None
    for element in _lost_attributes(editing, gold, system, removed):
        editing.copy(element)
    return editing.graph(len(made) == len(steps))


def _lost_attributes(
    editing: Editing, gold: Side, system: Side, removed: Collection[Tuple]
) -> list[Element]:
    """Attributes of gold that were there on an edge which was taken away, and are to stay."""
    gone = {e.at for each in removed for e in system.elements[each] if e.part == "edge"}
    if not gone:
        return []
    lost = {
        each
        for each in system.attributes
        if each not in removed
        and any(e.part == "attribute" and e.at in gone for e in system.elements[each])
    }
    if not lost:
        return []
    position = {node.id: i for i, node in enumerate(editing.system.nodes)}
    place = {
        i: position.get(editing.partner.get(node.id, -1), -1)
        for i, node in enumerate(editing.gold.nodes)
    }
    return [
        element
        for each, elements in gold.elements.items()
        if (*(place[end] for end in each[:-2]), *each[-2:]) in lost
        for element in elements
    ]


def _first_edge(tuples: Sequence[Tuple], side: Side) -> int | None:
    """The place of the edge that a step takes away."""
    for each in tuples:
        for element in side.elements[each]:
            if element.part == "edge":
                return element.at
    return None
