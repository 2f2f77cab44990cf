"""How a graph is drawn: arcs over words (flavor 0), else boxes in layers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from karat.drawing.arcs import Arc, Figure, Word, arc_diagram
from karat.drawing.layers import Arrow, Box, Line, layered
from karat.drawing.svg import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    PALE_BLUE,
    PAPER,
    RED,
    label,
    picture,
    placed,
    shortened,
)
from karat.graphs.anchoring import NotInText, in_sequence
from karat.graphs.differences import Differences, Mark, Record
from karat.graphs.model import Edge, Graph, Node, is_false
from karat.graphs.rules.drg import kinds
from karat.graphs.words import words_of


@dataclass(frozen=True, slots=True)
class Style:
    """What to show of a graph."""

    ids: bool = False
    strings: bool = False
    properties: bool = True


def drawing_of(graph: Graph, style: Style | None = None) -> str:
    """One graph as a whole SVG picture, with its input above it."""
    style = style or Style()
    figure = figure_of(graph, style)
    return _framed([("", graph, figure)])


def side_by_side(gold: Graph, system: Graph, style: Style | None = None) -> str:
    """Gold above the system's graph, in one picture."""
    style = style or Style()
    return _framed(
        [("gold", gold, figure_of(gold, style)), ("system", system, figure_of(system, style))]
    )


def with_errors(gold: Graph, record: Record, style: Style | None = None) -> str:
    """The gold graph with what is missing in the system's (-) and what is surplus (+)."""
    found = Differences(gold, record)
    style = style or Style()
    order = [*(node.id for node in found.gold.nodes), *found.fresh]
    position = {number: i for i, number in enumerate(order)}
    tops = dict(found.tops)
    boxes = []
    for number in order:
        lines = [Line(f"#{number}", faint=True)] if style.ids else []
        lines += [Line(_signed(t, m), bold=True, color=_MARKED[m]) for t, m in found.labels[number]]
        node = found.gold.node_of.get(number)
        if node is not None:
            lines += _covered(node, found.gold, style)
        lines += [
            Line(_signed(t, m), mono=True, color=_MARKED[m]) for t, m in found.positions[number]
        ]
        if style.properties:
            lines += [
                Line(_signed(f"{name} {value}", mark), faint=not mark, color=_MARKED[mark])
                for name, value, mark in found.properties[number]
            ]
        mark: Mark = "missing" if number not in found.paired else ""
        mark = "surplus" if number in found.fresh else mark
        of_top = tops.get(number, "")
        boxes.append(
            Box(
                tuple(lines),
                "round",
                _MARKED[mark] or INK,
                PAPER,
                number in tops,
                _BROKEN[mark],
                _MARKED[of_top] or INK,
                _BROKEN[of_top],
            )
        )
    arrows = []
    for edge, mark in found.edges:
        bare = msgspec.structs.replace(edge, attributes=(), values=())
        notes = tuple(
            (_signed(text, sign), _MARKED[sign] or INK) for text, sign in found.attributes_of(edge)
        )
        ends = position[edge.source], position[edge.target]
        text, colour = _signed(edge_text(bare), mark), _MARKED[mark] or INK
        arrows.append(Arrow(*ends, text, colour, dash=_BROKEN[mark], notes=notes))
    return _framed([("missing -, surplus +", found.gold, layered(boxes, arrows))])


_MARKED: dict[Mark, str] = {"": "", "missing": RED, "surplus": BLUE}
_BROKEN: dict[Mark, str] = {"": "", "missing": "5 3", "surplus": "2 3"}


def _signed(text: str, mark: Mark) -> str:
    return shortened({"missing": "- ", "surplus": "+ ", "": ""}[mark] + text)


def laid_over(gold: Graph, system: Graph, style: Style | None = None) -> str:
    """Both graphs in one, by the correspondence that the metric mrp finds."""
    return with_errors(gold, differences_of(gold, system), style)


def differences_of(gold: Graph, system: Graph) -> Record:
    """What the metric mrp finds wrong with the system's graph."""
    from karat.graphs.metrics.mrp import Mrp

    return Mrp().explain(system, gold)


def _framed(figures: list[tuple[str, Graph, Figure]]) -> str:
    parts, y, wide = [], 0.0, 120.0
    for name, graph, figure in figures:
        title = " · ".join(part for part in (name, graph.framework, graph.id) if part)
        parts.append(label(12, y + 20, title, size=12, bold=True, color=BLUE, anchor="start"))
        y += 28
        for line in _lines(graph.input or "", max(80, int(figure.width / 7))):
            parts.append(label(12, y + 10, line, size=12, color=FAINT, anchor="start"))
            y += 16
            wide = max(wide, 12 + len(line) * 6.8)
        parts.append(placed(figure.svg, 0, y + 4))
        y += figure.height + 12
        wide = max(wide, figure.width)
    _, first, _ = figures[0]
    return picture(wide + 8, y, parts, f"{first.framework or 'graph'} {first.id}")


