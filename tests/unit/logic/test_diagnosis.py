"""What is said about a wrong form."""

from __future__ import annotations

import pytest

from karat.errors import OptionError
from karat.logic.metrics.cogs import Cogs

GOLD = "* boy ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , x _ 3 ) AND dog ( x _ 3 )"  # noqa: E501
CASES = [
    (GOLD, []),
    (GOLD + " ", ["only white space differs"]),
    (GOLD.replace("x _ 3", "x _ 03"), ["only the order or the spelling differs"]),
    (GOLD[:31], ['ill-formed at offset 31: expected \'x _ number\', a letter (a, b, e) or a name, '
                 "found the end"]),
    (GOLD.replace("dog ( x _ 3 )", "dog ( x _ 8 )"), ["constants differ: 3->8"]),
    (GOLD.replace("x _ 3", "x _ 8"), ["constants are renamed consistently: 3->8"]),
    (GOLD.replace(" AND dog ( x _ 3 )", ""), ["missing term dog ( x _ 3 )"]),
    (GOLD + " AND big ( x _ 9 )", ["extra term big ( x _ 9 )"]),
    (GOLD + " AND dog ( x _ 3 )", ["repeated term dog ( x _ 3 )"]),
    (GOLD.replace("theme", "agent"), ["predicate differs: see.theme->see.agent"]),
    (GOLD.replace("* boy ( x _ 1 ) ;", "boy ( x _ 1 ) AND"),
     ["definiteness lost: boy ( x _ 1 )"]),
    (GOLD.replace("x _ 2 , x _ 1", "x _ 2 , Emma"), ["argument differs: x _ 1->Emma"]),
    ("Emma", ["the form is of the type name, the gold of the type iota",
              "missing term * boy ( x _ 1 )", "missing term see . agent ( x _ 2 , x _ 1 )",
              "missing term see . theme ( x _ 2 , x _ 3 )", "missing term dog ( x _ 3 )"]),
]  # fmt: skip


@pytest.mark.parametrize(("system", "expected"), CASES)
def test_diagnosis(system: str, expected: list[str]) -> None:
    assert Cogs().explain(system, GOLD)["diagnosis"] == expected


def test_facts() -> None:
    found = Cogs().explain(GOLD.replace("dog ( x _ 3 )", "dog ( x _ 8 )"), GOLD)
    assert found["missing"] == ["dog ( x _ 3 )"]
    assert found["extra"] == ["dog ( x _ 8 )"]
    assert found["constants"] == [[3, 8]]
    assert (found["offset"], found["expected"]) == (None, None)
    broken = Cogs().explain(GOLD[:22], GOLD)
    assert broken["offset"] == 22
    assert broken["expected"] == '"." or "("'


def test_lambda_and_name() -> None:
    two = "LAMBDA a . LAMBDA b . see . agent ( b , a )"
    other = "LAMBDA b . LAMBDA a . see . agent ( b , a )"
    assert Cogs().explain(other, two)["diagnosis"] == ["binders differ: a b->b a"]
    assert Cogs().explain("Emma", "Layla")["diagnosis"][0] == "the name differs: Layla->Emma"


TREE = "eat ( agent = * dog , theme = cake )"
TREES = [
    (TREE, []),
    ("eat ( theme = cake , agent = * dog )", ["only the order or the spelling differs"]),
    ("eat ( agent = dog , theme = cake )", ["missing edge eat ( agent = * dog )",
                                             "extra edge eat ( agent = dog )"]),
    ("eat ( agent = * dog", ['ill-formed at offset 19: expected "(", "," or ")", found the end']),
]  # fmt: skip


@pytest.mark.parametrize(("system", "expected"), TREES)
def test_trees(system: str, expected: list[str]) -> None:
    assert Cogs(dialect="varfree").explain(system, TREE)["diagnosis"] == expected


def test_roots_of_trees() -> None:
    assert Cogs(dialect="varfree").explain("giggle", "smile")["diagnosis"] == [
        "the root differs: smile->giggle"
    ]


def test_profile() -> None:
    metric = Cogs()
    found = metric.error_profile(metric.explain(system, GOLD) for system, _ in CASES)
    assert found["items"] == len(CASES)
    assert found["wrong"] == len(CASES) - 1
    assert found["kinds"]["missing term"] == 5
    assert found["kinds"]["ill-formed"] == 1
    assert found["predicates"]["confused"] == {"see.theme->see.agent": 1}
    assert found["roles"]["confused"] == {"theme->agent": 1}
    assert found["constants"] == {"confused": {"3->8": 1}, "shifted by": {"+5": 1}}
    assert found["arguments"]["confused"] == {"1->Emma": 1}


def test_options_that_trees_do_not_have() -> None:
    with pytest.raises(OptionError, match="no legacy=True for variable-free forms"):
        Cogs(dialect="varfree", legacy=True)
    with pytest.raises(OptionError, match="no grammar='strict' for variable-free forms"):
        Cogs(dialect="varfree", grammar="strict")
