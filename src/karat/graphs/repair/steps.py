"""Steps from the tuples of a system's graph to those of gold, under a correspondence of nodes.

Under the correspondence some tuples of gold are missing and some of the system's are surplus.
Each is in exactly one step. A node without partner is added or deleted with all that hangs on it,
and nodes without partner that are joined by an edge go together, so that any choice of steps
changes the counts by the sum of what each changes. Among the rest, a missing and a surplus tuple
make one step where they differ in one respect: as many as possible, by an assignment.

Most of a system's graph is as in gold. Nodes that correspond and are written alike have the same
tuples, whatever a metric makes of them, and so have edges between the same nodes: these need not be
normalised, or compared again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from karat.core.assigning import Groups, assigned, candidates
from karat.graphs.matching.tuples import Tuples, difference
from karat.graphs.model import Graph, Node


class Rest(NamedTuple):
    """What is left of a graph."""

    graph: Graph
    """All nodes in their places, but bare ones for those that are alike, and some of the edges."""
    edges: Sequence[int]
    """The positions of these edges in the whole graph."""

    @classmethod
    def whole(cls, graph: Graph) -> Rest:
        return cls(graph, range(len(graph.edges)))


def unequal(
    system: Graph,
    gold: Graph,
    mapping: Sequence[int],
    known_by: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
) -> tuple[Rest, Rest]:
    """What is left of both graphs without what is alike under a mapping of gold's nodes.

    `known_by` tells of the nodes of system and gold which of them are one to a metric: these are
    kept together, and so are all edges between such nodes.
    """
    if (system.input, system.framework) != (gold.input, gold.framework):
        return Rest.whole(system), Rest.whole(gold)
    size, count = len(gold.nodes), len(system.nodes)
    partner = {j: i for i, j in enumerate(mapping) if 0 <= j < count}
    places = [partner.get(j, size + j) for j in range(count)]
    if known_by is None:
        ours: Sequence[int] = places
        theirs: Sequence[int] = range(size)
    else:
        numbers: dict[Hashable, int] = {}
        ours, theirs = (
            [numbers.setdefault(each, len(numbers)) for each in side] for side in known_by
        )
    odd = {theirs[i] for i, j in enumerate(mapping) if not 0 <= j < count}
    for j, i in enumerate(places):
        if i >= size or not _alike(gold.nodes[i], system.nodes[j]):
            odd.add(ours[j])
    edges = _odd_edges(system, gold, places, (ours, theirs))
    return _rest(system, ours, odd, edges[0]), _rest(gold, theirs, odd, edges[1])


def _alike(one: Node, other: Node) -> bool:
    return (
        one.label == other.label
        and one.anchors == other.anchors
        and one.properties == other.properties
        and (not (one.values or other.values) or repr(one.values) == repr(other.values))
    )


def _odd_edges(
    system: Graph, gold: Graph, places: Sequence[int], known_by: tuple[Sequence[int], Sequence[int]]
) -> tuple[Sequence[int], Sequence[int]]:
    """The positions of edges between nodes that have other edges on the other side."""
    ours = _edges(system, places)
    theirs = _edges(gold, range(len(gold.nodes)))
    odd = set(ours) ^ set(theirs)
    if not odd:
        return (), ()
    number = dict(enumerate(known_by[1])) | dict(zip(places, known_by[0], strict=True))
    between = {_ends(number[each[0]], number[each[1]]) for each in odd}
    found = [
        [j for j, each in enumerate(side) if _ends(number[each[0]], number[each[1]]) in between]
        for side in (ours, theirs)
    ]
    return found[0], found[1]


def _ends(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)  # an edge may be turned around


def _edges(graph: Graph, places: Sequence[int]) -> list[tuple[Any, ...]]:
    """All that tuples of edges are made of; if there are two of a kind, each has a number."""
    place = {node.id: at for node, at in zip(graph.nodes, places, strict=True)}
    found: list[tuple[Any, ...]] = [
        (
            place[edge.source],
            place[edge.target],
            edge.label,
            edge.normal,
            edge.attributes,
            repr(edge.values) if edge.values else "",
        )
        for edge in graph.edges
    ]
    if len(set(found)) == len(found):
        return found
    seen: dict[tuple[Any, ...], int] = {}
    for j, each in enumerate(found):
        seen[each] = seen.get(each, -1) + 1
        found[j] = (*each, seen[each])
    return found


def _rest(graph: Graph, known_by: Sequence[int], odd: set[int], edges: Sequence[int]) -> Rest:
    nodes = [
        node if known in odd else Node(node.id)
        for node, known in zip(graph.nodes, known_by, strict=True)
    ]
    kept = tuple([graph.edges[j] for j in edges])
    return Rest(replace(graph, nodes=tuple(nodes), edges=kept), edges)


Part: TypeAlias = Literal["node", "top", "label", "property", "anchor", "edge", "attribute"]
Action: TypeAlias = Literal["add", "delete", "relabel", "reattach"]
Tuple: TypeAlias = tuple[Any, ...]
"""A feature or a link: positions of nodes, kind, key."""


class Element(msgspec.Struct, frozen=True, gc=False):
    """What a tuple stands for in a graph: a part of a node, an edge, an attribute of an edge."""

    part: Part
    at: int
    """The position of the node, or of the edge."""
    name: str = ""
    """Of the property or attribute."""
    place: int = 0
    """Which property of the node it is."""


class Side(msgspec.Struct):
    """The tuples of one graph, and what each of them stands for."""

    tuples: Tuples
    elements: dict[Tuple, list[Element]]
    edge_tuple: dict[int, Tuple]
    """The tuple of each edge, by the edge's position."""
    attributes: list[Tuple]
    """Those that are attributes of edges."""

    @classmethod
    def of(cls, tuples: Tuples, elements: Sequence[Element]) -> Side:
        """Tuples with an element for each: features, then links."""
        found: dict[Tuple, list[Element]] = {}
        edges: dict[int, Tuple] = {}
        attributes: dict[Tuple, None] = {}
        every: Iterable[Tuple] = (*tuples.features, *tuples.links)
        for each, element in zip(every, elements, strict=True):
            found.setdefault(each, []).append(element)
            if element.part == "edge":
                edges[element.at] = each
            elif element.part == "attribute":
                attributes[each] = None
        return cls(tuples, found, edges, list(attributes))

    def part(self, each: Tuple) -> Part:
        return self.elements[each][0].part


