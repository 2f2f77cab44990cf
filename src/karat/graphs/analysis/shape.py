"""The shape of one graph: what `karat analyze` counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from karat.graphs.analysis.treewidth import treewidth
from karat.graphs.model import Edge, Graph


class Shape(msgspec.Struct, frozen=True):
    """Counts and truths about one graph. The last three are known of flavor 0 only."""

    id: str
    framework: str | None
    language: str | None
    flavor: int | None
    nodes: int
    singletons: int
    tops: int
    labels: int
    properties: int
    anchors: int
    edges: int
    attributes: int
    edge_labels: frozenset[str]
    tree: bool
    treewidth: int
    treewidth_proven: bool
    density: float
    reentrant: int
    cyclic: bool
    connected: bool
    roots: int
    non_top_roots: int
    edge_length: int | None
    noncrossing: bool | None
    two_pages: bool | None


def shape_of(graph: Graph) -> Shape:
    """All that `analyze` says of a graph, in time about linear in its size."""
    edges = graph.edges
    incoming = {node: len(into) for node, into in graph.incoming.items()}
    touched = {end for edge in edges for end in (edge.source, edge.target)}
    singletons = {n.id for n in graph.nodes if n.id not in touched} - set(graph.tops)
    inner = [node.id for node in graph.nodes if node.id not in singletons]
    pairs = {(min(e.source, e.target), max(e.source, e.target)) for e in edges}
    pairs = {pair for pair in pairs if pair[0] != pair[1]}
    roots = [node.id for node in graph.nodes if not incoming[node.id]]
    reentrant = sum(number > 1 for number in incoming.values())
    cyclic = _is_cyclic(graph)
    connected = _components(inner, pairs) == 1
    width, proven = treewidth(pairs)
    plain = sum(edge.source != edge.target for edge in edges)
    crossing = two_pages = None
    if graph.flavor == 0:
        crossing, two_pages = _pages(sorted(pairs))
    return Shape(
        graph.id,
        graph.framework,
        graph.language,
        graph.flavor,
        len(graph.nodes),
        len(singletons),
        len(graph.tops),
        sum(node.label is not None for node in graph.nodes),
        sum(len(node.properties) for node in graph.nodes),
        sum(bool(node.anchors) for node in graph.nodes),
        len(edges),
        sum(len(edge.attributes) for edge in edges),
        frozenset(edge.label for edge in edges if edge.label is not None),
        connected and not cyclic and not reentrant,
        max(width, 1),
        proven,
        plain / (len(inner) - 1) if len(inner) > 1 else 1.0,
        reentrant,
        cyclic,
        connected,
        len(roots),
        sum(root not in singletons and root not in graph.tops for root in roots),
        _length(edges) if graph.flavor == 0 else None,
        None if crossing is None else not crossing,
        two_pages,
    )


def _length(edges: Iterable[Edge]) -> int:
    return sum(abs(edge.target - edge.source) for edge in edges)


def _is_cyclic(graph: Graph) -> bool:
    """Whether something is left when nodes that nothing leads to are taken away repeatedly."""
    waiting = {node: len(into) for node, into in graph.incoming.items()}
    free = [node for node, number in waiting.items() if not number]
    taken = 0
    while free:
        node = free.pop()
        taken += 1
        for edge in graph.outgoing[node]:
            waiting[edge.target] -= 1
            if not waiting[edge.target]:
                free.append(edge.target)
    return taken < len(waiting)


def _components(nodes: Sequence[int], pairs: Iterable[tuple[int, int]]) -> int:
    leader = {node: node for node in nodes}

    def find(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    count = len(leader)
    for a, b in pairs:
        first, second = find(a), find(b)
        if first != second:
            leader[first] = second
            count -= 1
    return count


def _pages(pairs: Sequence[tuple[int, int]]) -> tuple[bool, bool]:
    """Whether any two edges cross, and whether two pages (above and below) are enough.

    Two pages are enough if the graph of crossing edges can be coloured with two
    colours; a walk through it colours each edge unlike those that it crosses.
    """
    if not pairs:
        return False, True
    low, high = (np.array(ends) for ends in zip(*pairs, strict=True))
    colour = np.zeros(len(pairs), np.int8)
    crossing = False
    for start in range(len(pairs)):
        if colour[start]:
            continue
        colour[start] = 1
        waiting = [start]
        while waiting:
            edge = waiting.pop()
            a, b = low[edge], high[edge]
            others = np.flatnonzero(
                ((low > a) & (low < b) & (high > b)) | ((low < a) & (high > a) & (high < b))
            )
            if not len(others):
                continue
            crossing = True
            if (colour[others] == colour[edge]).any():
                return True, False
            fresh = others[colour[others] == 0]
            colour[fresh] = 3 - colour[edge]
            waiting.extend(fresh.tolist())
    return crossing, True
