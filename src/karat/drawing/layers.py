"""Boxes in layers with arrows between them, as for graphs whose nodes are not words.

The method of Sugiyama: break cycles, put each node below those that lead to it,
order each layer so that few edges cross, then move nodes towards their
neighbours. The label of an edge has a place of its own between the layers, so
that it covers neither boxes nor other labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from karat.drawing.arcs import Figure
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

_GAP = 20.0
_SIZE = 13.0
_SMALL = 11.0
_LABEL_ROW = 20.0
_SPACE = 16.0
_SWEEPS = 12


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


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge between boxes by position."""

    source: int
    target: int
    label: str = ""
    color: str = INK
    dashed: bool = False
    dash: str = ""
    """How the line is broken, where it is not just dashed: ``2 3`` for dots."""
    notes: tuple[tuple[str, str], ...] = ()
    """What is said beside the label, each in a colour of its own."""

    @property
    def texts(self) -> list[tuple[str, str]]:
        """All that is written at the line, with its colours."""
        return [each for each in ((self.label, self.color), *self.notes) if each[0]]

    @property
    def text_width(self) -> float:
        return text_width(" ".join(text for text, _ in self.texts), _SMALL)

    @property
    def breaks(self) -> str | None:
        return self.dash or ("5 3" if self.dashed else None)


@dataclass(slots=True)
class _Place:
    """A box, or a point that an edge runs through."""

    rank: int
    width: float
    height: float
    is_bend: bool = False
    x: float = 0.0
    y: float = 0.0


