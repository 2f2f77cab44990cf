"""The edits of one pair of graphs, in words and classes, and the graph that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, TypeAlias

from karat.core.repairs import (
    GOLD_PART,
    NODE,
    SYSTEM_PART,
    Changes,
    Drawn,
    Edit,
    confusion,
    unclassed,
)
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.repair.applying import Editing, applied
from karat.graphs.repair.steps import Element, Side, Step, Tuple, steps_between

Columns: TypeAlias = Callable[[int], Sequence[str]]
"""The beginnings of the columns in which parts of a kind are counted."""

PARTITIONS = ("edge-label", "label", "pos", "length", "frame")
"""How steps of graphs can be divided into classes, besides their kinds."""


class GraphRepair:
    """The steps from a system's graph to gold."""

    def __init__(
        self,
        graphs: tuple[Graph, Graph],
        sides: tuple[Side, Side],
        mapping: Sequence[int],
        columns: Columns,
        describe: Callable[[int, Any], str] | None = None,
        *,
        item: Any = None,
        is_overlaid: bool = False,
        nodes_count: bool = True,
    ) -> None:
        self.system, self.gold = graphs
        self.item = self.system if item is None else item
        """What the system's graph was read from."""
        self.is_overlaid = is_overlaid
        """Whether drawings show the nodes of gold, and then those that the system alone has."""
        self.ours, self.theirs = sides
        self.mapping = mapping
        self.columns = columns
        self.describe = describe
        self.nodes_count = nodes_count
        """Whether nodes are parts; else they are there as soon as an edge needs them."""

    @cached_property
    def steps(self) -> list[Step]:
        return steps_between(self.theirs, self.ours, self.mapping, nodes=self.nodes_count)

    def changes(self) -> list[Changes]:
        """What each step adds to the columns of a row."""
        return [
            changed_row(
                self.columns,
                tuple([each[-2] for each in step.missing]),
                tuple([each[-2] for each in step.surplus]),
            )
            for step in self.steps
        ]

    def edits(self, partition: str) -> list[Edit]:
        """The steps as edits, with their classes."""
        result = []
        for step, changed in zip(self.steps, self.changes(), strict=True):
            kind, missing, surplus = step.kind, step.missing, step.surplus
            result.append(
                Edit(
                    kind,
                    kind if partition == "kind" else self._class(step, partition),
                    changed,
                    _told(surplus, self.ours, self.system),
                    _told(missing, self.theirs, self.gold),
                    len(missing) + len(surplus),
                )
            )
        return result

    def editing(self) -> Editing:
        """The system's graph, to be changed."""
        return Editing(self.system, self.gold, self.mapping, nodes_count=self.nodes_count)

    def apply(self, chosen: Collection[int]) -> Any:
        """The system's graph after the steps with these numbers."""
        if not chosen:
            return self.item
        return applied(self.editing(), self.theirs, self.ours, self.steps, chosen)

    # -- drawings --------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> dict[int, int]:
        """Where the system's nodes are in a drawing of both graphs."""
        found = {j: i for i, j in enumerate(self.mapping) if j >= 0}
        alone = [j for j in range(len(self.system.nodes)) if j not in found]
        return found | {j: len(self.gold.nodes) + k for k, j in enumerate(alone)}

    def drawn(self) -> list[list[Drawn]]:
        """The parts of a drawing of both graphs that each step changes."""
        return [self._drawn(step) if self.is_overlaid else [] for step in self.steps]

    def _drawn(self, step: Step) -> list[Drawn]:
        """The nodes of a drawing, and what either side has at nodes and edges, of a step."""
        result = []
        if step.part == "node":
            places = step.nodes
            if step.action != "add":
                places = tuple([self._places[node] for node in step.nodes])
            result = [Drawn(NODE, place) for place in places]
        for each in step.missing:
            result += _drawn_parts(GOLD_PART, each, self.theirs, self.gold, each[:-2])
        for each in step.surplus:
            ends = tuple([self._places[end] for end in each[:-2]])
            result += _drawn_parts(SYSTEM_PART, each, self.ours, self.system, ends)
        return result

    # -- classes ---------------------------------------------------------------------------------

    def _class(self, step: Step, partition: str) -> str:
        ours, theirs = self._named(step)
        if partition == "edge-label":
            if step.part != "edge":
                return unclassed(step.kind)
            moved = step.action == "reattach"
            return confusion(_label(ours), _label(theirs), moved=moved)
        if partition == "label":
            if step.part not in ("label", "node"):
                return unclassed(step.kind)
            return confusion(_label(ours), _label(theirs))
        if partition == "length":
            return self._length(step)
        if partition not in PARTITIONS:
            return self._facet(step, partition)
        node = self._node(step)
        value = None if node is None else node.property("pos" if partition == "pos" else "frame")
        return unclassed(step.kind) if value is None else str(value)

    def _named(self, step: Step) -> tuple[Node | Edge | None, Node | Edge | None]:
        """The edge or node of either side that a step is about."""
        if step.part == "node":
            if step.action == "add":
                return None, self.gold.nodes[step.nodes[0]]
            return self.system.nodes[step.nodes[0]], None
        ours = _thing(self.ours.elements[step.surplus[0]][0], self.system) if step.surplus else None
        theirs = (
            _thing(self.theirs.elements[step.missing[0]][0], self.gold) if step.missing else None
        )
        return ours, theirs

    def _node(self, step: Step) -> Node | None:
        """The node of gold, or else of the system, that a step is about; of an edge its target."""
        for thing, graph in zip(reversed(self._named(step)), (self.gold, self.system), strict=True):
            if thing is not None:
                return graph.node_of[thing.target] if isinstance(thing, Edge) else thing
        return None

    def _facet(self, step: Step, facet: str) -> str:
        """What the tuple of gold, or else of the system, is an instance of."""
        assert self.describe is not None
        found = [*step.missing, *step.surplus]
        if not found:
            return unclassed(step.kind)
        value = self.describe(*found[0][-2:])
        if facet == "tuple":
            return value
        return value.partition(" ")[2] if value.startswith(f"{facet} ") else unclassed(step.kind)

    def _length(self, step: Step) -> str:
        """How many tokens an edge of a bilexical graph spans."""
        if step.part not in ("edge", "attribute") or self.gold.flavor != 0:
            return unclassed(step.kind)
        ours, theirs = self._named(step)
        edge = theirs or ours
        assert isinstance(edge, Edge)
        length = abs(edge.source - edge.target)
        return str(length) if length < 5 else "5-9" if length < 10 else "10-"


