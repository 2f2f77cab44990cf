"""The triples of fine-grained AMR scores: karat's, and what each tool makes of a graph."""

from __future__ import annotations

import pytest

from karat.errors import OptionError
from karat.graphs.amr.penman import Triples
from karat.graphs.metrics.amr_fine import AmrFine, Tool, parts_of, parts_of_tool


def shape(triples: Triples) -> tuple[set[str], set[tuple[str, str, str]]]:
    """The variables with instances, and the other triples."""
    return set(triples.instances), {*triples.attributes, *triples.relations}


WANT = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"
INTO_B = {("ARG0", "w", "b"), ("ARG0", "g", "b")}


def test_reentrancies_come_with_what_each_tool_adds() -> None:
    assert shape(parts_of(WANT, "constant").reentrancies) == ({"w", "b", "g"}, INTO_B)
    assert shape(parts_of_tool(WANT, "amr-evaluation").reentrancies) == (
        {"w", "b", "g"},
        INTO_B | {("TOP", "w", "want-01")},
    )
    assert shape(parts_of_tool(WANT, "amrlib").reentrancies) == (
        {"w", "b", "g"},
        INTO_B | {("ARG0", "w", "boy"), ("ARG0", "g", "boy")},
    )


@pytest.mark.parametrize("tool", ["amr-evaluation", "amr-evaluation-enhanced", "amrlib"])
def test_without_reentrancy_nothing_is_added(tool: Tool) -> None:
    assert shape(parts_of_tool("(d / dog :quant 2)", tool).reentrancies) == (set(), set())
    assert shape(parts_of_tool("", tool).srl) == (set(), set())


def test_an_inverted_role_counts_as_written_where_the_node_goes_on() -> None:
    """The readers before 1.0.3 turn it around before ')' only; amr-evaluation does so later."""
    closing = "(w / want-01 :ARG1 (b / boy) :ARG2 (g / go-02 :ARG0 b :ARG1-of w))"
    inside = "(w / want-01 :ARG1 (b / boy) :ARG2 (g / go-02 :ARG1-of w :ARG0 b))"
    into_g = {("ARG2", "w", "g"), ("ARG1", "w", "g")}
    into_b = {("ARG1", "w", "b"), ("ARG0", "g", "b")}
    for text in (closing, inside):
        _, found = shape(parts_of_tool(text, "amr-evaluation").reentrancies)
        assert found == into_g | into_b | {("TOP", "w", "want-01")}
    concepts = {("ARG1", "w", "boy"), ("ARG0", "g", "boy")}
    # Turned around, the role is a second relation from w to g, where there is one only.
    _, found = shape(parts_of_tool(closing, "amrlib").reentrancies)
    assert found == into_b | concepts
    _, found = shape(parts_of_tool(inside, "amrlib").reentrancies)
    assert found == into_b | concepts
    _, found = shape(parts_of_tool(inside, "amrlib").srl)
    # Roles are turned in any case: the last of two from w to g stays, both as attributes.
    assert found == into_b | {("ARG1", "w", "g")} | concepts - {("ARG1", "w", "boy")} | {
        ("ARG2", "w", "go-02"),
        ("ARG1", "w", "go-02"),
    }


def test_arguments_that_are_constants() -> None:
    text = "(r / rate-entity-91 :ARG1 2 :arg2 (y / year) :ARG1-of (s / see-01))"
    # As a default, roles in any case count; the tools know them in upper case only.
    assert shape(parts_of(text, "constant").srl) == (
        {"r", "y", "s"},
        {("ARG1", "r", "2"), ("arg2", "r", "y"), ("ARG1", "s", "r")},
    )
    assert shape(parts_of_tool(text, "amr-evaluation").srl) == (
        {"r", "s"},
        {("ARG1", "r", "2"), ("ARG1", "s", "r"), ("TOP", "r", "rate-entity-91")},
    )
    # There the constant is lost, and the instance of what has it stays.
    assert shape(parts_of_tool("(r / rate-entity-91 :ARG1 2)", "amrlib").srl) == ({"r"}, set())


