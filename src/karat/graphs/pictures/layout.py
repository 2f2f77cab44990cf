"""Drawings of graphs: arcs over words (flavor 0), else boxes in layers; two over the same words."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from karat.core import shown
from karat.core.shown import Arcs, Kind
from karat.drawing.arcs import Arc, Figure, Root, Word, arc_diagram
from karat.drawing.layers import Arrow, Box, Line, layered
from karat.drawing.overlays import arcs_figure, line_text, overlay_figure
from karat.drawing.svg import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    PALE_BLUE,
    PAPER,
    STYLES,
    label,
    picture,
    placed,
    shortened,
    text_width,
)
from karat.graphs.anchoring import NotInText, in_sequence, words_of
from karat.graphs.drs.rules import kinds
from karat.graphs.model import Edge, Graph, Node, is_false
from karat.graphs.pictures.content import KINDS, Sheet, Style
from karat.graphs.pictures.marked import Look, MarkedGraph, Part, Side, covered_text, with_normal


def drawing_of(graph: Graph, style: Style | None = None) -> str:
    """One graph as a whole SVG picture, with its input above it."""
    style = style or Style()
    figure = figure_of(graph, style)
    return _framed([(heading_of(graph), figure)], _named(graph))


def side_by_side(gold: Graph, system: Graph, style: Style) -> str:
    """Gold above the system's graph, in one picture."""
    figures = [
        (heading_of(graph, name), figure_of(graph, style))
        for name, graph in (("gold", gold), ("system", system))
    ]
    return _framed(figures, _named(gold))


def _named(graph: Graph) -> str:
    return f"{graph.framework or 'graph'} {graph.id}"


class Heading(NamedTuple):
    """The title and the text above a picture."""

    title: str
    text: str = ""


def heading_of(graph: Graph, name: str = "") -> Heading:
    title = " · ".join(part for part in (name, graph.framework, graph.id) if part)
    return Heading(title, graph.input or "")


def overlaid(found: MarkedGraph, heading: Heading, style: Style | None = None) -> str:
    """Gold with what is missing in the system's graph (\u2212), surplus (+) or changed (~).

    It is drawn from what the page is given, so that both have the same picture.
    """
    overlay = Sheet(found, style=style or Style()).overlay
    beside = [(line_text(line), STYLES[line.kind].color) for line in overlay.beside]
    return _framed([(heading, overlay_figure(overlay))], heading.title, beside)


LEGEND = "missing \u2212, surplus +, changed ~"


def framed(figure: Figure, heading: Heading) -> str:
    """One figure below its heading, as a whole picture."""
    return _framed([(heading, figure)], heading.title)


def _framed(
    figures: Sequence[tuple[Heading, Figure]],
    title: str,
    beside: Sequence[tuple[str, str]] = (),
) -> str:
    parts, y, wide = [], 0.0, 120.0
    for heading, figure in figures:
        text = heading.title
        parts.append(label(12, y + 20, text, size=12, bold=True, color=FAINT, anchor="start"))
        y += 28
        for line in _lines(heading.text, max(80, int(figure.width / 7))):
            parts.append(label(12, y + 10, line, size=12, color=FAINT, anchor="start"))
            y += 16
            wide = max(wide, 12 + len(line) * 6.8)
        parts.append(placed(figure.svg, 0, y + 4))
        y += figure.height + 12
        wide = max(wide, figure.width, text_width(text, 12, bold=True) + 24)
    for text, color in beside:
        parts.append(label(12, y + 10, text, size=12, color=color, anchor="start"))
        y += 16
        wide = max(wide, 24 + text_width(text, 12))
    return picture(wide + 8, y + 4, parts, title)


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
    return _over_words(graph, style) if is_bilexical(graph) else _in_layers(graph, style)


def is_bilexical(graph: Graph) -> bool:
    """Whether nodes are words, so that edges can be drawn as arcs over them."""
    if graph.flavor != 0:
        return False
    return len({node.id for node in graph.nodes}) == len(graph.nodes) and all(
        0 <= node.id <= 10_000 for node in graph.nodes
    )


def _drawn(graph: Graph) -> Sequence[Edge]:
    """The edges that can be drawn: those of an overlay have no ends."""
    return () if graph.flavor == -1 else graph.edges


def _over_words(graph: Graph, style: Style) -> Figure:
    position, words = bilexical_words(graph, style)
    arcs = [
        Arc(position[edge.source], position[edge.target], shortened(edge_text(edge)), *_look(edge))
        for edge in _drawn(graph)
    ]
    return arc_diagram(words, arcs, [Root(position[top], "top", BLUE) for top in graph.tops])


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
        for edge in sorted(_drawn(graph), key=lambda edge: begin.get(edge.target, 0))
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
    covered = covered_text(graph.input, [(each.start, each.end) for each in node.anchors])
    return [Line(shortened(covered), mono=True, color=GREEN)]


