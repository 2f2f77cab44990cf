"""Base classes of metrics of graphs: how pairs are shown, profiles of their errors, options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec

from karat import _native
from karat.core.metric import Explanation, Metric
from karat.core.runs.notebook import json_lines
from karat.core.scores import MetricsDict
from karat.core.shown import Raw, Shown
from karat.errors import FormatError, OptionError, PairingError, Place
from karat.graphs.errors import refuse_overlay
from karat.graphs.matching.tuples import covered_text, first_character
from karat.graphs.model import Graph
from karat.graphs.normalize import ALL, Compat, Step, normalize
from karat.graphs.pictures.marked import MarkedGraph, Part, spelling_of


class ProfilesErrors:
    """For metrics of graphs whose explanations list what is missing and surplus, by kind."""

    confused: ClassVar[tuple[str, ...]] = ("labels", "properties", "edges")
    """The kinds in which labels or values can be taken for others."""

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The most frequent errors by kind, and what is taken for what."""
        return self.profile_of_json([msgspec.json.encode(each)] for each in explanations)

    def profile_of_json(self, explanations: Iterable[list[bytes]]) -> Explanation:
        return profile(explanations, self.confused)


def profile(
    explanations: Iterable[list[bytes]], kinds: Sequence[str] = ProfilesErrors.confused
) -> dict[str, Any]:
    """Counts of missing and surplus entries by kind, and of labels taken for others.

    A node label, a value of a property or an edge label is taken for another where the
    nodes correspond, or are known by the same, and each side has one that the other has not.
    Explanations are JSON, some at a time.

    >>> profile([[b'{"correspondences":[[0,5]],"labels":{"missing":[[0,"dog"]],'
    ...     b'"surplus":[[5,"cat"]]}}']])["confusions"]["labels"]
    [{'gold': 'dog', 'system': 'cat', 'count': 1}]
    """
    found = _native.ErrorProfile(kinds)
    for some in explanations:
        found.add(some)
    return found.profile()


Steps: TypeAlias = Annotated[
    tuple[Step, ...], "what to normalise: any of anchors, case, edges, attributes"
]
CompatOption: TypeAlias = Annotated[
    Compat | None, "do as mtool did, defects included, for comparison with old figures"
]

_COMMENT = r"# *::(id|snt) +(\S.*)"


class DrawsGraphs:
    """For metrics whose explanations say which parts of both graphs are missing and surplus."""

    drawn_over_words: ClassVar[bool] = True
    """Whether bilexical graphs are drawn over their words."""

    def overlay(self, system: Any, gold: Any, explanation: Explanation) -> MarkedGraph:
        """Gold's parts and the system's, marked as an explanation of this metric says."""
        raise TypeError(f"{type(self).__name__} has no overlay method")

    def shown(self, system: Any, gold: Any, explanation: Explanation) -> Shown:
        from karat.graphs.pictures.content import shown_overlay
        from karat.graphs.pictures.layout import over_words

        directed = not getattr(self, "undirected", False)
        laid = self.respelt(system, gold, explanation)
        found = shown_overlay(laid, _source(gold), directed)
        is_row = directed and self.drawn_over_words
        if is_row and (drawn := over_words(laid, system, gold)):
            found.golds, found.system, found.overlay = [drawn.gold], drawn.system, None
            return found
        if isinstance(gold, str) and isinstance(system, str):  # PENMAN, to be read as it is
            found.golds, found.system = [Raw(gold)], Raw(system)
        return found

    def respelt(self, system: Any, gold: Any, explanation: Explanation) -> MarkedGraph:
        """The overlay with labels as their own files spell them."""
        found = self.overlay(system, gold, explanation)
        found.respell(spelling_of(gold), spelling_of(system))
        return found


class GraphTexts:
    """Base class of metrics that compare the texts of graphs, of which they match no parts.

    The page shows both graphs as they are written, and what an explanation lists below them.
    """

    def absent(self, gold: str) -> str:
        return ""

    def shown(self, system: str, gold: str, explanation: Explanation) -> Shown:
        notes = [
            f"{side} {row}: {_text(each)}"
            for row, found in explanation.items()
            if isinstance(found, Mapping)
            for side in ("missing", "surplus")
            for each in found.get(side, ())
        ]
        return Shown([Raw(str(gold))], Raw(str(system)), _source(gold), notes=notes)


