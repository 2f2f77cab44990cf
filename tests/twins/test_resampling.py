"""The random weights against the same generator in plain Python, and against statistics."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native
from karat.stats.resampling import (
    bootstrap_sums,
    coin_sums,
    leave_one_out_sums,
    uniform_pairs,
)

MASK = (1 << 64) - 1


def mixed(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


class Splitmix:
    """Written from the published definition of splitmix64."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state = seed
        self.state = self.next() ^ (stream * 0xD1342543DE82EF95 & MASK)
        self.state = self.next()

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return mixed(self.state)

    def below(self, bound: int) -> int:
        """Uniform: values that would favour some results are drawn again."""
        while True:
            product = (self.next() >> 32) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32


def twin_bootstrap(rows: int, seed: int, trial: int) -> list[int]:
    random, weights = Splitmix(seed, trial), [0] * rows
    for _ in range(rows):
        weights[random.below(rows)] += 1
    return weights


def twin_coins(rows: int, seed: int, trial: int) -> list[int]:
    random, bits, weights = Splitmix(seed, trial), 0, []
    for i in range(rows):
        if i % 64 == 0:
            bits = random.next()
        weights.append(bits >> (i % 64) & 1)
    return weights


@cache
def poisson_steps() -> list[int]:
    """The distribution function of Poisson(1) at 0, 1, ..., times 2^64, from sums of 1/k!."""
    e = sum(Fraction(1, factorial(k)) for k in range(60))
    steps = [
        sum(Fraction(1, factorial(j)) for j in range(k + 1)) / e * 2**64 // 1 for k in range(30)
    ]
    return [step for step in steps if step < MASK]


