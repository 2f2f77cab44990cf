"""Boxes in layers with arrows between them, as for graphs whose nodes are not words.

The label of an edge has a place of its own between the layers, so that it covers
neither boxes nor other labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from karat.drawing.arcs import Figure
from karat.drawing.layering import (
    Place,
    back_edges,
    bent,
    ordered,
    place_across,
    place_down,
    ranks_of,
)
from karat.drawing.svg import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    arrow_head,
    label,
    tag,
    text_width,
)

_SIZE = 13.0
_SMALL = 11.0
_LABEL_ROW = 20.0
_TOP = 22.0
"""How long the arrow to a top is."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text in a box."""

    text: str
    bold: bool = False
    faint: bool = False
    mono: bool = False
    color: str = ""

    @property
    def size(self) -> float:
        return _SIZE if self.bold else _SMALL

    @property
    def width(self) -> float:
        return text_width(self.text, self.size, bold=self.bold, mono=self.mono)


@dataclass(frozen=True, slots=True)
class Box:
    """A node: its lines, and how it looks. Without lines it is a point."""

    lines: tuple[Line, ...] = ()
    shape: str = "round"
    stroke: str = INK
    fill: str = PAPER
    top: bool = False
    dash: str = ""
    top_color: str = BLUE
    top_dash: str = ""


class Text(NamedTuple):
    """A text at a line, in a colour of its own."""

    text: str
    color: str = INK


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge between boxes by position."""

    source: int
    target: int
    label: str = ""
    color: str = INK
    dash: str = ""
    """How the line is broken: ``5 3`` for dashes, ``2 3`` for dots."""
    notes: tuple[Text, ...] = ()
    """Further texts beside the label."""
    directed: bool = True

    @property
    def texts(self) -> list[Text]:
        """The label and the notes of the line."""
        return [each for each in (Text(self.label, self.color), *self.notes) if each.text]

    @property
    def text_width(self) -> float:
        return text_width(" ".join(each.text for each in self.texts), _SMALL)

    @property
    def breaks(self) -> str | None:
        return self.dash or None


def layered(boxes: Sequence[Box], arrows: Sequence[Arrow], reading: Sequence[int] = ()) -> Figure:
    """The boxes in layers, those that arrows come from above those they lead to.

    `reading` are the boxes with words, in the order of the text.
    """
    if not boxes:
        return Figure(label(14, 24, "(empty)", anchor="start", color=FAINT), 90, 36)
    loops = [arrow for arrow in arrows if arrow.source == arrow.target]
    edges = [arrow for arrow in arrows if arrow.source != arrow.target]
    ends = [(arrow.source, arrow.target) for arrow in edges]
    turned = back_edges(len(boxes), ends, [i for i, box in enumerate(boxes) if box.top])
    down = [both[::-1] if i in turned else both for i, both in enumerate(ends)]
    ranks = ranks_of(len(boxes), down)
    places = [Place(2 * ranks[i], *_extent(box)) for i, box in enumerate(boxes)]
    beside = [(i, _TOP) for i, box in enumerate(boxes) if box.top]
    beside += [(loop.source, loop.text_width + 26) for loop in loops]
    for i, room in beside:
        place = places[i]
        place.box = _extent(boxes[i])[0]
        place.width = max(place.width, place.box + 2 * room)
    chains, links = _chains(edges, down, places)
    layers = ordered(places, links, reading)
    place_across(places, links, layers)
    height = place_down(places, layers)
    parts = [_edge(edges[i], i in turned, chain, places) for i, chain in enumerate(chains)]
    own: dict[int, list[Arrow]] = {}
    for loop in loops:
        own.setdefault(loop.source, []).append(loop)
    parts += [_box(box, places[i], own.get(i, ())) for i, box in enumerate(boxes)]
    width = max(place.x + place.width / 2 for place in places) + 12
    return Figure("\n".join(parts), width, height)


def _extent(box: Box) -> tuple[float, float]:
    if not box.lines:
        return 14.0, 14.0
    wide = max(line.width for line in box.lines) + 18
    tall = sum(line.size + 3 for line in box.lines) + 10
    if box.shape == "diamond":
        return wide + 34, tall + 16
    return wide, tall


def _chains(
    edges: Sequence[Arrow], down: Sequence[tuple[int, int]], places: list[Place]
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Each edge as a chain of places, one of which is as wide as its label."""
    chains: list[list[int]] = []
    links: list[tuple[int, int]] = []
    spans = [range(places[source].rank + 1, places[target].rank) for source, target in down]
    everywhere = bent([len(span) for span in spans])
    for i, (arrow, (source, target), span) in enumerate(zip(edges, down, spans, strict=True)):
        label_rank = span[-1] if len(span) <= 1 else span[0]
        chain = [source]
        for rank in span if i in everywhere else (span[0], span[-1]):
            wide = arrow.text_width + 8 if rank == label_rank else 4.0
            places.append(Place(rank, wide, _LABEL_ROW if rank % 2 else 4.0, True))
            chain.append(len(places) - 1)
        chain.append(target)
        links += list(pairwise(chain))
        chains.append(chain)
    return chains, links


