"""Programs that are started when they are first needed, and kept."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar


class Program(Protocol):
    """Something that may end by itself."""

    @property
    def running(self) -> bool:
        """Whether it still can be asked."""


Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept", bound=Program)


class Running(Generic[Key, Kept]):
    """One program per key, for all threads; a new one where it has ended.

    Processes do not share programs: an answer must go to the one who asked.
    """

    def __init__(self, start: Callable[[Key], Kept]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._found: dict[tuple[int, Key], Kept] = {}

    def __call__(self, key: Key) -> Kept:
        with self._lock:
            found = self._found.get((os.getpid(), key))
            if found is None or not found.running:
                found = self._found[os.getpid(), key] = self._start(key)
            return found
