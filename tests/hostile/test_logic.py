"""Logical forms made to hurt: they end quickly, with a score or a KaratError."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from karat.core.reading.items import Pair
from karat.engine import measure_pairs
from karat.errors import FormatError, LimitExceeded
from karat.logic import (
    Flaw,
    Form,
    parse,
    parse_varfree,
    same_meaning,
    serialize_varfree,
    to_varfree,
    try_parse,
)
from karat.logic.metrics.cogs import Cogs, LfSemantic
from karat.logic.parser import same_tree, try_parse_varfree


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    begin = time.process_time()
    yield
    assert time.process_time() - begin < 10


LONG = 300_000
TEXTS = {
    "a word": "a" * LONG,
    "a word and more": "a" * LONG + " ! ",
    "blanks": " " * LONG,
    "blanks in a term": "cat" + " " * LONG + "(" + " " * LONG + "x _ 1" + " " * LONG + "!",
    "dots": "cat" + " . cat" * LONG,
    "open brackets": "cat (" + "(" * LONG,
    "stars": "* " * LONG,
    "prefix terms": "* cat ( x _ 1 ) ; " * 20_000,
    "binders": "LAMBDA a . " * LONG,
    "digits": "cat ( x _ " + "9" * LONG + " )",
    "zeros": "cat ( x _ " + "0" * LONG + " )",
    "names": "Emma " * LONG,
    "conjuncts": " AND ".join(["cat ( x _ 1 )"] * 20_000),
    "conjuncts without end": "cat ( x _ 1 ) AND " * 20_000,
    "control characters": "\0\x1b[31m" * 1000,
    "surrogates": "cat ( x _ 1 ) \ud800",
    "other digits": "cat ( x _ ١ )",
    "other letters": "ｃａｔ ( x _ 1 )",
    "no-break spaces": "cat\u00a0( x _ 1 )",
    "vertical tab": "cat\v( x _ 1 )",
}
WELL_FORMED = {"zeros", "conjuncts"}


@pytest.mark.parametrize("dialect", ["cogs", "slog", "recogs", "reduced"])
@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, dialect: str) -> None:
    found = try_parse(TEXTS[name], dialect)  # type: ignore[arg-type]
    if dialect in ("cogs", "slog"):
        expected = Form if name in WELL_FORMED else Flaw
        assert isinstance(found, expected)
    if isinstance(found, Flaw):
        assert 0 <= found.offset <= len(TEXTS[name])
        assert len(str(found)) < 300


@pytest.mark.parametrize("name", ["a word", "open brackets", "digits", "control characters"])
def test_they_only_cost_their_own_score(name: str) -> None:
    scores = Cogs().score(TEXTS[name], "cat ( x _ 1 )")
    assert scores["well_formed"]["count"] == 0


DEEP = 50_000


def test_deep_trees() -> None:
    text = "eat ( in = " * DEEP + "cat" + " )" * DEEP
    tree = parse_varfree(text)
    assert serialize_varfree(tree) == text
    assert same_tree(tree, parse_varfree(text))
    assert len(tree.triples()) == DEEP
    cut = try_parse_varfree(text[:-2])
    assert isinstance(cut, Flaw)
    assert cut.offset == len(text) - 2
    assert Cogs(dialect="varfree").score(text, text)["order_invariant"]["count"] == 1


def test_deep_recursion_converts() -> None:
    size = 5_000
    terms = [f"say . ccomp ( x _ {i} , x _ {i + 1} )" for i in range(size)]
    form = parse(" AND ".join([*terms, f"run . agent ( x _ {size} , Emma )"]))
    assert len(to_varfree(form).labels) == size + 2


def test_conversion_that_would_explode() -> None:
    terms = [
        f"say . {role} ( x _ {i} , x _ {i + 1} )" for i in range(40) for role in ("agent", "theme")
    ]
    form = parse(" AND ".join([*terms, "cat ( x _ 40 )"]))
    with pytest.raises(LimitExceeded, match="more than 100,000 nodes"):
        to_varfree(form)


@pytest.mark.parametrize(
    "text",
    [
        "cat ( x _ 1 ) AND dog ( x _ 2 )",
        "see . agent ( x _ 1 , x _ 2 )",
        "see . agent ( x _ 1 , x _ 1 )",
        "see ( x _ 1 , x _ 2 )",
        "cat ( a )",
        "cat ( x _ 1 ) AND dog ( x _ 1 )",
        "see . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , Emma )",
        "see . agent ( Emma , Emma )",
    ],
)
def test_forms_that_are_no_trees(text: str) -> None:
    with pytest.raises(FormatError, match="the form cannot be converted"):
        to_varfree(parse(text))


def test_thousands_of_alike_constants() -> None:
    one = parse(" AND ".join(f"cat ( x _ {i} )" for i in range(3_000)))
    other = parse(" AND ".join(f"cat ( x _ {i + 7} )" for i in range(3_000)))
    assert same_meaning(one, other)


def test_a_long_chain() -> None:
    size = 3_000
    one = parse(" AND ".join(f"cat . in ( x _ {i} , x _ {i + 1} )" for i in range(size)))
    other = parse(
        " AND ".join(f"cat . in ( x _ {size - i} , x _ {size - i - 1} )" for i in range(size))
    )
    assert same_meaning(one, other)


def test_a_star() -> None:
    rays = [f"cat . in ( x _ 0 , x _ {i} )" for i in range(1, 2_000)]
    one, other = parse(" AND ".join(rays)), parse(" AND ".join(reversed(rays)))
    bent = parse(" AND ".join([*rays[:-1], "cat . in ( x _ 1 , x _ 0 )"]))
    assert same_meaning(one, other)
    assert not same_meaning(one, bent)


@pytest.mark.parametrize(("size", "undecided"), [(200, 0), (1500, 1)])
def test_what_cannot_be_decided_is_counted_and_not_guessed(size: int, undecided: int) -> None:
    """Rings with chords of another length: each of so many constants looks like any other."""
    gold, system = (
        " AND ".join(
            f"cat . in ( x _ {i} , x _ {(i + step) % size} )"
            for i in range(size)
            for step in (1, chord)
        )
        for chord in (2, 3)
    )
    run = measure_pairs(Cogs(), [Pair(0, "1", {}, system, gold)])
    assert (run.scores()["semantic_match"]["count"], run.inexact) == (0, undecided)
    assert "renamed" not in Cogs().explain(system, gold)


def test_many_pieces_that_look_alike_are_compared_one_by_one() -> None:
    """Rings that share nothing: each takes a search, whose cost is that of its own size."""
    rings = [
        f"cat . in ( x _ {6 * ring + i} , x _ {6 * ring + (i + 1) % 6} )"
        for ring in range(2_000)
        for i in range(6)
    ]
    system = " AND ".join(reversed(rings)).replace("x _ 0 )", "x _ 12000 )")
    system = system.replace("( x _ 0 ,", "( x _ 12000 ,")
    assert LfSemantic().score(system, " AND ".join(rings))["semantic_match"]["count"] == 1


def test_many_terms_that_differ_are_explained_and_shown() -> None:
    gold = " AND ".join(f"ab . agent ( x _ {i} , x _ {i + 1} )" for i in range(20_000))
    system = gold.replace("ab .", "cd .")
    found = Cogs().explain(system, gold)
    assert found["predicates"] == [["ab.agent", "cd.agent"]] * 20_000
    assert len(Cogs().shown(system, gold, found).layers["terms"]) == 6 * 20_000


def test_many_edges_that_differ_are_shown() -> None:
    gold = "root ( " + " , ".join(["agent = ab"] * 20_000) + " )"
    metric = Cogs(dialect="varfree")
    system = gold.replace("agent", "theme")
    found = metric.explain(system, gold)
    assert len(metric.shown(system, gold, found).layers["terms"]) == 12 * 20_000


def test_a_late_offence_against_the_strict_rules_is_found() -> None:
    form = " AND ".join(["ab ( x _ 1 )"] * 50_000)
    flaw = try_parse(f"{form} AND ab ( x _ 1 , x _ 2 )", strict=True)
    assert isinstance(flaw, Flaw)
    assert flaw.offset == len(form) + 5
