"""Standardisation of AMR: reification and back, compression, aspects."""

from __future__ import annotations

import pytest

from karat.graphs.amr.aspects import part_of, read_frames, with_frame_roles
from karat.graphs.amr.penman import penman_of_text
from karat.graphs.amr.statements import (
    ROOT,
    Statements,
    Style,
    compressed,
    dereified,
    read_plainly,
    reified,
    standardized,
    statements_of,
)
from karat.graphs.metrics.smatchpp import SmatchPlusPlus


def amr(text: str) -> Statements:
    return standardized(statements_of(penman_of_text(text)), "amr")


def shape(graph: Statements) -> set[tuple[str, str, str]]:
    return set(graph.all)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(d / dog :mod (b / big))", "(d / dog :domain-of (b / big))"),
        ("(d / dog :ARG0-of (b / bark-01))", "(d / DOG :arg0-of (b / bark-01))"),
        (
            "(m / man :location (p / park))",
            "(m / man :ARG1-of (b / be-located-at-91 :ARG2 (p / park)))",
        ),
        ("(m / man :poss-of (c / cat))", "(m / man :ARG0-of (o / own-01 :ARG1 (c / cat)))"),
        ("(m / man :poss-of (c / cat))", "(m / man :ARG0-of (o / have-03 :ARG1 (c / cat)))"),
        ('(m / man :name "Al")', "(m / man :name al)"),
    ],
)
def test_different_ways_to_say_the_same(one: str, other: str) -> None:
    assert shape(amr(one)) == shape(amr(other))


@pytest.mark.parametrize(
    "text",
    [
        "(b / be-located-at-91 :ARG1 (m / man) :ARG2 (p / park))",
        "(s / say-01 :ARG1 (b / be-located-at-91 :ARG1 (m / man) :ARG2 (p / park)))",
        "(m / man :ARG1-of (b / be-located-at-91 :ARG2 (p / park) :polarity -))",
        "(m / man :ARG1-of (b / be-located-at-91))",
    ],
)
def test_a_node_of_which_more_is_said_stays(text: str) -> None:
    assert any(target == "be-located-at-91" for _, _, target in amr(text).all)


def test_reification_and_back() -> None:
    graph = amr("(m / man :accompanier (c / cat) :location (p / park))")
    there = reified(graph)
    assert {target for _, role, target in there.all if role == "instance"} >= {
        "accompany-01",
        "be-located-at-91",
    }
    assert shape(dereified(there)) == shape(graph)


def test_a_constant_is_no_variable() -> None:
    graph = amr('(b / boy :name (n / name :op1 "b"))')
    assert len(graph.variables) == 2
    assert next(t for _, role, t in graph.all if role == "op1") == "b"
    assert "b" not in graph.variables


@pytest.mark.parametrize("style", ["generic", "amr"])
@pytest.mark.parametrize(
    ("system", "gold", "theirs", "ours"),
    [
        ("(i / i :ARG0-of (g / go-02))", "(j / i :ARG0-of (g / go-02))", 100, 100),
        ("(i / i :ARG0-of (g / go-02))", "(j / i :ARG0-of (g / i))", 75, 75),
        (
            "(a / and :op1 (x / y) :op2 (y / z :mod x))",
            "(a / and :op1 (x / y) :op2 (w / z :mod x))",
            100,
            100,
        ),
        (
            '(a / person :name (n / name :op1 "a"))',
            '(b / person :name (n / name :op1 "a"))',
            80,
            100,
        ),
    ],
)
def test_concepts_and_constants_that_are_spelt_like_variables(
    system: str, gold: str, theirs: float, ours: float, style: Style
) -> None:
    """Figures of smatch++ 1.8.0, which takes only the quoted constant for a variable."""
    tool = SmatchPlusPlus(style=style, compat="smatchpp")
    assert tool.score(system, gold)["f"] == pytest.approx(theirs)
    assert SmatchPlusPlus(style=style).score(system, gold)["f"] == pytest.approx(ours)


def test_variables_are_shown_as_they_are_written() -> None:
    told = SmatchPlusPlus().explain("(i / i :polarity -)", "(j / i)")
    assert told["correspondences"] == [["j", "i"]]
    assert told["surplus"] == [["i", "polarity", "-"]]


def test_compression_keeps_what_is_repeated() -> None:
    one = amr("(a / and :op1 (d / dog) :op2 (e / dog) :op3 (c / cat))")
    gold, _ = compressed(one, one)
    assert gold.variables == {"d", "e"}
    assert ("and", "op3", "cat") in gold.all


def test_aspects() -> None:
    graph = amr("(g / go-02 :ARG0 (b / boy) :polarity - :time (t / today))")
    assert ("g", "polarity", "-") in part_of(graph, "POLARITY").all
    assert ("t", "instance", "today") in part_of(graph, "TIME (temporal)").all
    assert part_of(graph, "NER").all == []


@pytest.mark.parametrize(
    ("concept", "aspect"),
    [
        ("forest", "LOCATION (spatial)"),
        ("moon", "LOCATION (spatial)"),
        ("voltage-quantity", "QUANTIFIER"),
    ],
)
def test_concepts_that_smatchpp_misspells(concept: str, aspect: str) -> None:
    graph = amr(f"(s / see-01 :ARG1 (x / {concept}))")
    assert ("s", "arg1", "x") in part_of(graph, aspect).all
    assert part_of(graph, aspect, as_tool=True).all == []


def test_roles_by_what_frames_say_of_them() -> None:
    frames = read_frames(["open-01  ARG0: opener  ARG2: instrument, tool"])
    graph = with_frame_roles(amr("(o / open-01 :ARG2 (k / key))"), frames)
    assert ("o", "instrument", "k") in graph.all


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What version 1.8.0 reads. A last word that is not quoted goes where brackets are missing.
        ("(a / b :r c :s", [("a", "r", "c")]),
        ("(a / b :r c", []),
        ('(a / b :r "c d"', [("a", "r", '"c d"')]),
        ('(a / b :r "c d")', [("a", "r", '"c d"')]),
        ("(a / b :r (c / d", [("a", "r", "c"), ("c", "instance", "d")]),
        # A bracket is no word of its own behind one that it touches.
        ("(a / b :r c(d)", [("a", "r", "c("), ("a", "r", "d")]),
        # Brackets in quotes are none, and blanks there are one.
        ('(a / b :r "c (d)  e")', [("a", "r", '"c (d) e"')]),
        # A second top is no top.
        ("(a / b) (c / d)", [(ROOT, "root-role", "c"), ("c", "instance", "d")]),
    ],
)
def test_damaged_texts_are_read_as_far_as_smatchpp_does(
    text: str, expected: list[tuple[str, str, str]]
) -> None:
    whole = [(ROOT, "root", "a"), ("a", "instance", "b")]
    assert read_plainly(text).all == [*whole, *expected]
