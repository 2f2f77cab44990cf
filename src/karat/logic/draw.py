"""How a form is drawn: constants as boxes, roles as arrows; what is wrong in colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from karat.drawing.arcs import Figure
from karat.drawing.layers import Arrow, Box, Line, layered
from karat.drawing.svg import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    label,
    picture,
    placed,
    shortened,
    text_width,
)
from karat.errors import LimitExceeded
from karat.logic.diagnosis import Placed, differences, placed_terms
from karat.logic.model import LETTERS, Argument, Flaw, Form, Term
from karat.logic.semantic import renaming
from karat.logic.varfree import Tree

MOST_BOXES = 400


@dataclass(frozen=True, slots=True)
class _Look:
    color: str = INK
    dashed: bool = False


_COMMON, _MISSING, _EXTRA = _Look(), _Look(ORANGE, True), _Look(BLUE)


def drawing_of(parsed: Form | Tree, heading: str = "") -> str:
    """One form as a whole SVG picture."""
    return _framed(_figure(parsed), heading, [])


def drawing_against(
    system: Form | Tree | Flaw, gold: Form | Tree, heading: str = "", notes: Sequence[str] = ()
) -> str:
    """The gold and what the system made of it, in one picture.

    What only the gold has is dashed and orange, what only the system has is blue.
    """
    if isinstance(system, Flaw):
        return _framed(_figure(gold), heading, [(str(system), BLUE)])
    if isinstance(system, Tree) or isinstance(gold, Tree) or system.type != gold.type:
        below = [(note, BLUE) for note in notes]
        return _framed(_stacked(_figure(gold), _figure(system)), heading, below)
    system = _with_names_of(gold, system)
    missing, extra = differences(system, gold)
    common = list((Counter(placed_terms(gold)) - Counter(missing)).elements())
    sketch = _Sketch()
    for look, terms in ((_COMMON, common), (_MISSING, missing), (_EXTRA, extra)):
        for term in terms:
            sketch.add(term, look)
    for look, one, other in ((_MISSING, gold, system), (_EXTRA, system, gold)):
        if one.name:
            sketch.name(one.name, _COMMON if one.name == other.name else look)
    legend = [("missing", ORANGE)] * bool(missing) + [("extra", BLUE)] * bool(extra)
    return _framed(sketch.figure(), heading, [*legend, *((note, FAINT) for note in notes)])


def _with_names_of(gold: Form, system: Form) -> Form:
    """The system's form with the gold's constants, where it is the same but for their names."""
    try:
        names = renaming(system, gold)
    except LimitExceeded:
        names = None
    if not names:
        return system
    back = {ours: theirs for theirs, ours in names.items()}

    def renamed(term: Term) -> Term:
        arguments = tuple(back[a] if isinstance(a, int) else a for a in term.arguments)
        return Term(term.predicate, arguments)

    return Form(
        system.type,
        tuple(map(renamed, system.conjuncts)),
        tuple(map(renamed, system.definite)),
        system.binders,
    )


def _figure(parsed: Form | Tree) -> Figure:
    if isinstance(parsed, Tree):
        if parsed.form is None:
            return _tree(parsed)
        parsed = parsed.form
    sketch = _Sketch()
    if parsed.name:
        sketch.name(parsed.name, _COMMON)
    for number, letter in enumerate(parsed.binders, 1):
        sketch.note(letter, f"binder {number}")
    for term in placed_terms(parsed):
        sketch.add(term, _COMMON)
    return sketch.figure()


def _tree(tree: Tree) -> Figure:
    _check_size(len(tree.labels))
    boxes = [Box((Line(shortened(text), bold=True),)) for text in tree.labels]
    arrows = [
        Arrow(parent, node, shortened(role))
        for node, (parent, role) in enumerate(zip(tree.parents, tree.roles, strict=True))
        if parent >= 0
    ]
    return layered(boxes, arrows)


class _Sketch:
    """Boxes and arrows, as terms are added."""

    def __init__(self) -> None:
        self.lines: dict[Argument, list[Line]] = {}
        self.arrows: list[tuple[Argument, Argument, str, _Look]] = []

    def add(self, term: Placed, look: _Look) -> None:
        predicate, arguments = term.term
        word, *rest = predicate.split(".")
        if len(arguments) == 1:
            star = "* " if term.definite else ""
            self._line(arguments[0], star + " . ".join([word, *rest]), look)
            return
        if rest:
            self._line(arguments[0], word, look)
        role = " . ".join(rest) or word
        for argument in arguments:
            self._box(argument)
        self.arrows.append((arguments[0], arguments[1], shortened(role), look))

    def name(self, name: str, look: _Look) -> None:
        self.lines[name] = [Line(shortened(name), bold=True, color=look.color)]

    def note(self, letter: str, text: str) -> None:
        self._box(letter).append(Line(text, faint=True))

    def _box(self, key: Argument) -> list[Line]:
        if key not in self.lines:
            if isinstance(key, int) or key in LETTERS:
                shown = f"x {key}" if isinstance(key, int) else key
                self.lines[key] = [Line(shortened(shown), faint=True, mono=True)]
            else:
                self.lines[key] = [Line(shortened(str(key)), bold=True)]
        return self.lines[key]

    def _line(self, key: Argument, text: str, look: _Look) -> None:
        lines = self._box(key)
        bare = shortened(text).removeprefix("* ")
        if any(line.text.removeprefix("* ") == bare and look is _COMMON for line in lines):
            return
        if not any(line.text == shortened(text) for line in lines):
            lines.insert(len(lines) - 1, Line(shortened(text), bold=True, color=look.color))

    def figure(self) -> Figure:
        _check_size(len(self.lines))
        number = {key: i for i, key in enumerate(self.lines)}
        boxes = [Box(tuple(lines)) for lines in self.lines.values()]
        arrows = [
            Arrow(number[source], number[target], role, look.color, look.dashed)
            for source, target, role, look in self.arrows
        ]
        return layered(boxes, arrows)


def _check_size(boxes: int) -> None:
    if boxes > MOST_BOXES:
        raise LimitExceeded(
            f"a form with {boxes:,} boxes cannot be drawn, at most {MOST_BOXES} can", code="K532"
        )


def _stacked(upper: Figure, lower: Figure) -> Figure:
    """Gold above the system's form."""
    parts = [
        label(12, 18, "gold", size=12, bold=True, color=ORANGE, anchor="start"),
        placed(upper.svg, 0, 24),
        label(12, upper.height + 42, "system", size=12, bold=True, color=BLUE, anchor="start"),
        placed(lower.svg, 0, upper.height + 48),
    ]
    height = upper.height + lower.height + 48
    return Figure("\n".join(parts), max(upper.width, lower.width, 80), height)


def _framed(figure: Figure, heading: str, notes: Sequence[tuple[str, str]]) -> str:
    """The figure below its heading, with notes at the foot."""
    parts, y, width = [], 0.0, max(figure.width, 120.0)
    if heading:
        parts.append(label(12, 20, heading, size=13, anchor="start"))
        width, y = max(width, text_width(heading, 13) + 24), 30.0
    parts.append(placed(figure.svg, 0, y))
    y += figure.height
    for note, color in notes:
        parts.append(label(12, y + 12, note, size=12, color=color, anchor="start"))
        width, y = max(width, text_width(note, 12) + 24), y + 18
    return picture(width, y + 8, parts, heading)
