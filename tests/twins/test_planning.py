"""Plans and assignments against all possible ones."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import numpy as np
import pytest

from karat.core.assigning import assigned, candidates
from karat.stats.choosing import best_changes, greedy_changes, paired_gains


def brute_force(top: float, bottom: float, changes: list[tuple[float, float]], most: int) -> float:
    return max(
        (top + sum(changes[i][0] for i in chosen)) / (bottom + sum(changes[i][1] for i in chosen))
        for size in range(most + 1)
        for chosen in combinations(range(len(changes)), size)
    )


def test_no_other_set_of_changes_is_better() -> None:
    rng = random.Random(1)
    for _ in range(1000):
        size = rng.randint(1, 9)
        gold, system = rng.randint(20, 60), rng.randint(40, 80)
        common = rng.randint(0, 20)
        table = [
            rng.choice([(2.0 * k, 0.0), (2.0 * k, float(k)), (0.0, -float(k))])
            for k in (rng.randint(0, 4) for _ in range(size))
        ]
        if rng.random() < 0.3:  # changes that may also harm
            table = [(float(rng.randint(-2, 4)), float(rng.randint(-4, 4))) for _ in range(size)]
        most = rng.randint(0, size)
        chosen, value = best_changes(2.0 * common, float(gold + system), table, most)
        assert len(chosen) <= most
        assert value == pytest.approx(brute_force(2.0 * common, gold + system, table, most))


def test_twelve_classes_as_well() -> None:
    rng = random.Random(2)
    for most in range(1, 13):
        table = [(2.0 * rng.randint(0, 9), float(rng.randint(-9, 9))) for _ in range(12)]
        _, value = best_changes(100.0, 200.0, table, most)
        assert value == pytest.approx(brute_force(100.0, 200.0, table, most))


def test_steps_take_what_gains_most() -> None:
    worth = [0.1, 0.5, 0.3]
    steps = greedy_changes(3, lambda chosen: sum(worth[i] for i in chosen), 2)
    assert [chosen for chosen, _ in steps] == [[1], [1, 2]]


def test_as_many_as_possible_are_put_together() -> None:
    rng = random.Random(3)
    for _ in range(300):
        ours, theirs = ([[rng.choice("abc")] for _ in range(rng.randint(0, 4))] for _ in range(2))
        first = candidates(ours, theirs)
        second = [[j for j in range(len(theirs)) if rng.random() < 0.4] for _ in ours]
        partner = assigned(first, second)
        taken = [j for j in partner if j is not None]
        assert len(taken) == len(set(taken))
        fits = [set(a) | set(b) for a, b in zip(first, second, strict=True)]
        assert all(j is None or j in fits[i] for i, j in enumerate(partner))
        padded = [*range(len(theirs)), *[-1] * len(ours)]
        most = max(
            (
                sum(j in fits[i] for i, j in enumerate(order))
                for order in set(permutations(padded, len(ours)))
            ),
            default=0,
        )
        assert len(taken) == most


def test_an_interval_of_gains_is_that_of_drawn_items() -> None:
    """The quantiles of (after - before) over all samples of two items."""
    before = np.array([[1.0, 2.0], [0.0, 2.0]])
    after = np.array([[2.0, 2.0], [0.0, 2.0]])
    samples = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    ((low, high),) = paired_gains(before, [after], lambda rows: rows[samples].sum(axis=1), 0.5)
    gains = [0.5, 0.25, 0.25, 0.0]
    assert (low, high) == pytest.approx(tuple(np.percentile(gains, [25, 75])))
