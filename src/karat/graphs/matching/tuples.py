"""Graphs as tuples on nodes, and the correspondence of nodes under which most of them match.

A tuple belongs to one node (a label, a top) or to two (an edge), has a kind and a
key. Under a correspondence of nodes two tuples match when kind and key are equal
and their nodes correspond. Being sets, what a graph has twice counts once.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from karat.core.assigning import gathered
from karat.graphs.matching.solver import DEFAULT_BUDGET, GraphPair, Kind, Mode, Side, match_many
from karat.graphs.model import Anchor, Edge, Graph
from karat.graphs.normalize import BLANK, PUNCTUATION, lowered, normalize, spans, stripped

Feature: TypeAlias = tuple[int, int, Hashable]
"""Position of the node, kind, key."""
Link: TypeAlias = tuple[int, int, int, Hashable]
"""Positions of source and target, kind, key."""

KINDS = ("tops", "labels", "properties", "anchors", "edges", "attributes")
"""The kinds of tuples that the metric mrp counts."""
TOPS, LABELS, PROPERTIES, ANCHORS, EDGES, ATTRIBUTES = range(6)

TRIPLES = ("instances", "attributes", "relations")
"""The kinds of tuples that Smatch counts."""
INSTANCE, ATTRIBUTE, RELATION = range(3)

BILEXICAL = frozenset(("dm", "psd", "pas", "ccd"))
"""Frameworks whose nodes stand in the order of words, whatever their flavor says."""


class Tuples(msgspec.Struct):
    """The tuples of one graph; nodes are known by their position in `nodes`."""

    nodes: Sequence[Any]
    features: list[Feature] = []
    links: list[Link] = []


def graph_tuples(graph: Graph) -> Tuples:
    """The six kinds of tuples of a graph as it is: normalise it first."""
    position = {node.id: i for i, node in enumerate(graph.nodes)}
    features: list[Feature] = [(position[top], TOPS, None) for top in graph.tops]
    covered = Coverage(graph.input)
    for i, node in enumerate(graph.nodes):
        if node.label is not None:
            features.append((i, LABELS, node.label))
        if node.properties:
            for name, value in zip(node.properties, node.values, strict=False):
                features.append((i, PROPERTIES, (name, lowered(value))))
        if node.anchors:
            features.append((i, ANCHORS, covered(node.anchors)))
    links = graph_links(graph.edges, position)
    return Tuples([node.id for node in graph.nodes], features, links)


def graph_links(edges: Iterable[Edge], position: Mapping[int, int]) -> list[Link]:
    """The tuples of edges, whose nodes have these positions."""
    links: list[Link] = []
    for edge in edges:
        source, target = position[edge.source], position[edge.target]
        links.append((source, target, EDGES, edge.label))
        if edge.attributes:
            for name, value in zip(edge.attributes, edge.values, strict=False):
                links.append((source, target, ATTRIBUTES, (edge.label, name, value)))
    return links


class Coverage:
    """The characters that anchors cover, as the bits of an integer.

    Blanks do not count, nor does punctuation at the ends of a span. Without input, the
    spans stand for themselves.

    >>> covered = Coverage("(a) dog,")
    >>> bin(covered((Anchor(0, 3), Anchor(4, 8))))
    '0b1110010'
    """

    def __init__(self, text: str | None) -> None:
        self.text = text
        self._solid = -1
        self._known: dict[Anchor, int] = {}

    def __call__(self, anchors: Iterable[Anchor]) -> Hashable:
        if self.text is None:
            return spans(anchors)
        result = 0
        for anchor in anchors:
            found = self._known.get(anchor)
            if found is None:
                found = self._known[anchor] = self._bits(anchor.start, anchor.end, self.text)
            result |= found
        return result

    def _bits(self, start: int, end: int, text: str) -> int:
        start, end = stripped(start, end, text, PUNCTUATION)
        if self._solid < 0:
            self._solid = _solid(text)
        return ((1 << end) - (1 << start)) & self._solid


@lru_cache(maxsize=256)
def _solid(text: str) -> int:
    """A bit for each character that is no blank."""
    blanks = 0
    for mark in BLANK:
        at = text.find(mark)
        while at >= 0:
            blanks |= 1 << at
            at = text.find(mark, at + 1)
    return ((1 << len(text)) - 1) ^ blanks


def covered_stretches(tuples: Tuples) -> list[list[tuple[int, int]]]:
    """The stretches of characters that each node covers, in order, none touching another."""
    result: list[list[tuple[int, int]]] = [[] for _ in tuples.nodes]
    for node, kind, key in tuples.features:
        if kind == ANCHORS:
            single = [(i, i + 1) for i in bits(key)] if isinstance(key, int) else key
            result[node] = _joined(single)  # type: ignore[arg-type]
    return result


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif start < end:
            found.append((start, end))
    return found


def overlap(one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]) -> int:
    """How many characters two nodes share.

    >>> overlap([(0, 3), (5, 9)], [(2, 6)])
    2
    """
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)


def bits(number: int) -> list[int]:
    """The positions of the bits that are set.

    >>> bits(0b1110010)
    [1, 4, 5, 6]
    """
    return list(_bits(number))


def shown_place(place: Any) -> list[Any]:
    """What anchors cover, for people: characters, or spans as they are."""
    return bits(place) if isinstance(place, int) else [list(span) for span in place]


@lru_cache(maxsize=4096)
def _bits(number: int) -> tuple[int, ...]:
    return tuple([i for i, bit in enumerate(bin(number)[:1:-1]) if bit == "1"])


def first_character(place: Hashable) -> int:
    """Where a place begins in the text; see `covered_text`."""
    if isinstance(place, int):
        return bits(place)[0] if place else 0
    return min((start for start, _ in place), default=0)  # type: ignore[attr-defined]


def covered_text(place: Hashable, text: str | None) -> str:
    """The text at a place: characters as bits, or spans.

    >>> covered_text(0b1110010, "(a) dog,"), covered_text(((1, 2), (4, 7)), "(a) dog,")
    ('a … dog', 'a … dog')
    """
    if text is None:
        return ""
    single = [(i, i + 1) for i in bits(place)] if isinstance(place, int) else place
    return " … ".join(text[start:end] for start, end in _joined(single))  # type: ignore[arg-type]


def is_ordered(gold: Graph) -> bool:
    """Whether correspondences with this graph keep the order of nodes."""
    return gold.flavor == 0 or gold.framework in BILEXICAL


def as_pair(gold: Tuples, system: Tuples, mode: Mode = "free") -> GraphPair:
    """Both sides with keys as numbers, equal where the keys are."""
    numbers: dict[tuple[int, Hashable], int] = {}
    return GraphPair(_numbered(gold, numbers), _numbered(system, numbers), mode)


def _numbered(tuples: Tuples, numbers: dict[tuple[int, Hashable], int]) -> Side:
    features: list[int] = []
    links: list[int] = []
    number = numbers.setdefault
    for node, kind, key in tuples.features:
        features += node, kind, number((kind, key), len(numbers))
    for source, target, kind, key in tuples.links:
        links += source, target, kind, number((kind, key), len(numbers))
    return Side(len(tuples.nodes), array("i", features), array("i", links))


class Difference(msgspec.Struct, frozen=True):
    """The tuples that match under a mapping, and those of either side that do not."""

    matched: list[Feature | Link]
    missing: list[Feature | Link]
    surplus: list[Feature | Link]


def difference(gold: Tuples, system: Tuples, mapping: Sequence[int]) -> Difference:
    """The tuples of gold that the mapping carries onto system tuples, and the rest."""
    theirs: dict[Any, None] = dict.fromkeys((*system.features, *system.links))
    ours: dict[Any, None] = dict.fromkeys((*gold.features, *gold.links))
    matched: list[Any] = []
    missing: list[Any] = []
    found: set[Any] = set()
    for each in ours:
        if len(each) == 3:
            image = mapping[each[0]], each[1], each[2]
        else:
            image = mapping[each[0]], mapping[each[1]], each[2], each[3]  # type: ignore[assignment]
        if image in theirs:
            matched.append(each)
            found.add(image)
        else:
            missing.append(each)
    return Difference(matched, missing, [each for each in theirs if each not in found])


#: Among correspondences with equally many matches: more labels, then edges, anchors,
#: properties, tops, attributes.
RANKED = {"labels": 1, "edges": 2, "anchors": 3, "properties": 4, "tops": 5, "attributes": 6}
WEIGHTS = tuple(Kind(rank=RANKED[name]) for name in KINDS)


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Which system node each gold node corresponds to, and how good any other choice can be."""

    mapping: dict[int, int]
    """Gold node ids to system node ids; nodes without partner are not in it."""
    value: int
    """How many tuples match."""
    bound: int
    """No correspondence matches more."""

    @property
    def proven(self) -> bool:
        """Whether no correspondence matches more than this one."""
        return self.value == self.bound


