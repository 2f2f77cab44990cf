"""Arcs over a row of words, as for dependency trees and bilexical graphs."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from karat.drawing.svg import FAINT, INK, arrow_head, label, tag, text_width

_STEP = 26.0
_GAP = 18.0
_SIZE = 14.0
_SMALL = 11.0
_MARGIN = 14.0
_TRIES = 100
"""How many places on each side of its middle are tried for a label, three pixels apart."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, the lines below it, and whether it is part of what is drawn."""

    form: str
    below: tuple[str, ...] = ()
    faint: bool = False
    notes: tuple[Note, ...] = ()
    color: str = ""

    @property
    def lines(self) -> list[Note]:
        """All lines below the word."""
        return [*map(Note, self.below), *self.notes]


@dataclass(frozen=True, slots=True)
class Note:
    """A line below a word."""

    text: str
    color: str = FAINT


@dataclass(frozen=True, slots=True)
class Arc:
    """From one word to another, or to itself, by position."""

    source: int
    target: int
    label: str = ""
    color: str = INK
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Root:
    """An arrow from above to a word, by position."""

    target: int
    label: str = ""
    color: str = INK
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A part of a drawing, and its size."""

    svg: str
    width: float
    height: float


Side = tuple[Sequence[Arc], Sequence[Root]]


def arc_diagram(
    words: Sequence[Word],
    arcs: Sequence[Arc],
    roots: Sequence[Root] = (),
    below: Side | None = None,
) -> Figure:
    """The words in a row with arcs above them, and below them where there are two sorts.

    Roots get an arrow from above, or from below.
    """
    if not words:
        return Figure(label(_MARGIN, 24, "(empty)", anchor="start", color=FAINT), 90, 36)
    under: Side = below or ((), ())
    x = word_positions(words, [*arcs, *under[0]], [*roots, *under[1]])
    deep = _depth(arcs, roots)
    height = deep + 34
    parts = _side(words, (arcs, roots), x, height - 20, 16.0)
    lines = max(len(word.lines) for word in words)
    bottom = height + 10 + lines * 14
    if below is not None:
        bottom += _depth(*below) + 26
        parts += _side(words, below, x, height + 14 + lines * 14, bottom - 16)
    for word, at in zip(words, x, strict=True):
        color = word.color or (FAINT if word.faint else INK)
        parts.append(label(at, height, word.form, size=_SIZE, color=color))
        for i, note in enumerate(word.lines, 1):
            parts.append(label(at, height + 2 + i * 14, note.text, size=_SMALL, color=note.color))
    right = max(at + _half(word) for word, at in zip(words, x, strict=True))
    loops = (arc for arc in (*arcs, *under[0]) if arc.source == arc.target)
    right = max([right, *(x[arc.source] + text_width(arc.label, _SMALL) + 44 for arc in loops)])
    return Figure("\n".join(parts), right + _MARGIN, bottom)


def _depth(arcs: Sequence[Arc], roots: Sequence[Root]) -> float:
    """How far arcs reach from the words."""
    return max([*_levels(arcs), 0]) * _STEP + (_STEP if roots else 0)


def _side(
    words: Sequence[Word], side: Side, x: Sequence[float], base: float, far: float
) -> list[str]:
    """The arcs on one side of the words, which end at `base`; roots come from `far`."""
    arcs, roots = side
    ports = _ports(words, arcs, roots, x)
    way = 1.0 if far < base else -1.0
    # Roots are drawn first, then high arcs: the labels of low ones lie over their lines.
    parts = [
        _root(root, at, base, far, way)
        for root, (at, _) in zip(roots, ports[len(arcs) :], strict=True)
    ]
    levels = _levels(arcs)
    # Lines that come down through the height of an arc, from left to right: its label keeps clear.
    lines = sorted(at for at, _ in ports[len(arcs) :])
    order = sorted(range(len(arcs)), key=lambda i: -levels[i])
    for level, group in groupby(order, key=lambda i: levels[i]):
        here = list(group)
        top = base - way * (4 + level * _STEP)
        parts += [_arc(arcs[i], ports[i], top, base, way, lines) for i in here]
        for i in here:
            insort(lines, ports[i][0])
            insort(lines, ports[i][1])
    return parts


def _clear(begin: float, end: float, wide: float, lines: Sequence[float]) -> float:
    """The place nearest to the middle of an arc where its label covers none of the lines."""
    middle = (begin + end) / 2
    room = abs(end - begin) / 2 - wide / 2 - 6
    for step in range(0, min(int(max(room, -1.0)) + 1, 3 * _TRIES), 3):
        for x in (middle - step, middle + step):
            after = bisect_left(lines, x)
            near = lines[max(after - 1, 0) : after + 1]
            if step <= room and all(abs(line - x) > wide / 2 + 3 for line in near):
                return x
    return middle


def _half(word: Word) -> float:
    widths = [text_width(word.form, _SIZE), *(text_width(n.text, _SMALL) for n in word.lines)]
    return max(widths) / 2


def word_positions(
    words: Sequence[Word], arcs: Sequence[Arc] = (), roots: Sequence[Root] = ()
) -> list[float]:
    """The middles of words far enough apart for each other and for the labels between them."""
    ending: dict[int, list[Arc]] = {}
    for arc in arcs:
        ending.setdefault(max(arc.source, arc.target), []).append(arc)
    loops = {arc.source: arc for arc in arcs if arc.source == arc.target}
    rooted: dict[int, float] = {}
    for root in roots:
        wide = text_width(root.label, _SMALL) / 2
        rooted[root.target] = max(wide, rooted.get(root.target, 0.0))
    x: list[float] = []
    for i, word in enumerate(words):
        half = _half(word)
        at = _MARGIN + half if not x else x[-1] + _half(words[i - 1]) + _GAP + half
        if i in rooted:
            at = max(at, _MARGIN + rooted[i])
        if i - 1 in loops:
            at = max(at, x[-1] + text_width(loops[i - 1].label, _SMALL) + 44 + half)
        for arc in ending.get(i, ()):
            first = min(arc.source, arc.target)
            if first < i:
                at = max(at, x[first] + text_width(arc.label, _SMALL) + 34)
        x.append(at)
    return x


def _levels(arcs: Sequence[Arc]) -> list[int]:
    """The lowest free level for each arc, short ones first; loops are lowest."""
    levels = [0] * len(arcs)
    # The highest level so far at each word and, between these, at each gap between words.
    highest = [0] * (2 * max((max(arc.source, arc.target) for arc in arcs), default=0) + 1)
    order = sorted(range(len(arcs)), key=lambda i: abs(arcs[i].source - arcs[i].target))
    for i in order:
        low, high = sorted((arcs[i].source, arcs[i].target))
        # An arc goes above all that it spans, and shares a level only with arcs apart from it.
        over = slice(2 * low + 1, 2 * high) if low < high else slice(2 * low, 2 * low + 1)
        levels[i] = max(highest[over]) + 1
        highest[over] = [levels[i]] * (over.stop - over.start)
    return levels


def _ports(
    words: Sequence[Word], arcs: Sequence[Arc], roots: Sequence[Root], x: Sequence[float]
) -> list[tuple[float, float]]:
    """The ends of each arc, then of each root, side by side so that lines do not coincide."""
    at_word: list[list[tuple[tuple[int, int], int, int]]] = [[] for _ in words]
    for i, root in enumerate(roots, len(arcs)):
        at_word[root.target].append(((0, 0), i, 0))
    for i, arc in enumerate(arcs):
        for end, here, there in ((0, arc.source, arc.target), (1, arc.target, arc.source)):
            side = (there > here) - (there < here)
            # Leftwards arcs to the left, the longest nearest to the middle of its side.
            rank = (side, -abs(there - here)) if side >= 0 else (side, abs(there - here))
            at_word[here].append((rank, i, end))
    places: dict[tuple[int, int], float] = {}
    for number, ends in enumerate(at_word):
        ends.sort()
        room = max(2 * _half(words[number]), 16) * 0.9
        step = min(9.0, room / max(len(ends), 1))
        for k, (_, i, end) in enumerate(ends):
            places[i, end] = x[number] + (k - (len(ends) - 1) / 2) * step
    return [(places[i, 0], places.get((i, 1), 0.0)) for i in range(len(arcs) + len(roots))]


def _arc(
    arc: Arc,
    ports: tuple[float, float],
    top: float,
    base: float,
    way: float,
    lines: Sequence[float],
) -> str:
    """An arc whose far line is at `top`; `way` is 1 above the words and -1 below them.

    The label keeps clear of `lines` that cross the arc.
    """
    begin, end = ports
    loop = arc.source == arc.target
    if loop:
        begin, end = max(ports), max(ports) + 8
        path = (
            f"M{begin:.1f},{base:.1f} C{begin:.1f},{base - way * 26:.1f} "
            f"{end + 24:.1f},{base - way * 22:.1f} {end:.1f},{base:.1f}"
        )
        middle, direction = end + 20, (-3.0, 4.0 * way)
    else:
        bend = min(8.0, abs(end - begin) / 2)
        turn = bend if end > begin else -bend
        path = (
            f"M{begin:.1f},{base:.1f} V{top + way * bend:.1f} "
            f"Q{begin:.1f},{top:.1f} {begin + turn:.1f},{top:.1f} "
            f"H{end - turn:.1f} Q{end:.1f},{top:.1f} {end:.1f},{top + way * bend:.1f} V{base:.1f}"
        )
        middle = _clear(begin, end, text_width(arc.label, _SMALL), lines)
        direction = (0.0, way)
    parts = [tag("path", d=path, fill="none", stroke=arc.color, stroke_dasharray=arc.dash or None)]
    parts.append(arrow_head(end, base + way, *direction, arc.color, 6))
    if arc.label:
        parts.append(
            label(
                middle,
                base - way * 12 if loop else top + 3.5,
                arc.label,
                size=_SMALL,
                color=arc.color,
                anchor="start" if loop else "middle",
                backed=True,
            )
        )
    return "".join(parts)


def _root(root: Root, x: float, base: float, far: float, way: float) -> str:
    dash = root.dash or None
    line = tag(
        "line", x1=x, y1=far, x2=x, y2=base - way, stroke=root.color, stroke_dasharray=dash
    )  # fmt: skip
    head = arrow_head(x, base, 0, way, root.color)
    at = far - 3 if way > 0 else far + 11
    name = label(x, at, root.label, size=_SMALL, color=root.color, backed=True)
    return line + head + name
