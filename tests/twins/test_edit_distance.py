"""The edit distance kernel against the textbook table."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native


def textbook(a: list[int], b: list[int]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (x != y)))
    return row[-1]


def kernel(pairs: list[tuple[list[int], list[int]]], threads: int = 1) -> list[int]:
    sides = []
    for side in zip(*pairs, strict=True):
        sides.append(np.array([t for tokens in side for t in tokens], np.int32))
        sides.append(np.cumsum([0, *map(len, side)]).astype(np.int64))
    return _native.edit_distances(*sides, threads=threads).tolist()


def test_all_short_sequences() -> None:
    words = [list(w) for n in range(4) for w in product(range(3), repeat=n)]
    pairs = [(a, b) for a in words for b in words]
    assert kernel(pairs) == [textbook(a, b) for a, b in pairs]


tokens = st.lists(st.integers(0, 5), max_size=200)


@given(st.lists(st.tuples(tokens, tokens), min_size=1, max_size=5), st.integers(1, 4))
def test_random_sequences(pairs: list[tuple[list[int], list[int]]], threads: int) -> None:
    assert kernel(pairs, threads) == [textbook(a, b) for a, b in pairs]


@given(tokens, tokens, tokens)
def test_it_is_a_metric(a: list[int], b: list[int], c: list[int]) -> None:
    ab, ba, bc, ac, aa = kernel([(a, b), (b, a), (b, c), (a, c), (a, a)])
    assert aa == 0
    assert ab == ba
    assert (ab == 0) == (a == b)
    assert ac <= ab + bc


@pytest.mark.parametrize("size", [63, 64, 65, 127, 128, 129, 1000])
def test_block_borders(size: int) -> None:
    a = [i % 7 for i in range(size)]
    b = [i % 5 for i in range(size - 3)]
    assert kernel([(a, b)]) == [textbook(a, b)]


@pytest.mark.parametrize(
    ("offsets", "message"),
    [([1, 3], "begin with 0"), ([0, 2], "last offset"), ([0, 4, 3], "not decrease"), ([], "begin")],
)
def test_bad_offsets_are_refused(offsets: list[int], message: str) -> None:
    good, flat = np.array([0, 3], np.int64), np.array([0, 1, 2], np.int32)
    with pytest.raises(ValueError, match=message):
        _native.edit_distances(flat, np.array(offsets, np.int64), flat, good)


def test_negative_tokens_are_refused() -> None:
    flat, offsets = np.array([0, -1, 2], np.int32), np.array([0, 3], np.int64)
    with pytest.raises(ValueError, match="negative"):
        _native.edit_distances(flat, offsets, flat, offsets)


def test_pairwise_is_consistent_with_rapidfuzz() -> None:
    from rapidfuzz.distance import Levenshtein

    texts = [f"{i * 7919 % 101} {i * 31 % 17} of {i}" for i in range(200)]
    pairs = [([ord(c) for c in a], [ord(c) for c in b]) for a, b in pairwise(texts)]
    assert kernel(pairs) == [Levenshtein.distance(a, b) for a, b in pairs]


@pytest.mark.parametrize("size", [63, 64, 65, 128])
def test_as_many_tokens_as_places(size: int) -> None:
    a, b = list(range(size)), [*range(size, 2 * size), *range(size)][::-1]
    assert kernel([(a, b), (b, a)]) == [textbook(a, b)] * 2
