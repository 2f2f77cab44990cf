"""The parts of two graphs that are not written alike, which is all that repairs are about.

Most of a system's graph is as in gold. Nodes that correspond and are written alike have the same
tuples, whatever a metric makes of them, and so have edges between the same nodes: these need not be
normalised, or compared again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

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
