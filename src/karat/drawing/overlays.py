"""Draws two graphs laid over each other, and words with arcs, from the model of the page.

The page draws the same: ``web/src/layers.ts`` and ``web/src/arcs.ts`` follow this, and a test holds
them against each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.shown import Arcs, Arrow, Kind, Line, Node, Overlay
from karat.drawing import arcs, layers
from karat.drawing.arcs import Figure
from karat.drawing.svg import FAINT, INK, STYLES, WORDS, shortened

LONGEST = 48


def line_text(line: Line) -> str:
    """A line with the sign of its kind before it."""
    return shortened(STYLES[line.kind].sign + line.text, LONGEST)


def overlay_figure(overlay: Overlay) -> Figure:
    """Gold with the marks of what a system's graph lacks and has besides."""
    boxes, arrows = list(map(_box, overlay.nodes)), list(map(_arrow, overlay.arrows))
    return layers.layered(boxes, arrows, overlay.reading)


def _box(node: Node) -> layers.Box:
    style = STYLES[node.kind]
    lines = tuple(
        layers.Line(
            line_text(line),
            bold=line.look == "label",
            mono=line.look in ("words", "anchor"),
            color=_line_color(line),
        )
        for line in node.lines
    )
    top = STYLES[max(node.top, 0)]
    return layers.Box(
        lines, "round", style.color, style.soft, node.top >= 0, style.dash, top.color, top.dash,
    )  # fmt: skip


def _line_color(line: Line) -> str:
    if line.kind:
        return STYLES[line.kind].color
    return {"label": INK, "words": WORDS}.get(line.look, FAINT)


def _arrow(arrow: Arrow) -> layers.Arrow:
    style = STYLES[arrow.kind]
    notes = tuple(layers.Text(line_text(note), STYLES[note.kind].color) for note in arrow.notes)
    label = line_text(Line(arrow.label, arrow.kind)) if arrow.label else ""
    return layers.Arrow(
        arrow.source, arrow.target, label, style.color, style.dash, notes, arrow.directed
    )


# -- arcs over words -----------------------------------------------------------------------------


def same_words(gold: Arcs, system: Arcs) -> bool:
    """Whether two rows of words are the same, so that one row does for both."""
    return [word.form for word in gold.words] == [word.form for word in system.words]


def arcs_figure(gold: Arcs, system: Arcs | None = None) -> Figure:
    """Words with arcs above them; a system's below the same words, what both have being faint."""
    words = []
    for i, word in enumerate(gold.words):
        other = None if system is None else system.words[i]
        notes: list[arcs.Note] = []
        tags = " ".join(word.below)
        if other is not None and other.below != word.below:
            text = f"{tags} → {' '.join(other.below)}"
            style = STYLES[Kind.CHANGED]
            notes.append(arcs.Note(shortened(text), style.color))
        else:
            notes += [arcs.Note(shortened(each)) for each in word.below]
        sides = [("gold", word)] + ([] if other is None else [("system", other)])
        for side, each in sides:
            same = other is not None and other.note == word.note
            if each.note and not (side == "gold" and same):
                alone = Kind.MISSING if side == "gold" else Kind.SURPLUS
                style = STYLES[each.kind or (Kind.CHANGED if system is None or same else alone)]
                notes.append(arcs.Note(shortened(style.sign + each.note), style.color))
        kinds = {each.kind for _, each in sides if each.kind}
        kind = kinds.pop() if len(kinds) == 1 else Kind.CHANGED if kinds else 0
        words.append(
            arcs.Word(
                shortened(word.form),
                notes=tuple(notes),
                color=STYLES[kind].color if kind else "",
            )
        )
    above = _side(gold, system is not None)
    below = None if system is None else _side(system, True)
    return arcs.arc_diagram(words, *above, below)


def _side(content: Arcs, compared: bool) -> tuple[Sequence[arcs.Arc], Sequence[arcs.Root]]:
    lines: list[arcs.Arc] = []
    roots: list[arcs.Root] = []
    for arc in content.arcs:
        style = STYLES[arc.kind]
        color = FAINT if compared and not arc.kind else style.color
        label = shortened(style.sign + arc.label) if arc.label else ""
        look = label, color, style.dash
        if arc.source < 0:
            roots.append(arcs.Root(arc.target, *look))
        else:
            lines.append(arcs.Arc(arc.source, arc.target, *look))
    return lines, roots
