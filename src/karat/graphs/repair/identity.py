"""Repairs for metrics that know a node by what it is anchored to, not by a correspondence.

Nodes of both graphs that are known by the same are partners, and steps are found as under any
correspondence. What a step changes is counted by what is compared: several nodes may be known by
the same, so that two edges are one item, which goes with the first step that is about it. The sum
over all steps is exact; what some of them gain together is an estimate, unless it `adds_up`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cache, cached_property, partial
from typing import NamedTuple, TypeAlias

from karat.core.repairs import Changes
from karat.graphs.matching.tuples import Tuples
from karat.graphs.model import Anchor, Graph
from karat.graphs.repair.item import Columns, GraphRepair, changed_row
from karat.graphs.repair.steps import Element, Rest, Side, Step, Tuple, unequal

UNCOUNTED = -1
"""The kind of parts that are repaired but not counted."""
Anchored: TypeAlias = Callable[[str | None, tuple[Anchor, ...]], Hashable]


Numbers: TypeAlias = dict[Hashable, int]
"""Items, and how often each is there."""


class Placed(NamedTuple):
    """A part of a graph that a metric compares."""

    ends: tuple[int, ...]
    """Positions of one node, or of two."""
    kind: int
    key: Hashable
    element: Element


class Known(NamedTuple):
    """One graph as a metric compares it."""

    graph: Graph
    identity: Sequence[Hashable]
    """What each node is known by."""
    parts_of: Callable[[Rest], Sequence[Placed]]
    """The parts of the graph, or of what is left of it."""
    several: bool = False
    """Whether what occurs twice counts twice."""

    def item(self, each: Tuple) -> Hashable:
        """What is compared in place of a tuple."""
        *ends, kind, key = each
        return (*[self.identity[end] for end in ends], kind, key)

    def items(self, parts: Sequence[Placed]) -> Numbers:
        identity = self.identity
        found: list[Hashable] = []
        for ends, kind, key, _ in parts:
            if kind == UNCOUNTED:
                continue
            if len(ends) == 1:
                found.append((identity[ends[0]], kind, key))
            else:
                found.append((identity[ends[0]], identity[ends[1]], kind, key))
        return Counter(found) if self.several else dict.fromkeys(found, 1)

    def side(self, parts: Sequence[Placed]) -> Side:
        features = [part for part in parts if len(part.ends) == 1]
        links = [part for part in parts if len(part.ends) == 2]
        tuples = Tuples(
            [node.id for node in self.graph.nodes],
            [(*part.ends, part.kind, part.key) for part in features],  # type: ignore[misc]
            [(*part.ends, part.kind, part.key) for part in links],  # type: ignore[misc]
        )
        return Side.of(tuples, [part.element for part in (*features, *links)])


class IdentityRepair(GraphRepair):
    """The steps between two graphs; without `nodes`, a node is there where an edge needs it.

    `steady`: no step changes what a node is known by. With `whole`, parts that are alike are there,
    too.
    """

    def __init__(
        self,
        system: Known,
        gold: Known,
        columns: Columns,
        *,
        nodes: bool,
        steady: bool,
        whole: bool,
    ) -> None:
        mapping = partners(gold, system)
        if not nodes:
            free = len(system.identity)
            for i, partner in enumerate(mapping):
                if partner < 0:
                    mapping[i], free = free, free + 1
        if whole:
            rests = Rest.whole(system.graph), Rest.whole(gold.graph)
        else:
            rests = unequal(system.graph, gold.graph, mapping, (system.identity, gold.identity))
        graphs = system.graph, gold.graph
        self._sides = [(gold, gold.parts_of(rests[1])), (system, system.parts_of(rests[0]))]
        self._is_steady = steady and _reading(graphs[0]) == _reading(graphs[1])
        theirs, ours = (known.side(parts) for known, parts in self._sides)
        super().__init__(graphs, (ours, theirs), mapping, columns, nodes_count=nodes)

    @cached_property
    def _differing(self) -> tuple[Numbers, Numbers]:
        """The items that are missing and surplus, with their numbers."""
        theirs, ours = (known.items(parts) for known, parts in self._sides)
        return _without(theirs, ours), _without(ours, theirs)

    def changes(self) -> list[Changes]:
        missing, surplus = (each.copy() for each in self._differing)
        (gold, _), (system, _) = self._sides
        return [_changes(step, gold, system, missing, surplus, self.columns) for step in self.steps]

    @cached_property
    def adds_up(self) -> bool:
        """Whether any steps together change as much as the sum of what each changes alone.

        So it is where each part that is added or taken away is an item of its own.
        """
        if not self._is_steady:
            return False
        parts = [0, 0]
        for step in self.steps:
            for side, found in enumerate((step.missing, step.surplus)):
                parts[side] += len([each for each in found if each[-2] != UNCOUNTED])
        return parts == [sum(items.values()) for items in self._differing]


def _without(ones: Numbers, others: Numbers) -> Numbers:
    """The items that are left, with their numbers."""
    left = {each: number - others.get(each, 0) for each, number in ones.items()}
    return {each: number for each, number in left.items() if number > 0}


def _reading(graph: Graph) -> tuple[str | None, str | None]:
    """What anchors and labels are read by."""
    return graph.input, graph.framework


def partners(gold: Known, system: Known) -> list[int]:
    """The system's node for each of gold: one that is known by the same, or -1.

    Of several, those with the same label and both with or both without anchors come first.
    """
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for j, identity in enumerate(system.identity):
        waiting[identity].append(j)
    result = [-1] * len(gold.identity)
    theirs, ours = _looks(gold.graph), _looks(system.graph)
    for alike in (True, False):
        for i, identity in enumerate(gold.identity):
            if result[i] >= 0:
                continue
            for j in waiting.get(identity, ()):
                if not alike or theirs[i] == ours[j]:
                    result[i] = j
                    waiting[identity].remove(j)
                    break
    return result


def _looks(graph: Graph) -> list[tuple[str, bool]]:
    return [((node.label or "").lower(), bool(node.anchors)) for node in graph.nodes]


def places(system: Graph, gold: Graph, anchored: Anchored) -> list[list[Hashable]]:
    """What the nodes of both graphs are anchored to; `anchored` tells it in a text.

    The two have many anchors in common, which are looked at once.
    """
    ours = cache(partial(anchored, system.input))
    theirs = ours if gold.input == system.input else cache(partial(anchored, gold.input))
    return [
        [place(node.anchors) for node in graph.nodes]
        for graph, place in ((system, ours), (gold, theirs))
    ]


def _changes(
    step: Step,
    gold: Known,
    system: Known,
    missing: Numbers,
    surplus: Numbers,
    columns: Columns,
) -> Changes:
    kinds: list[tuple[int, ...]] = []
    for side, tuples, left in ((gold, step.missing, missing), (system, step.surplus, surplus)):
        own = []
        for each in tuples:
            item = side.item(each)
            if left.get(item, 0) > 0:
                left[item] -= 1
                own.append(each[-2])
        kinds.append(tuple(own))
    return changed_row(columns, kinds[0], kinds[1])
