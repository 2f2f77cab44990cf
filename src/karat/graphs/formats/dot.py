"""Graphviz' DOT language, for those who want to lay out graphs with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import IO, Annotated

from karat.core.format import Format
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.rules.drg import kinds

_SHAPES = {"box": "square", "node": "oval", "role": "diamond", "condition": "triangle"}
_TABLE = '<table align="center" border="0" cellspacing="0">'


class Dot(Format):
    """One digraph per graph; nodes are tables of label, anchors and properties.

    In discourse representation graphs boxes, roles and conditions have shapes of
    their own. A node with nothing to show is a point.
    """

    name = "dot"
    kind = "graph"
    writing = frozenset({"ids", "strings"})

    def __init__(
        self,
        *,
        ids: Annotated[bool, "show the ids of nodes"] = False,
        strings: Annotated[bool, "show the text that nodes are anchored to"] = False,
    ) -> None:
        self.ids = ids
        self.strings = strings

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in values:
            stream.write("\n".join(self._lines(graph)).encode() + b"\n\n")

    def _lines(self, graph: Graph) -> Iterator[str]:
        kind = kinds(graph) if graph.framework == "drg" else {}
        yield f"digraph {_quoted(graph.id)} {{"
        yield "  top [ style=invis ];"
        for top in graph.tops:
            yield f"  top -> {top};"
        for node in graph.nodes:
            rows = "".join(self._rows(node, graph.input))
            shape = _SHAPES[kind.get(node.id, "node")]
            if rows:
                yield f"  {node.id} [ shape={shape}, label=<{_TABLE}{rows}</table>> ];"
            elif shape == "oval":
                yield f"  {node.id} [ shape=point, width=0.2 ];"
            else:
                yield f'  {node.id} [ shape={shape}, label="" ];'
            for edge in graph.outgoing[node.id]:
                yield _edge(edge)
        yield "}"

    def _rows(self, node: Node, text: str | None) -> Iterator[str]:
        if self.ids:
            yield f'<tr><td colspan="2">#{node.id}</td></tr>'
        if node.label is not None:
            yield f'<tr><td colspan="2"><font>{_html(node.label)}</font></td></tr>'
        if node.anchors:
            if self.strings and text is not None:
                shown = ",&nbsp;".join(
                    f'<font face="Courier">{_html(text[a.start : a.end])}</font>'
                    for a in node.anchors
                )
            else:
                shown = "&thinsp;".join(f"〈{a.start}:{a.end}〉" for a in node.anchors)
            yield f'<tr><td colspan="2">{shown}</td></tr>'
        for name, value in zip(node.properties, node.values, strict=False):
            yield (
                '<tr><td sides="l" border="1" align="left">'
                f'<font color="black">{_html(name)}</font></td>'
                '<td sides="r" border="1" align="left">'
                f'<font color="black">{_html(str(value))}</font></td></tr>'
            )


def _html(text: str) -> str:
    return escape(text, quote=False)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _edge(edge: Edge) -> str:
    text = edge.label
    if edge.normal is not None:
        text = f"({edge.normal})-of" if text == f"{edge.normal}-of" else f"{text} ({edge.normal})"
    arrow = f"  {edge.source} -> {edge.target}"
    if edge.attributes:
        rows = [text or "", *edge.attributes]
        table = "".join(f'<tr><td colspan="1">{_html(row)}</td></tr>' for row in rows if row)
        return f"{arrow} [ label=<{_TABLE}{table}</table>>, style=dashed ];"
    return f"{arrow} [ label={_quoted(text)} ];" if text is not None else f"{arrow};"
