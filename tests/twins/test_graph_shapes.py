"""Treewidth and pages against definitions tried out exhaustively."""

from __future__ import annotations

from itertools import combinations, permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.shape import shape_of, treewidth

Pairs = list[tuple[int, int]]
pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=16)


def treewidth_by_definition(edges: Pairs) -> int:
    """The least width over all orders of elimination."""
    nodes = sorted({end for a, b in edges if a != b for end in (a, b)})
    best = len(nodes)
    for order in permutations(nodes):
        around = {node: set() for node in nodes}  # type: dict[int, set[int]]
        for a, b in edges:
            if a != b:
                around[a].add(b)
                around[b].add(a)
        width = 0
        for node in order:
            width = max(width, len(around[node]))
            for each in around[node]:
                around[each] |= around[node]
                around[each] -= {each, node}
        best = min(best, width)
    return best


@settings(max_examples=drawn(60), deadline=None)
@given(pairs)
def test_treewidth(edges: Pairs) -> None:
    assert treewidth(edges) == (treewidth_by_definition(edges), True)


def crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((tuple(sorted(one)), tuple(sorted(other))))
    return a < c < b < d


@settings(max_examples=drawn(200), deadline=None)
@given(pairs)
def test_pages(edges: Pairs) -> None:
    distinct = sorted({(min(p), max(p)) for p in edges})
    two = any(
        not any(
            crosses(one, other) and page[i] == page[j]
            for (i, one), (j, other) in combinations(enumerate(distinct), 2)
        )
        for page in product((0, 1), repeat=len(distinct))
    )
    graph = Graph(
        "g", 0, "dm", nodes=tuple(map(Node, range(7))), edges=tuple(Edge(a, b) for a, b in edges)
    )
    shape = shape_of(graph)
    assert shape.two_pages == two
    assert shape.noncrossing == (not any(crosses(p, q) for p, q in combinations(distinct, 2)))
