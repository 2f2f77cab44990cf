"""Choosing one candidate an item: equal to trying every choice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from karat.stats.choosing import best_choice, is_quotient


def f_score(totals: np.ndarray) -> np.ndarray:
    common, system, gold = (totals[..., i] for i in range(3))
    return np.divide(
        2 * common, system + gold, out=np.zeros(common.shape), where=system + gold != 0
    )


def geometric(totals: np.ndarray) -> np.ndarray:
    return np.sqrt(f_score(totals) * np.minimum(1.0, totals[..., 1] / (totals[..., 2] + 1)))


def brute(rows: np.ndarray, available: np.ndarray, value) -> float:
    choices = product(*(np.flatnonzero(row).tolist() for row in available))
    return max(float(value(sum(row[j] for row, j in zip(rows, c, strict=True)))) for c in choices)


@pytest.mark.parametrize("seed", range(150))
def test_the_best_choice_for_f_is_that_of_brute_force(seed: int) -> None:
    draw = np.random.default_rng(seed)
    items, size = draw.integers(1, 6), draw.integers(1, 5)
    gold = draw.integers(0, 9, (items, 1, 1)).repeat(size, axis=1)
    system = draw.integers(0, 12, (items, size, 1))
    common = (np.minimum(gold, system) * draw.random((items, size, 1))).round()
    rows = np.concatenate([common, system, gold], axis=2).astype(float)
    available = draw.random((items, size)) < 0.8
    available[:, 0] |= ~available.any(axis=1)
    for sign in (1, -1):
        chosen = best_choice(rows, available, lambda sums, sign=sign: sign * f_score(sums))
        assert available[np.arange(items), chosen].all()
        found = sign * float(f_score(rows[np.arange(items), chosen].sum(axis=0)))
        expected = brute(rows, available, lambda sums, sign=sign: sign * f_score(sums))
        assert found == pytest.approx(expected, abs=1e-12)


def test_which_scores_are_quotients() -> None:
    rows = np.random.default_rng(0).integers(1, 20, (50, 3, 3)).astype(float)
    assert is_quotient(rows, f_score)
    assert is_quotient(rows, lambda t: t[..., 0] / t[..., 1])
    assert not is_quotient(rows, geometric)
    assert is_quotient(rows[:0], geometric)


def test_no_single_change_raises_any_other_score() -> None:
    rows = np.random.default_rng(1).integers(0, 20, (40, 5, 3)).astype(float)
    chosen = best_choice(rows, np.ones((40, 5), bool), geometric)
    items = np.arange(40)
    total = rows[items, chosen].sum(axis=0)
    changed = total - rows[items, chosen][:, None, :] + rows
    assert geometric(changed).max() <= float(geometric(total)) + 1e-9
