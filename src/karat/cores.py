"""The number of cores that karat may use: those of this process, unless limited."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from karat.errors import OptionError

_T = TypeVar("_T")

VARIABLE = "KARAT_JOBS"

_told = 0


def available() -> int:
    """The cores that this process may run on, or as many as the environment says (KARAT_JOBS)."""
    if told := from_environment(VARIABLE, "a whole number from 1", least=1):
        return told
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def from_environment(variable: str, expected: str, default: int = 0, least: int = 0) -> int:
    """A whole number that an environment variable sets; what is `expected` is said in its error."""
    told = os.environ.get(variable, "").strip()
    if told and not (told.isascii() and told.isdigit() and len(told) < 19 and int(told) >= least):
        raise OptionError(f"the environment's {variable} is {expected}, got {told!r}", code="K302")
    return int(told) if told else default


def usable() -> int:
    """The number of threads that a computation in this process may start."""
    return _told or available()


def limit(count: int) -> None:
    """Lets computations in this process start no more threads than that; 0 lifts the limit."""
    global _told
    _told = count


def together(tasks: Sequence[Callable[[], _T]], threads: int) -> list[_T]:
    """The results of functions that do not depend on each other, on so many threads.

    Of their errors, that of the first function is raised, as it would be on one thread.
    """
    return list(in_order(lambda number: tasks[number](), len(tasks), threads, len(tasks)))


def ahead(task: Callable[[], _T]) -> Callable[[], _T]:
    """Begins something on a thread of its own; gives a function that waits for its result."""
    import threading

    found: list[_T] = []
    errors: list[BaseException] = []

    def make() -> None:
        try:
            found.append(task())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=make, daemon=True)
    thread.start()

    def result() -> _T:
        thread.join()
        if errors:
            raise errors[0]
        return found[0]

    return result


def in_order(
    task: Callable[[int], _T], count: int, threads: int, most: int | None = None
) -> Iterator[_T]:
    """What a function gives for 0, 1, ... below a count, in order, on so many threads.

    This thread is one of them: while a result is not there yet, it makes a later one. So `most` are
    under way or wait to be taken, which is twice the threads unless it is given. The error that
    is raised is the first one in order.
    """
    if min(threads, count) <= 1:
        yield from map(task, range(count))
        return
    import threading
    from contextvars import copy_context

    ahead = 2 * threads if most is None else most
    results: dict[int, _T] = {}
    errors: dict[int, BaseException] = {}
    changed = threading.Condition()
    begun = taken = 0

    def may_begin() -> bool:
        return begun < min(count, taken + ahead) and not errors

    def begin() -> int:
        nonlocal begun
        begun += 1
        return begun - 1

    def make(number: int) -> None:
        try:
            found = task(number)
        except BaseException as error:
            with changed:
                errors[number] = error
                changed.notify_all()
            if not isinstance(error, Exception):  # the user ends the program
                raise
        else:
            with changed:
                results[number] = found
                changed.notify_all()

    def work() -> None:
        while True:
            with changed:
                changed.wait_for(lambda: may_begin() or begun == count or errors)
                if not may_begin():
                    return
                number = begin()
            make(number)

    def one(wanted: int) -> _T:
        nonlocal taken
        while True:
            with changed:
                changed.wait_for(lambda: may_begin() or wanted in results or wanted in errors)
                if wanted in results:
                    taken += 1
                    changed.notify_all()
                    return results.pop(wanted)
                if wanted in errors:
                    raise errors[wanted]
                number = begin()
            make(number)

    others = [
        threading.Thread(target=copy_context().run, args=(work,), daemon=True)
        for _ in range(min(threads, count) - 1)
    ]
    for thread in others:
        thread.start()
    try:
        for wanted in range(count):
            yield one(wanted)
    finally:
        with changed:
            count = begun  # no more of them
            changed.notify_all()
        if not isinstance(sys.exc_info()[1], KeyboardInterrupt):
            for thread in others:
                thread.join()