def edge_text(edge: Edge) -> str:
    """The label, with what it is once turned around, and the attributes."""
    text = with_normal(edge) or ""
    names = [
        name if str(value).lower() == "true" else f"{name}={value}"
        for name, value in _attributes(edge)
    ]
    return f"{text} {' '.join(names)}".strip()


def _attributes(edge: Edge) -> Collection[tuple[str, object]]:
    pairs = zip(edge.attributes, edge.values, strict=False)
    return [(name, value) for name, value in pairs if not is_false(value)]


def _look(edge: Edge) -> tuple[str, str]:
    """Colour and how the line is broken: edges with attributes stand out."""
    return (FAINT, "5 3") if _attributes(edge) else (INK, "")


# -- two graphs over the same words ---------------------------------------------------------------


class OverWords(NamedTuple):
    """Both graphs as words with arcs."""

    gold: Arcs
    system: Arcs


_NOTES: tuple[Look, ...] = ("label", "anchor", "property")


def over_words(found: MarkedGraph, system: object, gold: object) -> OverWords | None:
    """Bilexical graphs over their words; None where the graphs are others, or cannot be so drawn.

    That is where edges have attributes, or nodes do not stand for words.
    """
    if not (isinstance(gold, Graph) and isinstance(system, Graph) and is_bilexical(gold)):
        return None
    if found.beside() or any(notes for _, _, notes in found.edges()):
        return None
    known, words = bilexical_words(gold, Style())
    places = {node.id: node.id for graph in (system, gold) for node in graph.nodes} | known
    position = {node: places.get(found.names.get(node)) for node in found.nodes}  # type: ignore[call-overload]
    used = {node for part, _ in found.parts for node in part.nodes}
    if any(not _stands(position.get(node), len(words)) for node in used):
        return None
    drawing = _Drawing(found, position, [(word.form, list(word.below)) for word in words])
    return OverWords(drawing.side("missing"), drawing.side("surplus"))


def _stands(place: int | None, words: int) -> bool:
    return place is not None and 0 <= place < words


class _Drawing:
    def __init__(
        self,
        found: MarkedGraph,
        position: dict[Hashable, int | None],
        words: list[tuple[str, list[str]]],
    ) -> None:
        self.found = found
        self.position = position
        self.words = words

    def side(self, own: Side) -> Arcs:
        """The words and arcs of one side: what both have, and what it has alone."""
        arcs: list[shown.Arc] = []
        for part, side, source, target in self._lines():
            if side in ("", own):
                other = bool(side) and self._has_partner(part, side)
                kind = Kind.CHANGED if other else KINDS[side]
                arcs.append(shown.Arc(source, target, part.text, kind))
        notes = self._notes(own)
        nodes = {
            self.position[node]: side for node, side in self.found.nodes.items() if side == own
        }
        return Arcs(
            [
                shown.Word(form, below, KINDS[nodes.get(i, "")], notes.get(i, ""))
                for i, (form, below) in enumerate(self.words)
            ],
            arcs,
        )

    def _lines(self) -> Iterable[tuple[Part, Side, int, int]]:
        """Edges, and tops as arcs from above."""
        for node in self.found.nodes:
            for part, side in self.found.of(node, "top"):
                yield part, side, -1, self._place(node)
        for part, side, _ in self.found.edges():
            yield part, side, self._place(part.nodes[0]), self._place(part.nodes[1])

    def _place(self, node: Hashable) -> int:
        place = self.position[node]
        assert place is not None
        return place

    def _has_partner(self, part: Part, side: Side) -> bool:
        """Whether the other side has an edge of another label between the same words."""
        return part.look == "edge" and any(
            other.nodes == part.nodes and theirs not in ("", side)
            for other, theirs, _ in self.found.edges()
        )

    def _notes(self, own: Side) -> dict[int, str]:
        """What differs at words besides arcs: labels, properties, anchors."""
        texts: dict[int, list[str]] = {}
        for node in self.found.nodes:
            place = self.position[node]
            for part, side in self.found.of(node, *_NOTES):
                if side == own and place is not None:
                    texts.setdefault(place, []).append(part.text)
        return {place: ", ".join(each) for place, each in texts.items()}


def laid_over(system: Graph, gold: Graph, found: MarkedGraph, style: Style | None = None) -> str:
    """Two graphs in one picture, with the differences that a metric found."""
    heading = heading_of(gold, LEGEND)
    if drawn := over_words(found, system, gold):
        return framed(arcs_figure(*drawn), heading)
    return overlaid(found, heading, style)
