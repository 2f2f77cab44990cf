"""Rows of metrics that look for the best mapping, with no more work than settings differ in.

Most steps of normalisation change nothing in most graphs, or nothing in their tuples: where
characters are known, anchors with and without punctuation are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import is_
from typing import Any, TypeVar

import numpy as np

from karat.core.metric import Metric
from karat.core.scores import Array
from karat.core.tracing import ROUGHLY, Pairs, RowsOf, measured, roughly, rows_again
from karat.graphs.matching.solver import GraphPair, Side
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
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch
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


KINDS_APART = "kinds apart"
"""What settings need whose figures are of one kind of tuples alone."""
_Metric = TypeVar("_Metric", Smatch, Mrp)


def best_rows(metric: Smatch, pairs: Pairs, needs: frozenset[str]) -> Array:
    """The rows of a metric; where no kind of tuples is asked for, by any of the best mappings.

    Most of the work on graphs that have little in common goes into choosing among mappings of
    equal value, which tells how many of each kind match: the sum is the same for all of them. In a
    sample, values that take long to prove need not be proven.
    """
    return _best_rows(
        metric,
        needs,
        lambda each, which: measured(each, pairs if which is None else [pairs[i] for i in which]),
    )


def proven_rows(metric: Metric[Any, Any], pairs: Pairs, rows_of: RowsOf = measured) -> Array:
    """The rows of a metric whose figures are values of mappings, whichever of the best they are
    of: more work than little is spent on pairs alone whose value is not proven by that."""
    quick = roughly(metric)
    rows = rows_of(quick, pairs)
    if quick == metric:
        return rows
    unproven = np.flatnonzero(metric.by_column(rows)["inexact"]).tolist()
    return rows_again(metric, rows, pairs, unproven, rows_of)


def _matched(
    metric: Mrp, pairs: Pairs, prepared: Sequence[GraphPair], needs: frozenset[str]
) -> Array:
    """The same for pairs whose tuples are there."""

    def rows(metric: Mrp, which: Sequence[int] | None) -> Array:
        some = range(len(pairs)) if which is None else which
        own, given = [pairs[i] for i in some], [prepared[i] for i in some]
        return metric.rows(own, metric.best_mappings(own, [given]))

    return _best_rows(metric, needs, rows)


def _best_rows(
    metric: _Metric,
    needs: frozenset[str],
    rows_of: Callable[[_Metric, Sequence[int] | None], Array],
) -> Array:
    if KINDS_APART in needs and ROUGHLY not in needs:
        return rows_of(metric, None)
    rows = rows_of(roughly(metric), None)
    if ROUGHLY not in needs:
        columns = metric.by_column(rows)
        matched = np.sum([each for name, each in columns.items() if name.endswith(".c")], axis=0)
        unproven = np.flatnonzero(columns["bound"] != matched).tolist()
        if unproven:
            rows[unproven] = rows_of(metric, unproven)
    return rows


class KnownRows:
    """Rows of pairs of graphs by their tuples: as long as the same ones are equal, it does not
    matter what they are, so that steps of normalisation often lead to a pair that was matched."""

    def __init__(self) -> None:
        self.by_identity: dict[Hashable, tuple[Normal, Normal, Array]] = {}
        """With the graphs themselves, so that no others can have their identity."""
        self.by_tuples: dict[Hashable, Array] = {}


def best_rows_once(
    known: KnownRows, domination: bool, pairs: Sequence[tuple[Normal, Normal]],
    needs: frozenset[str],
) -> Array:  # fmt: skip
    """What `best_rows` gives for graphs that are normalised, without matching a pair again."""
    # Domination constrains graphs of UCCA alone.
    constrained = domination and any(gold.graph.framework == "ucca" for _, gold in pairs)
    metric = Mrp(domination=constrained)
    how = constrained, needs
    places = [(how, id(system), id(gold)) for system, gold in pairs]
    new = {place: i for i, place in enumerate(places) if place not in known.by_identity}
    prepared = [
        metric.paired(system.graph, gold.graph, system.tuples, gold.tuples)
        for system, gold in map(pairs.__getitem__, new.values())
    ]
    keys = [(how, each.mode, *_key(each.gold), *_key(each.system)) for each in prepared]
    first = {key: i for i, key in enumerate(keys) if key not in known.by_tuples}
    if first:
        which = list(new.values())
        rows = _matched(
            metric,
            [_graphs(pairs[which[i]]) for i in first.values()],
            [prepared[i] for i in first.values()],
            needs,
        )
        known.by_tuples.update(zip(first, rows, strict=True))
    for (place, i), key in zip(new.items(), keys, strict=True):
        known.by_identity[place] = *pairs[i], known.by_tuples[key]
    return np.stack([known.by_identity[place][2] for place in places])


def _graphs(pair: tuple[Normal, Normal]) -> tuple[Graph, Graph]:
    return pair[0].graph, pair[1].graph


def _key(side: Side) -> tuple[Hashable, ...]:
    tables = side.features, side.edges, side.below
    return side.nodes, *(np.asarray(each, np.int32).tobytes() for each in tables)
