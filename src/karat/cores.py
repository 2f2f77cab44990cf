"""How many cores karat may use: those of this process, unless it is told otherwise."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from karat.errors import OptionError

_T = TypeVar("_T")

VARIABLE = "KARAT_JOBS"

_told = 0


def available() -> int:
    """The cores that this process may run on, or as many as the environment says (KARAT_JOBS)."""
    if told := os.environ.get(VARIABLE, "").strip():
        if not (told.isascii() and told.isdigit() and int(told) > 0):
            raise OptionError(
                f"the environment's {VARIABLE} is a whole number from 1, got {told!r}", code="K302"
            )
        return int(told)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usable() -> int:
    """So many threads a computation in this process may start."""
    return _told or available()


def limit(count: int) -> None:
    """Lets computations in this process start no more threads than that; 0 lifts the limit."""
    global _told
    _told = count


def together(tasks: Sequence[Callable[[], _T]], threads: int) -> list[_T]:
    """The results of functions that do not depend on each other, on so many threads.

    Of their errors, that of the first function is raised, as it would be on one thread.
    """
    if min(threads, len(tasks)) <= 1:
        return [task() for task in tasks]
    import threading
    from contextvars import copy_context

    results: dict[int, _T] = {}
    errors: dict[int, BaseException] = {}
    following = iter(range(len(tasks)))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number = len(tasks) if errors else next(following, len(tasks))
            if number == len(tasks):
                return
            try:
                results[number] = tasks[number]()
            except BaseException as error:
                errors[number] = error
                if not isinstance(error, Exception):  # the user ends the program
                    raise

    others = [
        threading.Thread(target=copy_context().run, args=(work,), daemon=True)
        for _ in range(min(threads, len(tasks)) - 1)
    ]
    for thread in others:
        thread.start()
    work()
    for thread in others:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return [results[number] for number in range(len(tasks))]
