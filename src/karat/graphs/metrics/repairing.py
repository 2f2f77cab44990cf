"""Repairs of graphs for metrics that count tuples under a correspondence of nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from karat.core.audits import Reading
from karat.core.repairs import Claim, Target, f_of_parts
from karat.graphs.matching.solver import GraphPair
from karat.graphs.matching.tuples import Tuples, as_pair
from karat.graphs.model import Graph
from karat.graphs.repair.identity import Known, repair_by_identity
from karat.graphs.repair.item import PARTITIONS, Changed, GraphRepair
from karat.graphs.repair.readings import reading_of
from karat.graphs.repair.steps import Side, Step

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

    def placed(self, graph: Graph) -> Side:
        """The tuples of a graph, and what they stand for."""
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
        graphs = [(self.as_graph(system), self.as_graph(gold)) for system, gold in pairs]
        sides = [(self.placed(system), self.placed(gold)) for system, gold in graphs]
        prepared = [
            self.paired(*pair, ours.tuples, theirs.tuples)
            for pair, (ours, theirs) in zip(graphs, sides, strict=True)
        ]
        (found,) = self.best_mappings(graphs, [prepared])
        return [
            GraphRepair(
                pair,
                both,
                matching.mapping.tolist(),
                self._all_changes,
                self.describe,
                item=system,
                is_overlaid=True,
            )
            for pair, both, matching, (system, _) in zip(graphs, sides, found, pairs, strict=True)
        ]

    def readings(self, pairs: Sequence[tuple[Any, Any]]) -> list[Reading]:
        """The parts of gold, and what the system has there under the same mapping."""
        return [reading_of(each) for each in self.repairs(pairs)]

    def _all_changes(self, steps: Sequence[Step]) -> list[Changed]:
        return [self._changes(step) for step in steps]

    def _changes(self, step: Step) -> Changed:
        counts: Counter[str] = Counter()
        for *_, kind, _ in step.missing:
            counts[f"{self.parts[kind]}.c"] += 1
            counts[f"{self.parts[kind]}.s"] += 1
        for *_, kind, _ in step.surplus:
            counts[f"{self.parts[kind]}.s"] -= 1
        return tuple((name, float(change)) for name, change in counts.items() if change)


class RepairsByIdentity:
    """For metrics of graphs that know nodes by what they are anchored to."""

    partitions = PARTITIONS
    repair_claim: ClassVar[Claim] = "estimate"
    nodes_count = True
    """Whether nodes are parts; else they are there as soon as an edge needs them."""

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

    def repairs(self, pairs: Sequence[tuple[Graph, Graph]]) -> list[GraphRepair]:
        return [
            repair_by_identity(*self.known(system, gold), self.counted_in, nodes=self.nodes_count)
            for system, gold in pairs
        ]

    def readings(self, pairs: Sequence[tuple[Graph, Graph]]) -> list[Reading]:
        """The parts of gold, and what the system has there."""
        return [reading_of(each) for each in self.repairs(pairs)]


def f_of(prefix: str) -> Target:
    """The F of columns and scores that begin with the same name."""
    return f_of_parts({prefix: 1.0}, f"{prefix}.")
