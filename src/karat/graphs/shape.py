"""The shape of one graph and of many: what `karat analyze` counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from karat.core.assigning import Groups, has_cycle
from karat.graphs.model import Graph


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
    cyclic = has_cycle(incoming, ((edge.source, edge.target) for edge in edges))
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
        sum(abs(e.target - e.source) for e in edges) if graph.flavor == 0 else None,
        None if crossing is None else not crossing,
        two_pages,
    )


def _components(nodes: Sequence[int], pairs: Iterable[tuple[int, int]]) -> int:
    groups = Groups(nodes)
    for a, b in pairs:
        groups.join(a, b)
    return len({groups.leader(node) for node in nodes})


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


Row = tuple[str, str, str]


class Corpus:
    """Statistics of many graphs."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.shapes = shapes
        self.graphs = len(shapes)
        self.inner = sum(shape.nodes - shape.singletons for shape in shapes)
        self.bilexical = bool(shapes) and all(shape.flavor == 0 for shape in shapes)

    def _sum(self, name: str) -> int:
        return sum(getattr(shape, name) for shape in self.shapes)

    def _share(self, name: str) -> float:
        """The percentage of graphs of which something is true."""
        return 100 * self._sum(name) / self.graphs if self.graphs else 0.0

    def _of_nodes(self, number: int) -> float:
        return 100 * number / self.inner if self.inner else 0.0

    def statistics(self) -> dict[str, Any]:
        """All figures by name; those of bilexical graphs are None for others."""
        widths = [shape.treewidth for shape in self.shapes]
        edges = self._sum("edges")
        result: dict[str, Any] = {
            "graphs": self.graphs,
            "nodes": self._sum("nodes"),
            "tops": self._sum("tops"),
            "node_labels": self._sum("labels"),
            "node_properties": self._sum("properties"),
            "node_anchors": self._sum("anchors"),
            "edges": edges,
            "edge_attributes": self._sum("attributes"),
            "edge_labels": len(frozenset().union(*(shape.edge_labels for shape in self.shapes))),
            "trees_percent": self._share("tree"),
            "treewidth_one_percent": 100 * widths.count(1) / self.graphs if widths else 0.0,
            "treewidth_mean": sum(widths) / self.graphs if widths else 0.0,
            "treewidth_max": max(widths, default=0),
            "treewidth_unproven": sum(not shape.treewidth_proven for shape in self.shapes),
            "density_mean": sum(s.density for s in self.shapes) / self.graphs if widths else 0.0,
            "reentrant_nodes_percent": self._of_nodes(self._sum("reentrant")),
            "cyclic_percent": self._share("cyclic"),
            "disconnected_percent": 100 - self._share("connected") if widths else 0.0,
            "multi_rooted_percent": (
                100 * sum(shape.roots > 1 for shape in self.shapes) / self.graphs if widths else 0.0
            ),
            "non_top_roots_percent": self._of_nodes(self._sum("non_top_roots")),
            "edge_length_mean": None,
            "noncrossing_percent": None,
            "two_pages_percent": None,
        }
        if self.bilexical:
            result["edge_length_mean"] = self._sum("edge_length") / edges if edges else 0.0
            result["noncrossing_percent"] = self._share("noncrossing")
            result["two_pages_percent"] = self._share("two_pages")
        return result

    def rows(self) -> list[Row]:
        """The figures as numbered lines for people, in the order that papers use."""
        found = self.statistics()
        total = sum(found[name] for name in _COUNTED)
        rows = [
            ("01", "number of graphs", str(found["graphs"])),
            ("02", "number of nodes", str(found["nodes"])),
        ]
        for number, name in enumerate(_COUNTED, 3):
            if total:
                shown = name.replace("_", " ")
                share = f"{found[name]} ({100 * found[name] / total:.2f})"
                rows.append((f"{number:02d}", f"number of {shown} (percentage)", share))
        rows.append(("09", "number of edge labels", str(found["edge_labels"])))
        for number, (shown, name, digits) in enumerate(_RATIOS, 10):
            value = found[name]
            text = "--" if value is None else f"{value:.{digits}f}"
            rows.append((f"{number:02d}", shown, text))
        return rows


_COUNTED = (
    "tops",
    "node_labels",
    "node_properties",
    "node_anchors",
    "edges",
    "edge_attributes",
)
_RATIOS = (
    ("% graphs trees", "trees_percent", 2),
    ("% graphs treewidth one", "treewidth_one_percent", 2),
    ("average treewidth", "treewidth_mean", 3),
    ("maximal treewidth", "treewidth_max", 0),
    ("average edge density", "density_mean", 3),
    ("% nodes reentrant", "reentrant_nodes_percent", 2),
    ("% graphs cyclic", "cyclic_percent", 2),
    ("% graphs not connected", "disconnected_percent", 2),
    ("% graphs multi-rooted", "multi_rooted_percent", 2),
    ("percentage of non-top roots", "non_top_roots_percent", 2),
    ("average edge length", "edge_length_mean", 3),
    ("% graphs noncrossing", "noncrossing_percent", 2),
    ("% graphs pagenumber two", "two_pages_percent", 2),
)


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
