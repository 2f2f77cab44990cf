"""Which clauses make up a structure, and what becomes of those that do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.registry import parse
from karat.engine import evaluate
from karat.errors import FormatError, OptionError, PairingError
from karat.graphs.drs.clauses import Clause, problem_of, read_clauses
from karat.graphs.metrics.counter import ClauseCounter

DOG = 'b1 REF x1\nb1 dog "n.01" x1'
EVENT = 'b2 REF e1\nb2 bark "v.01" e1\nb2 Agent e1 x1'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (DOG, None),
        (f"{DOG}\nb1 NOT b2\n{EVENT}", None),
        (f"{DOG}\nb1 PRESUPPOSITION b2\n{EVENT}", None),
        (f"{DOG}\n{EVENT}", None),  # b2 uses what b1 introduces: that connects them
        (f'{DOG}\nb0 IMP b1 b2\n{EVENT}\nb1 Name x1 "rex"\nb1 EQU x1 "2"', None),
        (f"{DOG}\nb1 PRP x1 b2\n{EVENT}", None),
        ('b1 REF x1\nb2 REF x1\nb2 entity "n.01" x1', None),  # nothing is related at all
        ("b1 REF", "REF takes 1 arguments, found 0"),
        ("b1 REF x1 x2", "REF takes 1 arguments, found 2"),
        ('b1 REF "x1"', 'REF takes a referent, found "x1"'),
        (f"{DOG}\nb1 NOT b2 b3", "NOT takes 1 arguments, found 2"),
        (f"{DOG}\nb1 NOT x1", "x1 is a box in one place and a referent in another"),
        (f"{DOG}\nb1 IMP b2", "IMP takes 2 arguments, found 1"),
        (f"{DOG}\nb1 CONTRAST b2 b3", "CONTRAST takes 1 arguments, found 2"),
        (f"{DOG}\nb1 PRP b2 x1", "x1 is a box in one place and a referent in another"),
        (f"{DOG}\nb1 Agent x1", "Agent takes 2 arguments, found 1"),
        (f"{DOG}\nb1 Agent x1 b1", "b1 is a box in one place and a referent in another"),
        (f"{DOG}\nb1 Name x1 x1", "Name takes a constant, found x1"),
        (f'{DOG}\nb1 "odd" "n.01" x1', None),
        ("b1 dog x1", "dog is not an operator, role or concept with a sense"),
        ('b1 dog "n.1" x1', "dog is not an operator, role or concept with a sense"),
        ('b1 dog "n.01" x1', "no box introduces the referent x1"),
        (f"{DOG}\nb1 Agent e1 x1", "no box introduces the referent e1"),
        (f"{DOG}\nb1 NOT b1", "the box b1 lies above itself"),
        (f"{DOG}\nb1 NOT b2\nb2 NOT b1\n{EVENT}", "the box b1 lies above itself"),
        # b2 is held by b1, and b1 uses what b2 introduces.
        (f"{DOG}\nb1 NOT b2\n{EVENT}\nb1 Theme x1 e1", "the box b1 lies above itself"),
        (f"{DOG}\nb1 NOT b2\n{EVENT}\nb8 NOT b9", "the box b8 is not connected with b1"),
    ],
)  # fmt: skip
def test_problems(text: str, problem: str | None) -> None:
    clauses = [
        Clause(fields[0], fields[1], tuple(fields[2:]))
        for fields in (line.split() for line in text.split("\n"))
    ]
    if clauses[0].arguments:
        assert problem_of(clauses) == problem
    else:
        with pytest.raises(FormatError, match="K160"):
            read_clauses(text)


def test_the_shared_structures_are_well_formed(shared: Path) -> None:
    for side in ("gold", "system"):
        text = (shared / f"data/graphs/handmade/counter.{side}.clf").read_text("utf-8")
        for block in text.split("\n\n"):
            if block.strip():
                assert problem_of(read_clauses(block)) is None


# -- the order of boxes, by its definition --------------------------------------------


def looks_ordered(clauses: list[Clause]) -> bool:
    """Pairs of boxes as plain sets: closed under both rules, with no box above itself."""
    boxes = {clause.box for clause in clauses}
    held, above = set(), set()
    introduced = {(c.box, c.arguments[0]) for c in clauses if c.name == "REF"}
    for clause in clauses:
        if clause.name in ("NOT", "PRESUPPOSITION", "CONTRAST"):
            pair = (clause.box, clause.arguments[0])
            boxes.add(pair[1])
            above.add(pair)
            if clause.name == "NOT":
                held.add(pair)
        if clause.name == "Agent":
            for referent in clause.arguments:
                if (clause.box, referent) not in introduced:
                    above |= {(box, clause.box) for box, known in introduced if known == referent}
    while True:
        before = set(above)
        while True:
            more = {(a, d) for a, b in above for c, d in above if b == c}
            if more <= above:
                break
            above |= more
        above |= {
            (other, holder)
            for holder, inner in held
            for other, lower in above
            if lower == inner and other != holder and (holder, other) not in above
        }
        if above == before:
            break
    if any(a == b for a, b in above):
        return False
    reached = {min(boxes)}
    while True:
        more = {b for a, b in above if a in reached} | {a for a, b in above if b in reached}
        if more <= reached:
            break
        reached |= more
    return not above or reached == boxes


box = st.sampled_from(["b1", "b2", "b3", "b4"])
join = st.builds(
    lambda a, name, b: Clause(a, name, (b,)),
    box,
    st.sampled_from(["NOT", "PRESUPPOSITION", "CONTRAST"]),
    box,
)
use = st.builds(lambda a, x: Clause(a, "Agent", (x, "x1")), box, st.sampled_from(["x1", "x2"]))
references = [Clause("b1", "REF", ("x1",)), Clause("b2", "REF", ("x2",))]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(join, use), max_size=7))
def test_order_of_boxes_against_its_definition(more: list[Clause]) -> None:
    clauses = [*references, *more]
    assert (problem_of(clauses) is None) == looks_ordered(clauses)


# -- what the metric does with them -----------------------------------------------------

GOLD = f"{DOG}\nb1 NEGATION b2\n{EVENT}"
UNBOUND = 'b1 dog "n.01" x1\nb1 NEGATION b2\nb2 REF e1\nb2 bark "v.01" e1\nb2 Agent e1 x1'


def figures(metric: ClauseCounter, system: str) -> list[Any]:
    scores = metric.score(system, GOLD)
    return [*(scores[key] for key in "gsc"), scores["ill"]]


def test_ill_formed_structures(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 structure of the system is ill-formed"):
        assert figures(ClauseCounter(), UNBOUND) == [4, 4, 4, 1]
    assert figures(ClauseCounter(ill_formed="dummy"), UNBOUND) == [4, 1, 0, 1]
    # With all REF clauses counted, that of the dummy finds one in gold.
    kept = ClauseCounter(ill_formed="dummy", keep_references=True)
    assert figures(kept, UNBOUND) == [6, 2, 1, 1]
    # A cat purrs, in one box: two concepts and the Agent, of which gold has the Agent.
    baseline = tmp_path / "baseline.clf"
    baseline.write_text(
        'b1 REF x1\nb1 cat "n.01" x1\nb1 REF e1\nb1 purr "v.01" e1\nb1 Agent e1 x1\n'
    )
    spar = ClauseCounter(ill_formed="spar", spar=str(baseline))
    assert figures(spar, UNBOUND) == [4, 3, 1, 1]
    for options in ({"ill_formed": "spar"}, {"spar": str(baseline)}):
        with pytest.raises(OptionError, match="go together"):
            ClauseCounter(**options)
    with pytest.raises(FormatError, match="K169"):
        ClauseCounter(ill_formed="error").score(UNBOUND, GOLD)
    assert figures(ClauseCounter(ill_formed="error"), GOLD) == [4, 4, 4, 0]


def test_a_dummy_matches_nothing_even_where_concepts_are_alike() -> None:
    assert figures(ClauseCounter(ill_formed="dummy", concept=False), UNBOUND) == [4, 1, 0, 1]


def test_an_empty_system_is_empty_rather_than_ill_formed() -> None:
    assert figures(ClauseCounter(ill_formed="dummy"), "") == [4, 0, 0, 0]
    scores = ClauseCounter().score(GOLD, "")
    assert [scores[key] for key in "gscprf"] == [0, 4, 0, 0.0, 0.0, 0.0]


def test_gold_is_scored_as_it_is() -> None:
    scores = ClauseCounter(ill_formed="dummy").score(GOLD, UNBOUND)
    assert [scores[key] for key in "gsc"] == [4, 4, 4]


def test_rounded_before_f() -> None:
    """2 of 3 and 2 of 7: 0.6667 and 0.2857 give 0.39999…, the fractions 0.4."""
    gold = 'b1 REF x1\nb1 dog "n.01" x1\n' + "\n".join(
        f'b1 REF x{i}\nb1 thing{i} "n.01" x{i}' for i in range(2, 8)
    )
    system = (
        'b1 REF x1\nb1 dog "n.01" x1\nb1 REF x2\nb1 thing2 "n.01" x2\nb1 REF x3\nb1 cat "n.02" x3'
    )
    exact, rounded = (
        ClauseCounter().score(system, gold),
        ClauseCounter(rounded=True).score(system, gold),
    )
    assert (exact["c"], exact["s"], exact["g"]) == (2, 3, 7)
    assert exact["f"] == pytest.approx(0.4, abs=1e-12)
    assert rounded["p"] == 0.6667
    assert rounded["r"] == 0.2857
    assert rounded["f"] == pytest.approx(2 * 0.6667 * 0.2857 / (0.6667 + 0.2857), abs=1e-12)


def test_one_structure_against_all(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.clf", tmp_path / "system.clf"
    gold.write_text(f"{GOLD}\n\n{DOG}\n\n{GOLD}\n")
    system.write_text(f"{DOG}\n")
    found = evaluate(ClauseCounter(baseline=True), system=system, gold=gold)
    assert [[item[key] for key in "gsc"] for item in found.per_item()] == [
        [4, 1, 1],
        [1, 1, 1],
        [4, 1, 1],
    ]
    with pytest.raises(PairingError, match="K202"):
        evaluate(ClauseCounter(baseline=True), system=gold, gold=gold)


def test_clauses_by_name(shared: Path) -> None:
    """The shared pairs: of the names, those that differ, and one that occurs often."""
    folder = shared / "data/graphs/handmade"
    found = evaluate(
        parse("counter"),
        system=folder / "counter.system.clf",
        gold=folder / "counter.gold.clf",
        facets=["clause"],
    )
    by = found.by("clause")
    figures = {name: tuple(by[name][key] for key in "gsc") for name in by}
    assert figures["boy.n.01"] == (1, 0, 0)
    assert figures["male_child.n.01"] == (0, 1, 0)
    assert figures["time.n.08"] == (2, 2, 2)
    assert figures["TPR"] == (2, 2, 2)
    assert figures["Part"] == (1, 1, 1)  # written PartOf in gold
    assert sum(c for _, _, c in figures.values()) == found.scores()["c"] == 26


def test_what_is_taken_for_what() -> None:
    metric = ClauseCounter()
    systems = [GOLD.replace("Agent", "Patient"), GOLD.replace("dog", "cat")]
    profile = metric.error_profile(metric.explain(system, GOLD) for system in systems)
    assert profile["confusions"] == [
        {"gold": "Agent", "system": "Patient", "count": 1},
        {"gold": "dog.n.01", "system": "cat.n.01", "count": 1},
    ]
    assert {each["what"] for each in profile["missing"]} == {"Agent", "dog.n.01"}
    assert {each["what"] for each in profile["surplus"]} == {"Patient", "cat.n.01"}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_ill_formed_structure_is_named(jobs: int, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.clf", tmp_path / "system.clf"
    gold.write_text("\n\n".join([GOLD] * 20))
    system.write_text("\n\n".join([GOLD] * 17 + [UNBOUND] + [GOLD] * 2))
    with pytest.raises(FormatError) as error:
        evaluate(ClauseCounter(ill_formed="error"), system=system, gold=gold, jobs=jobs)
    line = 1 + 17 * len([*GOLD.splitlines(), ""])
    assert error.value.headline == (
        f"{system}:{line}: FormatError K169: item '18': an ill-formed structure of the system: "
        "no box introduces the referent x1"
    )
