"""The tuples of graphs after all sets of normalisations, with no more work than these differ in.

Most steps change nothing in most graphs, or nothing in their tuples: where characters are known,
anchors with and without punctuation are the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import is_

from karat.graphs.matching.tuples import (
    ANCHORS,
    LABELS,
    PROPERTIES,
    TOPS,
    Coverage,
    Feature,
    Link,
    Tuples,
    graph_links,
)
from karat.graphs.model import Edge, Graph
from karat.graphs.normalize import (
    PUNCTUATION,
    Compat,
    Step,
    lowered,
    normal_anchors,
    normal_edges,
    uninverted,
)

_OF_EDGES: tuple[Step, ...] = ("edges", "case", "attributes")
"""The steps that change edges, in the order in which they are taken."""
_Place = Hashable
"""What the anchors of a node cover; None for a node that has none."""


class Normal:
    """A graph, and its tuples after some steps: the same object where these are equal."""

    __slots__ = ("graph", "tuples")

    def __init__(self, graph: Graph, tuples: Tuples) -> None:
        self.graph = graph
        self.tuples = tuples


class Variants:
    """The tuples of a graph after any steps."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes = [node.id for node in graph.nodes]
        self._position = {node: i for i, node in enumerate(self._nodes)}
        self._covered = Coverage(graph.input)
        self._known: dict[tuple[frozenset[Step], Compat | None], Normal] = {}
        self._normal: dict[tuple[int, int], Normal] = {}
        self._places: dict[tuple[bool, Compat | None], int] = {}
        self._all_places: list[list[_Place]] = []
        self._features: dict[tuple[bool, int], list[Feature]] = {}
        self._stepped: dict[tuple[Step, Compat | None, int], tuple[Edge, ...]] = {}
        self._links: dict[int, list[Link]] = {}

    @staticmethod
    def of(graph: Graph) -> Variants:
        """Those of a graph, made once."""
        return graph.once(Variants, Variants)

    def after(self, steps: frozenset[Step], compat: Compat | None) -> Normal:
        """The graph with its tuples after these steps."""
        found = self._known.get((steps, compat))
        if found is None:
            features, links = self._node_tuples(steps, compat), self._edge_tuples(steps, compat)
            found = self._normal.setdefault(
                (id(features), id(links)),
                Normal(self._graph, Tuples(self._nodes, features, links)),
            )
            self._known[steps, compat] = found
        return found

    # -- nodes -------------------------------------------------------------------

    def _node_tuples(self, steps: frozenset[Step], compat: Compat | None) -> list[Feature]:
        lower, places = "case" in steps, self._place_number("anchors" in steps, compat)
        if (lower, places) not in self._features:
            made = self._made_features(lower, self._all_places[places])
            # Without a capital letter in it, a graph is the same in lower case.
            other = self._features.get((not lower, places))
            self._features[lower, places] = other if other == made else made
        return self._features[lower, places]

    def _made_features(self, lower: bool, places: list[_Place]) -> list[Feature]:
        found: list[Feature] = [(self._position[top], TOPS, None) for top in self._graph.tops]
        for i, (node, place) in enumerate(zip(self._graph.nodes, places, strict=True)):
            if node.label is not None:
                found.append((i, LABELS, node.label.lower() if lower else node.label))
            for name, value in zip(node.properties, node.values, strict=False):
                name = name.lower() if lower else name
                found.append((i, PROPERTIES, (name, lowered(value))))
            if place is not None:
                found.append((i, ANCHORS, place))
        return found

    def _place_number(self, normal: bool, compat: Compat | None) -> int:
        """The number of what the nodes cover."""
        key = normal, compat if normal else None
        if key not in self._places:
            made = self._made_places(*key)
            if made not in self._all_places:
                self._all_places.append(made)
            self._places[key] = self._all_places.index(made)
        return self._places[key]

    def _made_places(self, normal: bool, compat: Compat | None) -> list[_Place]:
        text, covered = self._graph.input, self._covered
        size = None if text is None else len(text)
        plain = self._all_places[self._place_number(False, None)] if normal else ()
        found: list[_Place] = []
        for i, node in enumerate(self._graph.nodes):
            anchors = node.anchors
            if normal and anchors:
                start, end = anchors[0].start, anchors[0].end
                within = start < end and (size is None or (start >= 0 and end <= size))
                if within and len(anchors) == 1:  # covers the same in any case
                    found.append(plain[i])
                    continue
                anchors = normal_anchors(anchors, text, compat)
            found.append(covered(anchors) if anchors else None)
        return found

    # -- edges -------------------------------------------------------------------

    def _edge_tuples(self, steps: frozenset[Step], compat: Compat | None) -> list[Link]:
        edges = self._graph.edges
        for step in _OF_EDGES:
            if step in steps:
                edges = self._after(step, compat, edges)
        if id(edges) not in self._links:
            made = graph_links(edges, self._position)
            for known in self._links.values():
                if known == made:
                    made = known
                    break
            self._links[id(edges)] = made
        return self._links[id(edges)]

    def _after(
        self, step: Step, compat: Compat | None, edges: tuple[Edge, ...]
    ) -> tuple[Edge, ...]:
        """Edges after a step: themselves where it changes none; all that are made are kept, so that
        no others can have their identity."""
        key = step, None if step == "case" else compat, id(edges)
        if key not in self._stepped:
            made = normal_edges(edges, self._graph.framework, (step,), compat)
            self._stepped[key] = edges if all(map(is_, made, edges)) else made
        return self._stepped[key]


def is_alike_in_mtool(graph: Graph) -> bool:
    """Whether all steps make the same of a graph as they do in mtool."""
    return graph.once(is_alike_in_mtool, _is_alike)


def _is_alike(graph: Graph) -> bool:
    text, framework = graph.input, graph.framework
    for node in graph.nodes:
        if len(node.anchors) == 1 and text is not None:
            start, end = node.anchors[0].start, node.anchors[0].end
            if 0 <= start < end <= len(text) and text[start] not in PUNCTUATION:
                continue
        if node.anchors:
            theirs = normal_anchors(node.anchors, text, "mtool")
            if normal_anchors(node.anchors, text) != theirs:
                return False
    return all(
        edge.normal is None and not (edge.label and _is_turned(edge.label, framework))
        for edge in graph.edges
    )


def _is_turned(label: str, framework: str | None) -> bool:
    """Whether an edge with such a label is turned around, in mtool or here."""
    own = framework == "amr" and uninverted(label) is not None
    return own or uninverted(label, "mtool") is not None