def layered(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> Figure:
    """The boxes in layers, those that arrows come from above those they lead to."""
    if not boxes:
        return Figure(label(14, 24, "(empty)", anchor="start", color=FAINT), 90, 36)
    loops = [arrow for arrow in arrows if arrow.source == arrow.target]
    edges = [arrow for arrow in arrows if arrow.source != arrow.target]
    turned = _back_edges(len(boxes), edges, [i for i, box in enumerate(boxes) if box.top])
    down = [
        (arrow.target, arrow.source) if i in turned else (arrow.source, arrow.target)
        for i, arrow in enumerate(edges)
    ]
    ranks = _ranks(len(boxes), down)
    places = [_Place(2 * ranks[i], *_extent(box)) for i, box in enumerate(boxes)]
    for loop in loops:
        places[loop.source].width += 2 * (loop.text_width + 26)
    chains, links = _chains(edges, down, places)
    layers = _ordered(places, links)
    _coordinates(places, links, layers)
    height = _rows(places, layers, any(box.top for box in boxes))
    parts = [_edge(edges[i], i in turned, chain, places) for i, chain in enumerate(chains)]
    for i, box in enumerate(boxes):
        own = [loop for loop in loops if loop.source == i]
        parts.append(_box(box, places[i], own))
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


def _back_edges(count: int, edges: Sequence[Arrow], tops: Sequence[int]) -> set[int]:
    """The edges to turn around so that no cycle is left: those that lead back in a walk."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    entered = [0] * count
    for i, arrow in enumerate(edges):
        out[arrow.source].append((i, arrow.target))
        entered[arrow.target] += 1
    back: set[int] = set()
    state = [0] * count
    roots = [*tops, *(i for i in range(count) if not entered[i]), *range(count)]
    for root in roots:
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(out[root]))]
        while stack:
            node, following = stack[-1]
            step = next(following, None)
            if step is None:
                state[node] = 2
                stack.pop()
            elif state[step[1]] == 1:
                back.add(step[0])
            elif state[step[1]] == 0:
                state[step[1]] = 1
                stack.append((step[1], iter(out[step[1]])))
    return back


def _ranks(count: int, down: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each node: below all that lead to it, roots just above what they lead to."""
    out: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for source, target in down:
        out[source].append(target)
        waiting[target] += 1
    ranks = [0] * count
    is_root = [not number for number in waiting]
    queue = [i for i in range(count) if not waiting[i]]
    order = []
    while queue:
        node = queue.pop()
        order.append(node)
        for target in out[node]:
            ranks[target] = max(ranks[target], ranks[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                queue.append(target)
    for node in order:
        if is_root[node] and out[node]:
            ranks[node] = min(ranks[target] for target in out[node]) - 1
    lowest = min(ranks)
    return [rank - lowest for rank in ranks]


def _chains(
    edges: Sequence[Arrow], down: Sequence[tuple[int, int]], places: list[_Place]
) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Each edge as a chain of places, one of which is as wide as its label."""
    chains: list[list[int]] = []
    links: list[tuple[int, int]] = []
    for arrow, (source, target) in zip(edges, down, strict=True):
        first, last = places[source].rank, places[target].rank
        label_rank = last - 1 if (last - first) <= 2 else first + 1
        chain = [source]
        for rank in range(first + 1, last):
            wide = arrow.text_width + 8 if rank == label_rank else 4.0
            places.append(_Place(rank, wide, _LABEL_ROW if rank % 2 else 4.0, True))
            chain.append(len(places) - 1)
        chain.append(target)
        links += list(pairwise(chain))
        chains.append(chain)
    return chains, links


def _ordered(places: Sequence[_Place], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Each layer in an order with few crossings: the barycentre method, best of several sweeps."""
    layers: list[list[int]] = [[] for _ in range(max(place.rank for place in places) + 1)]
    above: list[list[int]] = [[] for _ in places]
    below: list[list[int]] = [[] for _ in places]
    for source, target in links:
        below[source].append(target)
        above[target].append(source)
    # A walk from the roots puts what belongs together side by side.
    seen: set[int] = set()
    for root in [i for i in range(len(places)) if not above[i]]:
        stack = [root]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            layers[places[node].rank].append(node)
            stack += reversed(below[node])
    best, fewest = [list(layer) for layer in layers], _crossings(layers, below)
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        neighbours = above if downward else below
        numbers = range(1, len(layers)) if downward else range(len(layers) - 2, -1, -1)
        for number in numbers:
            other = layers[number - 1 if downward else number + 1]
            position = {node: i for i, node in enumerate(other)}
            here = {node: i for i, node in enumerate(layers[number])}
            layers[number].sort(
                key=lambda node: _mean(
                    [position[n] for n in neighbours[node] if n in position], here[node]
                )
            )
        crossings = _crossings(layers, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _mean(values: Sequence[float], fallback: float) -> float:
    return sum(values) / len(values) if values else float(fallback)


def _crossings(layers: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges between neighbouring layers cross: inversions, by a Fenwick tree."""
    total = 0
    for upper, lower in pairwise(layers):
        position = {node: i for i, node in enumerate(lower, 1)}
        tree = [0] * (len(lower) + 1)
        count = 0
        for node in upper:
            ends = sorted(position[n] for n in below[node] if n in position)
            for end in ends:
                i, before = end, 0
                while i:
                    before += tree[i]
                    i -= i & -i
                total += count - before
            for end in ends:
                count += 1
                i = end
                while i < len(tree):
                    tree[i] += 1
                    i += i & -i
    return total


def _coordinates(
    places: Sequence[_Place], links: Sequence[tuple[int, int]], layers: Sequence[Sequence[int]]
) -> None:
    """Moves each place towards the middle of its neighbours as far as the others let it."""
    around: list[list[int]] = [[] for _ in places]
    for source, target in links:
        around[source].append(target)
        around[target].append(source)
    for layer in layers:
        right = 0.0
        for node in layer:
            places[node].x = right + places[node].width / 2
            right += places[node].width + _GAP
    for step in range(30):
        order = layers if step % 2 == 0 else list(reversed(layers))
        for layer in order:
            wanted = [_mean([places[n].x for n in around[node]], places[node].x) for node in layer]
            _settle(places, layer, wanted)
    left = min(place.x - place.width / 2 for place in places)
    for place in places:
        place.x += 12 - left


def _settle(places: Sequence[_Place], layer: Sequence[int], wanted: Sequence[float]) -> None:
    """Positions in order and apart, as near to the wanted ones as can be (least squares).

    Places that would overlap form a block which stands at the mean of what its
    members want.
    """
    blocks: list[tuple[int, float, list[float]]] = []  # first member, its place, offsets to it
    for i in range(len(layer)):
        blocks.append((i, wanted[i], [0.0]))
        while len(blocks) > 1:
            begin, position, offsets = blocks[-2]
            later, later_position, later_offsets = blocks[-1]
            shift = offsets[-1] + _GAP
            shift += (places[layer[later - 1]].width + places[layer[later]].width) / 2
            if later_position >= position + shift:
                break
            joined = offsets + [shift + offset for offset in later_offsets]
            total = sum(wanted[begin + k] - offset for k, offset in enumerate(joined))
            blocks[-2:] = [(begin, total / len(joined), joined)]
    for begin, position, offsets in blocks:
        for k, offset in enumerate(offsets):
            places[layer[begin + k]].x = position + offset


def _rows(places: Sequence[_Place], layers: Sequence[Sequence[int]], tops: bool) -> float:
    y = 34.0 if tops else 12.0
    for layer in layers:
        tall = max((places[node].height for node in layer), default=0.0)
        for node in layer:
            places[node].y = y + tall / 2
            if places[node].is_bend:
                places[node].height = tall
        y += tall + _SPACE
    return y - _SPACE + 12


def _edge(
    arrow: Arrow,
    turned: bool,
    chain: Sequence[int],
    places: Sequence[_Place],
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
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in pairwise(points[1:]):
        path += f" Q{x0:.1f},{y0:.1f} {(x0 + x1) / 2:.1f},{(y0 + y1) / 2:.1f}"
    path += f" L{points[-1][0]:.1f},{points[-1][1]:.1f}"
    parts = [tag("path", d=path, fill="none", stroke=arrow.color, stroke_dasharray=arrow.breaks)]
    end, before = (points[0], points[1]) if turned else (points[-1], points[-2])
    parts.append(arrow_head(*end, end[0] - before[0], end[1] - before[1], arrow.color))
    if arrow.texts:
        place = places[max(chain[1:-1], key=lambda i: places[i].width)]
        parts += _texts(arrow, place.x - arrow.text_width / 2, place.y + 4)
    return "".join(parts)


def _texts(arrow: Arrow, x: float, y: float) -> list[str]:
    """What is written at a line, from x on."""
    if len(arrow.texts) == 1:  # a text alone may be set in its middle, however wide it gets
        ((text, color),) = arrow.texts
        middle = x + arrow.text_width / 2
        return [label(middle, y, text, size=_SMALL, color=color, backed=True)]
    parts = []
    for text, color in arrow.texts:
        parts.append(label(x, y, text, size=_SMALL, color=color, anchor="start", backed=True))
        x += text_width(text + " ", _SMALL)
    return parts


def _leave(place: _Place, towards: float) -> float:
    """Where at its edge a box is left: a little towards where the line goes."""
    room = max(place.width / 2 - 8, 0.0)
    return place.x + max(-room, min(room, (towards - place.x) * 0.35))


def _box(box: Box, place: _Place, loops: Sequence[Arrow]) -> str:
    wide, tall = _extent(box)
    left, upper = place.x - wide / 2, place.y - tall / 2
    parts = []
    if not box.lines:
        color = box.top_color if box.top else box.stroke
        fill = PAPER if box.dash else color
        dash = box.dash or None
        parts.append(
            tag(
                "circle",
                cx=place.x, cy=place.y, r=5, fill=fill, stroke=color, stroke_dasharray=dash,
            )
        )  # fmt: skip
    elif box.shape == "diamond":
        corners = (
            (place.x, upper), (place.x + wide / 2, place.y),
            (place.x, upper + tall), (left, place.y),
        )  # fmt: skip
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        parts.append(tag("polygon", points=points, fill=box.fill, stroke=box.stroke))
    else:
        corner = 0 if box.shape == "square" else 7
        parts.append(
            tag(
                "rect",
                x=left,
                y=upper,
                width=wide,
                height=tall,
                rx=corner,
                fill=box.fill,
                stroke=box.stroke,
                stroke_dasharray=box.dash or None,
            )
        )
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
        path = f"M{place.x:.1f},{upper - 20:.1f} v15"
        dash = box.top_dash or None
        parts.append(
            tag("path", d=path, stroke=box.top_color, stroke_width=2, stroke_dasharray=dash)
        )
        parts.append(arrow_head(place.x, upper, 0, 1, box.top_color, 8))
    for i, loop in enumerate(loops):
        x, y = place.x + wide / 2, place.y - 6 + 8 * i
        path = f"M{x:.1f},{y:.1f} c24,-16 24,26 0,12"
        parts.append(
            tag("path", d=path, fill="none", stroke=loop.color, stroke_dasharray=loop.breaks)
        )
        parts.append(arrow_head(x, y + 12, -2.0, -1.0, loop.color, 6))
        for text, color in loop.texts:
            parts.append(label(x + 21, y + 9, text, size=_SMALL, color=color, anchor="start"))
            x += text_width(text + " ", _SMALL)
    return "".join(parts)
