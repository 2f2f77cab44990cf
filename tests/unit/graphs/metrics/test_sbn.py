"""Simplified box notation: rows counted by hand, structures that are no graphs."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.files.opener import Source
from karat.engine import evaluate
from karat.errors import FormatError, PairingError
from karat.graphs.drs.sbn import read_sbn
from karat.graphs.formats.blocks import Clf, SbnText
from karat.graphs.metrics.sbn import (
    _LISTED,
    _MATCHED,
    _WHOLE,
    Sbn,
    SbnFine,
    _less_told_apart,
    _triples,
)

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
        # Of all 36 triples 31 are common; both roles match without names, boy without its sense.
        "no_roles": (36, 36, 31 + 2),
        "no_discourse": (36, 36, 31),
        "no_operators": (36, 36, 31),
        "no_senses": (36, 36, 31 + 1),
    }
    assert {row: tuple(found[row][key] for key in "gsc") for row in expected} == expected
    assert set(expected) == {*_LISTED, *_MATCHED, *_WHOLE}
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
        ("dog.n.01\nbark.v.01 Quantity +5", ["+5"], False),
        ("dog.n.01\nbark.v.01 Quantity -5", ["-5"], False),
        ("dog.n.01\nbark.v.01 Quantity -15", [], False),  # of two digits: a constant
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


def test_a_cycle_that_only_inversion_makes_is_none() -> None:
    """Old is an attribute of the person, whom its patient has as theme: no cycle as written."""
    text = (
        "person.n.01 EQU hearer time.n.08 EQU now "
        "old.a.01 AttributeOf -2 Time -1 Patient +1 time.n.08 Theme -3"
    )
    assert Sbn(strict=True).score(text, text)["f"] == 1.0
    assert SbnFine(strict=True).score(text, text)["role_triples"]["f"] == 1.0
    # Person has the quality of being old and old is an attribute of it: both ways as written.
    both = "person.n.01 Of +1 old.a.01 AttributeOf -1"
    assert Sbn(strict=True).score(both, both)["f"] == 0.0


def test_an_index_behind_the_last_concept_strictly_scores_nothing() -> None:
    system = 'male.n.02 Name "Tom" fly.v.01 Theme +2 Agent +1 time.n.08 EQU now'
    gold = 'male.n.02 Name "Tom" fly.v.01 Theme -1 Time +1 time.n.08 EQU now'
    assert Sbn().score(system, gold)["c"] > 0
    assert [Sbn(strict=True).score(system, gold)[key] for key in "sc"] == [0, 0]


def test_parallel_roles_are_two_and_in_the_tool_the_last_one() -> None:
    gold = "dog.n.01\nbark.v.01 Agent -1 Theme -1"
    system = "dog.n.01\nbark.v.01 Theme -1"
    # Three instances, two memberships, the top, and two roles or one.
    assert [Sbn().score(system, gold)[key] for key in "gsc"] == [8, 7, 7]
    compat = Sbn(compat="sbn-evaluation")
    assert [compat.score(system, gold)[key] for key in "gsc"] == [7, 7, 7]
    assert [compat.score(gold, gold.replace("Theme", "Part"))[key] for key in "gsc"] == [7, 7, 6]
    rows = SbnFine(compat="sbn-evaluation").score(system, gold)
    assert [rows["roles"][key] for key in "gsc"] == [1, 1, 1]
    # Between the same concepts one role points either way: as written, these are two.
    both = "dog.n.01\nbark.v.01 PartOf -1 Sub -1"
    assert len(read_sbn(both).roles) == 2
    assert read_sbn(both, "sbn-evaluation").roles == [(2, 1, "Sub")]


def test_of_an_index_the_tool_reads_one_digit() -> None:
    text = "dog.n.01\ncat.n.01\nbark.v.01 Agent -12"
    assert read_sbn(text).constants == [(3, "Agent", "-12")]
    assert read_sbn(text, "sbn-evaluation").roles == [(3, 2, "Agent")]


def test_an_index_of_several_digits_leads_to_a_concept_if_there_is_one() -> None:
    concepts = "\n".join(f"dog.n.{i:02}" for i in range(12))
    found = read_sbn(f"{concepts}\nbark.v.01 Agent -12 Quantity -13")
    assert found.roles == [(13, 1, "Agent")]
    assert found.constants == [(13, "Quantity", "-13")]
    assert found.astray == []


def test_a_box_word_tells_which_box_it_goes_on_from() -> None:
    text = "a.n.01\nNEGATION -1\nb.n.01\nCONTRAST {}\nc.n.01"
    for index, first in (("-1", 2), ("<1", 2), ("-2", 0), ("<2", 0)):
        joins = [join for join in read_sbn(text.format(index)).joins if join[2] != "member"]
        assert joins == [(0, 2, "NEGATION"), (first, 4, "CONTRAST")]
    for index in ("<3", "-0", "1"):
        with pytest.raises(FormatError, match="K161") as error:
            read_sbn(text.format(index))
        assert error.value.place is not None
        assert error.value.place.line == 4


def test_a_blank_first_line_is_no_structure() -> None:
    assert SbnText.recognizes("  \ndog.n.01 EQU now")
    assert not SbnText.recognizes("  \n \n")
    assert Clf.recognizes("  \nb1 REF x1")


def test_rows_that_tell_less_apart() -> None:
    """Four instances, two memberships, a top are common; each row lets one more match."""
    gold = "time.n.08 TPR now\nCONTRAST -1\ndog.n.01 SY1 -1 Co-Agent -1"
    system = "time.n.08 EQU now\nRESULT -1\ndog.a.02 SY2 -1 Agent -1"
    scores = SbnFine().score(system, gold)
    found = {row: tuple(scores[row][key] for key in "gsc") for row in _WHOLE}
    # SY1 is no three letters, and of Co-Agent something is left: the tool keeps these apart.
    assert found == {
        "no_roles": (11, 11, 6),
        "no_discourse": (11, 11, 7),
        "no_operators": (11, 11, 7),
        "no_senses": (11, 11, 7),
    }
    alike = SbnFine().score(system.replace("Agent", "Theme"), gold.replace("Co-Agent", "Agent"))
    assert alike["no_roles"]["c"] == 7


ONE_A_LINE = "dog.n.01 bark.v.01 Agent -1\nbird.n.01\ncat.n.01 NEGATION <1 run.v.01 Agent -1\n"


def read_items(text: str, folder: Path, **options: Any) -> list[str]:
    (folder / "some.sbn").write_text(text)
    return [item.value for item in SbnText(**options).read(Source(folder / "some.sbn"))]


@pytest.mark.parametrize("layout", ["auto", "lines"])
def test_one_structure_a_line(layout: str, tmp_path: Path) -> None:
    lines = ONE_A_LINE.split("\n")[:-1]
    assert read_items(ONE_A_LINE, tmp_path, layout=layout) == lines
    assert read_items("%%% text\n" + ONE_A_LINE + "\n\n", tmp_path, layout=layout) == lines
    path = tmp_path / "some.sbn"
    assert evaluate(Sbn(), system=path, gold=path).scores()["n"] == 3


def test_structures_over_several_lines_stay_whole(tmp_path: Path) -> None:
    blocks = ["dog.n.01\nNEGATION -1\nbark.v.01 Agent -1", "cat.n.01 run.v.01 Agent -1", "cow.n.01"]
    for layout in ("auto", "blocks"):
        assert read_items("\n\n".join(blocks), tmp_path, layout=layout) == blocks
    assert read_items(ONE_A_LINE, tmp_path, layout="blocks") == [ONE_A_LINE.rstrip("\n")]


def test_empty_lines_are_empty_structures_where_lines_are_asked_for(tmp_path: Path) -> None:
    first, second, third = ONE_A_LINE.split("\n")[:-1]
    text = f"\n{first}\n\n{second}\n{third}\n\n"
    assert read_items(text, tmp_path, layout="lines") == ["", first, "", second, third]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (ONE_A_LINE + "\n" + ONE_A_LINE, 5),  # is the blank line an empty structure?
        (ONE_A_LINE + "\ndog.n.01\nbark.v.01 Agent -1\n", 5),
        ("dog.n.01\n\n" + ONE_A_LINE, 3),
        ("dog.n.01\nNEGATION -1 bark.v.01 Agent -1\n", 2),
    ],
)
def test_where_structures_end_must_be_clear(text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="unclear where structures end") as caught:
        read_items(text, tmp_path)
    assert (caught.value.code, caught.value.place.line) == ("K161", line)
    assert "layout=lines" in str(caught.value.advice)


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
    for row in _WHOLE:
        gold, system = (_less_told_apart(read_sbn(text), row) for text in (one, other))
        if len(gold.nodes) + len(system.nodes) <= 9:
            assert scores[row]["c"] == scores[row]["bound"] == brute_force(gold, system)
            assert scores[row]["g"] == len({*gold.features, *gold.links})


def test_a_strict_run_without_a_readable_structure_says_why(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.sbn", tmp_path / "system.sbn"
    gold.write_text("male.n.02 fly.v.01 Agent -1\n")
    system.write_text("male.n.02 fly.v.01 Agent +7\n")
    with pytest.raises(PairingError, match=r"K241: .* unreadable: an index leads to no concept"):
        evaluate("sbn(strict=True)", system=system, gold=gold)