def elements_of(graph: Graph, edges: Sequence[int]) -> list[Element]:
    """What the tuples of `graph_tuples` stand for, in their order, features first.

    `edges` are the positions of its edges in the whole graph.
    """
    position = {node.id: i for i, node in enumerate(graph.nodes)}
    result = [Element("top", position[top]) for top in graph.tops]
    for i, node in enumerate(graph.nodes):
        if node.label is not None:
            result.append(Element("label", i))
        if node.properties:
            result += [
                Element("property", i, name, place)
                for place, (name, _) in enumerate(zip(node.properties, node.values, strict=False))
            ]
        if node.anchors:
            result.append(Element("anchor", i))
    for j, edge in zip(edges, graph.edges, strict=True):
        result.append(Element("edge", j))
        if edge.attributes:
            result += [
                Element("attribute", j, name)
                for name, _ in zip(edge.attributes, edge.values, strict=False)
            ]
    return result


class Step(msgspec.Struct):
    """One edit: the tuples of gold that it adds, and those of the system that it removes."""

    part: Part
    action: Action
    missing: list[Tuple]
    """Of gold, on gold's nodes; the first one names the step."""
    surplus: list[Tuple]
    """Of the system, on its nodes."""
    nodes: tuple[int, ...] = ()
    """Positions of gold's nodes that are added, or of the system's that are deleted."""

    @property
    def kind(self) -> str:
        return f"{self.part} {self.action}"


def steps_between(
    gold: Side, system: Side, mapping: Sequence[int], *, nodes: bool = True
) -> list[Step]:
    """The steps that make the system's tuples those of gold, in a fixed order.

    Without `nodes`, no step is about a node as such.
    """
    parts = difference(gold.tuples, system.tuples, mapping)
    added = [i for i, partner in enumerate(mapping) if partner < 0]
    taken = set(mapping)
    deleted = [i for i in range(len(system.tuples.nodes)) if nodes and i not in taken]
    steps: list[Step] = []
    missing, hanging = _apart(parts.missing, added)
    for together, tuples in hanging:
        steps.append(Step("node", "add", tuples, [], together))
    surplus, hanging = _apart(parts.surplus, deleted)
    for together, tuples in hanging:
        steps.append(Step("node", "delete", [], tuples, together))
    return [*_joined(_bundled(missing, gold), _bundled(surplus, system), mapping), *steps]


