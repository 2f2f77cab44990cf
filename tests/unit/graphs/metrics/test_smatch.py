"""Weights of triples, hill climbing, similarities of one's own, and what signatures tell."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.registry import parse
from karat.engine import evaluate, verify
from karat.errors import FormatError, OptionError
from karat.graphs.amr.penman import penman_of_text, triples_of
from karat.graphs.metrics.s2match import S2match
from karat.graphs.metrics.smatch import Smatch

GOLD = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"
SYSTEM = "(x / want-01 :ARG0 (y / boy) :ARG1 (z / go-01))"


# -- weights --------------------------------------------------------------------


def test_concept_focus() -> None:
    """An instance counts three times: 3·3 + 1 + 3 of gold, 3·3 + 1 + 2, and 2·3 + 1 + 2."""
    scores = Smatch(instances_weight=3).score(SYSTEM, GOLD)
    assert (scores["g"], scores["s"], scores["c"]) == (13, 12, 9)
    assert scores["f"] == pytest.approx(2 * 9 / 25)
    assert scores["bound"]["c"] == 9
    assert scores["exact"] == 1
    # The kinds by themselves are counted, not weighed.
    assert [scores["instances"][key] for key in "gsc"] == [3, 3, 2]


def weighed(metric: Smatch, gold: str, system: str) -> int:
    """The best weighted sum over all one-to-one mappings, from the definition."""
    ours, theirs = (triples_of(penman_of_text(each)) for each in (gold, system))
    variables = list(ours.instances)
    best = 0
    for chosen in permutations([*theirs.instances, *("" for _ in variables)], len(variables)):
        to = dict(zip(variables, chosen, strict=True))
        instances = sum(theirs.instances.get(to[v]) == c for v, c in ours.instances.items())
        attributes = len(
            {(r, to[v], c) for r, v, c in ours.attributes} & set(theirs.attributes)
        ) + (to[variables[0]] == theirs.top)
        relations = len({(r, to[s], to[t]) for r, s, t in ours.relations} & set(theirs.relations))
        best = max(
            best,
            metric.instances_weight * instances
            + metric.attributes_weight * attributes
            + metric.relations_weight * relations,
        )
    return best


@st.composite
def graphs(draw: st.DrawFn) -> str:
    concept, role = st.sampled_from(["dog", "cat"]), st.sampled_from(["op1", "op2"])
    count = draw(st.integers(1, 4))
    text = f"(v0 / {draw(concept)}"
    for i in range(1, count):
        text += f" :{draw(role)} (v{i} / {draw(concept)}" + " :quant 1" * draw(st.integers(0, 1))
        text += ")" * draw(st.integers(0, 1))
    return text + " :mod v0" * draw(st.integers(0, 1)) + ")" * (text.count("(") - text.count(")"))


@settings(max_examples=150, deadline=None)
@given(graphs(), graphs(), st.tuples(*[st.integers(0, 4)] * 3))
def test_the_best_weighted_mapping(gold: str, system: str, weights: tuple[int, ...]) -> None:
    metric = Smatch(
        instances_weight=weights[0], attributes_weight=weights[1], relations_weight=weights[2]
    )
    scores = metric.score(system, gold)
    assert scores["c"] == scores["bound"]["c"] == weighed(metric, gold, system)
    parts = ("instances", "attributes", "relations")
    for key in "gsc":
        counts = [scores[part][key] for part in parts]
        assert scores[key] == sum(w * n for w, n in zip(weights, counts, strict=True))


def test_weights_hold_in_breakdowns_and_certificates(tmp_path: Path) -> None:
    files = [tmp_path / "gold.amr", tmp_path / "system.amr"]
    for path, text in zip(files, (GOLD, SYSTEM), strict=True):
        path.write_text(f"# ::id 1\n{text}\n", encoding="utf-8")
    run = evaluate(
        Smatch(instances_weight=3), system=files[1], gold=files[0], facets=["tuple"], certify=True
    )
    parts = run.parts["tuple"].counts.sum(axis=0)
    bound = list(run.metric.columns).index("bound")
    assert parts[bound] == run.counts[0][bound] == 9
    run.save(tmp_path / "run")
    assert verify(tmp_path / "run").items == 1


def test_weights_have_limits() -> None:
    with pytest.raises(OptionError, match="instances_weight"):
        Smatch(instances_weight=-1)
    with pytest.raises(OptionError, match="relations_weight"):
        Smatch(relations_weight=1.5)  # type: ignore[arg-type]


# -- climbing -------------------------------------------------------------------


def rings(sizes: list[int]) -> str:
    """Circles of nodes that are all alike, under one root: hard to climb, easy to prove."""
    nodes: list[str] = []
    for number, size in enumerate(sizes):
        names = [f"r{number}n{i}" for i in range(size)]
        opened = "".join(f" :op1 ({name} / x" for name in names)
        nodes.append(f"{opened} :op1 {names[0]}" + ")" * size)
    return "(t / and" + "".join(nodes) + ")"


def test_a_climb_may_fall_short_and_says_so() -> None:
    gold, system = rings([3, 4, 5, 6]), rings([6, 5, 4, 3])
    best = Smatch().score(system, gold)
    assert best["f"] == 1
    found = [Smatch(solver="climb", restarts=0, climb_seed=i).score(system, gold) for i in range(6)]
    assert all(each["c"] <= best["c"] <= each["bound"]["c"] for each in found)
    assert any(each["c"] < best["c"] for each in found)
    assert all(each["exact"] == (each["c"] == each["bound"]["c"]) for each in found)
    assert len({each["c"] for each in found}) > 1
    again = [Smatch(solver="climb", restarts=0, climb_seed=i).score(system, gold) for i in range(6)]
    assert again == found


def test_climbing_is_the_same_on_texts_triples_and_with_explanations() -> None:
    gold, system = rings([3, 4, 5]), rings([5, 4, 3])
    metric = Smatch(solver="climb", restarts=1, climb_seed=5)
    slow = metric.rows([(system, gold)], [metric.matchings([(system, gold)])])
    assert np.array_equal(metric.measure_many([(system, gold)]), slow)
    missing = metric.explain(system, gold)["missing"]
    scores = metric.score(system, gold)
    assert len(missing) == scores["g"] - scores["c"] > 0


def test_a_run_that_climbed_is_verified_by_climbing_again(tmp_path: Path) -> None:
    files = [tmp_path / "gold.amr", tmp_path / "system.amr"]
    for path, sizes in zip(files, ([3, 4, 5], [5, 4, 3]), strict=True):
        path.write_text(f"# ::id 1\n{rings(sizes)}\n", encoding="utf-8")
    metric = Smatch(solver="climb", restarts=0, climb_seed=5)
    assert not metric.certifies
    run = evaluate(metric, system=files[1], gold=files[0])
    assert run.inexact == 1
    run.save(tmp_path / "run")
    assert "solver:climb" in verify(tmp_path / "run").signature


# -- similarities ---------------------------------------------------------------


def similarities(tmp_path: Path, *lines: str) -> str:
    path = tmp_path / "similar.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_similarities_of_ones_own(tmp_path: Path) -> None:
    path = similarities(tmp_path, "cat kitten 0.75", "", "Bark-01\tbark-02\t0.9")
    metric = S2match(similarities=path)
    assert metric.similarity("kitten", "cat") == metric.similarity("cat", "kitten") == 0.75
    assert metric.similarity("bark-02", "bark-01") == 0.9  # not the half that senses earn
    assert metric.similarity("bark-01", "bark-03") == 0.5
    assert metric.similarity("cat", "dog") == 0
    assert metric.similarity("cat", "cat") == 1
    scores = metric.score("(b / bark-02 :ARG0 (k / kitten))", "(b / bark-01 :ARG0 (c / cat))")
    assert scores["c"] == pytest.approx(0.9 + 0.9 + 0.75 + 1)  # bark, the top, the cat, the role
    assert scores["exact"] == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["cat kitten"], r"similar.txt:1: FormatError K144: found 'cat kitten', expected two"),
        (["cat kitten much"], r":1: FormatError K144: found 'cat kitten much'"),
        (["cat kitten 1.5"], r":1: FormatError K144: found 'cat kitten 1.5'"),
        (["cat kitten nan"], r":1: FormatError K144: found 'cat kitten nan'"),
        (["a b 0.5", "b a 0.6"], r":2: FormatError K144: 'b' and 'a' had the similarity 0.5"),
        (["cat cat 0.5"], r":1: FormatError K144: the concept 'cat' is equal to itself"),
    ],
)
def test_lines_that_are_no_similarities(tmp_path: Path, lines: list[str], message: str) -> None:
    metric = S2match(similarities=similarities(tmp_path, *lines))
    with pytest.raises(FormatError, match=message):
        metric.score("(c / cat)", "(k / kitten)")


# -- signatures -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("smatch", "top:constant|counting:set|standardize:smatch|solver:exact"),
        ("smatch(top='concept', counting='min')", "top:concept|counting:min|"),
        ("smatch(compat='smatch')", "counting:product|standardize:smatch-1.0|"),
        ("smatch(solver='climb', climb_seed=7)", "solver:climb"),
        ("smatchpp", "top:concept|counting:set|standardize:amr|solver:exact"),
        ("smatchpp(style='generic', compress=True)", "counting:min|standardize:generic+compress|"),
        ("s2match", "top:concept|counting:set|standardize:smatch|solver:exact"),
        ("amr-fine", "top:constant|counting:set|standardize:smatch|solver:exact"),
        ("amr-fine(compat='amrlib')", "standardize:amrlib|solver:exact"),
        ("mrp", "search:exact|bilexical:ordered|ucca:unconstrained"),
        ("mrp(domination=True)", "search:exact|bilexical:ordered|ucca:dominated"),
        ("mrp(search='mtool')", "search:mtool|bilexical:ordered|ucca:mtool"),
    ],
)
def test_signatures_name_what_moves_figures(metric: str, told: str) -> None:
    found: Any = parse(metric)
    assert f"|{told}" in f"{found.signature()}|"
    assert parse(found.signature()) == found


def test_signatures_hold_the_files(tmp_path: Path) -> None:
    one = S2match(similarities=similarities(tmp_path, "a b 0.5")).signature()
    other = S2match(similarities=similarities(tmp_path, "a b 0.6")).signature()
    assert one != other


def test_only_sets_of_triples_can_be_split() -> None:
    """Copies of a triple are no parts of an item that add up to its row."""
    assert Smatch().facets == ("tuple",)
    assert Smatch(counting="min").facets == Smatch(compat="smatch").facets == ()


# -- speed ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "by_way_of_python"),
    [
        ("smatch", "smatch._tuples_of_text"),
        ("smatch(top='concept', solver='climb')", "smatch._tuples_of_text"),
        ("smatchpp", "smatchpp.statements_of"),
        ("smatchpp(style='generic', compat='smatchpp')", "smatchpp.read_plainly"),
    ],
)
def test_strings_go_from_text_to_score_natively(
    metric: str, by_way_of_python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fit for rewards: no values of Python are built on the way, unless a text is not plain."""

    def refuse(*arguments: object) -> None:
        raise AssertionError("the slow way")

    monkeypatch.setattr(f"karat.graphs.metrics.{by_way_of_python}", refuse)
    found: Any = parse(metric)
    assert found.score(SYSTEM, GOLD)["c"] == 5
    assert found.score("", GOLD)["c"] == 0
    with pytest.raises(AssertionError, match="the slow way"):
        found.explain(SYSTEM, GOLD)


