"""Hill climbing against its definition: no better than the best, and no step left to take."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from karat.graphs.matching.solver import Climb, GraphPair, Matchings, match_many
from matching_cases import KINDS, Case, best_preference, legal, matched, random_case, value


def climb(cases: list[Case], how: Climb, threads: int = 1, budget: int = 10**9) -> Matchings:
    pairs = [case.pair() for case in cases]
    return match_many(pairs, KINDS, climb=how, threads=threads, budget=budget)


def neighbours(case: Case, mapping: list[int]) -> Iterator[list[int]]:
    """All mappings that differ in the partner of one node, or in two that change partners."""
    for i, j in itertools.product(range(case.gold.nodes), range(case.system.nodes)):
        moved = list(mapping)
        if j in mapping:
            moved[mapping.index(j)] = mapping[i]
        moved[i] = j
        yield moved


def test_tiny_pairs_against_the_definition() -> None:
    rng = random.Random(11)
    cases = [random_case(rng, 4, "free") for _ in range(600)]
    below = 0
    for case, found in zip(cases, climb(cases, Climb(restarts=0, seed=3)), strict=True):
        mapping = found.mapping.tolist()
        counts = matched(case, mapping, KINDS)
        assert legal(case, mapping)
        assert found.matched.tolist() == counts
        assert found.value == value(counts, KINDS)
        best = best_preference(case, KINDS)[0]
        assert found.value <= best <= found.bound
        assert found.proven == (found.value == found.bound)
        below += found.value < best
        for other in neighbours(case, mapping):
            assert value(matched(case, other, KINDS), KINDS) <= found.value
    assert below > 0  # else nothing here tells climbing from an exact search


def test_a_seed_gives_one_result_whatever_stands_beside_it() -> None:
    rng = random.Random(4)
    cases = [random_case(rng, 9, "free") for _ in range(60)]
    how = Climb(restarts=2, seed=9)
    together = climb(cases, how)
    for i, case in enumerate(cases):
        alone = climb([case], how)[0]
        assert alone.mapping.tolist() == together[i].mapping.tolist()
    threads = climb(cases, how, threads=3)
    assert np.array_equal(threads.mapping, together.mapping)
    others = [climb(cases, Climb(2, seed)).mapping.tolist() for seed in range(5)]
    assert len({tuple(each) for each in others}) > 1


def test_more_starts_find_no_less() -> None:
    rng = random.Random(8)
    cases = [random_case(rng, 12, "free") for _ in range(80)]
    few, many = (climb(cases, Climb(restarts, seed=1)).value for restarts in (0, 8))
    assert (many >= few).all()
    assert (many > few).any()
    exact = match_many([case.pair() for case in cases], KINDS)
    assert (many <= exact.value).all()
    assert (climb(cases, Climb()).bound >= exact.value).all()


def test_the_budget_ends_a_climb() -> None:
    rng = random.Random(2)
    cases = [random_case(rng, 12, "free") for _ in range(30)]
    spent = climb(cases, Climb(restarts=50), budget=1)
    free = climb(cases, Climb(restarts=50))
    assert spent.work.sum() < free.work.sum()
    assert (spent.value <= free.value).all()
    assert (spent.bound >= free.value).all()


def test_it_knows_no_constraints() -> None:
    case = random_case(random.Random(0), 4, "ordered").pair()
    with pytest.raises(ValueError, match="constraints"):
        match_many([GraphPair(case.gold, case.system, "ordered")], KINDS, climb=Climb())
    with pytest.raises(ValueError, match="negative"):
        match_many([], KINDS, climb=Climb(restarts=-1))
