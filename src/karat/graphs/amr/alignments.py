"""Overlay graphs: which tokens the parts of an AMR graph are aligned to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from karat.core.files.opener import Source
from karat.errors import FormatError, Place
from karat.graphs.model import Anchor, Edge, Graph, Node

Path: TypeAlias = tuple[str, ...]
_LINE = re.compile(r"(\S+(?: :\S+)*)\t(\d{1,9})-(\d{1,9})\s*")


def read_alignments(path: str) -> dict[str, list[tuple[Path, Anchor]]]:
    """Blocks of ``variable[ :role]<TAB>first-last`` by the id in their comment."""
    source = Source(path)
    result: dict[str, list[tuple[Path, Anchor]]] = {}
    current: list[tuple[Path, Anchor]] | None = None
    for number, line in source.lines():
        if match := re.match(r"#\s*::id\s+(\S+)", line):
            current = result.setdefault(match[1], [])
        elif not line.strip():
            current = None
        elif not line.startswith("#"):
            match = _LINE.fullmatch(line)
            if match is None:
                raise FormatError(
                    "expected a variable, roles, a tab and first-last",
                    code="K125",
                    place=Place(source.name, number),
                )
            if current is not None:
                anchor = Anchor(int(match[2]), int(match[3]) + 1)
                current.append((tuple(match[1].split(" ")), anchor))
    return result


def overlay_of(
    graph: Graph, variables: Sequence[str], alignment: Sequence[tuple[Path, Anchor]]
) -> tuple[Graph, list[str]]:
    """The graph of anchors (flavor -1), and what could not be placed in it."""
    number = {variable: i for i, variable in enumerate(variables)}
    anchors: dict[int, list[Anchor]] = {}
    anchorings: dict[int, list[tuple[str, Anchor]]] = {}
    edges: list[Edge] = []
    notes = []
    direct = [each for each in alignment if len(each[0]) == 1]
    for path, anchor in (*direct, *(each for each in alignment if len(each[0]) > 1)):
        variable, roles = path[0], [role.removeprefix(":") for role in path[1:]]
        node = number.get(variable)
        if roles == ["wiki"]:
            continue
        if node is None or len(roles) > 1:
            notes.append(f"graph {graph.id!r}: the alignment of {' '.join(path)!r} has no place")
        elif not roles:
            anchors.setdefault(node, []).append(anchor)
        elif roles[0] in graph.node_of[node].properties:
            anchorings.setdefault(node, []).append((roles[0], anchor))
        elif found := [edge for edge in graph.outgoing[node] if edge.label == roles[0]]:
            edges.append(Edge(-1, -1, None, found[0].id, anchors=(anchor,)))
        else:
            notes.append(f"graph {graph.id!r}: the alignment of {' '.join(path)!r} has no place")
    nodes = tuple(
        Node(
            node,
            None,
            tuple(name for name, _ in anchorings.get(node, ())),
            (),
            tuple(anchors.get(node, ())),
            tuple((anchor,) for _, anchor in anchorings.get(node, ())),
        )
        for node in dict.fromkeys((*anchors, *anchorings))
    )
    return Graph(graph.id, -1, "anchoring", nodes=nodes, edges=tuple(edges)), notes
