"""Elementary dependency match: what graphs say of stretches of the input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec.structs import replace

from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.marks import count
from karat.core.metric import Counts, Explanation
from karat.core.options import Range
from karat.core.repairs import Target, f_of_parts
from karat.core.scores import Array, Scores, precision_recall
from karat.graphs.errors import refuse_overlay
from karat.graphs.matching.tuples import Coverage, shown_place
from karat.graphs.metrics.base import GraphMetric, ProfilesErrors, Steps, laid_by_place
from karat.graphs.metrics.kernels import look_at_graphs, rows_of_graphs
from karat.graphs.metrics.repairing import RepairsByIdentity, f_of
from karat.graphs.model import Anchor, Graph, Value
from karat.graphs.normalize import ALL, Step, normal_anchors, normalize
from karat.graphs.pictures.marked import MarkedGraph, Part
from karat.graphs.repair.identity import Known, Placed, places
from karat.graphs.repair.steps import Rest, elements_of

_KINDS = ("names", "arguments", "tops", "properties", "constants")
_CONSTANT = "carg"
_COMPAT = "do as mtool or as PyDelphin does"


class Edm(ProfilesErrors, RepairsByIdentity, GraphMetric):
    """Names, arguments, properties and tops, on nodes known by what they are anchored to.

    There is no search for a correspondence: a node is identified by the characters it covers,
    without blanks and punctuation at the ends of spans (`identity="characters"`, where both
    graphs know their input), or its spans as written. `all` is the sum of the kinds, weighted
    where weights are given.

    With `compat="mtool"` the figures are those of mtool, with `compat="delphin"` those
    of PyDelphin (Dridan and Oepen 2011): spans and constants as written, constants (CARG)
    as a kind of their own, items counted as often as they occur, and 0 where either
    side has nothing. EDMna is that with no weight on properties, constants and tops.

    >>> from karat.graphs.model import Anchor, Edge, Node
    >>> dog, bark = (Node(i, f"_{x}", anchors=(Anchor(i, i + 1),)) for i, x in enumerate("ab"))
    >>> gold = Graph("1", 1, "eds", tops=(1,), nodes=(dog, bark), edges=(Edge(1, 0, "ARG1"),))
    >>> system = Graph("1", 1, "eds", tops=(1,), nodes=(dog, bark), edges=(Edge(1, 0, "ARG2"),))
    >>> Edm().score(system, gold)["all"]
    {'g': 4, 's': 4, 'c': 3, 'p': 0.75, 'r': 0.75, 'f': 0.75}
    """

    name = "edm"
    by_anchors = True
    tool_names = ("n", "names", "arguments", "tops", "properties", "all")

    normalize: Steps = ALL
    identity: Annotated[
        Literal["characters", "spans"], "what a node is known by, where the input is known"
    ] = "characters"
    counting: Annotated[
        Literal["set", "multiset"], "count an item once, or as often as it occurs"
    ] = "set"
    constants: Annotated[bool, "constants (CARG) are a kind of their own"] = False
    names_weight: Annotated[float, Range(0), "weight of names in the score all"] = 1.0
    arguments_weight: Annotated[float, Range(0), "weight of arguments in the score all"] = 1.0
    tops_weight: Annotated[float, Range(0), "weight of tops in the score all"] = 1.0
    properties_weight: Annotated[float, Range(0), "weight of properties in the score all"] = 1.0
    constants_weight: Annotated[float, Range(0), "weight of constants in the score all"] = 1.0
    ignore_missing: Annotated[
        Literal["gold", "system", "both"] | None,
        "leave out pairs where this side has no graph",
    ] = None
    compat: Annotated[Literal["mtool", "delphin"] | None, _COMPAT] = None  # type: ignore[assignment]

    tracing = grid_in("karat.graphs.metrics.grids.frameworks", "edm")

    @property
    def counted_kinds(self) -> tuple[str, ...]:
        """The kinds of items, each with scores of its own."""
        return _KINDS if self._own_constants else _KINDS[:-1]

    @property
    def _as_delphin(self) -> bool:
        return self.compat == "delphin"

    @property
    def _own_constants(self) -> bool:
        return self.constants or self._as_delphin

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return ("n", *(f"{kind}.{side}" for kind in self.counted_kinds for side in "gsc"))

    # -- counting -------------------------------------------------------------

    def measure(self, system: Graph, gold: Graph) -> Counts:
        if self._is_ignored(system, gold):
            return self.row()
        ours, theirs = self.items(system, gold)
        row: list[float] = [1]
        for kind in self.counted_kinds:
            g, s = theirs[kind], ours[kind]
            row += [g.total(), s.total(), (g & s).total()]
        return row

    def measure_many(self, pairs: Sequence[tuple[Graph, Graph]]) -> Array:
        found = rows_of_graphs(self, pairs, variant=self._own_constants) if self.is_usual else None
        if found is None:
            return super().measure_many(pairs)
        found[[i for i, pair in enumerate(pairs) if self._is_ignored(*pair)]] = 0
        return found

    @property
    def is_usual(self) -> bool:
        return super().is_usual and self.identity == "characters" and not self._several

    def _is_ignored(self, system: Graph, gold: Graph) -> bool:
        missing = self.ignore_missing
        return (not gold.nodes and missing in ("gold", "both")) or (
            not system.nodes and missing in ("system", "both")
        )

    def items(
        self, system: Graph, gold: Graph
    ) -> tuple[dict[str, Counter[Any]], dict[str, Counter[Any]]]:
        """What is compared of the system's graph and of gold, by kind, each with its number."""
        by_characters = self._by_characters(system, gold)
        # Weights and the like change nothing in them.
        key = Edm, self.normalize, self.compat, self._own_constants, by_characters
        made = [
            graph.once(
                (*key, self._several),
                lambda each: self._counted(
                    each.once(key, lambda again: self._items_of(again, by_characters))
                ),
            )
            for graph in (system, gold)
        ]
        return made[0], made[1]

    def _counted(self, items: dict[str, list[Any]]) -> dict[str, Counter[Any]]:
        several = self._several
        return {k: Counter(v if several else [*dict.fromkeys(v)]) for k, v in items.items()}

    def _by_characters(self, system: Graph, gold: Graph) -> bool:
        if self.compat is None:
            self.check_anchored(system, gold)
        return (
            self.identity == "characters"
            and not self._as_delphin
            and system.input is not None
            and gold.input is not None
        )

    def normal(self, graph: Graph) -> Graph:
        if not self._as_delphin:
            return super().normal(graph)
        refuse_overlay(graph)
        return graph.once(_as_delphin_reads, _as_delphin_reads)

    def _items_of(self, graph: Graph, by_characters: bool) -> dict[str, list[Any]]:
        covered = Coverage(graph.input if by_characters else None)
        identity = [covered(node.anchors) for node in self.normal(graph).nodes]
        items: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
        for ends, kind, key, _ in self._parts_of(Rest.whole(graph)):
            places = [identity[end] for end in ends]
            items[_KINDS[kind]].append((*places, *key))  # type: ignore[misc]
        return items

    def _kind_of_property(self, name: str, value: Value) -> str:
        """The kind that a property is counted in; empty for one that is not counted."""
        if not self._own_constants or name.lower() != _CONSTANT:
            return "properties"
        return "" if self._as_delphin and value == "" else "constants"

    @property
    def _several(self) -> bool:
        return self.counting == "multiset" or self._as_delphin

    # -- repairing ------------------------------------------------------------

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        weights = {kind: getattr(self, f"{kind}_weight") for kind in self.counted_kinds}
        return {
            "all.f": f_of_parts(weights, "all."),
            **{f"{kind}.f": f_of(kind) for kind in weights},
        }

    @property
    def is_steady(self) -> bool:
        return not self._several and self.ignore_missing is None

    @property
    def native_variant(self) -> bool | None:
        usual = self.is_usual and self.ignore_missing is None
        return self._own_constants if usual else None

    def counted_in(self, kind: int) -> Sequence[str]:
        return (_KINDS[kind],)

    def known(self, system: Graph, gold: Graph) -> tuple[Known, Known]:
        by_characters = self._by_characters(system, gold)

        def anchored(text: str | None, anchors: tuple[Anchor, ...]) -> Hashable:
            if "anchors" in self.normalize and self.compat != "delphin":
                anchors = normal_anchors(anchors, text, self.compat)
            return Coverage(text if by_characters else None)(anchors)

        ours, theirs = places(system, gold, anchored)
        several = self._several
        return (
            Known(system, ours, self._parts_of, several),
            Known(gold, theirs, self._parts_of, several),
        )

    def _parts_of(self, rest: Rest) -> list[Placed]:
        graph = self.normal(rest.graph)
        position = {node.id: i for i, node in enumerate(graph.nodes)}
        edges = dict(zip(rest.edges, graph.edges, strict=True))
        parts = []
        for element in elements_of(graph, rest.edges):
            ends: tuple[int, ...] = (element.at,)
            key: tuple[Hashable, ...] = ()
            if element.part == "edge":
                edge = edges[element.at]
                ends = position[edge.source], position[edge.target]
                kind, key = "arguments", (edge.label,)
            elif element.part == "top":
                kind = "tops"
            elif element.part == "label":
                kind, key = "names", (graph.nodes[element.at].label,)
            elif element.part == "property":
                value = graph.nodes[element.at].values[element.place]
                kind, key = self._kind_of_property(element.name, value), (element.name, value)
            else:
                continue
            if kind:
                parts.append(Placed(ends, _KINDS.index(kind), key, element))
        return parts

    # -- scores ---------------------------------------------------------------

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)
        scores: dict[str, Any] = {"n": count(column["n"])}
        for kind in self.counted_kinds:
            scores[kind] = precision_recall(*(column[f"{kind}.{side}"] for side in "gsc"))
        weights = [getattr(self, f"{kind}_weight") for kind in self.counted_kinds]
        gold, system, common = (
            sum(
                weight * column[f"{kind}.{side}"]
                for kind, weight in zip(self.counted_kinds, weights, strict=True)
            )
            for side in "gsc"
        )
        scores["all"] = precision_recall(gold, system, common, headline=True)
        return scores

    def caveats(self, totals: Array) -> list[str]:
        column = dict(zip(self.columns, totals, strict=True))
        kinds = [
            kind
            for kind in ("properties", "constants")
            if column.get(f"{kind}.s")
            and not column[f"{kind}.g"]
            and getattr(self, f"{kind}_weight")
        ]
        return [
            f"gold has no {kind} at all, those of the system count against it: leave them out of "
            f"all with {kind}_weight=0"
            for kind in kinds
        ]

    def explain(self, system: Graph, gold: Graph) -> Explanation:
        """Items that are missing or surplus, by kind, with the spans or characters of nodes."""
        ours, theirs = self.items(system, gold)
        result: Explanation = {}
        for kind in self.counted_kinds:
            for side, items in (
                ("missing", theirs[kind] - ours[kind]),
                ("surplus", ours[kind] - theirs[kind]),
            ):
                if items:
                    shown = [_shown(kind, each) for each in items.elements()]
                    result.setdefault(kind, {})[side] = shown
        return result

    confused = ("names", "arguments", "properties", "constants")
    drawn_over_words = False  # a place need not be that of a word

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        if not self.is_usual:
            return None
        return look_at_graphs(chunk, "edm", variant=self._own_constants)

    def overlay(self, system: Graph, gold: Graph, explanation: Explanation) -> MarkedGraph:
        ours, theirs = self.items(system, gold)
        return laid_by_place(
            self._parts(theirs),
            self._parts({kind: theirs[kind] - ours[kind] for kind in theirs}),
            self._parts({kind: ours[kind] - theirs[kind] for kind in ours}),
            gold.input,
        )

    def _parts(self, items: dict[str, Counter[Any]]) -> list[Part]:
        """The items as parts of a picture, on nodes known by their places."""
        result: list[Part] = []
        for kind in self.counted_kinds:
            for item in items[kind].elements():
                key = kind, item
                if kind == "tops":
                    result.append(Part(None, "top", item, "top", None, key))
                elif kind == "arguments":
                    result.append(Part(None, "edge", item[:2], item[2] or "", item[2], key))
                elif kind == "names":
                    result.append(Part(None, "label", item[:1], str(item[1]), None, key))
                else:
                    text = f"{item[1]} {item[2]}"
                    result.append(Part(None, "property", item[:1], text, None, key))
        return result


def _as_delphin_reads(graph: Graph) -> Graph:
    """Names, roles and properties in lower case; constants as they are written."""
    steps: tuple[Step, ...] = ("case",)
    lower = normalize(graph, steps)
    nodes = []
    for node, low in zip(graph.nodes, lower.nodes, strict=True):
        both = zip(low.properties, node.values, low.values, strict=False)
        values = [written if name == _CONSTANT else value for name, written, value in both]
        nodes.append(replace(low, values=tuple(values)))
    return replace(lower, nodes=tuple(nodes))


def _shown(kind: str, item: Any) -> Any:
    """An item with the characters or spans of its nodes, which come first."""
    if kind == "tops":
        return shown_place(item[0])
    nodes = 2 if kind == "arguments" else 1
    return [*map(shown_place, item[:nodes]), *item[nodes:]]