def match(
    gold: Graph, system: Graph, *, ordered: bool | None = None, budget: int = DEFAULT_BUDGET
) -> Correspondence:
    """The correspondence under which most tops, labels, properties, anchors and edges match.

    `ordered` keeps the order of nodes; where it is not given, bilexical graphs
    (flavor 0) are matched so. The graphs are normalised first.

    >>> from karat.graphs.model import Edge, Node
    >>> gold = Graph("1", tops=(1,), nodes=(Node(1, "bark"), Node(2, "dog")), edges=(Edge(1, 2),))
    >>> system = Graph("1", tops=(7,), nodes=(Node(5, "dog"), Node(7, "bark")))
    >>> match(gold, system)
    Correspondence(mapping={1: 7, 2: 5}, value=3, bound=3)
    """
    ours, theirs = graph_tuples(normalize(gold)), graph_tuples(normalize(system))
    keep_order = is_ordered(gold) if ordered is None else ordered
    found = match_many(
        [as_pair(ours, theirs, "ordered" if keep_order else "free")], WEIGHTS, budget=budget
    )[0]
    mapping = {ours.nodes[i]: theirs.nodes[j] for i, j in found.pairs}
    return Correspondence(mapping, found.value, found.bound)


def with_domination(pair: GraphPair, gold: Graph, system: Graph) -> GraphPair:
    """The pair with what lies below what on either side."""
    return GraphPair(
        replace(pair.gold, below=below(gold)), replace(pair.system, below=below(system)), pair.mode
    )


def primary_children(graph: Graph) -> list[list[int]]:
    """The positions that primary edges lead to from each node."""
    position = {node.id: i for i, node in enumerate(graph.nodes)}
    children: list[list[int]] = [[] for _ in graph.nodes]
    for edge in graph.edges:
        if not edge.is_remote:
            children[position[edge.source]].append(position[edge.target])
    return children


def below(graph: Graph) -> list[tuple[int, int]]:
    """All (upper, lower) positions of nodes that primary edges join, over any number of them."""
    children = primary_children(graph)
    own = [sum(1 << child for child in set(each)) for each in children]
    reached = gathered(children, own)
    return [(upper, lower) for upper, found in enumerate(reached) for lower in bits(found)]
