"""Base classes of metrics of graphs: normalisation, an empty graph for a missing one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, TypeAlias

from karat.core.metric import Explanation, Metric
from karat.errors import FormatError, OptionError, PairingError, Place
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL, Compat, Step, normalize
from karat.graphs.pictures.marked import MarkedGraph

Steps: TypeAlias = Annotated[
    tuple[Step, ...], "what to normalise: any of anchors, case, edges, attributes"
]
CompatOption: TypeAlias = Annotated[
    Compat | None, "do as mtool did, defects included, for comparison with old figures"
]


class DrawsGraphs:
    """Base class of metrics whose explanations say which parts are missing and surplus."""

    def overlay(self, system: Any, gold: Any, explanation: Explanation) -> MarkedGraph:
        """Gold's parts and the system's, marked as an explanation of this metric says."""
        raise TypeError(f"{type(self).__name__} has no overlay method")

    def picture(self, system: Any, gold: Any, explanation: Explanation) -> str:
        from karat.graphs.pictures.pairs import in_one

        return in_one(self.overlay(system, gold, explanation), gold)


class PenmanTexts:
    """Base class of metrics that compare AMR graphs as PENMAN texts.

    Pictures show both graphs side by side, without marks; what an explanation lists is written
    below them.
    """

    kind: ClassVar[str] = "amr"

    def absent(self, gold: str) -> str:
        return ""

    def picture(self, system: str, gold: str, explanation: Explanation) -> str:
        from karat.graphs.pictures.pairs import apart

        return apart(system, gold, explanation)


class GraphMetric(DrawsGraphs, Metric[Graph, Graph]):
    """Base class of metrics that compare one graph with one graph.

    A gold graph without system graph is compared with an empty one.
    """

    kind = "graph"

    normalize: Steps = ALL
    compat: CompatOption = None

    def absent(self, gold: Graph) -> Graph:
        return gold.emptied()

    def is_null(self, system: Graph) -> bool:
        return not system.nodes

    def lacks_anchors(self, graph: Graph) -> bool:
        """Whether nodes are identified by anchors, and the graph has none."""
        return False

    def of_system(self, record: Any) -> Graph:
        return self._anchored("system's", record)

    def of_gold(self, records: Sequence[Any]) -> Graph:
        if len(records) != 1:
            raise OptionError(f"{self.name} takes one gold file, got {len(records)}", code="K309")
        return self._anchored("gold", records[0])

    def _anchored(self, side: str, graph: Graph) -> Graph:
        if isinstance(graph, Graph) and self.lacks_anchors(graph):
            message, advice = self._without_anchors(side, graph)
            raise FormatError(message, code="K220", place=Place(item=graph.id), advice=advice)
        return graph

    def _without_anchors(self, side: str, graph: Graph) -> tuple[str, str]:
        return (
            f"the {side} graph {graph.id!r} has no anchors, by which {self.name} knows nodes apart",
            "--framework chooses the graphs to score, --compat mtool takes all nodes without "
            "anchors for one, --on-error skip leaves such graphs out",
        )

    def check_anchored(self, system: Graph, gold: Graph) -> None:
        """The same for graphs that come from no file."""
        for side, graph in (("system's", system), ("gold", gold)):
            if graph.nodes and not graph.is_anchored:
                message, advice = self._without_anchors(side, graph)
                raise PairingError(message, code="K220", advice=advice)

    def normal(self, graph: Graph) -> Graph:
        """The graph as this metric's options want it normalised."""
        return normalize(graph, self.normalize, self.compat)