class PenmanTexts(GraphTexts):
    """Base class of metrics that compare AMR graphs as PENMAN texts."""

    kind: ClassVar[str] = "amr"


class GraphMetric(DrawsGraphs, Metric[Graph, Graph]):
    """Base class of metrics that compare a system graph with a gold graph, both normalised.

    A gold graph without system graph is compared with an empty one.
    """

    kind = "graph"
    tool_names: ClassVar[Sequence[str]] = ()
    """The scores that mtool prints, where the metric stands in for one of its."""
    by_anchors: ClassVar[bool] = False
    """Whether nodes are known by their anchors."""

    normalize: Steps = ALL
    compat: CompatOption = None

    def line(self, scores: MetricsDict) -> str:
        """The JSON that mtool prints, except the time that it took."""
        return json_lines(scores, self.tool_names) if self.tool_names else ""

    @property
    def is_usual(self) -> bool:
        """Whether graphs are normalised in all ways, and in no old one, as kernels do it."""
        return self.compat is None and set(self.normalize) == set(ALL)

    def absent(self, gold: Graph) -> Graph:
        return gold.emptied()

    def is_null(self, system: Graph) -> bool:
        return not system.nodes

    def lacks_anchors(self, graph: Graph) -> bool:
        """Whether a graph lacks what nodes are known by, where that is their anchors."""
        bare = bool(graph.nodes) and not graph.is_anchored
        return bare and self.by_anchors and self.compat is None

    def of_system(self, record: Any) -> Graph:
        return self._anchored("system's", record)

    def of_gold(self, records: Sequence[Any]) -> Graph:
        if len(records) != 1:
            raise OptionError(f"{self.name} takes one gold file, got {len(records)}", code="K309")
        return self._anchored("gold", records[0])

    def _anchored(self, side: str, graph: Graph) -> Graph:
        if isinstance(graph, Graph):
            refuse_overlay(graph)
        if isinstance(graph, Graph) and self.lacks_anchors(graph):
            message, advice = self._without_anchors(side, graph)
            place = Place(item=graph.id) if graph.id else None
            raise FormatError(message, code="K220", place=place, advice=advice)
        return graph

    def _without_anchors(self, side: str, graph: Graph) -> tuple[str, str]:
        named = f" {graph.id!r}" if graph.id else ""
        return (
            f"the {side} graph{named} has no anchors, by which {self.name} knows nodes apart",
            "``framework`` chooses the graphs to score, ``compat='mtool'`` takes all nodes without "
            "anchors for one, ``on_error='skip'`` leaves such graphs out",
        )

    def check_anchored(self, system: Graph, gold: Graph) -> None:
        """The same for graphs that come from no file."""
        for side, graph in (("system's", system), ("gold", gold)):
            if graph.nodes and not graph.is_anchored:
                message, advice = self._without_anchors(side, graph)
                raise PairingError(message, code="K220", advice=advice)

    def normal(self, graph: Graph) -> Graph:
        """The graph as this metric's options want it normalised; made once for each graph."""
        refuse_overlay(graph)
        steps, compat = self.normalize, self.compat
        return graph.once((steps, compat), lambda each: normalize(each, steps, compat))


def laid_by_place(
    parts: Sequence[Part], missing: Sequence[Part], surplus: Sequence[Part], text: str | None
) -> MarkedGraph:
    """Parts on nodes that are known by their places, where one without a name shows its words."""
    nodes = dict.fromkeys(node for part in parts for node in part.nodes)
    named = {part.nodes[0] for part in parts if part.look == "label"}
    unnamed = sorted((node for node in nodes if node not in named), key=first_character)
    words = {node: covered_text(node, text) for node in unnamed}
    return MarkedGraph(nodes, parts, missing=missing, surplus=surplus, partners=None, words=words)


def _source(gold: object) -> str | None:
    """The sentence that a graph was made from."""
    if isinstance(gold, Graph):
        return gold.input
    return dict(re.findall(_COMMENT, gold)).get("snt") if isinstance(gold, str) else None


def _text(each: Any) -> str:
    return " ".join(map(str, each)) if isinstance(each, (list, tuple)) else str(each)
