"""Answers of programs, cached by request and by version of the program: in memory or in a file."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from karat.errors import FormatError, Place
from karat.text.external.protocol import (
    Carrier,
    answers_to,
    check_health,
    check_nothing_is_left,
    fresh_ids,
)

Kept = TypeVar("Kept")
Request = TypeVar("Request")


class AnswerCache:
    """Answers to requests that were made before."""

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
        """The key of a request to a program in a version."""
        return hashlib.sha256(program.encode() + b"\0" + question).hexdigest()

    def get(self, key: str, kind: type[Kept]) -> Kept | None:
        """The cached answer, or None."""
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
def answer_cache(path: str | None) -> AnswerCache:
    """The cache in a file, or without a path the one that ends with this process."""
    return AnswerCache(path)


def ask(
    carrier: Carrier,
    cache: AnswerCache,
    requests: Sequence[Request],
    line: Callable[[int, Request], bytes],
    take: Callable[[Request, dict[str, Any]], Kept],
    kind: type[Kept],
    batch: int = 32,
) -> list[Kept]:
    """The answer to each request, from the cache or the program; equal requests are made once.

    `line` writes a request with an id, `take` gets the answer of type `kind` from what the
    program wrote.
    """
    program = check_health(carrier)
    keys = [cache.key(program, line(0, request)) for request in requests]
    found = {key: cache.get(key, kind) for key in keys}
    known = {key: answer for key, answer in found.items() if answer is not None}
    missing = {key: each for key, each in zip(keys, requests, strict=True) if key not in known}
    names = list(missing)
    for first in range(0, len(names), batch):
        asked = {key: missing[key] for key in names[first : first + batch]}
        ids = fresh_ids(len(asked))
        lines = [line(number, each) for number, each in zip(ids, asked.values(), strict=True)]
        written = answers_to(carrier, carrier.exchange(lines), ids)
        answers = [take(*pair) for pair in zip(asked.values(), written, strict=True)]
        cache.put(list(zip(asked, answers, strict=True)))
        known.update(zip(asked, answers, strict=True))
    if names:
        check_nothing_is_left(carrier)
    return [known[key] for key in keys]
