"""Boxes, words and labels do not lie on each other, on real graphs and on random ones."""

from __future__ import annotations

from itertools import combinations, islice, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.files.opener import Source
from karat.drawing.arcs import Arc, Root, Word, arc_diagram
from karat.drawing.layers import Arrow, Box, Line, layered
from karat.drawing.svg import PAPER, arrow_head, label, picture, tag, text_width
from karat.graphs.formats.mrp import Mrp
from karat.graphs.pictures.layout import Style, figure_of

Rectangle = tuple[float, float, float, float]


def shapes(svg: str) -> tuple[list[Rectangle], list[Rectangle]]:
    """The boxes of a drawing, and the grounds of its labels."""
    boxes, grounds = [], []
    for rect in ElementTree.fromstring(f"<g>{svg}</g>").iter("rect"):
        x, y, width, height = (float(rect.get(key, 0)) for key in ("x", "y", "width", "height"))
        place = (x, y, x + width, y + height)
        is_ground = rect.get("fill") == PAPER and rect.get("stroke") is None
        (grounds if is_ground else boxes).append(place)
    return boxes, grounds


def overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] - 0.2 and b[0] < a[2] - 0.2 and a[1] < b[3] - 0.2 and b[1] < a[3] - 0.2


def check_layers(svg: str, width: float, height: float) -> None:
    boxes, grounds = shapes(svg)
    for one, other in combinations(boxes, 2):
        assert not overlap(one, other)
    for ground in grounds:
        assert not any(overlap(ground, box) for box in boxes)
    for one, other in combinations(grounds, 2):
        assert not overlap(one, other)
    for left, top, right, bottom in (*boxes, *grounds):
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height


@pytest.mark.parametrize("framework", ["eds", "amr", "ucca"])
def test_real_graphs(framework: str, shared: Path) -> None:
    path = shared / f"data/graphs/sample/{framework}/wsj.mrp"
    for item in islice(Mrp().read(Source(path)), 40):
        figure = figure_of(item.value, Style(ids=True, strings=True))
        check_layers(figure.svg, figure.width, figure.height)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("abcW東 ", min_size=1, max_size=12), min_size=1, max_size=9),
    st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 8), st.text("ARGof-1", max_size=9)), max_size=14
    ),
)
def test_random_graphs(names: list[str], edges: list[tuple[int, int, str]]) -> None:
    count = len(names)
    boxes = [Box((Line(name, bold=True),), top=i == 0) for i, name in enumerate(names)]
    arrows = [Arrow(a % count, b % count, text) for a, b, text in edges]
    figure = layered(boxes, arrows)
    check_layers(figure.svg, figure.width, figure.height)
    words = [e.text for e in ElementTree.fromstring(f"<g>{figure.svg}</g>").iter("text")]
    for arrow in arrows:
        assert arrow.label == "" or arrow.label in words


@pytest.mark.parametrize("framework", ["dm", "psd"])
def test_arcs(framework: str, shared: Path) -> None:
    """Words are apart from each other, and no label lies on another."""
    path = shared / f"data/graphs/sample/{framework}/wsj.mrp"
    for item in Mrp().read(Source(path)):
        figure = figure_of(item.value, Style())
        _, grounds = shapes(figure.svg)
        for one, other in combinations(grounds, 2):
            assert not overlap(one, other)
        root = ElementTree.fromstring(f"<g>{figure.svg}</g>")
        row = [e for e in root.iter("text") if e.get("font-size") == "14"]
        places = [(float(e.get("x", 0)), text_width(e.text or "", 14) / 2) for e in row]
        for (x, half), (next_x, next_half) in pairwise(places):
            assert x + half < next_x - next_half


def test_loops_double_edges_and_roots_are_there() -> None:
    words = [Word("a", ("DT",)), Word("b", faint=True)]
    arcs = [Arc(0, 1, "x"), Arc(0, 1, "y"), Arc(1, 1, "self", dash="5 3")]
    figure = arc_diagram(words, arcs, [Root(0, "top")])
    for text in ("x", "y", "self", "top", "DT"):
        assert f">{text}</text>" in figure.svg
    assert figure.svg.count("stroke-dasharray") == 1


def test_nothing_to_draw() -> None:
    assert "(empty)" in arc_diagram([], []).svg
    assert "(empty)" in layered([], []).svg


def test_texts_are_safe_in_xml() -> None:
    text = 'a<b>&"\x00\ud800\n'
    svg = picture(
        10, 10, [label(0, 0, text), tag("rect", data_x=text.encode("utf-8", "replace"))], text
    )
    assert ElementTree.fromstring(svg) is not None
    assert arrow_head(0, 0, 0, 0).startswith("<polygon")