def _edge(
    arrow: Arrow,
    turned: bool,
    chain: Sequence[int],
    places: Sequence[Place],
) -> str:
    """A smooth line through the places of its chain, and the label at its own."""
    upper, lower = places[chain[0]], places[chain[-1]]
    points = []
    for i in chain[1:-1]:
        place = places[i]
        if place.rank % 2:
            points.append((place.x, place.y))
        else:  # straight through between the boxes of a layer
            points += [(place.x, place.y - place.height / 2), (place.x, place.y + place.height / 2)]
    points.insert(0, (_leave(upper, points[0][0]), upper.y + upper.height / 2))
    points.append((_leave(lower, points[-1][0]), lower.y - lower.height / 2))
    parts = [
        tag(
            "path", d=_smooth(points), fill="none", stroke=arrow.color,
            stroke_dasharray=arrow.breaks,
        )
    ]  # fmt: skip
    if arrow.directed:
        end, before = (points[0], points[1]) if turned else (points[-1], points[-2])
        parts.append(arrow_head(*end, end[0] - before[0], end[1] - before[1], arrow.color))
    line = "".join(parts)
    if not arrow.texts:
        return line
    place = places[max(chain[1:-1], key=lambda i: places[i].width)]
    return line + _texts(arrow, place.x - arrow.text_width / 2, place.y + 4)


def _smooth(points: Sequence[tuple[float, float]]) -> str:
    """A line through all points, from above to below: a label at one of them lies on it.

    It never swings out beyond them, since slopes at points are harmonic means of those around.
    """
    slopes = [(bx - ax) / ((by - ay) or 1.0) for (ax, ay), (bx, by) in pairwise(points)]
    around = pairwise([slopes[0], *slopes, slopes[-1]])
    at = [2 * a * b / (a + b) if a * b > 0 else 0.0 for a, b in around]
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for ((ax, ay), (bx, by)), (before, after) in zip(pairwise(points), pairwise(at), strict=True):
        third = (by - ay) / 3
        path += f" C{ax + before * third:.1f},{ay + third:.1f}"
        path += f" {bx - after * third:.1f},{by - third:.1f} {bx:.1f},{by:.1f}"
    return path


def _texts(arrow: Arrow, x: float, y: float) -> str:
    """The texts at a line, from x on."""
    if len(arrow.texts) == 1:  # a text alone may be set in its middle, however wide it gets
        (only,) = arrow.texts
        middle = x + arrow.text_width / 2
        return label(middle, y, only.text, size=_SMALL, color=only.color, backed=True)
    parts = []
    for each in arrow.texts:
        parts.append(
            label(x, y, each.text, size=_SMALL, color=each.color, anchor="start", backed=True)
        )
        x += text_width(each.text + " ", _SMALL)
    return "".join(parts)


def _leave(place: Place, towards: float) -> float:
    """The x at which a line leaves a box: shifted a little towards its target."""
    room = max((place.box or place.width) / 2 - 8, 0.0)
    return place.x + max(-room, min(room, (towards - place.x) * 0.35))


def _box(box: Box, place: Place, loops: Sequence[Arrow]) -> str:
    wide, tall = _extent(box)
    left, upper = place.x - wide / 2, place.y - tall / 2
    if not box.lines:
        color = box.stroke
        fill = PAPER if box.dash else color
        dash = box.dash or None
        frame = tag(
            "circle",
            cx=place.x, cy=place.y, r=5, fill=fill, stroke=color, stroke_dasharray=dash,
        )  # fmt: skip
    elif box.shape == "diamond":
        corners = (
            (place.x, upper), (place.x + wide / 2, place.y),
            (place.x, upper + tall), (left, place.y),
        )  # fmt: skip
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        frame = tag("polygon", points=points, fill=box.fill, stroke=box.stroke)
    else:
        frame = tag(
            "rect",
            x=left,
            y=upper,
            width=wide,
            height=tall,
            rx=0 if box.shape == "square" else 7,
            fill=box.fill,
            stroke=box.stroke,
            stroke_dasharray=box.dash or None,
        )
    parts = [frame]
    y = upper + 6 + (8 if box.shape == "diamond" else 0)
    for line in box.lines:
        y += line.size + 3
        parts.append(
            label(
                place.x,
                y - 3.5,
                line.text,
                size=line.size,
                bold=line.bold,
                mono=line.mono,
                color=line.color or (FAINT if line.faint else INK),
            )
        )
    if box.top:
        # From the left, where no edge arrives.
        path = f"M{left - _TOP:.1f},{place.y:.1f} h{_TOP - 7:.0f}"
        dash = box.top_dash or None
        shaft = tag("path", d=path, stroke=box.top_color, stroke_width=2, stroke_dasharray=dash)
        head = arrow_head(left, place.y, 1, 0, box.top_color, 8)
        parts.append(shaft + head)
    for i, loop in enumerate(loops):
        x, y = place.x + wide / 2, place.y - 6 + 14 * (i - (len(loops) - 1) / 2)
        path = f"M{x:.1f},{y:.1f} c24,-16 24,26 0,12"
        shaft = tag("path", d=path, fill="none", stroke=loop.color, stroke_dasharray=loop.breaks)
        head = arrow_head(x, y + 12, -2.0, -1.0, loop.color, 6) if loop.directed else ""
        parts.append(shaft + head)
        for each in loop.texts:
            parts.append(
                label(x + 21, y + 9, each.text, size=_SMALL, color=each.color, anchor="start")
            )
            x += text_width(each.text + " ", _SMALL)
    return "".join(parts)