def twin_poisson(rows: int, seed: int, trial: int, first: int = 0) -> list[int]:
    """The quantile of 64 bits: 16 of a number that four rows share, 48 of one of their own."""
    key, weights = Splitmix(seed, trial).next(), []
    for row in range(first, first + rows):
        number = mixed((key + (row // 4 + 1) * 0x9E3779B97F4A7C15) & MASK)
        upper = number >> (16 * (row % 4)) & 0xFFFF
        lower = mixed((number + (row % 4 + 1) * 0xD1342543DE82EF95) & MASK) >> 16
        weights.append(sum(upper << 48 | lower >= step for step in poisson_steps()))
    return weights


@pytest.mark.parametrize(
    ("fill", "twin"),
    [(_native.bootstrap_weights, twin_bootstrap), (_native.coin_weights, twin_coins)],
)
@given(st.integers(0, MASK), st.integers(0, 200), st.integers(0, 10**6), st.integers(1, 3))
def test_weights(fill, twin, seed: int, rows: int, first: int, threads: int) -> None:
    weights = np.empty((3, rows))
    fill(weights, first, seed, threads)
    assert weights.tolist() == [twin(rows, seed, first + i) for i in range(3)]


def test_sums_are_those_of_the_weights() -> None:
    counts = np.random.default_rng(1).integers(0, 9, (50, 4)).astype(float)
    expected = np.array([np.array(twin_bootstrap(50, 7, t)) @ counts for t in range(20)])
    assert np.array_equal(bootstrap_sums(counts, 20, 7), expected)
    expected = np.array([np.array(twin_coins(50, 7, t)) @ counts for t in range(20)])
    assert np.array_equal(coin_sums(counts, 20, 7), expected)


KERNELS = [
    (_native.bootstrap_sums, twin_bootstrap),
    (_native.coin_sums, twin_coins),
    (_native.poisson_sums, twin_poisson),
]


@pytest.mark.parametrize(("kernel", "twin"), KERNELS)
@pytest.mark.parametrize("rows", [0, 1, 3, 33, 2047, 2048, 5000])  # blocks have 2048 rows
def test_sums_by_kernels(kernel, twin, rows: int) -> None:
    """Small and large whole numbers, negative ones, fractions; any number of threads."""
    random = np.random.default_rng(rows)
    counts = np.column_stack(
        [
            random.integers(0, 9, rows),
            random.integers(-32767, 32768, rows),
            random.integers(-(10**9), 10**9, rows),
            random.integers(0, 2**20, rows) / 2**10,  # whose sums have no rounding
        ]
    ).astype(float)
    weights = np.array([twin(rows, 5, t) for t in range(3)]).reshape(3, rows)
    expected = np.column_stack([weights @ counts, weights.sum(axis=1)])
    for threads in (1, 3):
        assert np.array_equal(kernel(counts, 3, 5, threads), expected)


def test_draws_that_are_made_together_and_one_by_one() -> None:
    """Some of a million draws may have to be repeated, and are then drawn one by one."""
    rows = (1 << 20) - 1
    counts = np.random.default_rng(3).integers(0, 2**15, (rows, 1)).astype(float)
    weights = np.empty((2, rows))
    _native.bootstrap_weights(weights, 0, 5)
    expected = np.column_stack([weights @ counts, weights.sum(axis=1)])
    assert np.array_equal(_native.bootstrap_sums(counts, 2, 5), expected)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KERNELS])
def test_threads_do_not_matter_where_sums_are_rounded(kernel) -> None:
    counts = np.random.default_rng(1).random((5000, 3))
    one = kernel(counts, 50, 2, 1)
    assert np.array_equal(kernel(counts, 50, 2, 7), one)
    assert np.array_equal(kernel(counts, 20, 2, 2), one[:20])  # nor do further trials


def test_parts_of_a_table_have_the_weights_of_the_whole() -> None:
    counts = np.random.default_rng(1).integers(0, 99, (5000, 2)).astype(float)
    whole = _native.poisson_sums(counts, 30, 9)
    for cuts in ([0, 5000], [0, 1, 2, 3, 5000], [0, 777, 2048, 2049, 4999, 5000]):
        parts = [_native.poisson_sums(counts[a:b], 30, 9, first_row=a) for a, b in pairwise(cuts)]
        assert np.array_equal(sum(parts), whole)


def test_poisson_weights_where_16_bits_do_not_decide() -> None:
    """One of 8,192 weights takes more; so there are some among these."""
    rows, steps = 60_000, [step >> 48 for step in poisson_steps()]
    key = Splitmix(1, 0).next()
    numbers = [mixed((key + (i + 1) * 0x9E3779B97F4A7C15) & MASK) for i in range(rows // 4)]
    close = [
        4 * i + lane
        for i, number in enumerate(numbers)
        for lane in range(4)
        if number >> (16 * lane) & 0xFFFF in steps
    ]
    assert len(close) > 3
    counts = np.zeros((rows, len(close)))
    counts[close, range(len(close))] = 1
    weights = _native.poisson_sums(counts, 1, 1)[0, :-1]
    assert weights.tolist() == [twin_poisson(1, 1, 0, row)[0] for row in close]


def test_poisson_weights_are_distributed_so() -> None:
    weights = _native.poisson_sums(np.eye(500), 2000, 3)[:, :-1]  # those of each row
    seen = np.bincount(weights.ravel().astype(int), minlength=8)[:8]
    expected = np.array([np.exp(-1) / factorial(k) for k in range(8)]) * weights.size
    assert ((seen - expected) ** 2 / expected).sum() < 31.8  # 0.9999 with 8 degrees of freedom
    for shift in (1, 2, 4):  # neighbours, and trials, know nothing of each other
        assert (
            abs(np.corrcoef(weights[:, shift:].ravel(), weights[:, :-shift].ravel())[0, 1]) < 4e-3
        )
    assert abs(np.corrcoef(weights[1:].ravel(), weights[:-1].ravel())[0, 1]) < 4e-3


def test_poisson_sums_are_brought_to_scale() -> None:
    counts = np.array([[1.0, 2.0], [1.0, 5.0], [1.0, 0.0]])
    sums = bootstrap_sums(counts, 50, 1, "poisson")
    weights = np.array([twin_poisson(3, 1, t) for t in range(50)])
    drawn = weights.sum(axis=1)
    assert {0, 2} <= set(drawn)
    assert np.array_equal(sums[drawn == 0], np.zeros((sum(drawn == 0), 2)))
    expected = (weights @ counts)[drawn > 0] / drawn[drawn > 0, None] * 3
    assert np.allclose(sums[drawn > 0], expected, rtol=1e-15, atol=0)


def test_draws_are_uniform() -> None:
    weights = np.empty((4000, 10))
    _native.bootstrap_weights(weights, 0, 5)
    assert np.all(weights.sum(axis=1) == 10)
    drawn = weights.sum(axis=0)
    chi_square = ((drawn - 4000) ** 2 / 4000).sum()
    assert chi_square < 33.7  # the 0.9999 quantile with 9 degrees of freedom


def test_leave_one_out() -> None:
    counts = np.arange(12.0).reshape(4, 3)
    expected = [np.delete(counts, i, axis=0).sum(axis=0) for i in range(4)]
    assert np.array_equal(leave_one_out_sums(counts), expected)


@given(st.integers(0, MASK), st.integers(1, 20))
def test_uniform_pairs(seed: int, trials: int) -> None:
    """Two draws of the same generator from the streams of another seed, its upper 52 bits each."""
    expected = []
    for trial in range(trials):
        random = Splitmix(seed ^ 0x6A09E667F3BCC908, trial)
        expected.append([((random.next() >> 12) + 0.5) / 2**52 for _ in range(2)])
    assert np.array_equal(np.transpose(uniform_pairs(trials, seed)), expected)


def test_uniform_pairs_are_uniform_and_apart_from_the_draws() -> None:
    v, w = uniform_pairs(20_000, 3)
    for values in (v, w):
        counts = np.histogram(values, bins=10, range=(0, 1))[0]
        assert ((counts - 2000) ** 2 / 2000).sum() < 33.7
    weights = np.empty((20_000, 2))
    _native.bootstrap_weights(weights, 0, 3)
    for other in (w, weights[:, 0]):
        assert abs(np.corrcoef(v, other)[0, 1]) < 4 / np.sqrt(20_000)