@lru_cache(maxsize=1024)
def changed_row(columns: Columns, missing: tuple[int, ...], surplus: tuple[int, ...]) -> Changes:
    """What a step changes in a row, from the kinds of what it adds and takes away."""
    counts: Counter[str] = Counter()
    for column in chain.from_iterable(map(columns, missing)):
        counts[f"{column}.c"] += 1
        counts[f"{column}.s"] += 1
    for column in chain.from_iterable(map(columns, surplus)):
        counts[f"{column}.s"] -= 1
    return tuple((name, float(change)) for name, change in counts.items() if change)


def _told(tuples: Sequence[Tuple], side: Side, graph: Graph) -> str:
    return "; ".join([told(side.elements[each][0], graph) for each in tuples])


def _thing(element: Element, graph: Graph) -> Node | Edge:
    if element.part in ("edge", "attribute"):
        return graph.edges[element.at]
    return graph.nodes[element.at]


def _drawn_parts(
    where: int, each: Tuple, side: Side, graph: Graph, ends: tuple[int, ...]
) -> list[Drawn]:
    """What a tuple stands for, as a drawing has it."""
    result = []
    for element in side.elements[each]:
        thing = _thing(element, graph)
        # An edge may be compared under another name, such as mod as domain.
        text = each[-1] if isinstance(each[-1], str) else thing.label or ""
        if isinstance(thing, Node) and element.part == "property":
            text = f"{element.name} {thing.values[element.place]}"
        elif element.part == "attribute":
            text = element.name
        result.append(Drawn(where, ends[0], ends[1] if len(ends) == 2 else -1, element.part, text))
    return result


def _label(thing: Node | Edge | None) -> str | None:
    return None if thing is None else thing.label or "(none)"


def told(element: Element, graph: Graph) -> str:
    """A part of a graph in words.

    >>> graph = Graph("1", nodes=(Node(0, "bark"), Node(1, "dog")), edges=(Edge(0, 1, "ARG1"),))
    >>> told(Element("edge", 0), graph)
    'bark(0) -ARG1-> dog(1)'
    """
    thing = _thing(element, graph)
    if isinstance(thing, Edge):
        ends = [_node_text(graph.node_of[end]) for end in (thing.source, thing.target)]
        label = thing.label or ""
        if element.part == "attribute":
            label += f" {element.name}={thing.attribute(element.name)}"
        return f"{ends[0]} -{label}-> {ends[1]}"
    where = _node_text(thing)
    if element.part == "top":
        return f"top {where}"
    if element.part == "label":
        return where
    if element.part == "property":
        return f"{where} {element.name}={thing.values[element.place]}"
    spans = ",".join(f"{each.start}:{each.end}" for each in thing.anchors)
    return f"{where} <{spans}>"


def _node_text(node: Node) -> str:
    return f"{node.label or ''}({node.id})"
