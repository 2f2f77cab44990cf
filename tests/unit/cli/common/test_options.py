"""Options that commands share."""

from __future__ import annotations

import pytest

from karat.cli.common.options import split_names


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("a(x=1, y=2),b", ["a(x=1, y=2)", "b"]),
        ("a(x=(1, 2)),b(y=','),c", ["a(x=(1, 2))", "b(y=',')", "c"]),
        ("", [""]),
    ],
)
def test_several_metrics_in_a_word(word: str, parts: list[str]) -> None:
    assert split_names(word) == parts
