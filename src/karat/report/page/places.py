"""Where in a drawing the parts are that an edit is about, so that they switch with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from karat.core.repairs import GOLD_PART, SYSTEM_PART, Drawn
from karat.core.shown import Kind, Line, Overlay

Place = tuple[int, int, int]

_AT_ARROW = 2
"""So much more than at a node is what a part at an arrow is called."""


def places(drawn: Iterable[Drawn], overlay: Overlay | None) -> list[Place]:
    """The parts of a drawing, as the page names them (`Edit.parts`)."""
    found: dict[Place, None] = {}
    for each in drawn:
        if each.where not in (GOLD_PART, SYSTEM_PART):
            found[each.where, each.place, -1] = None
        elif overlay is not None:
            found |= dict.fromkeys(_parts(each, overlay))
    return list(found)


def _parts(each: Drawn, overlay: Overlay) -> Iterator[Place]:
    if each.target >= 0:
        yield from _at_arrows(each, overlay)
        return
    node = overlay.nodes[each.place]
    if each.look == "top":
        if _has(node.top, each.where):
            yield each.where, each.place, -1
        return
    place = _line(node.lines, each)
    if place is not None:
        yield each.where, each.place, place


def _at_arrows(each: Drawn, overlay: Overlay) -> Iterator[Place]:
    """The edge, or what is said of it."""
    where = each.where + _AT_ARROW
    between = [
        (i, arrow)
        for i, arrow in enumerate(overlay.arrows)
        if (arrow.source, arrow.target) == (each.place, each.target)
    ]
    if each.look == "edge":
        lines = [Line(arrow.label, arrow.kind, "edge") for _, arrow in between]
        place = _line(lines, each)
        if place is not None:
            yield where, between[place][0], -1
        return
    for i, arrow in between:
        place = _line(arrow.notes, each)
        if place is not None:
            yield where, i, place
            return


def _line(lines: Sequence[Line], each: Drawn) -> int | None:
    """The line that shows a part: that with its text, or else of its name, or else the only one.

    Metrics compare, and draw, values in a spelling of their own.
    """
    text = each.text.casefold()
    found = {
        i: _half(line, each.where).casefold()
        for i, line in enumerate(lines)
        if line.look == each.look and _has(line.kind, each.where)
    }
    same = [i for i, half in found.items() if half == text]
    named = [i for i, half in found.items() if _name(half) == _name(text)]
    return next((some[0] for some in (same[:1], named, list(found)) if len(some) == 1), None)


def _name(text: str) -> str:
    """Of a property or attribute, which its value follows."""
    return text.replace("=", " ").partition(" ")[0]


def _has(kind: int, where: int) -> bool:
    """Whether something of this kind shows what this side has and the other has not."""
    return kind in (Kind.CHANGED, Kind.MISSING if where == GOLD_PART else Kind.SURPLUS)


def _half(line: Line, where: int) -> str:
    """What a side has of a line; where both have something, gold's comes first."""
    if line.kind != Kind.CHANGED:
        return line.text
    gold, _, system = line.text.partition(" → ")
    return gold if where == GOLD_PART else system
