"""Work on threads: results and errors come in order, and not too many are made ahead."""

from __future__ import annotations

import threading
import time

import pytest

from karat.cores import ahead, available, in_order, together
from karat.errors import OptionError


def slowly(number: int) -> int:
    time.sleep(0.001 * (number * 7 % 4))
    return number * number


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_results_come_in_order(threads: int, count: int) -> None:
    before = threading.active_count()
    assert list(in_order(slowly, count, threads)) == [slowly(i) for i in range(count)]
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_first_error_in_order_is_raised_after_what_comes_before_it(threads: int) -> None:
    def task(number: int) -> int:
        if number in (5, 6, 7):
            raise ValueError(number)
        return slowly(number)

    found = in_order(task, 20, threads)
    assert [next(found) for _ in range(5)] == [slowly(i) for i in range(5)]
    with pytest.raises(ValueError, match="5"):
        next(found)
    with pytest.raises(ValueError, match="5"):
        together([lambda i=i: task(i) for i in range(20)], threads)  # type: ignore[misc]


def test_so_many_are_made_ahead_and_no_more_once_nobody_wants_them() -> None:
    begun: list[int] = []
    both = threading.Barrier(2)

    def task(number: int) -> int:
        begun.append(number)
        if number < 2:
            both.wait(timeout=60)  # two threads are at work, this one among them
        return number

    before = threading.active_count()
    found = in_order(task, 1000, 2, 8)
    assert next(found) == 0
    found.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
    assert sorted(begun) == list(range(len(begun)))
    assert len(begun) <= 9


def test_what_is_begun_ahead_gives_its_result_or_its_error() -> None:
    go = threading.Event()

    def task() -> int:
        assert go.wait(60)
        return 7

    result = ahead(task)
    go.set()
    assert [result(), result()] == [7, 7]
    with pytest.raises(ZeroDivisionError):
        ahead(lambda: 1 / 0)()


@pytest.mark.parametrize("told", ["-1", "0", "1.5", "\u00b2", "9" * 5000])
def test_what_the_environment_says_is_a_number_or_refused(
    monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setenv("KARAT_JOBS", told)
    with pytest.raises(OptionError, match="K302: the environment's KARAT_JOBS is a whole number"):
        available()
