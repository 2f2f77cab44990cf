"""Certificates by themselves: each way in which one does not fit its pair."""

from __future__ import annotations

import numpy as np
import pytest

from karat.errors import VerificationError
from karat.graphs.matching.certificates import Certificate, issue, packed, verify
from karat.graphs.matching.solver import (
    DEFAULT_BUDGET,
    GraphPair,
    Kind,
    Side,
    check_many,
    match_many,
)

KINDS = [Kind(), Kind()]
GOLD = Side(2, [(0, 0, 7), (1, 0, 8)], [(0, 1, 1, 5)])
PAIR = GraphPair(GOLD, Side(2, [(1, 0, 7), (0, 0, 8)], [(1, 0, 1, 5)]))


def of(mapping: list[int], bound: int | None = None, multipliers: bytes = b"") -> bytes:
    """A certificate with the bound that its multipliers give, unless another is stated."""
    if bound is None:
        bound = int(check_many([PAIR], KINDS, [[1, 0]], [[]]).bound[0])
    return packed(Certificate(np.array(mapping, "<i4").tobytes(), multipliers, bound))


def test_what_was_sealed_is_good() -> None:
    found = match_many([PAIR], KINDS)
    (proof,) = issue([PAIR], KINDS, found)
    again = verify([PAIR], KINDS, [proof], DEFAULT_BUDGET)
    assert again.mapping.tolist() == [1, 0]
    assert (again.value[0], again.bound[0]) == (3, 3)
    assert again.counts.tolist() == found.counts.tolist()
    assert verify([PAIR], KINDS, [of([1, 0])], DEFAULT_BUDGET).value[0] == 3


@pytest.mark.parametrize(
    ("proof", "why"),
    [
        (of([1, 0, -1]), "its mapping is of other graphs"),
        (of([1, 2]), "its mapping is of other graphs"),
        (of([1, 1]), "its mapping or its multipliers break the rules"),
        (of([1, 0], multipliers=bytes(16)), "its mapping or its multipliers break the rules"),
        (of([1, 0], bound=2), "its multipliers do not give the bound it states"),
        (of([1, -1]), "its mapping is not the best one that is found"),
        (of([-1, -1]), "its mapping is not the best one that is found"),
        (of([1, 0], multipliers=bytes(7)), "its numbers are cut short"),
        (of([1, 0])[:-1], "cut short"),
        (b"no certificate", "does not fit its pair"),
    ],
)
def test_what_does_not_fit(proof: bytes, why: str) -> None:
    with pytest.raises(VerificationError, match=f"K607: .*{why}"):
        verify([PAIR], KINDS, [proof], DEFAULT_BUDGET)
