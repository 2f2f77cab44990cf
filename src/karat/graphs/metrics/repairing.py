"""Repairs of graphs for metrics that count tuples under a correspondence of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from karat import _native
from karat.core.capabilities import Reading
from karat.core.reading.raw import RawChunk
from karat.core.repairs import Claim, Edit, Target, f_of_parts
from karat.core.scores import Array
from karat.graphs.matching.solver import GraphPair, unpacked
from karat.graphs.matching.tuples import Tuples, as_pair
from karat.graphs.metrics.kernels import sides_of, with_lower_case
from karat.graphs.model import Graph
from karat.graphs.repair.identity import IdentityRepair, Known
from karat.graphs.repair.item import PARTITIONS, Columns, GraphRepair, changed_row
from karat.graphs.repair.readings import reading_of
from karat.graphs.repair.steps import Rest, Side, unequal

if TYPE_CHECKING:
    from karat.graphs.metrics.matched import MatchedMetric

    Base = MatchedMetric[Any, Any]
else:
    Base = object


class RepairsGraphs(Base):
    """For metrics of tuples under one mapping of nodes; items are graphs, or are read as such."""

    repaired_scores = "all"
    """What the names of the scores of all kinds begin with; empty: with nothing."""
    unrepairable = ""

    def as_graph(self, meaning: Any) -> Graph:
        """An item as a graph whose tuples are those that are counted."""
        graph: Graph = meaning
        return graph

    def placed(self, rest: Rest) -> Side:
        """The tuples of a graph or of a part of it, and what they stand for."""
        raise TypeError(f"{type(self).__name__} does not say what its tuples stand for")

    def paired(self, system: Graph, gold: Graph, ours: Tuples, theirs: Tuples) -> GraphPair:
        """Both sides as they are matched, from their tuples."""
        return as_pair(theirs, ours)

    @property
    def partitions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*PARTITIONS, *self.facets)))

    @property
    def repair_claim(self) -> Claim:
        return "at least"

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        if self.unrepairable:
            return {}
        weights = {
            part: float(kind.weight) for part, kind in zip(self.parts, self.weights, strict=True)
        }
        prefix = f"{self.repaired_scores}." if self.repaired_scores else ""
        found = {f"{prefix}f": f_of_parts(weights, prefix)}
        return found | {f"{part}.f": f_of(part) for part in self.parts}

    def repairs(self, pairs: Sequence[tuple[Any, Any]]) -> list[GraphRepair]:
        """The steps of each pair, under the mapping that its row was counted under."""
        return self.repairs_mapped(pairs, [b""] * len(pairs))

    def repairs_mapped(
        self, pairs: Sequence[tuple[Any, Any]], mappings: Sequence[bytes]
    ) -> list[GraphRepair]:
        graphs = [(self.as_graph(system), self.as_graph(gold)) for system, gold in pairs]
        known = [np.frombuffer(each, np.int32).tolist() for each in mappings]
        # Measuring does not keep mappings of what it cannot read natively.
        lost = [i for i, pair in enumerate(graphs) if len(known[i]) != len(pair[1].nodes)]
        if lost:
            some = [graphs[i] for i in lost]
            found = self._mappings(some, [self._whole(*pair) for pair in some])
            for i, mapping in zip(lost, found, strict=True):
                known[i] = mapping
        rests = [unequal(*pair, mapping) for pair, mapping in zip(graphs, known, strict=True)]
        sides = [(self.placed(ours), self.placed(theirs)) for ours, theirs in rests]
        return self._repairs_of(pairs, graphs, sides, known)

    def readings(self, pairs: Sequence[tuple[Any, Any]]) -> list[Reading]:
        """The parts of gold, and what the system has there under the same mapping."""
        graphs = [(self.as_graph(system), self.as_graph(gold)) for system, gold in pairs]
        sides = [self._whole(*pair) for pair in graphs]
        found = self._repairs_of(pairs, graphs, sides, self._mappings(graphs, sides))
        return [reading_of(each) for each in found]

    def _whole(self, system: Graph, gold: Graph) -> tuple[Side, Side]:
        return self.placed(Rest.whole(system)), self.placed(Rest.whole(gold))

    def _mappings(
        self, graphs: Sequence[tuple[Graph, Graph]], sides: Sequence[tuple[Side, Side]]
    ) -> list[list[int]]:
        prepared = [
            self.paired(*pair, ours.tuples, theirs.tuples)
            for pair, (ours, theirs) in zip(graphs, sides, strict=True)
        ]
        (found,) = self.best_mappings(graphs, [prepared])
        return [matching.mapping.tolist() for matching in found]

    def _repairs_of(
        self,
        pairs: Sequence[tuple[Any, Any]],
        graphs: Sequence[tuple[Graph, Graph]],
        sides: Sequence[tuple[Side, Side]],
        mappings: Sequence[Sequence[int]],
    ) -> list[GraphRepair]:
        return [
            GraphRepair(
                pair, both, mapping, self.counted_in, self.describe, item=system, is_overlaid=True
            )
            for pair, both, mapping, (system, _) in zip(graphs, sides, mappings, pairs, strict=True)
        ]

    def counted_in(self, kind: int) -> Sequence[str]:
        """The beginnings of the columns in which tuples of a kind are counted."""
        return self.parts[kind : kind + 1]


class RepairsByIdentity:
    """For metrics of graphs that know nodes by what they are anchored to."""

    partitions = PARTITIONS
    repair_claim: ClassVar[Claim] = "estimate"
    nodes_count = True
    """Whether nodes are parts; else they are there as soon as an edge needs them."""

    @property
    def is_steady(self) -> bool:
        """Whether no repair changes what nodes are known by, or which parts count."""
        return False

    @property
    def unrepairable(self) -> str:
        if getattr(self, "compat", None) == "mtool":
            return "all nodes without anchors are one as mtool counts"
        return ""

    def known(self, system: Graph, gold: Graph) -> tuple[Known, Known]:
        """The system's graph and gold as they are compared."""
        raise TypeError(f"{type(self).__name__} does not say what it compares")

    def counted_in(self, kind: int) -> Sequence[str]:
        """The beginnings of the columns in which parts of a kind are counted."""
        raise TypeError(f"{type(self).__name__} does not say what it counts")

    name: ClassVar[str]

    @property
    def native_variant(self) -> bool | None:
        """The variant of the kernel that compares graphs as the metric does; None: none does."""
        return None

    def edits_of_bytes(
        self, chunk: RawChunk, mappings: Sequence[bytes]
    ) -> list[tuple[list[Edit], bool]] | None:
        variant = self.native_variant
        if variant is None:
            return None
        found = edits_of_lines(chunk, self.name, self.counted_in, variant=variant)
        return found and [(edits, once and self.is_steady) for edits, once in found]

    def rows_of_repaired(
        self, chunk: RawChunk, chosen: Sequence[Sequence[Sequence[int]]]
    ) -> Array | None:
        variant, sides = self.native_variant, sides_of(chunk)
        if variant is None or sides is None:
            return None
        plain, counts = with_lower_case(
            lambda known: _native.count_repaired_mrp(
                *sides, known, chosen, metric=self.name, variant=variant
            )
        )
        if not plain.all():
            return None
        return np.concatenate((np.ones((len(counts), 1)), counts), axis=1, dtype=np.float64)

    def repairs(self, pairs: Sequence[tuple[Graph, Graph]]) -> list[GraphRepair]:
        return [self._repair(*pair) for pair in pairs]

    def _repair(self, system: Graph, gold: Graph, *, whole: bool = False) -> GraphRepair:
        return IdentityRepair(
            *self.known(system, gold), self.counted_in,
            nodes=self.nodes_count, steady=self.is_steady, whole=whole,
        )  # fmt: skip

    def readings(self, pairs: Sequence[tuple[Graph, Graph]]) -> list[Reading]:
        """The parts of gold, and what the system has there."""
        return [reading_of(self._repair(*pair, whole=True)) for pair in pairs]


