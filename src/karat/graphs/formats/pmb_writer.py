"""Graphs as clauses of the Parallel Meaning Bank."""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.graphs.drs.rules import CONDITIONS, MEMBER, OPERATORS, Kind, kinds
from karat.graphs.errors import cannot_hold
from karat.graphs.model import Edge, Graph, Node


def clauses_of(graph: Graph) -> str:
    """The header and the clauses; roles may be edges or nodes of their own."""
    lines = [*_header(graph), *_Clauses(graph).lines()]
    return "\n".join(lines) + "\n\n"


def _header(graph: Graph) -> Iterator[str]:
    if re.fullmatch(r"\d{6}", graph.id):
        yield "%%% Clauses written by karat"
        yield f"%%% bin/boxer --input out/p{graph.id[:2]}/d{graph.id[2:]}/en.parse.xml"
    else:
        if not re.fullmatch(r"\S+", graph.id):
            raise cannot_hold(graph, "PMB", "its id is empty or has blanks in it")
        yield f"%%% ::id {graph.id}"
    if graph.input is not None:
        if "\n" in graph.input:
            raise cannot_hold(graph, "PMB", "its input has several lines")
        yield f"%%% '{graph.input}'"


class _Clauses:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds: dict[int, Kind] = kinds(graph)
        self.names = self._names()
        self.box_of: dict[int, int] = {}
        for edge in graph.edges:
            if edge.label == MEMBER:
                self.box_of.setdefault(edge.target, edge.source)
        self.anchored: set[int] = set()

    def _names(self) -> dict[int, str]:
        names = {}
        boxes = referents = 0
        for node in self.graph.nodes:
            kind = self.kinds[node.id]
            if kind == "box":
                boxes += 1
                names[node.id] = f"b{boxes}"
            elif node.label is not None and node.label.startswith('"'):
                names[node.id] = node.label
            else:
                referents += 1
                names[node.id] = f"x{referents}"
        return names

    def lines(self) -> Iterator[str]:
        """In the order of the edges, so that reading finds nodes in their order."""
        defined: set[int] = set()
        for edge in self.graph.edges:
            yield from self._clause(edge)
            for end in (edge.source, edge.target):
                if end not in defined and self.kinds[end] == "node":
                    defined.add(end)
                    yield from self._concept(self.graph.node_of[end])
        touched = {end for edge in self.graph.edges for end in (edge.source, edge.target)}
        for node in self.graph.nodes:
            if node.id not in touched:
                raise cannot_hold(self.graph, "PMB", f"node {node.id} has no edges")

    def _clause(self, edge: Edge) -> Iterator[str]:
        if re.search(r"\s", edge.label or ""):
            raise cannot_hold(self.graph, "PMB", f"the label {edge.label!r} has blanks in it")
        source, target = self.kinds[edge.source], self.kinds[edge.target]
        names = self.names
        if edge.label == MEMBER:
            if source != "box":
                raise cannot_hold(
                    self.graph, "PMB", f"node {edge.source} has members, but is no box"
                )
            if target == "node":
                comment = self._comment(self.graph.node_of[edge.target])
                yield f"{names[edge.source]} REF {names[edge.target]}{comment}"
        elif source == target == "box":
            if not edge.label:
                raise cannot_hold(self.graph, "PMB", "an edge between boxes has no label")
            yield f"{names[edge.source]} {edge.label} {names[edge.target]}"
        elif edge.label is not None:
            yield self._role(self._box(edge.source), edge.label, edge.source, edge.target)
        elif target in ("role", "condition"):
            (onward,) = self.graph.outgoing[edge.target]
            node = self.graph.node_of[edge.target]
            box = self.box_of.get(edge.target)
            if source == "box" and box is None:
                raise cannot_hold(self.graph, "PMB", f"the role {node.label!r} of a box is in none")
            yield self._role(
                self._box(edge.source) if box is None else names[box],
                str(node.label),
                edge.source,
                onward.target,
            )
        elif source not in ("role", "condition"):
            raise cannot_hold(self.graph, "PMB", "an edge between referents has no label")

    def _role(self, box: str, label: str, source: int, target: int) -> str:
        name = OPERATORS.get(label, label)
        if name == label and not re.fullmatch(r"[A-Z]\S*", label):
            raise cannot_hold(self.graph, "PMB", f"{label!r} is no role")
        if self.kinds[source] == "box" and not self._is_told(source, name):
            raise cannot_hold(self.graph, "PMB", f"{label!r} joins a box and a referent")
        comments = [
            self._comment(self.graph.node_of[end])
            for end in (source, target)
            if self.names[end].startswith('"') and end not in self.anchored
        ]
        self.anchored.update((source, target))
        comment = comments[0] if comments else ""
        return f"{box} {name} {self.names[source]} {self.names[target]}{comment}"

    def _is_told(self, box: int, role: str) -> bool:
        """Whether a reader can tell the source of a role for a box, and its target for none."""
        edges = (*self.graph.outgoing[box], *self.graph.incoming[box])
        known = any(
            edge.label == MEMBER or self.kinds[edge.source] == self.kinds[edge.target] == "box"
            for edge in edges
        )
        return known and (role in CONDITIONS or not role.isupper())

    def _box(self, node: int) -> str:
        """The box of a referent; roles of constants go with the first box."""
        if node in self.box_of:
            return self.names[self.box_of[node]]
        first = next((n for n, kind in self.kinds.items() if kind == "box"), None)
        if first is None:
            raise cannot_hold(self.graph, "PMB", "it has no box")
        return self.names[first]

    def _concept(self, node: Node) -> Iterator[str]:
        sense = node.property("sense")
        if node.label is None or node.label.startswith('"'):
            return
        if sense is None or re.search(r"\s", node.label):
            raise cannot_hold(self.graph, "PMB", f"node {node.id} has a label but no sense")
        name = self.names[node.id]
        yield f'{self._box(node.id)} {node.label} "{sense}" {name}{self._comment(node)}'

    def _comment(self, node: Node) -> str:
        if not node.anchors:
            return ""
        text = self.graph.input or ""
        shown = (
            f"{text[each.start : each.end].replace('%', '') or '_'} [{each.start}...{each.end}]"
            for each in node.anchors
        )
        return " % " + " ".join(shown)
