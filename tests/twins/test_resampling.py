"""The random weights against the same generator in plain Python, and against statistics."""

from __future__ import annotations

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


class Splitmix:
    """Written from the published definition of splitmix64."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state = seed
        self.state = self.next() ^ (stream * 0xD1342543DE82EF95 & MASK)
        self.state = self.next()

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

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


def test_block_size_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.arange(30.0).reshape(10, 3)
    whole = bootstrap_sums(counts, 25, 3)
    monkeypatch.setattr("karat.stats.resampling._BLOCK_CELLS", 40)
    assert np.array_equal(bootstrap_sums(counts, 25, 3), whole)


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
