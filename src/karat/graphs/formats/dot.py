"""Graphviz' DOT language, for those who want to lay out graphs with it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from html import escape
from typing import IO, Annotated

from karat.core.format import Format
from karat.graphs.drs.rules import kinds
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.pictures.marked import (
    MarkedGraph,
    Part,
    Record,
    Records,
    Side,
    SystemNode,
    as_compared,
    overlay_of,
    with_normal,
)

_SHAPES = {"box": "square", "node": "oval", "role": "diamond", "condition": "triangle"}
_COLOURS: dict[Side, str] = {"": "", "missing": "red", "surplus": "blue"}
_STYLES: dict[Side, str] = {"missing": "dashed", "surplus": "dotted"}
_SIGNS: dict[Side, str] = {"missing": "-", "surplus": "+"}
_TABLE = '<table align="center" border="0" cellspacing="0">'


class Dot(Format):
    """One digraph per graph; nodes are tables of label, anchors and properties.

    In discourse representation graphs boxes, roles and conditions have shapes of
    their own. A node with nothing to show is a point.
    """

    name = "dot"
    kind = "graph"
    writing = frozenset({"ids", "strings", "errors"})

    ids: Annotated[bool, "show the ids of nodes"] = False
    strings: Annotated[bool, "show the text that nodes are anchored to"] = False
    errors: Annotated[str, "a file of errors: what is missing in red, what is surplus in blue"] = ""

    def __post_init__(self) -> None:
        self.records = Records(self.errors) if self.errors else None

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in values:
            record = self.records.of(graph) if self.records else None
            stream.write(self.text(graph, record).encode() + b"\n")

    def text(self, graph: Graph, record: Record | None = None, broken: bool = False) -> str:
        """One graph, with what a record says is wrong; `broken` lines tell it without colours."""
        lines = self._lines(graph) if record is None else self._marked(graph, record, broken)
        return "\n".join(lines) + "\n"

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

    def _marked(self, graph: Graph, record: Record, broken: bool) -> Iterator[str]:
        """The gold graph with what a system got wrong in colours."""
        gold = as_compared(graph, record)
        found = overlay_of(gold, record, words=self.strings)
        edges = list(found.edges())
        yield f"digraph {_quoted(graph.id)} {{"
        yield "  top [ style=invis ];"
        for part, mark in found.parts:
            if part.look == "top":
                yield f"  top -> {_name(part.nodes[0])}" + _list(_look(mark, broken)) + ";"
        for node, side in found.nodes.items():
            number = _name(node)
            rows = "".join(self._marked_rows(node, found, gold, broken))
            # Colour alone would say of a missing node no more than its parts do.
            look = "".join(f", {e}" for e in _look(side, broken) if broken or side != "missing")
            if rows:
                yield f"  {number} [ shape=oval{look}, label=<{_TABLE}{rows}</table>> ];"
            else:
                yield f"  {number} [ shape=point{look}, width=0.2 ];"
            for part, mark, attributes in edges:
                if part.nodes[0] == node:
                    yield _marked_edge(part, mark, attributes, broken)
        yield "}"

    def _marked_rows(
        self, node: Hashable, found: MarkedGraph, gold: Graph, broken: bool
    ) -> Iterator[str]:
        if self.ids:
            yield f'<tr><td colspan="2">#{found.names[node]}</td></tr>'
        for part, mark in found.of(node, "label"):
            yield f'<tr><td colspan="2">{_font(part.text, mark, broken)}</td></tr>'
        known = None if isinstance(node, SystemNode) else gold.node_of.get(node)  # type: ignore[call-overload]
        if known is not None and known.anchors:
            yield f'<tr><td colspan="2">{self._shown_anchors(known, gold.input)}</td></tr>'
        for part, mark in found.of(node, "anchor"):
            shown = _font(part.text, mark, broken).replace("\u2009", "&thinsp;")
            yield f'<tr><td colspan="2">{shown}</td></tr>'
        for part, mark in found.of(node, "property"):
            _, (_, name, value) = part.said
            yield _pair(_signed(str(name), mark, broken), str(value), _COLOURS[mark] or "black")

    def _rows(self, node: Node, text: str | None) -> Iterator[str]:
        if self.ids:
            yield f'<tr><td colspan="2">#{node.id}</td></tr>'
        if node.label is not None:
            yield f'<tr><td colspan="2">{_font(node.label, "")}</td></tr>'
        if node.anchors:
            shown = self._shown_anchors(node, text)
            yield f'<tr><td colspan="2">{shown}</td></tr>'
        for name, value in zip(node.properties, node.values, strict=False):
            yield _pair(name, str(value), "black")

    def _shown_anchors(self, node: Node, text: str | None) -> str:
        if self.strings and text is not None:
            return ",&nbsp;".join(
                _in_font(text[a.start : a.end], ' face="Courier"') for a in node.anchors
            )
        return "&thinsp;".join(f"\u2329{a.start}:{a.end}\u232a" for a in node.anchors)


def _pair(name: str, value: str, colour: str) -> str:
    look = f' color="{colour}"'
    return (
        f'<tr><td sides="l" border="1" align="left">{_in_font(name, look)}</td>'
        f'<td sides="r" border="1" align="left">{_in_font(value, look)}</td></tr>'
    )


def _font(text: str, mark: Side, broken: bool = False) -> str:
    colour = f' color="{_COLOURS[mark]}"' if mark else ""
    return _in_font(_signed(text, mark, broken), colour)


def _in_font(text: str, look: str) -> str:
    """A text in a font; none where there is no text, which Graphviz would not read."""
    return f"<font{look}>{_html(text)}</font>" if text else ""


def _signed(text: str, mark: Side, broken: bool) -> str:
    """Where colours are not to tell it alone, a sign before the text does."""
    return f"{_SIGNS[mark]} {text}" if mark and broken else text


def _html(text: str) -> str:
    return escape(text, quote=False)


def _quoted(text: str) -> str:
    """A string of DOT; in those, too, Graphviz looks for entities."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped.replace("&", "&amp;")}"'


