"""The kernel that compresses pages, against zlib's decompressor."""

from __future__ import annotations

import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat._native import deflated
from karat.report.page.columns import packed


def check(data: bytes) -> bytes:
    """The data as pages of few items have it; any depth gives it back."""
    for depth in (1, 4, 5, 64):
        made = deflated(data, depth)
        inflater = zlib.decompressobj(-15)
        assert inflater.decompress(made) + inflater.flush() == data
        assert inflater.eof
        assert not inflater.unused_data
    return made


PIECES = st.lists(st.tuples(st.binary(max_size=40), st.integers(1, 40)), max_size=30)


@settings(max_examples=drawn(500))
@given(PIECES)
def test_pieces_that_are_repeated(pieces: list[tuple[bytes, int]]) -> None:
    check(b"".join(piece * times for piece, times in pieces))


@settings(max_examples=drawn(300))
@given(st.binary(max_size=2000) | st.text("ab,[]", max_size=3000).map(str.encode))
def test_any_bytes(data: bytes) -> None:
    check(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a",
        b"a" * 1_000_000,
        bytes(range(256)) * 3,
        bytes(range(256)) * 3000,
        b"".join(b"%d" % i for i in range(200_000)),
        (b"x" * 32764 + b"abcd") * 3,  # matches at the largest distance
        (b"x" * 32765 + b"abcd") * 3,  # and beyond it
    ],
)
def test_ends_of_ranges(data: bytes) -> None:
    check(data)


def test_codes_are_limited_to_fifteen_bits() -> None:
    """Numbers of symbols that grow as Fibonacci's do would have longer ones."""
    draw, times = random.Random(1), [1, 1]
    while sum(times) < 400_000:
        times.append(times[-1] + times[-2])
    data = [symbol for symbol, number in enumerate(times) for _ in range(number)]
    draw.shuffle(data)
    check(bytes(data))


def test_noise_and_texts_of_many_blocks() -> None:
    draw = random.Random(2)
    noise = draw.randbytes(300_000)
    assert len(check(noise)) < 1.01 * len(noise)
    words = [draw.randbytes(3).hex().encode() for _ in range(2000)]
    text = b" ".join(draw.choices(words, k=300_000))
    assert len(check(text)) < len(zlib.compress(text, 6))
    assert len(deflated(text)) < len(zlib.compress(text, 3))


def test_a_part_of_a_page_is_gzip() -> None:
    data = b'{"items":[1,2,3]}' * 50
    assert zlib.decompress(packed(data), 31) == data
