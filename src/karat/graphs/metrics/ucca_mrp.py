"""UCCA as the MRP shared tasks scored it: edges between yields."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from karat.core.assigning import gathered
from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.marks import count
from karat.core.metric import Counts, Explanation
from karat.core.repairs import Target
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.errors import refuse_overlay
from karat.graphs.matching.tuples import Coverage, bits, primary_children, shown_place
from karat.graphs.metrics.base import GraphMetric, ProfilesErrors, laid_by_place
from karat.graphs.metrics.kernels import look_at_graphs, rows_of_graphs
from karat.graphs.metrics.repairing import RepairsByIdentity, f_of
from karat.graphs.model import Graph
from karat.graphs.normalize import normalize, spans
from karat.graphs.pictures.marked import MarkedGraph, Part
from karat.graphs.repair.identity import UNCOUNTED, Known, Placed
from karat.graphs.repair.steps import Rest, elements_of

_SETS = ("labeled", "unlabeled")
_LOWER_CASE = ((), ("remote",))
"""The attributes of most edges, which are in lower case."""
_PARTS = ("primary", "remote")
Items: TypeAlias = dict[str, dict[tuple[Hashable, Hashable, str | None], None]]
"""By part, the yields of both ends and the label of each edge, in the order of the graph."""


class UccaMrp(ProfilesErrors, RepairsByIdentity, GraphMetric):
    """Primary and remote edges, labelled and unlabelled, between nodes known by their yield.

    The yield of a node is what it and all below it over primary edges are anchored
    to, by characters where the input is known. Nodes with the same yield are one.
    Cycles are followed to their end; mtool stopped at some point that depended on
    the order of edges. For the evaluation of UCCA's own authors see `ucca`.

    >>> from karat.graphs.model import Anchor, Edge, Node
    >>> nodes = Node(0, anchors=(Anchor(0, 3),)), Node(1, anchors=(Anchor(4, 8),)), Node(2)
    >>> gold = Graph("1", 1, "ucca", nodes=nodes, edges=(Edge(2, 0, "A"), Edge(2, 1, "P")))
    >>> system = Graph("1", 1, "ucca", nodes=nodes, edges=(Edge(2, 0, "A"), Edge(2, 1, "S")))
    >>> UccaMrp().score(system, gold)["labeled"]["primary"]
    {'g': 2, 's': 2, 'c': 1, 'p': 0.5, 'r': 0.5, 'f': 0.5}
    """

    name = "ucca-mrp"
    by_anchors = True
    tool_names = ("n", "labeled", "unlabeled")
    columns = (
        "n",
        *(f"{one}.{part}.{side}" for one in _SETS for part in _PARTS for side in "gsc"),
    )

    tracing = grid_in("karat.graphs.metrics.grids.frameworks", "ucca_mrp")

    def measure(self, system: Graph, gold: Graph) -> Counts:
        if self.compat is None:
            self.check_anchored(system, gold)
        ours, theirs = self._items(system), self._items(gold)
        row: list[float] = [1]
        for labeled in (True, False):
            for part in _PARTS:
                s, g = (
                    each[part].keys() if labeled else {item[:2] for item in each[part]}
                    for each in (ours, theirs)
                )
                row += [len(g), len(s), len(g & s)]
        return row

    def measure_many(self, pairs: Sequence[tuple[Graph, Graph]]) -> Array:
        found = rows_of_graphs(self, pairs) if self.is_usual else None
        return super().measure_many(pairs) if found is None else found

    def _items(self, graph: Graph) -> Items:
        return graph.once(self, self._items_of)

    def _items_of(self, graph: Graph) -> Items:
        graph = self.normal(graph)
        yields = dict(zip((node.id for node in graph.nodes), node_yields(graph), strict=True))
        items: Items = {part: {} for part in _PARTS}
        for edge in graph.edges:
            part = "remote" if edge.is_remote else "primary"
            items[part][yields[edge.source], yields[edge.target], edge.label] = None
        return items

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)

        def compared(name: str) -> Scores:
            sides = (column[f"{name}.{side}"] for side in "gsc")
            return precision_recall(*sides, headline=name == "labeled.primary")

        return {
            "n": count(column["n"]),
            **{one: {part: compared(f"{one}.{part}") for part in _PARTS} for one in _SETS},
        }

    # -- repairing ------------------------------------------------------------

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        return {f"labeled.{part}.f": f_of(f"labeled.{part}") for part in _PARTS}

    def counted_in(self, kind: int) -> Sequence[str]:
        return () if kind == UNCOUNTED else (f"labeled.{_PARTS[kind]}",)

    @property
    def native_variant(self) -> bool | None:
        return False if self.is_usual else None

    def known(self, system: Graph, gold: Graph) -> tuple[Known, Known]:
        if self.compat is None:
            self.check_anchored(system, gold)
        ours, theirs = self._yields(system), self._yields(gold)
        return Known(system, ours, self._parts_of), Known(gold, theirs, self._parts_of)

    def _yields(self, graph: Graph) -> Sequence[Hashable]:
        """The yields of nodes; labels do not change them, and need not be normalised."""
        refuse_overlay(graph)
        steps = set(self.normalize)
        if all(edge.attributes in _LOWER_CASE for edge in graph.edges):
            steps.discard("case")
        return node_yields(normalize(graph, steps, self.compat))

    def _parts_of(self, rest: Rest) -> list[Placed]:
        """Edges, and the anchors and properties of nodes, on which yields depend."""
        graph = self.normal(rest.graph)
        position = {node.id: i for i, node in enumerate(graph.nodes)}
        edges = dict(zip(rest.edges, graph.edges, strict=True))
        covered = Coverage(graph.input)
        parts = []
        for element in elements_of(graph, rest.edges):
            if element.part == "edge":
                edge = edges[element.at]
                ends = position[edge.source], position[edge.target]
                parts.append(Placed(ends, int(edge.is_remote), edge.label, element))
            elif element.part in ("anchor", "property"):
                node = graph.nodes[element.at]
                key: Hashable = covered(node.anchors)
                if element.part == "property":
                    key = element.name, node.values[element.place]
                parts.append(Placed((element.at,), UNCOUNTED, key, element))
        return parts

    def explain(self, system: Graph, gold: Graph) -> Explanation:
        """The labelled edges that are missing or surplus, by the yields of their ends."""
        ours, theirs = self._items(system), self._items(gold)
        return {
            part: {
                "missing": [_shown(each) for each in theirs[part] if each not in ours[part]],
                "surplus": [_shown(each) for each in ours[part] if each not in theirs[part]],
            }
            for part in _PARTS
        }

    confused = _PARTS
    drawn_over_words = False  # a yield need not be a word

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        return look_at_graphs(chunk, "ucca-mrp") if self.is_usual else None

    def overlay(self, system: Graph, gold: Graph, explanation: Explanation) -> MarkedGraph:
        ours, theirs = self._items(system), self._items(gold)
        differing = _parts(theirs, without=ours), _parts(ours, without=theirs)
        return laid_by_place(_parts(theirs), *differing, gold.input)


def _parts(items: Items, *, without: Items | None = None) -> list[Part]:
    """The edges as parts of a picture, on nodes known by their yields."""
    return [
        Part(
            None,
            "edge",
            item[:2],
            f"{item[2] or ''}{' (remote)' if part == 'remote' else ''}",
            (part, item[2]),
            (part, item),
        )
        for part in _PARTS
        for item in items[part]
        if without is None or item not in without[part]
    ]


def node_yields(graph: Graph) -> Sequence[Hashable]:
    """The yield of each node: its anchors and those of all below it over primary edges."""
    children = primary_children(graph)
    if graph.input is not None:
        covered = Coverage(graph.input)
        return gathered(children, [covered(node.anchors) for node in graph.nodes])  # type: ignore[misc]
    places = sorted({span for node in graph.nodes for span in spans(node.anchors)})
    number = {span: i for i, span in enumerate(places)}
    own = [sum(1 << number[span] for span in {*spans(node.anchors)}) for node in graph.nodes]
    return [tuple(places[i] for i in bits(each)) for each in gathered(children, own)]


def _shown(item: tuple[Any, Any, str | None]) -> list[Any]:
    *ends, label = item
    return [*map(shown_place, ends), label]