def _edge(edge: Edge) -> str:
    """The statement of an edge."""
    attributes: list[tuple[str, Side]] = [(name, "") for name in edge.attributes]
    return _statement(str(edge.source), str(edge.target), with_normal(edge), attributes)


def _marked_edge(
    part: Part, mark: Side, attributes: Sequence[tuple[Part, Side]], broken: bool
) -> str:
    """The statement of an edge; what is wrong with its attributes stands in their own colours."""
    text = None if part.edge is None else part.text
    names = [(each.text, side) for each, side in attributes]
    source, target = map(_name, part.nodes)
    return _statement(source, target, text, names, mark, broken)


def _statement(
    source: str,
    target: str,
    text: str | None,
    attributes: Sequence[tuple[str, Side]],
    mark: Side = "",
    broken: bool = False,
) -> str:
    look = _look(mark, broken)
    if mark:
        look.insert(1, f"fontcolor={_COLOURS[mark]}")
    if attributes:
        rows = [_html(text)] if text else []
        rows += [_font(name, each, broken) if each else _html(name) for name, each in attributes]
        table = "".join(f'<tr><td colspan="1">{row}</td></tr>' for row in rows)
        parts = [f"label=<{_TABLE}{table}</table>>", *([] if broken else ["style=dashed"]), *look]
    else:
        parts = [*([] if text is None else [f"label={_quoted(text)}"]), *look]
    return f"  {source} -> {target}{_list(parts)};"


def _name(node: Hashable) -> str:
    """The name of a node: gold's by their ids, those of the system alone from -1 downwards."""
    return str(-1 - node.number) if isinstance(node, SystemNode) else str(node)


def _look(mark: Side, broken: bool) -> list[str]:
    """Colour, and where lines are to tell by themselves how they are broken."""
    if not mark:
        return []
    return [f"color={_COLOURS[mark]}", *([f"style={_STYLES[mark]}"] if broken else [])]


def _list(parts: Sequence[str]) -> str:
    return f" [ {', '.join(parts)} ]" if parts else ""
