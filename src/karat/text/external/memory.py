"""Answers that are kept, by what was asked of whom: in memory, or in a file as well."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from karat.errors import FormatError, Place

Kept = TypeVar("Kept")


class Memory:
    """Scores of requests that were made before."""

    def __init__(self, path: str | None = None) -> None:
        self._lock = threading.Lock()
        self._path = path or ":memory:"
        try:
            if path:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self._path, check_same_thread=False)
            self._database.execute(
                "create table if not exists answers (question text primary key, scores blob)"
            )
        except (OSError, sqlite3.Error) as error:
            raise FormatError(
                f"this cannot be used to keep answers: {error}",
                code="K116",
                place=Place(self._path),
            ) from None

    @staticmethod
    def key(program: str, question: bytes) -> str:
        """What stands for a question to a program in a version."""
        return hashlib.sha256(program.encode() + b"\0" + question).hexdigest()

    def get(self, key: str, kind: type[Kept]) -> Kept | None:
        """What was answered, or None."""
        with self._lock:
            row = self._database.execute(
                "select scores from answers where question = ?", (key,)
            ).fetchone()
        return None if row is None else msgspec.json.decode(row[0], type=kind)

    def put(self, answers: Sequence[tuple[str, Any]]) -> None:
        """Keeps answers."""
        with self._lock, self._database:
            self._database.executemany(
                "insert or replace into answers values (?, ?)",
                [(key, msgspec.json.encode(scores)) for key, scores in answers],
            )


@lru_cache(maxsize=8)
def memory(path: str | None) -> Memory:
    """The memory of a file, or the one that ends with this process."""
    return Memory(path)
