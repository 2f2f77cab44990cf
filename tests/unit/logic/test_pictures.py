"""Drawings of forms: what must be in them, and that they are SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from karat.drawing.svg import MISSING, SURPLUS
from karat.errors import LimitExceeded
from karat.logic import parse, parse_varfree, try_parse
from karat.logic.metrics.cogs import Cogs
from karat.logic.model import AnyDialect
from karat.logic.pictures import drawing_against, drawing_of

GOLD_TEXT = "* boy ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Nora )"
GOLD = parse(GOLD_TEXT)


def drawn(system: str, gold: str = GOLD_TEXT, dialect: AnyDialect = "cogs") -> str:
    metric = Cogs(dialect=dialect)
    forms = metric.notation.parse(system), metric.parse_gold(gold)
    return drawing_against(*forms, metric.explain(system, gold), dialect)


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
    gold = "eat ( agent = * dog ( nmod . in = box ) , theme = ? )"
    svg = drawn("eat ( agent = dog , theme = ? )", gold, "varfree")
    assert {"gold", "system"} <= set(texts(svg))
    assert colored(svg, MISSING) == ["agent", "nmod . in", "missing"]
    assert colored(svg, SURPLUS) == ["agent", "extra"]


def test_what_is_wrong_has_a_colour() -> None:
    svg = drawn(
        "* boy ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . recipient ( x _ 2 , Nora )"
    )
    assert colored(svg, MISSING) == ["theme", "missing"]
    assert colored(svg, SURPLUS) == ["recipient", "extra"]


def test_lost_definiteness_has_a_colour() -> None:
    svg = drawn("boy ( x _ 1 ) AND see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Nora )")
    assert colored(svg, MISSING) == ["* boy", "missing"]
    assert colored(svg, SURPLUS) == ["boy", "extra"]


def test_renamed_constants_are_not_wrong() -> None:
    svg = drawn("* boy ( x _ 9 ) ; see . agent ( x _ 4 , x _ 9 ) AND see . theme ( x _ 4 , Nora )")
    assert colored(svg, MISSING) == colored(svg, SURPLUS) == []


def test_an_ill_formed_system_form() -> None:
    svg = drawn("see . agent (")
    assert colored(svg, SURPLUS) == [str(try_parse("see . agent ("))]
    assert "boy" in svg


def test_wrong_names_and_types() -> None:
    svg = drawn("Emma", "Layla")
    assert colored(svg, MISSING) == ["Layla"]
    assert colored(svg, SURPLUS) == ["Emma"]
    assert {"gold", "system"} <= set(texts(drawn("Emma")))


def test_a_term_too_many_is_marked_beside_its_equal() -> None:
    svg = drawn("dog ( x _ 1 ) AND dog ( x _ 1 )", "dog ( x _ 1 )")
    assert colored(svg, SURPLUS) == ["dog", "extra"]
    assert texts(svg).count("dog") == 2


def test_too_large() -> None:
    huge = parse(" AND ".join(f"cat ( x _ {i} )" for i in range(401)))
    with pytest.raises(LimitExceeded, match="401 boxes"):
        drawing_of(huge)
