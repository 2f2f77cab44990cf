"""Graphviz' DOT language, for those who want to lay out graphs with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import IO, Annotated

from karat.core.format import Format
from karat.graphs.differences import Differences, Mark, Record, Records
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.rules.drg import kinds

_SHAPES = {"box": "square", "node": "oval", "role": "diamond", "condition": "triangle"}
_COLOURS: dict[Mark, str] = {"": "", "missing": "red", "surplus": "blue"}
_STYLES: dict[Mark, str] = {"missing": "dashed", "surplus": "dotted"}
_SIGNS: dict[Mark, str] = {"missing": "-", "surplus": "+"}
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
        found = Differences(graph, record)
        yield f"digraph {_quoted(graph.id)} {{"
        yield "  top [ style=invis ];"
        for top, mark in found.tops:
            yield f"  top -> {top}" + _list(_look(mark, broken)) + ";"
        for number in (*(node.id for node in found.gold.nodes), *found.fresh):
            rows = "".join(self._marked_rows(number, found, broken))
            mark = "surplus" if number < 0 else ""
            if broken and not mark and number not in found.paired:
                mark = "missing"
            look = "".join(f", {each}" for each in _look(mark, broken))
            if rows:
                yield f"  {number} [ shape=oval{look}, label=<{_TABLE}{rows}</table>> ];"
            else:
                yield f"  {number} [ shape=point{look}, width=0.2 ];"
            for edge, mark in found.edges:
                if edge.source == number:
                    yield _edge(edge, mark, found.attributes_of(edge), broken)
        yield "}"

    def _marked_rows(self, number: int, found: Differences, broken: bool) -> Iterator[str]:
        if self.ids:
            yield f'<tr><td colspan="2">#{number}</td></tr>'
        for text, mark in found.labels[number]:
            yield f'<tr><td colspan="2">{_font(text, mark, broken)}</td></tr>'
        node = found.gold.node_of.get(number)
        if node is not None and node.anchors:
            yield f'<tr><td colspan="2">{self._shown_anchors(node, found.gold.input)}</td></tr>'
        for text, mark in found.positions[number]:
            shown = _font(text, mark, broken).replace("\u2009", "&thinsp;")
            yield f'<tr><td colspan="2">{shown}</td></tr>'
        for name, value, mark in found.properties[number]:
            yield _pair(_signed(name, mark, broken), value, _COLOURS[mark] or "black")

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


def _font(text: str, mark: Mark, broken: bool = False) -> str:
    colour = f' color="{_COLOURS[mark]}"' if mark else ""
    return _in_font(_signed(text, mark, broken), colour)


def _in_font(text: str, look: str) -> str:
    """A text in a font; none where there is no text, which Graphviz would not read."""
    return f"<font{look}>{_html(text)}</font>" if text else ""


def _signed(text: str, mark: Mark, broken: bool) -> str:
    """Where colours are not to tell it alone, a sign before the text does."""
    return f"{_SIGNS[mark]} {text}" if mark and broken else text


def _html(text: str) -> str:
    return escape(text, quote=False)


def _quoted(text: str) -> str:
    """A string of DOT; in those, too, Graphviz looks for entities."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped.replace("&", "&amp;")}"'


def _edge(
    edge: Edge,
    mark: Mark = "",
    attributes: Sequence[tuple[str, Mark]] = (),
    broken: bool = False,
) -> str:
    """The statement of an edge; what is wrong with its attributes stands in their own colours."""
    text = edge.label
    if edge.normal is not None:
        text = f"({edge.normal})-of" if text == f"{edge.normal}-of" else f"{text} ({edge.normal})"
    look = _look(mark, broken)
    if mark:
        look.insert(1, f"fontcolor={_COLOURS[mark]}")
    names = attributes or [(name, "") for name in edge.attributes]
    if names:
        rows = [_html(text)] if text else []
        rows += [_font(name, each, broken) if each else _html(name) for name, each in names]
        table = "".join(f'<tr><td colspan="1">{row}</td></tr>' for row in rows)
        parts = [f"label=<{_TABLE}{table}</table>>", *([] if broken else ["style=dashed"]), *look]
    else:
        parts = [*([] if text is None else [f"label={_quoted(text)}"]), *look]
    return f"  {edge.source} -> {edge.target}{_list(parts)};"


def _look(mark: Mark, broken: bool) -> list[str]:
    """Colour, and where lines are to tell by themselves how they are broken."""
    if not mark:
        return []
    return [f"color={_COLOURS[mark]}", *([f"style={_STYLES[mark]}"] if broken else [])]


def _list(parts: Sequence[str]) -> str:
    return f" [ {', '.join(parts)} ]" if parts else ""
