"""The kernel that looks for members of JSON, against Python's own search."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from karat._native import holding

PARTS = [b'"id":', b'"diagnosis":', b"ab", b"abcd"]
TEXTS = st.lists(
    st.sampled_from([b'"id"', b":", b'"di', b"agnosis", b"ab", b"cd", b"x" * 250, b"y" * 5]),
    max_size=12,
).map(b"".join)


@given(texts=st.lists(TEXTS, min_size=1, max_size=3), part=st.sampled_from(PARTS))
@example(texts=[b"x" * 510 + b'"id":', b'"id"' + b"x" * 505 + b'"id":', b'"id"x'], part=b'"id":')
def test_parts_are_found_wherever_they_stand(texts: list[bytes], part: bytes) -> None:
    assert holding(texts, [part]) == [part in text for text in texts]
