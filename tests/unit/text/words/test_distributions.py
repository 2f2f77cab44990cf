"""Divergences of distributions."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.text.words.distributions import jensen_shannon, relative

shares = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5)).map(
    lambda counts: relative(Counter(counts))
)


@given(shares, shares)
def test_the_divergence_is_symmetric_and_bounded(p: Any, q: Any) -> None:
    value = jensen_shannon(p, q)
    assert value == pytest.approx(jensen_shannon(q, p))
    assert -1e-12 <= value <= math.log(2) + 1e-12
    assert jensen_shannon(p, p) == pytest.approx(0, abs=1e-12)
    if not set(p) & set(q) and (p or q):
        assert value == pytest.approx(math.log(2))
