"""How many cores karat may use: those of this process, unless it is told otherwise."""

from __future__ import annotations

import os

from karat.errors import OptionError

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
