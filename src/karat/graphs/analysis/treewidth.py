"""The treewidth of a graph, exactly.

Nodes whose removal cannot matter are taken away first; of meaning graphs little
is left then. What is left is solved by asking, from the lower bound up, whether
some order of elimination stays within a width (the decision problem over sets of
eliminated nodes, each set looked at once).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STEPS = 4_000_000
"""How much work is done before the answer is only a bound: nodes that are looked at in all sets
of eliminated nodes, each the dearer the more are eliminated."""
_SMALL = 300
"""Up to how many nodes the bound from above is looked for by counting the edges they add."""


def treewidth(edges: Iterable[tuple[int, int]], steps: int = STEPS) -> tuple[int, bool]:
    """The treewidth of the simple graph with these edges, and whether that is proven.

    Loops do not count; a graph without edges has 0. Without proof it is an
    upper bound.

    >>> treewidth([(0, 1), (1, 2), (2, 0)])
    (2, True)
    """
    graph: dict[int, set[int]] = {}
    for a, b in edges:
        if a != b:
            graph.setdefault(a, set()).add(b)
            graph.setdefault(b, set()).add(a)
    low = _reduced(graph, min(len(graph), 1))
    if graph:  # what is left when all twigs are gone has a cycle
        low = _reduced(graph, max(low, 2))
    if not graph:
        return low, True
    low = max(low, _degeneracy(graph))
    high = _greedy(graph)
    while low < high:
        found, steps = _fits(graph, low, steps)
        if found is None:
            return high, False
        if found:
            return low, True
        low += 1
    return high, True


def _reduced(graph: dict[int, set[int]], low: int) -> int:
    """Takes simplicial and almost simplicial nodes away; gives the lower bound they prove.

    A node whose neighbours all know each other can always go, and proves a bound;
    one where that is true except for one neighbour can go if it is within the bound.
    """
    waiting = set(graph)
    while waiting:
        node = waiting.pop()
        if node not in graph:
            continue
        around = graph[node]
        is_simplicial = _is_clique(graph, around)
        if is_simplicial and len(around) > low:
            low, waiting = len(around), set(graph)
        elif is_simplicial:
            pass
        elif len(around) > low or not any(_is_clique(graph, around - {one}) for one in around):
            continue
        _eliminate(graph, node)
        waiting |= around
        if not is_simplicial:  # edges were added
            for each in around:
                waiting |= graph[each]
    return low


def _is_clique(graph: Mapping[int, set[int]], nodes: set[int]) -> bool:
    return all(len(graph[node] & nodes) == len(nodes) - 1 for node in nodes)


def _eliminate(graph: dict[int, set[int]], node: int) -> None:
    around = graph.pop(node)
    for each in around:
        graph[each] |= around
        graph[each] -= {each, node}


def _degeneracy(graph: Mapping[int, set[int]]) -> int:
    """A lower bound: contract the node of least degree into its neighbour of least degree."""
    rest = {node: set(around) for node, around in graph.items()}
    low = 0
    while rest:
        node = min(rest, key=lambda each: len(rest[each]))
        around = rest.pop(node)
        low = max(low, len(around))
        for each in around:
            rest[each].discard(node)
        if around:
            into = min(around, key=lambda each: len(rest[each]))
            for each in around - {into}:
                rest[each].add(into)
                rest[into].add(each)
    return low


def _greedy(graph: Mapping[int, set[int]]) -> int:
    """An upper bound: eliminate the node that adds the fewest edges, or has the fewest."""
    rest = {node: set(around) for node, around in graph.items()}
    high = 0
    small = len(rest) <= _SMALL
    while len(rest) > high + 1:  # what is left then stays within the width, whatever the order
        node = min(rest, key=lambda each: (small and _missing(rest, each), len(rest[each])))
        high = max(high, len(rest[node]))
        _eliminate(rest, node)
    return high


def _missing(graph: Mapping[int, set[int]], node: int) -> int:
    around = graph[node]
    return sum(len(around) - 1 - len(graph[each] & around) for each in around)


def _fits(graph: Mapping[int, set[int]], width: int, steps: int) -> tuple[bool | None, int]:
    """Whether all nodes can be eliminated within a width; None when the steps run out."""
    number = {node: i for i, node in enumerate(graph)}
    around = [sum(1 << number[each] for each in graph[node]) for node in graph]
    everything = (1 << len(around)) - 1
    seen = {0}
    stack = [0]
    while stack:
        gone = stack.pop()
        left = (everything & ~gone).bit_count()
        steps -= left * (1 + (len(around) - left) // 8)
        if steps < 0:
            return None, 0
        # The last width + 1 nodes can be eliminated in any order.
        if left <= width + 1:
            return True, steps
        choices = []
        for node in range(len(around)):
            if gone >> node & 1:
                continue
            reached = _reach(around, gone, node)
            degree = reached.bit_count()
            if degree <= width:
                choices.append(gone | 1 << node)
                if degree <= 1:  # nothing is lost by taking such a node at once
                    choices = choices[-1:]
                    break
        for choice in choices:
            if choice not in seen:
                seen.add(choice)
                stack.append(choice)
    return False, steps


def _reach(around: list[int], gone: int, node: int) -> int:
    """The nodes that are there and that a node knows, directly or over eliminated ones."""
    known = around[node] | 1 << node
    waiting = known & gone
    while waiting:
        low = waiting & -waiting
        fresh = around[low.bit_length() - 1] & ~known
        known |= fresh
        waiting = (waiting ^ low) | (fresh & gone)
    return known & ~gone & ~(1 << node)
