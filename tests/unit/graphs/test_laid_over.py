"""Two graphs in one picture: shapes tell as much as colours."""

from __future__ import annotations

from xml.etree import ElementTree

from karat.graphs.draw import laid_over
from karat.graphs.model import Edge, Graph, Node

GOLD = Graph(
    "1",
    1,
    "eds",
    tops=(1,),
    nodes=(Node(0, "dog"), Node(1, "bark", ("tense",), ("pres",)), Node(2, "a_q")),
    edges=(Edge(1, 0, "ARG1", 0), Edge(2, 0, "BV", 1)),
)
SYSTEM = Graph(
    "1",
    1,
    "eds",
    tops=(8,),
    nodes=(Node(8, "bark", ("tense",), ("past",)), Node(9, "dog"), Node(7, "loud<ly>")),
    edges=(Edge(8, 9, "ARG2", 0), Edge(7, 8, "ARG1", 1)),
)
RED, BLUE = "#D55E00", "#0072B2"


def lines(svg: str) -> set[tuple[str | None, str | None]]:
    """Colour and dashes of all edges."""
    paths = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
    return {(path.get("stroke"), path.get("stroke-dasharray")) for path in paths}


def test_missing_is_red_and_dashed_surplus_blue_and_dotted() -> None:
    svg = laid_over(GOLD, SYSTEM)
    assert {(RED, "5 3"), (BLUE, "2 3")} <= lines(svg)
    texts = {
        each.text for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {
        "- tense pres",
        "+ tense past",
        "- arg1",
        "+ arg2",
        "- bv",
        "+ loud<ly>",
        "bark",
    } <= texts


def test_what_both_have_is_neutral() -> None:
    svg = laid_over(GOLD, GOLD)
    assert "stroke-dasharray" not in svg
    assert RED not in svg