def _lines(text: str, width: int) -> list[str]:
    """The text in lines of about this many characters."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def figure_of(graph: Graph, style: Style) -> Figure:
    """The graph without frame."""
    return _over_words(graph, style) if _is_bilexical(graph) else _in_layers(graph, style)


def _is_bilexical(graph: Graph) -> bool:
    if graph.flavor != 0:
        return False
    return len({node.id for node in graph.nodes}) == len(graph.nodes) and all(
        0 <= node.id <= 10_000 for node in graph.nodes
    )


def _over_words(graph: Graph, style: Style) -> Figure:
    position, words = bilexical_words(graph, style)
    arcs = [
        Arc(position[edge.source], position[edge.target], shortened(edge_text(edge)), *_look(edge))
        for edge in graph.edges
    ]
    return arc_diagram(words, arcs, [(position[top], "top") for top in graph.tops])


def bilexical_words(graph: Graph, style: Style) -> tuple[dict[int, int], list[Word]]:
    """Where each node stands in the row of words, and the words; those without node are faint."""
    if graph.framework in ("ud", "eud", "conllu"):
        order = sorted(graph.nodes, key=lambda node: node.id)
        position = {node.id: i for i, node in enumerate(order)}
        return position, [
            Word(shortened(node.label or "_"), _below(node, style, "upos")) for node in order
        ]
    words = []
    for i, form in enumerate(_forms(graph)):
        node = graph.node_of.get(i)
        below = () if node is None else _below(node, style, "pos")
        words.append(Word(shortened(form), below, faint=node is None))
    return {node.id: node.id for node in graph.nodes}, words


def _forms(graph: Graph) -> list[str]:
    """The words as the input spells them, where they can be found there."""
    forms = [token.form for token in words_of(graph)]
    if graph.tokens and graph.input is not None:
        try:
            anchors = list(in_sequence(graph.input, forms))
        except NotInText:
            return forms
        return [graph.input[anchor.start : anchor.end] for anchor in anchors]
    return forms


def _below(node: Node, style: Style, tag: str) -> tuple[str, ...]:
    lines = [f"#{node.id}"] if style.ids else []
    if style.properties:
        pos, frame = node.property(tag), node.property("frame")
        lines += [str(value) for value in (pos, frame) if value not in (None, "_")]
    return tuple(lines)


def _in_layers(graph: Graph, style: Style) -> Figure:
    position = {node.id: i for i, node in enumerate(graph.nodes)}
    kind = kinds(graph) if graph.framework == "drg" else {}
    boxes = [_box(node, graph, style, kind.get(node.id, "node")) for node in graph.nodes]
    begin = _beginnings(graph)
    arrows = [
        Arrow(
            position[edge.source], position[edge.target], shortened(edge_text(edge)), *_look(edge)
        )
        for edge in sorted(graph.edges, key=lambda edge: begin.get(edge.target, 0))
    ]
    return layered(boxes, arrows)


def _beginnings(graph: Graph) -> dict[int, int]:
    """Where in the input each node begins, or what is below it: drawings go from left to right."""
    begin = {node.id: min(a.start for a in node.anchors) for node in graph.nodes if node.anchors}
    waiting = list(begin)
    while waiting:
        node = waiting.pop()
        for edge in graph.incoming[node]:
            above = edge.source
            if above not in begin and not edge.is_remote:
                begin[above] = min(
                    begin[each.target] for each in graph.outgoing[above] if each.target in begin
                )
                waiting.append(above)
    return begin


def _box(node: Node, graph: Graph, style: Style, kind: str) -> Box:
    lines = [Line(f"#{node.id}", faint=True)] if style.ids else []
    if node.label is not None:
        lines.append(Line(shortened(node.label), bold=True))
    lines += _covered(node, graph, style)
    if style.properties:
        for name, value in zip(node.properties, node.values, strict=False):
            lines.append(Line(shortened(f"{name} {value}"), faint=True))
    shape = {"box": "square", "role": "diamond", "condition": "diamond"}.get(kind, "round")
    if kind == "box" and not lines:
        lines.append(Line("□"))
    top = node.id in graph.tops
    return Box(tuple(lines), shape, BLUE if top else INK, PALE_BLUE if top else PAPER, top)


def _covered(node: Node, graph: Graph, style: Style) -> list[Line]:
    """The text that a node is anchored to, where it is wanted or the node has no label."""
    if not node.anchors or graph.input is None or not (style.strings or node.label is None):
        return []
    text = graph.input
    covered = " … ".join(text[anchor.start : anchor.end] for anchor in node.anchors)
    return [Line(shortened(covered), mono=True, color=GREEN)]


def edge_text(edge: Edge) -> str:
    """The label, with what it is once turned around, and the attributes."""
    text = edge.label or ""
    if edge.normal is not None:
        text = f"({edge.normal})-of" if text == f"{edge.normal}-of" else f"{text} ({edge.normal})"
    names = [
        name if str(value).lower() == "true" else f"{name}={value}"
        for name, value in _attributes(edge)
    ]
    return f"{text} {' '.join(names)}".strip()


def _attributes(edge: Edge) -> Collection[tuple[str, object]]:
    pairs = zip(edge.attributes, edge.values, strict=False)
    return [(name, value) for name, value in pairs if not is_false(value)]


def _look(edge: Edge) -> tuple[str, bool]:
    """Colour and whether dashed: edges with attributes stand out."""
    return (FAINT, True) if _attributes(edge) else (INK, False)
