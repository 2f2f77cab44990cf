"""Simplified box notation: rows counted by hand, structures that are no graphs."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.engine import evaluate
from karat.graphs.metrics.sbn import Sbn
from karat.graphs.metrics.sbn_fine import _LISTED, _MATCHED, SbnFine, _triples
from karat.graphs.sbn import read_sbn

FOLDER = Path("data/graphs/handmade")


def test_rows_of_the_shared_pairs_counted_by_hand(shared: Path) -> None:
    """Gold, system and common entries of the three small pairs.

    Not laughing: boy.n.01 against boy.n.02, Agent against Patient. Eating: apple
    against pear, Patient against Theme, "Tom Jones" against "Tom". A wheel of a car: the
    same, once as PartOf and once as Part.
    """
    found = evaluate(
        SbnFine(),
        system=shared / FOLDER / "sbn.system.sbn",
        gold=shared / FOLDER / "sbn.gold.sbn",
    ).scores()
    expected = {
        "names": (1, 1, 1),
        "negation": (1, 1, 1),
        "discourse": (0, 0, 0),
        "roles": (2 + 5 + 1, 2 + 5 + 1, 1 + 4 + 1),
        "members": (9, 9, 9),
        "concepts": (9, 9, 2 + 3 + 2),
        "nouns": (7, 7, 1 + 2 + 2),
        "verbs": (2, 2, 2),
        "adjectives": (0, 0, 0),
        "adverbs": (0, 0, 0),
        # Instances at the ends, a top, the edges: 3+1+2, 4+1+3, 2+1+1.
        "role_triples": (6 + 8 + 4, 6 + 8 + 4, 4 + 6 + 4),
        "name_triples": (3, 3, 2),
        # The boxes and all concepts, a top, the memberships: 5+1+3, 5+1+4, 3+1+2.
        "member_triples": (9 + 10 + 6, 9 + 10 + 6, 8 + 9 + 6),
        "comparison_triples": (3 + 3, 3 + 3, 3 + 3),
        "discourse_triples": (0, 0, 0),
        "box_triples": (4, 4, 4),
    }
    assert {row: tuple(found[row][key] for key in "gsc") for row in expected} == expected
    assert set(expected) == {*_LISTED, *_MATCHED}
    assert found["exact"] == 3


def test_entries_count_as_often_as_they_occur() -> None:
    gold = 'dog.n.01\ndog.n.01\nCONTRAST -1\ncat.n.01 Name "Tom" Sub -1'
    system = 'dog.n.01 Name "Tom"\nCONTRAST -1\nRESULT -1\nDog.n.01 sub -1'
    scores = SbnFine().score(system, gold)
    assert [scores["concepts"][key] for key in "gsc"] == [3, 2, 1]  # in its case
    assert [scores["discourse"][key] for key in "gsc"] == [1, 2, 1]
    assert [scores["names"][key] for key in "gsc"] == [1, 1, 0]
    assert [scores["roles"][key] for key in "gsc"] == [2, 2, 1]
    assert [scores["discourse_triples"][key] for key in "gsc"] == [4, 6, 4]


def test_negation_is_an_edge_between_boxes_but_no_discourse_relation() -> None:
    text = "dog.n.01\nNEGATION -1\nbark.v.01 Agent -1"
    scores = SbnFine().score(text, text)
    assert scores["discourse_triples"]["g"] == 0
    assert scores["box_triples"]["g"] == 4


def test_both_ways_to_open_a_box_are_one() -> None:
    assert Sbn().score("a.n.01\nNEGATION <1\nb.n.01", "a.n.01\nNEGATION -1\nb.n.01")["f"] == 1.0


@pytest.mark.parametrize(
    ("text", "astray", "cyclic"),
    [
        ("dog.n.01\nbark.v.01 Agent -1", [], False),
        ("dog.n.01 Of +1\nbark.v.01 Agent -1", [], True),
        ("dog.n.01 Sub +0", [], True),
        ("dog.n.01\nNEGATION -1\nbark.v.01 Agent +1", ["+1"], False),  # three lines, two concepts
        ("dog.n.01\nbark.v.01 Quantity +5", [], False),  # beyond all lines: a constant
    ],
)
def test_structures_that_strictly_are_none(text: str, astray: list[str], cyclic: bool) -> None:
    found = read_sbn(text)
    assert (found.astray, found.is_cyclic()) == (astray, cyclic)
    gold = "dog.n.01\nbark.v.01 Agent -1"
    strict, lenient = Sbn(strict=True).score(text, gold), Sbn().score(text, gold)
    assert lenient["c"] > 0
    assert strict["g"] == lenient["g"]
    if astray or cyclic:
        assert (strict["s"], strict["c"], strict["f"], strict["null"]) == (0, 0, 0.0, 1)
        assert SbnFine(strict=True).score(text, gold)["concepts"]["s"] == 0
    else:
        assert strict == lenient


def test_nothing_against_something() -> None:
    gold = "dog.n.01\nbark.v.01 Agent -1"
    # Three instances, two memberships, a role and the top.
    assert [Sbn().score("", gold)[key] for key in "gsc"] == [7, 0, 0]
    assert [Sbn().score(gold, "")[key] for key in "gsc"] == [0, 7, 0]
    assert [Sbn().score("", "")[key] for key in "gscf"] == [0, 0, 0, 0.0]
    assert [SbnFine().score("", gold)["concepts"][key] for key in "gsc"] == [2, 0, 0]


concept = st.sampled_from(["dog.n.01", "cat.n.01", "run.v.01", "big.a.01"])
role = st.sampled_from(["Agent -1", "Theme +1", "EQU now", 'Name "Tom"', "PartOf -1", "TPR -1"])
line = st.one_of(
    st.builds(lambda c, roles: " ".join([c, *roles]), concept, st.lists(role, max_size=2)),
    st.sampled_from(["NEGATION -1", "CONTRAST -1"]),
)
texts = st.builds(
    lambda first, rest: "\n".join([first, *rest]), concept, st.lists(line, max_size=3)
)


def brute_force(gold: Any, system: Any) -> int:
    """The most triples that any one-to-one mapping of nodes makes equal."""
    theirs = {*system.features, *system.links}
    places = [*range(len(system.nodes)), *(-1 - i for i in range(len(gold.nodes)))]
    return max(
        len(
            {(m[n], kind, key) for n, kind, key in gold.features} & theirs
            | {(m[a], m[b], kind, key) for a, b, kind, key in gold.links} & theirs
        )
        for m in permutations(places, len(gold.nodes))
    )


@settings(max_examples=60, deadline=None)
@given(texts, texts)
def test_rows_of_triples_against_brute_force(one: str, other: str) -> None:
    scores = SbnFine().score(other, one)
    for row in _MATCHED:
        gold, system = _triples(read_sbn(one), row), _triples(read_sbn(other), row)
        assert scores[row]["c"] == scores[row]["bound"] == brute_force(gold, system)
        assert scores[row]["g"] == len({*gold.features, *gold.links})