def _apart(
    tuples: Sequence[Tuple], alone: Sequence[int]
) -> tuple[list[Tuple], list[tuple[tuple[int, ...], list[Tuple]]]]:
    """Tuples that hang on no node without partner; such nodes, those joined by an edge together,
    with what hangs on them."""
    if not alone:
        return list(tuples), []
    joined, without_partner = Groups(alone), frozenset(alone)
    rest: list[Tuple] = []
    hanging: list[tuple[int, Tuple]] = []
    for each in tuples:
        nodes = [end for end in each[:-2] if end in without_partner]
        if not nodes:
            rest.append(each)
            continue
        for other in nodes[1:]:
            joined.join(*sorted(map(joined.leader, (nodes[0], other))))
        hanging.append((nodes[0], each))
    groups: dict[int, tuple[list[int], list[Tuple]]] = {
        joined.leader(node): ([], []) for node in alone
    }
    for node in alone:
        groups[joined.leader(node)][0].append(node)
    for node, each in hanging:
        groups[joined.leader(node)][1].append(each)
    return rest, [(tuple(nodes), found) for nodes, found in groups.values()]


class _Bundle(msgspec.Struct):
    """A tuple with those that cannot be without it: the attributes of an edge."""

    part: Part
    head: Tuple
    tuples: list[Tuple]


def _bundled(tuples: Sequence[Tuple], side: Side) -> list[_Bundle]:
    bundles: dict[Tuple, _Bundle] = {}
    attributes = []
    for each in tuples:
        part = side.part(each)
        if part == "attribute":
            attributes.append(each)
        else:
            bundles[each] = _Bundle(part, each, [each])
    result = list(bundles.values())
    for each in attributes:
        edge = side.edge_tuple.get(side.elements[each][0].at)
        if edge in bundles:
            bundles[edge].tuples.append(each)
        else:
            result.append(_Bundle("attribute", each, [each]))
    return result


def _joined(
    missing: Sequence[_Bundle], surplus: Sequence[_Bundle], mapping: Sequence[int]
) -> list[Step]:
    """A missing and a surplus bundle make one step where they differ in one respect."""
    theirs = [(each, tuple([mapping[end] for end in each.head[:-2]])) for each in missing]
    ours = [(each, each.head[:-2]) for each in surplus]
    relabels = candidates([_place(*each) for each in theirs], [_place(*each) for each in ours])
    moves = candidates([_stays(*each) for each in theirs], [_stays(*each) for each in ours])
    partner = assigned(relabels, moves)
    steps: list[Step] = []
    taken: set[int] = set()
    for i, each in enumerate(missing):
        j = partner[i]
        if j is None:
            steps.append(Step(each.part, "add", each.tuples, []))
            continue
        taken.add(j)
        action: Action = "relabel" if j in relabels[i] else "reattach"
        steps.append(Step(each.part, action, each.tuples, surplus[j].tuples))
    steps += [
        Step(each.part, "delete", [], each.tuples)
        for j, each in enumerate(surplus)
        if j not in taken
    ]
    return steps


def _place(bundle: _Bundle, ends: tuple[int, ...]) -> list[Hashable]:
    """Where a relabelled one would be: the same nodes, and the same name of a property."""
    key = bundle.head[-1]
    if bundle.part in ("property", "attribute"):
        return [(bundle.part, ends, key[:-1] if isinstance(key, tuple) else key)]
    return [] if bundle.part == "top" else [(bundle.part, ends)]


def _stays(bundle: _Bundle, ends: tuple[int, ...]) -> list[Hashable]:
    """What stays the same of one that is moved: the label and one end; of tops, nothing."""
    if bundle.part == "top":
        return ["top"]
    if bundle.part != "edge":
        return []
    kind, key = bundle.head[-2:]
    return [("source", ends[0], kind, key), ("target", ends[1], kind, key)]