def test_the_top_may_be_taken_for_a_relation() -> None:
    """Its concept is spelt like a variable, so that the variable is entered twice."""
    found = parts_of_tool("(i / i :ARG0-of (g / go-02))", "amrlib").reentrancies
    assert found.relations == [("TOP", "i", "i"), ("ARG0", "g", "i")]
    assert found.attributes == [("TOP", "i", "i"), ("ARG0", "g", "i")]
    assert not parts_of_tool("(j / i :ARG0-of (g / go-02))", "amrlib").reentrancies.instances


def test_names_of_roles_are_rewritten_in_the_text() -> None:
    text = '(m / meet-03 :prep-in (c / city :consist-of (h / house)) :time "4:30" :mod (b / big))'
    assert set(parts_of(text, "constant").unlabeled.relations) == {
        ("label", "m", "c"),
        ("label", "c", "h"),
        ("label", "b", "m"),  # mod is domain turned around
    }
    old = parts_of_tool(text, "amr-evaluation").unlabeled
    assert set(old.relations) == {("label", "m", "c"), ("label", "c", "h"), ("label", "m", "b")}
    assert ("label", "m", "4:label_") in old.attributes
    for tool in ("amr-evaluation-enhanced", "amrlib"):
        new = parts_of_tool(text, tool).unlabeled  # type: ignore[arg-type]
        # What follows a hyphen stays, and inverted roles are known by it.
        assert set(new.relations) == {
            ("label-in", "m", "c"),
            ("label", "h", "c"),
            ("label", "m", "b"),
        }


def test_the_top_is_a_concept_before_smatch_1_0_3() -> None:
    tops = {
        tool: parts_of_tool("(d / dog)", tool).smatch.attributes  # type: ignore[arg-type]
        for tool in ("amr-evaluation", "amr-evaluation-enhanced", "amrlib")
    }
    assert tops == {
        "amr-evaluation": [("TOP", "d", "dog")],
        "amr-evaluation-enhanced": [("TOP", "d", "dog")],
        "amrlib": [("TOP", "d", "top")],
    }


def test_the_enhanced_tool_keeps_one_attribute_of_a_name() -> None:
    text = "(n / name :op1 x :op1 y)"
    listed = parts_of_tool(text, "amr-evaluation").smatch.attributes
    once = parts_of_tool(text, "amr-evaluation-enhanced").smatch.attributes
    assert listed == [("TOP", "n", "name"), ("op1", "n", "x"), ("op1", "n", "y")]
    assert once == [("TOP", "n", "name"), ("op1", "n", "y")]


def test_repeated_triples_count_m_times_n_with_the_tools() -> None:
    twice = "(n / name :op1 x :op1 x)"
    for compat, expected in ((None, (3, 3, 3)), ("amrlib", (4, 4, 6))):
        smatch = AmrFine(compat=compat).score(twice, twice)["smatch"]  # type: ignore[arg-type]
        assert (smatch["g"], smatch["s"], smatch["c"]) == expected


def test_senses_as_tools_replace_them() -> None:
    for compat in (None, "amrlib"):
        metric = AmrFine(compat=compat)  # type: ignore[arg-type]
        scores = metric.score("(h / have-org-role-91)", "(h / have-org-role-01)")
        assert (scores["smatch"]["c"], scores["no_wsd"]["c"]) == (1, 2)


def test_a_tool_decides_for_itself() -> None:
    with pytest.raises(OptionError, match="decides itself"):
        AmrFine(compat="amrlib", counting="multiset")


def test_entries_that_differ_are_told() -> None:
    told = AmrFine().explain("(s / see-01 :ARG0 (d / dog))", "(s / see-02 :ARG0 (d / dog))")
    assert told["frames"] == {"missing": ["see-02"], "surplus": ["see-01"]}
    assert told["ignore_vars"]["missing"] == [("TOP", "see-02", "top"), ("ARG0", "see-02", "dog")]
    assert "non_sense_frames" not in told


def test_a_node_that_a_wiki_link_leads_to_is_listed_by_its_variable_in_the_tools() -> None:
    """amrlib 0.8.1 gives 1, 1, 1 for this pair: it lists the second node of each such triple."""
    gold, system = "(c / city :wiki (p / place))", "(t / town :wiki (p / person))"
    counts = [AmrFine(compat="amrlib").score(system, gold)["wikification"][key] for key in "gsc"]
    assert counts == [1, 1, 1]
    assert AmrFine().score(system, gold)["wikification"]["g"] == 0