# -- explanations ---------------------------------------------------------------

REPEATED = "(a / x :r 1 :r 1 :s (b / y) :s b :s b)", "(a / x :r 1 :r 1 :r 1 :s (b / y) :t (c / y))"


@pytest.mark.parametrize(
    "metric",
    [
        "smatch", "smatch(top='concept')", "smatch(counting='min')", "smatch(only='relations')",
        "smatchpp", "smatchpp(style='none')", "smatchpp(style='generic', compress=True)",
        "smatchpp(compress=True)", "smatchpp(reify=True)", "smatchpp(compat='smatchpp')",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("system", "gold"), [(SYSTEM, GOLD), REPEATED, REPEATED[::-1], ("", GOLD), (GOLD, "")]
)
def test_explanations_hold_all_that_does_not_match(metric: str, system: str, gold: str) -> None:
    found: Any = parse(metric)
    scores, told = found.score(system, gold), found.explain(system, gold)
    assert len(told["missing"]) == scores["g"] - scores["c"]
    assert len(told["surplus"]) == scores["s"] - scores["c"]


def test_explanations_of_compressed_graphs_have_concepts_for_variables() -> None:
    metric: Any = parse("smatchpp(compress=True)")
    told = metric.explain("(b / bark-01 :ARG0 (d / dog))", "(b / bark-01 :ARG0 (c / cat))")
    assert told["missing"] == [["bark-01", "arg0", "cat"]]
    assert told["surplus"] == [["bark-01", "arg0", "dog"]]
