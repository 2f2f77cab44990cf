"""Which nodes lie below which, over primary edges: the constraint of UCCA."""

from __future__ import annotations

from msgspec.structs import replace

from karat.graphs.matching.solver import GraphPair
from karat.graphs.model import Graph


def with_domination(pair: GraphPair, gold: Graph, system: Graph) -> GraphPair:
    """The pair with what lies below what on either side."""
    return GraphPair(
        replace(pair.gold, below=below(gold)), replace(pair.system, below=below(system)), pair.mode
    )


def below(graph: Graph) -> list[tuple[int, int]]:
    """All (upper, lower) positions of nodes that primary edges join, over any number of them."""
    position = {node.id: i for i, node in enumerate(graph.nodes)}
    children: list[list[int]] = [[] for _ in graph.nodes]
    for edge in graph.edges:
        if not edge.is_remote:
            children[position[edge.source]].append(position[edge.target])
    result = []
    for upper in range(len(graph.nodes)):
        seen: set[int] = set()
        waiting = list(children[upper])
        while waiting:
            lower = waiting.pop()
            if lower not in seen:
                seen.add(lower)
                waiting.extend(children[lower])
        result += [(upper, lower) for lower in sorted(seen)]
    return result
