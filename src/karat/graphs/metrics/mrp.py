"""The metric of the MRP shared tasks: tuples under the best correspondence of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from karat.core.capabilities import LazyPairs, Measured, PairOutputs, grid_in
from karat.core.marks import count
from karat.core.metric import Explanation, Split
from karat.core.options import Only, Range
from karat.core.reading.items import columns_of_fields
from karat.core.reading.raw import RawChunk
from karat.core.repairs import Claim, Edit
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.matching.solver import (
    DEFAULT_BUDGET,
    Budget,
    GraphPair,
    Ids,
    Matching,
    Matchings,
    Mode,
    Numbers,
)
from karat.graphs.matching.tuples import (
    ANCHORS,
    ATTRIBUTES,
    KINDS,
    PROPERTIES,
    TOPS,
    WEIGHTS,
    Tuples,
    as_pair,
    covered_stretches,
    difference,
    graph_tuples,
    is_ordered,
    overlap,
    shown_place,
)
from karat.graphs.metrics.base import CompatOption, GraphMetric, Steps
from karat.graphs.metrics.kernels import Lowered, PairedTuples, look_at_graphs, tuples_of_lines
from karat.graphs.metrics.matched import MatchedMetric
from karat.graphs.metrics.repairing import RepairsGraphs, edits_of_lines
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL
from karat.graphs.pictures.marked import MarkedGraph, overlay_of
from karat.graphs.repair.steps import Rest, Side, elements_of


class Mrp(RepairsGraphs, MatchedMetric[Graph, Graph], GraphMetric):
    """Tops, labels, properties, anchors, edges and attributes that two graphs share.

    The nodes of both graphs are put in correspondence, one to one, so that as many
    tuples as possible match: no other correspondence matches more, and where that
    could not be proven within the budget `bound` says how many could match at
    most. In bilexical graphs (flavor 0) a correspondence keeps the order of nodes.

    mtool, the scorer of the shared tasks (Oepen et al. 2019, 2020), searches with a
    limit, by a slightly different count, and constrains UCCA in a way that depends
    on the order of its search; its figures can only be lower. Here UCCA is not
    constrained unless `domination` says so; the signature says which.

    Anchors match whole or not at all. `characters` adds a score of the characters that
    corresponding nodes cover, under the same correspondence, where an overlap counts.

    >>> from karat.graphs.model import Edge, Node
    >>> gold = Graph("1", tops=(0,), nodes=(Node(0, "bark"), Node(1, "dog")), edges=(Edge(0, 1),))
    >>> system = Graph("1", tops=(0,), nodes=(Node(0, "bark"), Node(1, "cat")), edges=(Edge(0, 1),))
    >>> Mrp().score(system, gold)["all"]
    {'g': 4, 's': 4, 'c': 3, 'p': 0.75, 'r': 0.75, 'f': 0.75}
    """

    name = "mrp"
    tool_names = (
        "n", "null", "exact", "tops", "labels", "properties", "anchors", "edges", "attributes",
        "all",
    )  # fmt: skip
    parts = KINDS
    weights = WEIGHTS

    normalize: Steps = ALL
    compat: CompatOption = None
    domination: Annotated[
        bool, "in UCCA, what lies below a node corresponds to what lies below its partner"
    ] = False
    characters: Annotated[
        bool, "also score anchors by characters, so that those that overlap count in part"
    ] = False
    budget: Budget = DEFAULT_BUDGET
    search: Annotated[
        Literal["exact", "mtool"], "the proven optimum, or what mtool's search finds"
    ] = "exact"
    restarts: Annotated[
        int,
        Range(0),
        Only("search", "mtool"),
        "with search=mtool: 0 for no hill-climbing before the search",
    ] = 20
    limit: Annotated[
        int,
        Range(0),
        Only("search", "mtool"),
        "with search=mtool: tentative pairings to allow for one pair",
    ] = 500_000

    tracing = grid_in("karat.graphs.metrics.grids.frameworks", "mrp")

    def signature(self) -> str:
        ucca = "dominated" if self.domination else "unconstrained"
        if self.search == "mtool":
            ucca = "mtool"
        return f"{super().signature()}|search:{self.search}|bilexical:ordered|ucca:{ucca}"

    @property
    def certifies(self) -> bool:  # type: ignore[override]
        return self.search == "exact"

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return (
            *super().columns,
            *(_CHARACTERS if self.characters else ()),
            *(("steps",) if self.search == "mtool" else ()),
        )

    def rows(self, known: Sequence[tuple[Graph, Graph]], found: Sequence[Matchings]) -> Array:
        rows = [super().rows(known, found)]
        (matchings,) = found
        if self.characters:
            counts = [
                self._characters(*pair, each) for pair, each in zip(known, matchings, strict=True)
            ]
            rows.append(np.array(counts, np.float64).reshape(-1, 3))
        if self.search == "mtool":
            rows.append(np.reshape(matchings.work, (-1, 1)))
        return np.concatenate(rows, axis=1) if len(rows) > 1 else rows[0]

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        if self.characters or (found := self._tuples_of(chunk)) is None or not found.plain.all():
            return None
        matchings = found.matched(self.weights, budget=self.budget)
        null = found.nodes[:, 1] == 0
        return Measured(
            self.rows_of(matchings, null),
            columns_of_fields(found.fields),
            not null.all(),
            bool(found.nodes[:, 0].any()),
            mappings=matchings.packed(),
        )

    def _tuples_of(self, chunk: RawChunk, lenient: bool = False) -> PairedTuples | None:
        """The tuples of the lines of a chunk; None where the options ask for other ones."""
        plain = self.search == "exact" and self.is_usual and not self.domination
        return tuples_of_lines(chunk, lenient=lenient) if plain else None

    def measure_mapped(self, pairs: Sequence[tuple[Graph, Graph]]) -> tuple[Array, Sequence[bytes]]:
        known, searches = self.prepare(pairs)
        found = self.best_mappings(known, searches)
        return self.rows(known, found), found[0].packed()

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        if not self.is_usual:
            return None
        lowered: Lowered = []

        def mappings() -> tuple[Ids, Numbers]:
            raw = chunk.raw()
            found = None if raw is None else self._tuples_of(raw, lenient=True)
            if found is None:
                matchings = self.matchings(chunk.pairs())
            else:
                lowered.extend(found.lowered)
                matchings = found.matched(self.weights, budget=self.budget, threads=chunk.threads)
            return matchings.mapping, matchings.mapping_offsets

        return look_at_graphs(chunk, "mrp", mappings=mappings, lowered=lowered)

    def _characters(self, system: Graph, gold: Graph, found: Matching) -> tuple[int, int, int]:
        """How many characters the nodes of gold, of the system, and both nodes of pairs cover."""
        theirs, ours = (covered_stretches(self.tuples(each)) for each in (gold, system))
        common = sum(overlap(theirs[i], ours[j]) for i, j in found.pairs)
        counts = [sum(overlap(each, each) for each in side) for side in (theirs, ours)]
        return counts[0], counts[1], common

    def summarize(self, totals: Array) -> Scores:
        scores: dict[str, Any] = dict(super().summarize(totals))
        column = self.by_column(totals)
        if self.characters:
            scores["characters"] = precision_recall(*(column[name] for name in _CHARACTERS))
        if self.search == "mtool":
            scores["steps"] = count(column["steps"])
        return scores

    def best_mappings(
        self, known: Sequence[tuple[Graph, Graph]], searches: Sequence[Sequence[GraphPair]]
    ) -> list[Matchings]:
        if self.search == "exact":
            return super().best_mappings(known, searches)
        from karat.graphs.matching import mtool_search

        return [
            mtool_search.search(
                [(self.normal(gold), self.normal(system)) for system, gold in known],
                each,
                self.weights,
                limit=self.limit,
                climbing=self.restarts > 0,
            )
            for each in searches
        ]

    def is_null(self, system: Graph) -> bool:
        return not system.nodes

    def tuples(self, graph: Graph) -> Tuples:
        """The tuples of one graph."""
        return graph_tuples(self.normal(graph))

    def placed(self, rest: Rest) -> Side:
        normal = self.normal(rest.graph)
        return Side.of(graph_tuples(normal), elements_of(normal, rest.edges))

    def edits_of_bytes(
        self, chunk: RawChunk, mappings: Sequence[bytes]
    ) -> list[tuple[list[Edit], bool]] | None:
        if not self.is_usual:
            return None
        return edits_of_lines(chunk, "mrp", self.counted_in, mappings)

    def rows_of_repaired(self, chunk: RawChunk, chosen: Any) -> None:
        """Mappings of repaired graphs would have to be searched."""

    @property
    def repair_claim(self) -> Claim:
        return "at least" if self.search == "exact" else "estimate"

    def as_pair(self, system: Graph, gold: Graph) -> GraphPair:
        return self.paired(system, gold, self.tuples(system), self.tuples(gold))

    def paired(self, system: Graph, gold: Graph, ours: Tuples, theirs: Tuples) -> GraphPair:
        pair = as_pair(theirs, ours, self.mode(gold))
        if pair.mode != "dominated":
            return pair
        from karat.graphs.matching.tuples import with_domination

        return with_domination(pair, self.normal(gold), self.normal(system))

    def describe(self, kind: int, key: Any) -> str:
        if kind == TOPS:
            return "top"
        if kind == ANCHORS:
            return "anchor"
        name = _NOUN[kind]
        if kind == PROPERTIES:
            return f"{name} {key[0]}"
        return f"{name} {key[1] if kind == ATTRIBUTES else key}"

    facets = ("tuple", "label", "property", "edge", "attribute")

    def split(self, facet: str, pairs: Sequence[tuple[Graph, Graph]]) -> Split:
        """Counts by what tuples are instances of; those of one kind where a facet names it."""
        found = super().split(facet, pairs)
        if facet == "tuple":
            return found
        kept = [i for i, value in enumerate(found.values) if value.startswith(f"{facet} ")]
        return Split(
            [found.pairs[i] for i in kept],
            [found.values[i].partition(" ")[2] for i in kept],
            found.rows[kept],
        )

    def mode(self, gold: Graph) -> Mode:
        """How correspondences with a gold graph are constrained."""
        if is_ordered(gold):
            return "ordered"
        return "dominated" if self.domination and gold.framework == "ucca" else "free"

    def explain(self, system: Graph, gold: Graph) -> Explanation:
        """Which nodes correspond, and the tuples that are missing or surplus."""
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Sequence[tuple[Graph, Graph]]) -> list[Explanation]:
        """The explanations of many pairs, whose mappings are searched at once."""
        sides = [(self.tuples(system), self.tuples(gold)) for system, gold in pairs]
        prepared = [self.paired(*pair, *both) for pair, both in zip(pairs, sides, strict=True)]
        (found,) = self.best_mappings(pairs, [prepared])
        result: list[Explanation] = []
        for i, ((ours, theirs), (_, gold)) in enumerate(zip(sides, pairs, strict=True)):
            mapping = found[i].mapping.tolist()
            nodes = [[theirs.nodes[g], ours.nodes[s]] for g, s in enumerate(mapping) if s >= 0]
            told = {"framework": gold.framework, "correspondences": nodes}
            result.append(told | errors(theirs, ours, mapping))
        return result

    def overlay(self, system: Graph, gold: Graph, explanation: Explanation) -> MarkedGraph:
        others = [node.id for node in system.nodes]
        return overlay_of(self.normal(gold), explanation, others)


_CHARACTERS = ("characters.g", "characters.s", "characters.c")
_NOUN = ("top", "label", "property", "anchor", "edge", "attribute")


def errors(gold: Tuples, system: Tuples, mapping: Sequence[int]) -> dict[str, Any]:
    """Kind → missing and surplus tuples in the ids of their own side; nothing empty."""
    parts = difference(gold, system, mapping)
    result: dict[str, dict[str, list[Any]]] = {}
    for side, found, tuples in (
        ("missing", parts.missing, gold),
        ("surplus", parts.surplus, system),
    ):
        for each in found:
            name = KINDS[each[-2]]
            result.setdefault(name, {}).setdefault(side, []).append(_shown(each, tuples))
    return {name: result[name] for name in KINDS if name in result}


def _shown(each: Any, tuples: Tuples) -> Any:
    *ends, kind, key = each
    nodes = [tuples.nodes[end] for end in ends]
    if kind == TOPS:
        return nodes[0]
    if kind == ANCHORS:
        return [*nodes, shown_place(key)]
    return [*nodes, *(key if isinstance(key, tuple) else (key,))]