def edits_of_lines(
    chunk: RawChunk,
    metric: str,
    columns: Columns,
    mappings: Sequence[bytes] | None = None,
    *,
    variant: bool = False,
) -> list[tuple[list[Edit], bool]] | None:
    """The edits of graphs in lines of MRP, their kinds as classes, and whether each part that they
    change is an item of its own; None where lines have to be parsed.

    `mappings` are those of the nodes, for metrics that have them.
    """
    sides = sides_of(chunk)
    if sides is None:
        return None
    mapped = unpacked([b""] * len(sides[1]) if mappings is None else mappings)
    plain, sums, ways, way, bounds, systems, golds = with_lower_case(
        lambda known: _native.repair_mrp(*sides, known, *mapped, metric=metric, variant=variant)
    )
    if not plain.all():
        return None
    told = [
        (kind, kind, changed_row(columns, tuple(added), tuple(removed)), single)
        for kind, added, removed, single in ways
    ]
    edits = [
        Edit(kind, group, changes, system, gold, single)
        for (kind, group, changes, single), system, gold in zip(
            [told[i] for i in way.tolist()], systems, golds, strict=True
        )
    ]
    ends = bounds.tolist()
    return [
        (edits[first:last], bool(once))
        for first, last, once in zip(ends, ends[1:], sums.tolist(), strict=False)
    ]


def f_of(prefix: str) -> Target:
    """The F of columns and scores that begin with the same name."""
    return f_of_parts({prefix: 1.0}, f"{prefix}.")
