"""counter and sbn against recorded optima (`graph-scorers.json`), counter against brute force."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_figures import DATA, entries, named
from karat.core.registry import parse
from karat.core.scoring import row_scores
from karat.engine import evaluate
from karat.graphs.drs.clauses import Clause, boxes, is_constant, prepared, read_clauses
from karat.graphs.drs.matching import issue_certificate, match_clauses, verify_certificate
from karat.graphs.metrics.counter import ClauseCounter

SCORERS = "graph-scorers.json"
FLAGS = {
    "ic": "keep_references=True",
    "dse": "sense=False",
    "dr": "role=False",
    "dc": "concept=False",
}


@pytest.mark.parametrize("name", named("counter/", SCORERS) + named("sbn/", SCORERS))
def test_recorded_optima(name: str, tmp_path: Path) -> None:
    entry = entries(SCORERS)[name]
    options, expected = entry["options"], entry["expected"]
    if "variant" in options:
        metric = f"sbn(variant={options['variant']!r})"
    else:
        flags = [FLAGS[flag] for flag in options if flag in FLAGS]
        if "synsets" in options:
            table = tmp_path / "synsets"
            table.write_text("".join(f"{a}\t{b}\n" for a, b in options["synsets"].items()))
            flags.append(f"synsets={str(table)!r}")
        metric = f"counter({', '.join(flags)})"
    found = evaluate(
        parse(metric), system=DATA / entry["files"]["system"], gold=DATA / entry["files"]["gold"]
    )
    scores = found.scores()
    assert [scores[key] for key in "csg"] == [expected[key] for key in "ctg"]
    assert [scores[key] for key in "prf"] == pytest.approx([expected[key] for key in "prf"])
    assert found.inexact == 0
    if "items" in expected:
        items = [[item[key] for key in "csg"] for item in found.per_item()]
        assert items == expected["items"]
    for row in ("operators", "roles", "concepts", "nouns", "verbs", "events"):
        if f"{row}_prf" in expected:
            ours = [round(scores[row][key], 4) for key in "prf"]
            assert ours == expected[f"{row}_prf"]


def brute_force(gold: list[Clause], system: list[Clause]) -> int:
    """The most clauses that any mapping of variables, boxes to boxes, makes equal."""
    theirs = set(system)
    ours, others = boxes(gold), boxes(system)

    def mappings(is_box: bool) -> Any:
        names = [name for name, box in ours.items() if box == is_box]
        images = [name for name, box in others.items() if box == is_box]
        images += [f"none {i}" for i in names]
        return [dict(zip(names, each, strict=True)) for each in permutations(images, len(names))]

    best = 0
    for some in mappings(True):
        for more in mappings(False):
            mapping = {**some, **more}
            best = max(
                best,
                sum(
                    Clause(
                        mapping[clause.box],
                        clause.name,
                        tuple(
                            each if is_constant(each) else mapping[each]
                            for each in clause.arguments
                        ),
                    )
                    in theirs
                    for clause in set(gold)
                ),
            )
    return best


box = st.sampled_from(["b1", "b2"])
referent = st.sampled_from(["x1", "x2", "e1"])
clause = st.one_of(
    st.builds(lambda b, x: f"{b} REF {x}", box, referent),
    st.builds(
        lambda b, n, x: f'{b} {n} "n.01" {x}', box, st.sampled_from(["dog", "cat"]), referent
    ),
    st.builds(
        lambda b, r, x, y: f"{b} {r} {x} {y}",
        box,
        st.sampled_from(["Agent", "Theme"]),
        referent,
        referent,
    ),
    st.builds(lambda b, x: f'{b} EQU {x} "2"', box, referent),
    st.builds(lambda b, c: f"{b} NEGATION {c}", box, box),
)
structure = st.lists(clause, max_size=7).map(lambda lines: read_clauses("\n".join(lines)))


@settings(max_examples=120, deadline=None)
@given(structure, structure)
def test_clauses_against_brute_force(one: list[Clause], other: list[Clause]) -> None:
    gold, system = prepared(one, keep_references=True), prepared(other, keep_references=True)
    found = match_clauses(gold, system)
    best = brute_force(gold, system)
    assert found.value == found.bound == best
    proof = issue_certificate(gold, system, found)
    again = verify_certificate(gold, system, proof, lambda: match_clauses(gold, system))
    assert (again.mapping, again.matched, again.bound) == (found.mapping, found.matched, best)
    for limit, budget in ((1, 10**9), (2_000, 0), (1, 0)):
        ended = match_clauses(gold, system, limit=limit, budget=budget)
        assert ended.value <= best <= ended.bound


def test_an_ended_search_says_so() -> None:
    """A ring of six boxes against two rings of three: no clause tells them apart."""
    ring = [f"b{i} NEGATION b{(i + 1) % 6}" for i in range(6)]
    rings = [f"b{i} NEGATION b{i // 3 * 3 + (i + 1) % 3}" for i in range(6)]
    gold, system = (prepared(read_clauses("\n".join(each))) for each in (ring, rings))
    ended = match_clauses(gold, system, limit=1)
    assert ended.value < ended.bound
    finished = match_clauses(gold, system, limit=100_000)
    assert ended.value <= finished.value == finished.bound == 4
    texts = ["\n".join(each) for each in (rings, ring)]
    for limit, exact in ((1, 0), (100_000, 1)):
        metric = ClauseCounter(limit=limit)
        (row,) = row_scores(metric, metric.measure_many([(texts[0], texts[1])]))
        assert row["exact"] == exact
        assert row["c"] <= 4 <= row["bound"]["c"]


def test_a_hard_search_ends_with_an_interval() -> None:
    """Roles between twenty referents in twenty boxes, all of one name: nothing tells them apart."""
    random = Random(1)

    def structure() -> list[Clause]:
        numbers = [[random.randrange(20) for _ in range(3)] for _ in range(60)]
        return prepared(read_clauses("\n".join(f"b{b} Agent x{x} x{y}" for b, x, y in numbers)))

    gold, system = structure(), structure()
    short = match_clauses(gold, system, budget=10**6)
    longer = match_clauses(gold, system, budget=10**8)
    assert short.steps < 100
    for found in (short, longer):
        assert 0 < found.value < found.bound < 60
    assert max(short.value, longer.value) <= min(short.bound, longer.bound)
