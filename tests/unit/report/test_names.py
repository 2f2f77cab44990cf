"""Names of systems where a page has little room: they stay apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from karat.report.page.arrangement import without_shared

PARTS = st.sampled_from(["model", "a", "b", "long-words-in-it", "-", "_", ".", "7B", "é"])
NAMES = st.lists(PARTS, min_size=1, max_size=12).map("".join)


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_what_differs_still_differs(names: list[str]) -> None:
    found = without_shared(names)
    assert len(set(found)) == len(names)
    assert all(len(short) <= len(name) + 1 for short, name in zip(found, names, strict=True))
    if max(map(len, names)) <= 18:
        assert found == names


def test_where_there_is_room_for_the_difference_it_is_what_is_shown() -> None:
    names = [f"submission-{k:02}-of-the-team" for k in range(30)]
    assert without_shared(names) == [f"…{k:02}…" for k in range(30)]
    long = ["a-translator-of-600M-parameters", "another-one-as-long-as-this-is"]
    assert without_shared(long) == ["a-translator-of-6…", "another-one-as-lo…"]
    assert without_shared(["x" * 30 + "a", "x" * 30 + "b"]) == [
        "xxxxxxxxx…xxxxxxxa",
        "xxxxxxxxx…xxxxxxxb",
    ]
    assert without_shared(["the-only-one-there-is-of-them"]) == ["the-only-one-there-is-of-them"]
