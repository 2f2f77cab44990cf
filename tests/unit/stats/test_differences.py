"""Intervals of the difference of two systems on the same items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karat.stats import compare_paired
from karat.stats.paired_tests import Difference
from karat.stats.resampling import Array, Path

FIRST, OTHER = ("first",), ("other",)


def two_means(sums: Array) -> dict[Path, Array]:
    return {FIRST: sums[..., 1] / sums[..., 0], OTHER: sums[..., 2] / sums[..., 0]}


def compared(a: Array, b: Array, **options: object) -> dict[Path, Difference]:
    """Two systems that differ in the first score and are alike in the other."""
    other = np.linspace(0, 1, len(a))
    first, second = (np.column_stack([np.ones(len(a)), v, other]) for v in (a, b))
    return compare_paired(first, second, two_means, test="sign", **options)[1]  # type: ignore[arg-type]


def test_symmetric_differences_have_students_interval() -> None:
    """Without skew it is the interval of the paired t-test."""
    difference = np.array([-0.2, -0.1, 0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4])
    a = 0.5 + difference
    peer = stats.ttest_1samp(a - 0.5, 0).confidence_interval(0.95)
    found = compared(a, np.full(9, 0.5))[FIRST].interval
    assert found is not None
    # One unit has no difference, which costs a degree of freedom.
    wider = stats.t.ppf(0.975, 7) / stats.t.ppf(0.975, 8)
    middle, half = (peer.low + peer.high) / 2, wider * (peer.high - peer.low) / 2
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_a_score_that_is_the_same_on_all_items_has_no_interval() -> None:
    found = compared(np.linspace(0, 1, 9), np.full(9, 0.5))
    assert found[FIRST].interval is not None
    assert found[FIRST].interval_reason == ""
    assert found[OTHER].interval is None
    assert found[OTHER].interval_reason == "the systems are identical on all items"
    assert found[OTHER].p_value == 1.0


def test_few_items_that_differ_leave_room_for_more() -> None:
    """1 of 50 items differs: as many as 1 - 0.025^(1/50) of all could, at 95 %."""
    a = np.zeros(50)
    a[7] = 0.01
    found = compared(a, np.zeros(50))[FIRST].interval
    assert found is not None
    room = 1 - 0.025 ** (1 / 50)
    assert (found.low, found.high) == pytest.approx((0.0002 - room, 0.0002 + room), abs=1e-12)


def test_an_equal_difference_everywhere_is_no_certainty() -> None:
    found = compared(np.full(10, 0.75), np.full(10, 0.25))[FIRST].interval
    assert found is not None
    assert found.low < 0.5 < found.high
    assert found.high <= 1


def test_one_item_and_no_range() -> None:
    one = compared(np.array([0.3]), np.array([0.1]))[FIRST]
    assert (one.interval, one.interval_reason) == (None, "one item")
    few = compared(
        np.array([3.0, 1, 1, 1]), np.ones(4), range_of=lambda _: (-np.inf, np.inf)
    )[FIRST]  # fmt: skip
    assert few.interval is None
    assert few.interval_reason == "the systems differ on fewer than 5 items"


@pytest.mark.parametrize(
    ("name", "n", "least"),
    [
        ("normal", 5, 0.916),
        ("normal", 30, 0.936),
        ("exponential", 10, 0.936),
        ("sparse", 30, 0.936),
    ],
)
def test_coverage(name: str, n: int, least: float) -> None:
    """Of 600 data sets, at least so many 95 % intervals hold the truth, less 2.5 errors."""
    random = np.random.default_rng(n)

    def draw() -> tuple[Array, float]:
        if name == "normal":
            return random.normal(0.1, 0.2, n), 0.1
        if name == "exponential":
            return 0.2 * random.standard_exponential(n), 0.2
        return (random.random(n) < 0.1) * random.uniform(0, 1, n), 0.05

    hits = 0
    for _ in range(600):
        values, truth = draw()
        one = compared(values, np.zeros(n))[FIRST]
        hits += one.interval is None or one.interval.low <= truth <= one.interval.high
    assert hits / 600 >= least - 2.5 * np.sqrt(least * (1 - least) / 600)
