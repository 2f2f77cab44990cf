"""Drawings of forms: constants as boxes, roles as arrows, errors in colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from karat.drawing.arcs import Figure
from karat.drawing.layers import Arrow, Box, Line, layered
from karat.drawing.svg import (
    FAINT,
    INK,
    MISSING,
    SURPLUS,
    label,
    picture,
    placed,
    shortened,
    text_width,
)
from karat.errors import LimitExceeded
from karat.logic.diagnosis import Explanation, PlacedTerm, edge_text, placed_terms
from karat.logic.model import LETTERS, AnyDialect, Argument, DialectName, Flaw, Form
from karat.logic.parser import Tree

MOST_BOXES = 400


@dataclass(frozen=True, slots=True)
class _Look:
    color: str = INK
    dash: str = ""


_COMMON, _MISSING, _EXTRA = _Look(), _Look(MISSING, "5 3"), _Look(SURPLUS)


def drawing_of(parsed: Form | Tree, heading: str = "") -> str:
    """One form as a whole SVG picture."""
    return _framed(_figure(parsed), heading, [])


def drawing_against(
    system: Form | Tree | Flaw,
    gold: Form | Tree,
    explanation: Explanation,
    dialect: AnyDialect,
    heading: str = "",
) -> str:
    """The gold form and the system's, in one picture.

    What an explanation lists as missing is dashed and orange, what it lists as extra blue; its
    diagnosis stands below.
    """
    notes = [note for note in (("missing", MISSING), ("extra", SURPLUS)) if explanation[note[0]]]
    told = explanation["diagnosis"]
    if isinstance(system, Flaw):
        notes += [(each, SURPLUS) for each in told]
        return _framed(_figure(gold), heading, notes)
    notes += [(each, FAINT) for each in told]
    missing, extra = (Counter[str](explanation[side]) for side in ("missing", "extra"))
    if isinstance(system, Tree) or isinstance(gold, Tree):
        figures = _figure(gold, missing, _MISSING), _figure(system, extra, _EXTRA)
        return _framed(_stacked(*figures), heading, notes)
    assert dialect != "varfree"
    if system.type != gold.type:
        sketches = _Sketch(dialect), _Sketch(dialect)
        sketches[0].add_all(gold, missing, _MISSING)
        sketches[1].add_all(system, extra, _EXTRA)
        for sketch, form in zip(sketches, (gold, system), strict=True):
            if form.name:
                sketch.name(form.name, _COMMON)
        return _framed(_stacked(*(each.figure() for each in sketches)), heading, notes)
    sketch = _Sketch(dialect)
    sketch.add_all(gold, missing, _MISSING)
    sketch.add_all(system, extra, _EXTRA, common=False)
    if gold.name and system.name:
        differs = any(each.startswith("the name differs") for each in told)
        sketch.name(gold.name, _MISSING if differs else _COMMON)
        if differs:
            sketch.name(system.name, _EXTRA)
    return _framed(sketch.figure(), heading, notes)


def _figure(
    parsed: Form | Tree, listed: Mapping[str, int] | None = None, look: _Look = _COMMON
) -> Figure:
    """A form; the edges of a tree that are listed have a look of their own."""
    if isinstance(parsed, Tree):
        if parsed.form is None:
            return _tree(parsed, Counter(listed or {}), look)
        parsed = parsed.form
    sketch = _Sketch("cogs")
    if parsed.name:
        sketch.name(parsed.name, _COMMON)
    for number, letter in enumerate(parsed.binders, 1):
        sketch.note(letter, f"binder {number}")
    for term in placed_terms(parsed):
        sketch.add(term, _COMMON)
    return sketch.figure()


def _tree(tree: Tree, listed: Counter[str], look: _Look) -> Figure:
    _check_size(len(tree.labels))
    boxes = [Box((Line(shortened(text), bold=True),)) for text in tree.labels]
    arrows = []
    for node, (parent, role) in enumerate(zip(tree.parents, tree.roles, strict=True)):
        if parent < 0:
            continue
        said = edge_text(tree.labels[parent], role, tree.labels[node])
        own = look if listed[said] > 0 else _COMMON
        listed[said] -= 1
        arrows.append(Arrow(parent, node, shortened(role), own.color, own.dash))
    return layered(boxes, arrows)


class _Sketch:
    """Boxes and arrows, as terms are added."""

    def __init__(self, dialect: DialectName) -> None:
        self.dialect = dialect
        self.lines: dict[Argument, list[Line]] = {}
        self.arrows: list[tuple[Argument, Argument, str, _Look]] = []

    def add_all(
        self, form: Form, listed: Mapping[str, int], look: _Look, *, common: bool = True
    ) -> None:
        """The terms of a form that are listed, as often as they are, with a look of their own.

        Before them all others, unless they are drawn already.
        """
        left = Counter(listed)
        marked = []
        for term in placed_terms(form):
            said = term.text(self.dialect)
            if left[said] > 0:
                left[said] -= 1
                marked.append(term)
            elif common:
                self.add(term, _COMMON)
        for term in marked:
            self.add(term, look)

    def add(self, term: PlacedTerm, look: _Look) -> None:
        predicate, arguments = term.term
        word, *rest = predicate.split(".")
        if len(arguments) == 1:
            star = "* " if term.definite else ""
            self._line(arguments[0], star + " . ".join([word, *rest]), look, look is _COMMON)
            return
        if rest:
            self._line(arguments[0], word, look, True)
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

    def _line(self, key: Argument, text: str, look: _Look, once: bool) -> None:
        lines, shown = self._box(key), shortened(text)
        known = {line.text.removeprefix("* ") for line in lines}
        if not once or shown.removeprefix("* ") not in known:
            lines.insert(len(lines) - 1, Line(shown, bold=True, color=look.color))

    def figure(self) -> Figure:
        _check_size(len(self.lines))
        number = {key: i for i, key in enumerate(self.lines)}
        arrows = [
            Arrow(number[source], number[target], role, look.color, look.dash)
            for source, target, role, look in self.arrows
        ]
        return layered([Box(tuple(lines)) for lines in self.lines.values()], arrows)


def _check_size(boxes: int) -> None:
    if boxes > MOST_BOXES:
        raise LimitExceeded(
            f"a form with {boxes:,} boxes cannot be drawn, at most {MOST_BOXES} can", code="K532"
        )


def _stacked(upper: Figure, lower: Figure) -> Figure:
    """Gold above the system's form."""
    parts = [
        label(12, 18, "gold", size=12, bold=True, color=FAINT, anchor="start"),
        placed(upper.svg, 0, 24),
        label(12, upper.height + 42, "system", size=12, bold=True, color=FAINT, anchor="start"),
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
