"""Graphs as PENMAN notation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.graphs.amr.penman import quoted
from karat.graphs.errors import cannot_hold
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.normalize import uninverted

# A colon outside of quotes begins a role for other readers.
_BARE_VALUE = re.compile(r"[-+]|[-+]?[0-9]+(?:[.,][0-9]+)*|interrogative|imperative|expressive")
_BARE_CONCEPT = re.compile(r'[^\s()":/~]+')
_DEEPEST_SHOWN = 40
"""Levels that are set in; with all of them the text would grow with the square of the depth."""
_ROLE = re.compile(r"[^\s()~]*")


def penman_of(graph: Graph, names: dict[int, str] | None = None) -> str:
    """The graph in PENMAN notation with its comments; one that is not connected is an error.

    `names` are the variables to use, by node.
    """
    if not graph.nodes:
        raise cannot_hold(graph, "PENMAN", "it is empty")
    if len(graph.tops) > 1:
        raise cannot_hold(graph, "PENMAN", f"it has {len(graph.tops)} tops")
    if re.search(r"\s", graph.id) or not graph.id:
        raise cannot_hold(graph, "PENMAN", "its id is empty or has blanks in it")
    lines = [f"# ::id {graph.id}"]
    if graph.input is not None:
        lines.append("# ::snt " + " ".join(graph.input.split("\n")))
    top = graph.tops[0] if graph.tops else _root(graph)
    plan = _in_node_order(graph, top) or _depth_first(graph, top)
    if plan is None:
        raise cannot_hold(graph, "PENMAN", "it is not connected")
    return "\n".join([*lines, *_lines(graph, top, plan, names or _variables(graph))]) + "\n"


def _root(graph: Graph) -> int:
    """The node to begin with where no top is given."""
    return next((node.id for node in graph.nodes if not graph.incoming[node.id]), graph.nodes[0].id)


class _Plan:
    """Under which edge each node is written, and the edges of each node in order."""

    def __init__(self, graph: Graph) -> None:
        self.introduced_by: dict[int, int] = {}
        self.roles: dict[int, list[tuple[int, str, int]]] = {node.id: [] for node in graph.nodes}


def _in_node_order(graph: Graph, top: int) -> _Plan | None:
    """A plan in which nodes come in their own order, if edges as they are allow it."""
    order = [node.id for node in graph.nodes]
    if order[0] != top:
        return None
    plan = _Plan(graph)
    following = 1
    stack: list[Iterator[Edge]] = [iter(graph.outgoing[top])]
    number = 0
    while stack:
        edge = next(stack[-1], None)
        if edge is None:
            stack.pop()
            continue
        number += 1
        plan.roles[edge.source].append((number, edge.label or "", edge.target))
        if following < len(order) and order[following] == edge.target:
            following += 1
            plan.introduced_by[edge.target] = number
            stack.append(iter(graph.outgoing[edge.target]))
    return plan if following == len(order) else None


def _depth_first(graph: Graph, top: int) -> _Plan | None:
    """A plan that turns edges around where nodes cannot be reached otherwise."""
    plan = _Plan(graph)
    written: set[int] = set()
    seen = {top}
    number = 0
    stack: list[Iterator[Edge]] = [iter(graph.outgoing[top])]
    nodes = [top]
    while len(seen) < len(graph.nodes) or stack:
        if not stack:
            # All that edges lead to is there: go on with one that leads to it.
            found = next(
                (edge for edge in graph.edges if edge.target in seen and edge.source not in seen),
                None,
            )
            if found is None:
                return None
            stack, nodes = [iter([found])], [found.target]
        edge = next(stack[-1], None)
        if edge is None:
            stack.pop()
            nodes.pop()
            continue
        if id(edge) in written:
            continue
        written.add(id(edge))
        here = nodes[-1]
        number += 1
        other, label = edge.target, edge.label or ""
        if edge.source != here:
            other, label = edge.source, _inverse(label)
        plan.roles[here].append((number, label, other))
        if other not in seen:
            seen.add(other)
            plan.introduced_by[other] = number
            stack.append(iter(graph.outgoing[other]))
            nodes.append(other)
    return plan


def _inverse(label: str) -> str:
    """The role that says the same from the other end.

    >>> _inverse("ARG0"), _inverse("ARG0-of"), _inverse("consist-of")
    ('ARG0-of', 'ARG0', 'consist-of-of')
    """
    turned = label.endswith("-of") and uninverted(label) is not None
    return label[:-3] if turned else f"{label}-of"


def _lines(graph: Graph, top: int, plan: _Plan, names: dict[int, str]) -> Iterator[str]:
    line = _head(graph.node_of[top], names, graph)
    stack = [iter(plan.roles[top])]
    while stack:
        role = next(stack[-1], None)
        if role is None:
            stack.pop()
            line += ")"
            continue
        number, label, target = role
        if not _ROLE.fullmatch(label):
            raise cannot_hold(graph, "PENMAN", f"{label!r} cannot be a role")
        yield line
        line = "      " * min(len(stack), _DEEPEST_SHOWN) + f":{label} "
        if plan.introduced_by.get(target) == number:
            line += _head(graph.node_of[target], names, graph)
            stack.append(iter(plan.roles[target]))
        else:
            line += names[target]
    yield line


def _head(node: Node, names: dict[int, str], graph: Graph) -> str:
    text = f"({names[node.id]}"
    if node.label is not None:
        bare = _BARE_CONCEPT.fullmatch(node.label)
        text += " / " + (node.label if bare else quoted(node.label))
    for name, value in zip(node.properties, node.values, strict=False):
        if not _ROLE.fullmatch(name):
            raise cannot_hold(graph, "PENMAN", f"{name!r} cannot be a role")
        shown = str(value)
        text += f" :{name} " + (shown if _BARE_VALUE.fullmatch(shown) else quoted(shown))
    return text


def _variables(graph: Graph) -> dict[int, str]:
    """Names as annotators give them: the first letter of the concept, and a number if taken."""
    counts: dict[str, int] = {}
    result = {}
    for node in graph.nodes:
        first = (node.label or "x")[:1].lower()
        letter = first if "a" <= first <= "z" else "x"
        counts[letter] = counts.get(letter, 0) + 1
        result[node.id] = letter if counts[letter] == 1 else f"{letter}{counts[letter]}"
    return result
