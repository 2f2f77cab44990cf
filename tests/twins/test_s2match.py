"""S²match against all mappings, tried one by one with real numbers."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.graphs.amr.penman import Triples, penman_of_text, triples_of
from karat.graphs.metrics.s2match import S2match
from karat.graphs.metrics.smatch import Smatch

VECTORS = str(Path(__file__).parents[1] / "support" / "vectors.txt")


def brute_force(metric: S2match, gold: Triples, system: Triples) -> float:
    """The best sum over all one-to-one mappings of variables."""
    ours = list(gold.instances)
    theirs = [*system.instances, *("" for _ in ours)]
    attributes, relations = set(system.attributes), set(system.relations)
    best = 0.0
    for chosen in permutations(theirs, len(ours)):
        mapping = dict(zip(ours, chosen, strict=True))
        total = 0.0
        for variable, partner in mapping.items():
            if partner:
                pair = gold.instances[variable], system.instances[partner]
                total += round(metric.similarity(*pair), 3)
        if gold.top and mapping[gold.top] == system.top:
            pair = gold.instances[gold.top], system.instances[(gold.top and system.top) or ""]
            total += 1 if metric.top == "constant" else round(metric.similarity(*pair), 3)
        total += sum((r, mapping[v], c) in attributes for r, v, c in set(gold.attributes))
        total += sum((r, mapping[s], mapping[t]) in relations for r, s, t in set(gold.relations))
        best = max(best, total)
    return best


concepts = st.sampled_from(
    ["dog", "dogs", "dog-01", "dog-02", "barked", "barks-01", "the", "zebra"]
)


@st.composite
def graphs(draw: st.DrawFn) -> str:
    count = draw(st.integers(1, 4))
    result = f"(v0 / {draw(concepts)}"
    for i in range(1, count):
        result += f" :{draw(st.sampled_from(['op1', 'op2']))} (v{i} / {draw(concepts)}"
        if draw(st.booleans()):
            result += " :quant 1"
    return result + " :mod v0" * draw(st.integers(0, 1)) + ")" * count


@settings(max_examples=drawn(150), deadline=None)
@given(graphs(), graphs(), st.sampled_from(["concept", "constant"]))
def test_the_best_of_all_mappings(system: str, gold: str, top: str) -> None:
    metric = S2match(vectors=VECTORS, top=top)  # type: ignore[arg-type]
    scores = metric.score(system, gold)
    sides = [triples_of(penman_of_text(text)) for text in (gold, system)]
    assert scores["c"] == pytest.approx(brute_force(metric, *sides), abs=1e-9)
    assert scores["exact"] == 1
    assert scores["c"] == scores["bound"]["c"]
    # Never below Smatch, whose matches all count as a whole.
    assert scores["c"] >= Smatch(top=top).score(system, gold)["c"] - 1e-9  # type: ignore[arg-type]
    assert metric.score(gold, gold)["f"] == 1


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("dog", "dog", 1),
        ("dog-01", "dog-02", 0.5),
        ("dog-01", "dog", 0.5),
        ("dog", "zebra", 0),  # no vector
        ("dog", "barked", 0),  # cosine 0
        ("dog", "dogs", 0.9930),  # (0.95 + 0.01) / (1.004988 · 0.960469)
        ("dog-01", "dogs", 0.4965),
        ("dog-01", "dogs-91", 0.4965),
    ],
)
def test_similarity(one: str, other: str, expected: float) -> None:
    metric = S2match(vectors=VECTORS)
    assert metric.similarity(one, other) == pytest.approx(expected, abs=2e-3)
    assert metric.similarity(other, one) == metric.similarity(one, other)
    assert S2match(vectors=VECTORS, cutoff=0.999).similarity("dog", "dogs") == 0


def test_without_vectors_only_senses_are_similar() -> None:
    scores = S2match().score("(d / dog-01 :mod (c / cat))", "(d / dog-02 :mod (c / cats))")
    assert (scores["c"], scores["g"], scores["s"]) == (2.0, 4, 4)  # mod, half a concept, half a top
