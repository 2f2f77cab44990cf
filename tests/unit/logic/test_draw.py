"""Drawings of forms: what must be in them, and that they are SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from karat.drawing.svg import BLUE, ORANGE
from karat.errors import LimitExceeded
from karat.logic import parse, parse_varfree, try_parse
from karat.logic.draw import drawing_against, drawing_of

GOLD = parse("* boy ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Nora )")


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def colored(svg: str, color: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    found = root.iter("{http://www.w3.org/2000/svg}text")
    return [element.text or "" for element in found if element.get("fill") == color]


def test_a_form() -> None:
    shown = texts(drawing_of(GOLD, "A boy saw <Nora> & me ."))
    assert shown[0] == "A boy saw <Nora> & me ."
    assert sorted(shown[1:]) == sorted(["* boy", "x 1", "see", "x 2", "Nora", "agent", "theme"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Layla", {"Layla"}),
        ("LAMBDA a . LAMBDA e . run . agent ( e , a )",
         {"a", "e", "binder 1", "binder 2", "run", "agent"}),
        ("cat ( x _ 1 , x _ 2 )", {"x 1", "x 2", "cat"}),
        ("see . agent ( Emma , x _ 1 )", {"see", "Emma", "x 1", "agent"}),
    ],
)  # fmt: skip
def test_all_types(text: str, expected: set[str]) -> None:
    assert set(texts(drawing_of(parse(text)))) == expected


def test_trees() -> None:
    tree = parse_varfree("eat ( agent = * dog ( nmod . in = box ) , theme = ? )")
    assert set(texts(drawing_of(tree))) == {
        "eat",
        "* dog",
        "box",
        "?",
        "agent",
        "theme",
        "nmod . in",
    }
    other = parse_varfree("eat ( agent = dog )")
    assert {"gold", "system"} <= set(texts(drawing_against(other, tree)))


def test_what_is_wrong_has_a_colour() -> None:
    system = parse(
        "* boy ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . recipient ( x _ 2 , Nora )"
    )
    svg = drawing_against(system, GOLD)
    assert colored(svg, ORANGE) == ["theme", "missing"]
    assert colored(svg, BLUE) == ["recipient", "extra"]


def test_lost_definiteness_has_a_colour() -> None:
    system = parse(
        "boy ( x _ 1 ) AND see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Nora )"
    )
    svg = drawing_against(system, GOLD)
    assert colored(svg, ORANGE) == ["* boy", "missing"]
    assert colored(svg, BLUE) == ["boy", "extra"]


def test_renamed_constants_are_not_wrong() -> None:
    system = parse(
        "* boy ( x _ 9 ) ; see . agent ( x _ 4 , x _ 9 ) AND see . theme ( x _ 4 , Nora )"
    )
    svg = drawing_against(system, GOLD)
    assert colored(svg, ORANGE) == colored(svg, BLUE) == []


def test_an_ill_formed_system_form() -> None:
    flaw = try_parse("see . agent (")
    svg = drawing_against(flaw, GOLD)
    assert colored(svg, BLUE) == [str(flaw)]
    assert "boy" in svg


def test_wrong_names_and_types() -> None:
    svg = drawing_against(parse("Emma"), parse("Layla"))
    assert colored(svg, ORANGE) == ["Layla"]
    assert colored(svg, BLUE) == ["Emma"]
    assert {"gold", "system"} <= set(texts(drawing_against(parse("Emma"), GOLD)))


def test_too_large() -> None:
    huge = parse(" AND ".join(f"cat ( x _ {i} )" for i in range(401)))
    with pytest.raises(LimitExceeded, match="401 boxes"):
        drawing_of(huge)
