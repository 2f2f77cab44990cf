"""Two graphs laid over each other, and words with arcs, drawn from what the page is given.

The page draws the same: ``web/src/layers.ts`` and ``web/src/arcs.ts`` follow this, and a test holds
them against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from karat.core.shown import Arcs, Arrow, Kind, Line, Node, Overlay
from karat.drawing import arcs, layers
from karat.drawing.arcs import Figure
from karat.drawing.svg import FAINT, INK, STYLES, WORDS, Mark, Marks, shortened

LONGEST = 48
KIND_NAMES = {kind.value: kind.name.lower() for kind in Kind}
Said: TypeAlias = Mapping[tuple[str, int, int], Marks]
"""Marks of parts: of a node, arrow, top or what is beside, by its place and that of its line."""


def line_text(line: Line) -> str:
    """A line with the sign of its kind before it."""
    return shortened(STYLES[line.kind].sign + line.text, LONGEST)


def overlay_figure(overlay: Overlay, said: Said | None = None) -> Figure:
    """Gold with the marks of what a system's graph lacks and has besides."""
    known = said or {}
    return layers.layered(
        [_box(node, i, known) for i, node in enumerate(overlay.nodes)],
        [_arrow(arrow, i, known) for i, arrow in enumerate(overlay.arrows)],
    )


def _box(node: Node, i: int, said: Said) -> layers.Box:
    style = STYLES[node.kind]
    lines = tuple(
        layers.Line(
            line_text(line),
            bold=line.look == "label",
            mono=line.look in ("words", "anchor"),
            color=_line_color(line),
            mark=said.get(("node", i, k)),
        )
        for k, line in enumerate(node.lines)
    )
    top = STYLES[max(node.top, 0)]
    return layers.Box(
        lines, "round", style.color, style.soft, node.top >= 0, style.dash, top.color, top.dash,
        said.get(("node", i, -1)), said.get(("top", i, -1)),
    )  # fmt: skip


def _line_color(line: Line) -> str:
    if line.kind:
        return STYLES[line.kind].color
    return {"label": INK, "words": WORDS}.get(line.look, FAINT)


def _arrow(arrow: Arrow, i: int, said: Said) -> layers.Arrow:
    style = STYLES[arrow.kind]
    notes = tuple(
        layers.Text(line_text(note), STYLES[note.kind].color, said.get(("arrow", i, k)))
        for k, note in enumerate(arrow.notes)
    )
    label = line_text(Line(arrow.label, arrow.kind)) if arrow.label else ""
    return layers.Arrow(
        arrow.source, arrow.target, label, style.color, style.dash, notes,
        said.get(("arrow", i, -1)), arrow.directed,
    )  # fmt: skip


# -- arcs over words -----------------------------------------------------------------------------


def same_words(gold: Arcs, system: Arcs) -> bool:
    """Whether two rows of words are the same, so that one row does for both."""
    return [word.form for word in gold.words] == [word.form for word in system.words]


def arcs_figure(gold: Arcs, system: Arcs | None = None, said: Said | None = None) -> Figure:
    """Words with arcs above them; a system's below the same words, what both have being faint."""
    known = said or {}
    words = []
    for i, word in enumerate(gold.words):
        other = None if system is None else system.words[i]
        notes: list[arcs.Note] = []
        tags = " ".join(word.below)
        if other is not None and other.below != word.below:
            text = f"{tags} → {' '.join(other.below)}"
            style = STYLES[Kind.CHANGED]
            notes.append(arcs.Note(shortened(text), style.color, Mark("changed")))
        else:
            notes += [arcs.Note(shortened(each)) for each in word.below]
        sides = [("gold", word)] + ([] if other is None else [("system", other)])
        for side, each in sides:
            same = other is not None and other.note == word.note
            if each.note and not (side == "gold" and same):
                alone = Kind.MISSING if side == "gold" else Kind.SURPLUS
                style = STYLES[each.kind or (Kind.CHANGED if system is None or same else alone)]
                text = shortened(style.sign + each.note)
                notes.append(arcs.Note(text, style.color, known.get((f"{side} note", i, -1))))
        kinds = {each.kind for _, each in sides if each.kind}
        kind = kinds.pop() if len(kinds) == 1 else Kind.CHANGED if kinds else 0
        words.append(
            arcs.Word(
                shortened(word.form),
                notes=tuple(notes),
                color=STYLES[kind].color if kind else "",
                mark=_word_marks(known, i) or (Mark(KIND_NAMES[kind]) if kind else None),
            )
        )
    above = _side(gold, "gold", system is not None, known)
    below = None if system is None else _side(system, "system", True, known)
    return arcs.arc_diagram(words, *above, below)


def _word_marks(said: Said, word: int) -> Marks:
    """What is said of a word itself, on either side."""
    found: list[Mark] = []
    for side in ("gold word", "system word"):
        marks = said.get((side, word, -1))
        found += [marks] if isinstance(marks, Mark) else marks or ()
    return tuple(found) or None


def _side(
    content: Arcs, side: str, compared: bool, said: Said
) -> tuple[Sequence[arcs.Arc], Sequence[arcs.Root]]:
    lines: list[arcs.Arc] = []
    roots: list[arcs.Root] = []
    for i, arc in enumerate(content.arcs):
        style = STYLES[arc.kind]
        color = FAINT if compared and not arc.kind else style.color
        label = shortened(style.sign + arc.label) if arc.label else ""
        look = label, color, style.dash, said.get((side, i, -1))
        if arc.source < 0:
            roots.append(arcs.Root(arc.target, *look))
        else:
            lines.append(arcs.Arc(arc.source, arc.target, *look))
    return lines, roots
