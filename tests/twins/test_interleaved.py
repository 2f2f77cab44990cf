"""Rows that a kernel makes of columns, against Python's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import _native

NUMBERS = st.sampled_from([b"1", b"2.5", b"null", b"1e-7"])
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(st.binary(max_size=4), min_size=width + 1, max_size=width + 1),
        st.lists(
            st.lists(NUMBERS, min_size=width, max_size=width),
            max_size=70,
        ),
    )
)


@given(TABLES)
def test_each_value_stands_between_two_parts(table: tuple[list[bytes], list[list[bytes]]]) -> None:
    around, rows = table
    columns = [b",".join(row[i] for row in rows) for i in range(len(around) - 1)]
    expected = [
        b"".join(part + value for part, value in zip(around, [*row, b""], strict=True))
        for row in rows
    ]
    assert _native.interleaved(around, columns) == expected


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="as many values"):
        _native.interleaved([b"", b"", b""], [b"1,2", b"1"])
    with pytest.raises(ValueError, match="as many bytes"):
        _native.interleaved([b"", b""], [b"1,2", b"1,2"])
