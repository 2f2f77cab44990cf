"""Semantic dependency parsing: edges between anchored nodes, predications, frames, senses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from karat.core.capabilities import LazyPairs, PairOutputs, grid_in
from karat.core.marks import Score, count
from karat.core.metric import Counts, Explanation, Split
from karat.core.repairs import Target
from karat.core.scores import Array, Scores, precision_recall, ratio
from karat.errors import KaratError, OptionError, PairingError, quote_some
from karat.graphs.metrics.base import CompatOption, GraphMetric, ProfilesErrors, Steps
from karat.graphs.metrics.kernels import look_at_graphs
from karat.graphs.metrics.repairing import RepairsByIdentity, f_of
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.normalize import ALL, normal_anchors, normal_edges, spans
from karat.graphs.pictures.marked import MarkedGraph, Part, chosen, words_of_nodes
from karat.graphs.repair.identity import Known, Placed, places
from karat.graphs.repair.steps import Element, Rest

Identity: TypeAlias = Any
Dependency: TypeAlias = tuple[Identity, Identity, str | None]

VIRTUAL = "-VIRTUAL-"
_PUNCTUATION_POS = frozenset((".", ",", ":", "(", ")"))
_LENGTHS = ("0", "1", "2", "3", "4", "5-9", "10-")
_SETS = ("labeled", "unlabeled")
_PREDICATIONS = ("predications", "frames", "senses")
_PAS_CORE = tuple(
    f"{word}_{role}"
    for word, roles in {
        "adj": ("ARG1", "ARG2", "MOD"),
        "coord": ("ARG1", "ARG2"),
        "prep": ("ARG1", "ARG2", "ARG3", "MOD"),
        "verb": ("ARG1", "ARG2", "ARG3", "ARG4", "MOD"),
    }.items()
    for role in roles
)


class Sdp(ProfilesErrors, RepairsByIdentity, GraphMetric):
    """Labelled and unlabelled dependencies, with and without virtual edges to tops.

    A node is known by its anchors (`identity="anchors"`), so nodes with the same
    anchors are one; in bilexical graphs without anchors it is known by its
    position. Besides dependencies, for verbs: complete predications (the
    predicate and all its core arguments), semantic frames (the same with the
    sense), and senses alone. `m` is the share of graphs without any error.

    With `identity="position"` and `normalize=()` the figures are those of the
    toolkit of SemEval 2014 and 2015 (Oepen et al. 2015); with `compat="mtool"`
    those of mtool, where graphs without anchors are scored as if all their nodes
    were one.

    >>> gold = Graph("1", 0, "dm", tops=(1,), nodes=(Node(0), Node(1)), edges=(Edge(1, 0, "ARG1"),))
    >>> Sdp().score(gold, gold)["labeled"]
    {'g': 2, 's': 2, 'c': 2, 'p': 1.0, 'r': 1.0, 'f': 1.0, 'm': 1.0}
    """

    name = "sdp"
    by_anchors = True
    tool_names = ("n", "labeled", "unlabeled")

    identity: Annotated[Literal["auto", "anchors", "position"], "what a node is known by"] = "auto"
    normalize: Steps = ALL
    compat: CompatOption = None
    exclude_punctuation: Annotated[
        bool, "leave out edges that touch a token whose part of speech is . , : ( or )"
    ] = False
    undirected: Annotated[bool, "compare edges without regard to direction"] = False
    core: Annotated[
        tuple[str, ...], "the labels of core arguments, in place of the framework's"
    ] = ()
    labels: Annotated[tuple[str, ...], "break the labelled edges down by these labels"] = ()
    lengths: Annotated[bool, "break the labelled edges down by length in tokens"] = False

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        sets = [*_SETS, *(f"without_tops.{name}" for name in _SETS)]
        counted = [
            *_PREDICATIONS,
            *(f"by_label.{label}" for label in self.labels),
            *(f"by_length.{length}" for length in _LENGTHS if self.lengths),
            *(f"without_tops.by_length.{length}" for length in _LENGTHS if self.lengths),
        ]
        return (
            "n",
            *(f"{name}.{count}" for name in sets for count in "gscm"),
            *(f"{name}.{count}" for name in counted for count in "gsc"),
        )

    # -- counting -------------------------------------------------------------

    tracing = grid_in("karat.graphs.metrics.grids.frameworks", "sdp")

    def measure(self, system: Graph, gold: Graph) -> Counts:
        ours, theirs = self._views(system, gold)
        row: list[float] = [1]
        for tops in (True, False):
            for unlabeled in (False, True):
                s, g = (view.dependencies(tops, unlabeled) for view in (ours, theirs))
                row += [len(g), len(s), len(g & s), g == s]
        for s, g in zip(ours.predications(), theirs.predications(), strict=True):
            row += [len(g), len(s), len(g & s)]
        if self.labels or self.lengths:
            row += self._breakdowns(ours, theirs)
        return row

    def _breakdowns(self, ours: _View, theirs: _View) -> list[float]:
        row: list[float] = []
        s, g = ours.dependencies(True, False), theirs.dependencies(True, False)
        for label in self.labels:
            wanted = None if label == VIRTUAL else self.as_compared(label)
            row += _three(s, g, lambda item, wanted=wanted: item[2] == wanted)  # type: ignore[misc]
        if self.lengths:
            length_of = {**ours.lengths, **theirs.lengths}
            bare = ours.dependencies(False, False), theirs.dependencies(False, False)
            for system, gold in ((s, g), bare):
                for name in _LENGTHS:
                    row += _three(system, gold, lambda item, name=name: length_of[item] == name)  # type: ignore[misc]
        return row

    def as_compared(self, label: str) -> str:
        return label.lower() if "case" in self.normalize else label

    def _absent_labels(self, totals: Array) -> list[str]:
        """The labels to break down by that no dependency has."""
        column = dict(zip(self.columns, totals, strict=True))
        return [
            label
            for label in self.labels
            if not column[f"by_label.{label}.g"] and not column[f"by_label.{label}.s"]
        ]

    def objection(self, totals: Array) -> KaratError | None:
        absent = self._absent_labels(totals)
        if absent and len(absent) == len(self.labels):
            return OptionError(
                f"no dependency of gold or system has the label {quote_some(absent)}",
                code="K392",
                advice="``by='label'`` shows the labels that there are",
            )
        return None

    def caveats(self, totals: Array) -> list[str]:
        absent = self._absent_labels(totals)
        return [f"no dependency has the label {quote_some(absent)}"] if absent else []

    def lacks_anchors(self, graph: Graph) -> bool:
        return self.identity == "auto" and graph.flavor != 0 and super().lacks_anchors(graph)

    def _by_position(self, system: Graph, gold: Graph) -> bool:
        """Whether nodes are known by their places among tokens, not by their anchors."""
        by_position = self.identity == "position"
        if self.identity == "auto" and self.compat is None:
            bare = [graph for graph in (system, gold) if graph.nodes and not graph.is_anchored]
            by_position = bool(bare)
            if bare and gold.flavor != 0:
                self.check_anchored(system, gold)
        if by_position and system.tokens and gold.tokens:
            sizes = len(system.tokens), len(gold.tokens)
            if sizes[0] != sizes[1]:
                raise PairingError(
                    f"graph {gold.id!r} has {sizes[1]} tokens in gold, {sizes[0]} in the system",
                    code="K221",
                )
        return by_position

    def _views(self, system: Graph, gold: Graph) -> tuple[_View, _View]:
        by_position = self._by_position(system, gold)
        framework = gold.framework
        same_tokens = len(system.tokens) == len(gold.tokens)
        made = [
            graph.once(
                (self, by_position, framework, same_tokens),
                lambda each: _View(self.normal(each), self, by_position, framework, same_tokens),
            )
            for graph in (system, gold)
        ]
        return made[0], made[1]

    def is_core(self, label: str | None, framework: str | None) -> bool:
        """Whether an edge with this label goes to a core argument."""
        name = self.as_compared(label or "")
        if framework == "psd" and not self.core:
            return name.endswith("-arg")
        core = self.core or (_PAS_CORE if framework == "pas" else ())
        return not core or name in map(self.as_compared, core)

    def is_verb(self, pos: str | None) -> bool:
        return self.as_compared(pos or "").startswith(self.as_compared("V"))

    # -- breakdowns by all labels and lengths ----------------------------------

    facets = ("label", "length")

    def split(self, facet: str, pairs: Sequence[tuple[Graph, Graph]]) -> Split:
        """The labelled dependencies by label, virtual ones included, or by length in tokens."""
        place = {name: i for i, name in enumerate(self.columns)}
        found: dict[tuple[int, str], Array] = {}
        for number, (system, gold) in enumerate(pairs):
            ours, theirs = self._views(system, gold)
            lengths = {**ours.lengths, **theirs.lengths}
            for part, tops in (("labeled", True), ("without_tops.labeled", False)):
                s, g = ours.dependencies(tops, False), theirs.dependencies(tops, False)
                for side, items in (("g", g), ("s", s), ("c", g & s)):
                    for item in items:
                        label = VIRTUAL if item[2] is None else item[2]
                        value = label if facet == "label" else lengths[item]
                        row = found.setdefault((number, value), np.zeros(len(place)))
                        row[place[f"{part}.{side}"]] += 1
        rows = np.array(list(found.values())).reshape(len(found), len(place))
        return Split([number for number, _ in found], [value for _, value in found], rows)

    # -- scores ---------------------------------------------------------------

    def summarize(self, totals: Array) -> Scores:
        column = self.by_column(totals)
        n = column["n"]

        def compared(name: str) -> dict[str, Array | Score]:
            sides = (column[f"{name}.{side}"] for side in "gsc")
            return precision_recall(*sides, headline=name == "labeled")

        def with_matches(name: str) -> dict[str, Array | Score]:
            return {**compared(name), "m": ratio(column[f"{name}.m"], n)}

        scores: dict[str, Any] = {"n": count(n)}
        scores |= {name: with_matches(name) for name in _SETS}
        scores["without_tops"] = {name: with_matches(f"without_tops.{name}") for name in _SETS}
        scores |= {name: compared(name) for name in _PREDICATIONS}
        if self.labels:
            scores["by_label"] = {label: compared(f"by_label.{label}") for label in self.labels}
        if self.lengths:
            scores["by_length"] = {name: compared(f"by_length.{name}") for name in _LENGTHS}
            scores["without_tops"]["by_length"] = {
                name: compared(f"without_tops.by_length.{name}") for name in _LENGTHS
            }
        return scores

    def explain(self, system: Graph, gold: Graph) -> Explanation:
        """The labelled dependencies by node ids: matched, missing and surplus."""
        ours, theirs = self._views(system, gold)
        s, g = ours.shown_as, theirs.shown_as
        return {
            "matched": [shown for item, shown in g.items() if item in s],
            "missing": [shown for item, shown in g.items() if item not in s],
            "surplus": [shown for item, shown in s.items() if item not in g],
        }

    confused = ()  # nodes are told by ids of their own side

    def look_at(self, chunk: LazyPairs) -> PairOutputs | None:
        usual = self.is_usual and self.identity == "auto"
        if not usual or self.exclude_punctuation or self.undirected:
            return None
        return look_at_graphs(chunk, "sdp")

    def overlay(self, system: Graph, gold: Graph, explanation: Explanation) -> MarkedGraph:
        ours, theirs = self._views(system, gold)
        known = frozenset(theirs.identity.values())
        labels = [*theirs.labels(), *(each for each in ours.labels() if each.nodes[0] not in known)]
        parts = theirs.parts()
        found = MarkedGraph(
            dict.fromkeys(theirs.identity.values()),
            [*labels, *parts],
            missing=chosen(parts, explanation["missing"]),
            surplus=chosen(ours.parts(), explanation["surplus"]),
            partners=None,
        )
        for view in (ours, theirs):
            found.names |= {identity: id for id, identity in reversed(view.identity.items())}
        return found

    # -- repairing ------------------------------------------------------------

    nodes_count = False

    @property
    def is_steady(self) -> bool:
        return not self.exclude_punctuation

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        return {f"{part}.f": f_of(part) for part in ("labeled", "without_tops.labeled")}

    def counted_in(self, kind: int) -> Sequence[str]:
        return ("labeled",) if kind == _TOP else ("labeled", "without_tops.labeled")

    def known(self, system: Graph, gold: Graph) -> tuple[Known, Known]:
        if self._by_position(system, gold):
            found: list[list[Any]] = [[node.id for node in graph.nodes] for graph in (system, gold)]
        else:
            found = places(system, gold, self._spans)
        ours, theirs = (
            Known(graph, identity, partial(self._parts_of, graph, identity))
            for graph, identity in zip((system, gold), found, strict=True)
        )
        return ours, theirs

    def _spans(self, text: str | None, anchors: tuple[Anchor, ...]) -> Identity:
        normal = "anchors" in self.normalize
        return spans(normal_anchors(anchors, text, self.compat) if normal else anchors)

    def _parts_of(self, graph: Graph, identity: Sequence[Identity], rest: Rest) -> list[Placed]:
        position = {node.id: i for i, node in enumerate(graph.nodes)}
        known = dict(zip(position, identity, strict=True))
        normal = self.normal(graph) if self.exclude_punctuation else graph
        parts = [
            Placed((position[top],), _TOP, None, Element("top", position[top]))
            for top in graph.tops
            if self.counts(normal, top)
        ]
        left = rest.graph
        edges = normal_edges(left.edges, left.framework, self.normalize, self.compat)
        for j, edge in zip(rest.edges, edges, strict=True):
            if self.counts(normal, edge.source, edge.target):
                ends = [position[edge.source], position[edge.target]]
                if self.undirected and known[edge.target] < known[edge.source]:
                    ends.reverse()
                parts.append(Placed(tuple(ends), _EDGE, edge.label or "", Element("edge", j)))
        return parts

    def counts(self, graph: Graph, *ends: int) -> bool:
        """Whether an edge between these nodes, or a top, is compared."""
        if not self.exclude_punctuation:
            return True
        nodes = graph.node_of
        return not any(_pos(nodes[end]) in _PUNCTUATION_POS for end in ends)


_TOP, _EDGE = range(2)


class _Predicate(NamedTuple):
    node: Identity
    arguments: frozenset[tuple[Identity, str | None]]
    sense: str


class _View:
    """One graph as sets of what is compared."""

    def __init__(
        self,
        graph: Graph,
        metric: Sdp,
        by_position: bool,
        framework: str | None,
        same_tokens: bool,
    ) -> None:
        self.graph = graph
        self.by_token = same_tokens and bool(graph.tokens)
        self.metric = metric
        self.framework = framework
        self.identity: dict[int, Identity] = {
            node.id: node.id if by_position else spans(node.anchors) for node in graph.nodes
        }
        counts = partial(metric.counts, graph)
        self._kept = [edge for edge in graph.edges if counts(edge.source, edge.target)]
        self.edges = frozenset([self._item(edge) for edge in self._kept])
        self._tops = {("top", self.identity[top], None): top for top in graph.tops if counts(top)}
        self.tops = frozenset(self._tops)

    @cached_property
    def shown_as(self) -> dict[Dependency, tuple[int, int, str | None]]:
        """The dependencies by the ids of their nodes, for people; tops have none above them."""
        found: dict[Dependency, tuple[int, int, str | None]] = {}
        for edge in self._kept:
            found.setdefault(self._item(edge), (edge.source, edge.target, edge.label))
        return found | {item: (-1, top, None) for item, top in self._tops.items()}

    @cached_property
    def lengths(self) -> dict[Dependency, str]:
        return {
            item: _length(abs(source - target))
            for item, (source, target, _) in self.shown_as.items()
        }

    def _item(self, edge: Edge) -> Dependency:
        source, target = self.identity[edge.source], self.identity[edge.target]
        if self.metric.undirected and target < source:
            source, target = target, source
        return source, target, edge.label or ""

    def dependencies(self, tops: bool, unlabeled: bool) -> frozenset[Any]:
        """The items of one kind; those of tops have None in place of a label."""
        edges: Iterable[Any] = self.edges
        if unlabeled:
            edges = ((source, target) for source, target, _ in self.edges)
        return frozenset(edges) | (self.tops if tops else frozenset())

    def parts(self) -> list[Part]:
        """The dependencies as parts of a picture, on nodes known by their identity."""
        return [
            Part(shown, "top", (self.identity[shown[1]],), "top")
            if shown[0] == -1
            else Part(shown, "edge", (self.identity[shown[0]], self.identity[shown[1]]),
                      shown[2] or "", shown[2])
            for shown in self.shown_as.values()
        ]  # fmt: skip

    def labels(self) -> list[Part]:
        """The labels of nodes, which are not compared."""
        words = words_of_nodes(self.graph)
        return [
            Part(None, "label", (self.identity[node.id],), node.label or words.get(node.id, ""))
            for node in self.graph.nodes
        ]

    def predications(self) -> tuple[frozenset[Any], frozenset[Any], frozenset[Any]]:
        """Complete predications, semantic frames and senses of the verbs."""
        found = [self._predicate(number) for number in self._verbs()]
        return (
            frozenset((each.node, each.arguments) for each in found),
            frozenset(found),
            frozenset((each.node, each.sense) for each in found),
        )

    def _verbs(self) -> list[int]:
        if self.graph.tokens:
            return [
                number
                for number, token in enumerate(self.graph.tokens)
                if token.predicate and self.metric.is_verb(token.pos)
            ]
        return [
            node.id
            for node in self.graph.nodes
            if self.graph.outgoing[node.id] and self.metric.is_verb(_pos(node))
        ]

    def _predicate(self, number: int) -> _Predicate:
        node = self.graph.node_of.get(number)
        arguments = frozenset(
            (self.identity[edge.target], edge.label)
            for edge in self.graph.outgoing.get(number, ())
            if self.metric.is_core(edge.label, self.framework)
        )
        sense = None if node is None else node.property("frame")
        # A predicate without any edge has no node, though it may have one in the other graph: where
        # both have the same tokens, its place among them tells it.
        known = node is not None and not self.by_token
        identity = self.identity[number] if known else ("token", number)
        if node is None:
            frame = self.graph.tokens[number].frame
            sense = None if frame is None else self.metric.as_compared(frame)
        return _Predicate(identity, arguments, "_" if sense is None else str(sense))


def _pos(node: Node) -> str:
    return str(node.property("pos") or "")


def may_have_punctuation(graph: Graph) -> bool:
    """Whether a node may be one that `exclude_punctuation` leaves out, however it is normalised."""
    return any(str(value) in _PUNCTUATION_POS for node in graph.nodes for value in node.values)


def _length(tokens: int) -> str:
    return str(tokens) if tokens < 5 else "5-9" if tokens < 10 else "10-"


def _three(
    system: frozenset[Any], gold: frozenset[Any], chosen: Callable[[Any], bool]
) -> list[float]:
    s, g = frozenset(filter(chosen, system)), frozenset(filter(chosen, gold))
    return [len(g), len(s), len(g & s)]
