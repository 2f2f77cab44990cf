"""The protocol between karat and a program that computes scores or answers questions.

A request is one JSON object per line: ``id`` (a number that is used once), ``scores`` (the
names wanted), ``summary`` and ``references`` or ``documents``. An answer is one line with the
same ``id`` and ``scores``, a mapping of all names to numbers, or ``error``, a text. A request
of answers has ``context`` and ``questions`` instead, and is answered by as many ``answers``:
texts, null for none, or objects with ``text`` and ``probability``. The request
``{"health": true}`` is answered by ``{"ok": true, "name": ..., "version": ...}``.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from karat.core.files.notations import NOT_JSON
from karat.errors import FormatError, KaratError, Place, counted
from karat.text.model import Text

HEALTH = b'{"health":true}'
_ids = itertools.count()


class ExternalError(KaratError):
    """The other program failed or broke the protocol: fix that program."""

    code = "K410"


class Carrier(Protocol):
    """Base protocol of what carries requests to the other program and answers back."""

    name: str

    def health(self) -> bytes:
        """The answer to the request for health."""

    def exchange(self, requests: Sequence[bytes]) -> list[bytes]:
        """One answer for each request, in any order."""


def request(
    number: int, wanted: Sequence[str], system: Text, held_against: str, gold: Sequence[Text]
) -> bytes:
    """A request as a line without its end."""
    record: dict[str, Any] = {"id": number, "scores": list(wanted), "summary": system}
    if held_against:
        record[held_against] = list(gold)
    return encoded(record)


def encoded(record: dict[str, Any]) -> bytes:
    """A record as JSON; lone surrogates become the replacement character."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        # The surrogates that the standard library writes as escapes come back from UTF-16.
        whole = json.dumps(record, ensure_ascii=False)
        return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def check_health(carrier: Carrier) -> str:
    """Name and version of the program; an error where it reports a problem."""
    answer = _health(carrier)
    return f"{answer.get('name', 'unnamed')} {answer.get('version', 'unknown')}"


def named_version(carrier: Carrier) -> str:
    """Name and version of the program for a signature; empty where it gives no version."""
    answer = _health(carrier)
    if answer.get("version") is None:
        return ""
    told = f"{answer.get('name') or carrier.name} {answer['version']}"
    return "".join(c if c.isprintable() and c != "|" else " " for c in told)[:80].strip()


def _health(carrier: Carrier) -> dict[str, Any]:
    answer = _decoded(carrier, carrier.health())
    if "id" in answer and "ok" not in answer:
        raise ExternalError(
            f"{carrier.name} answered more than it was asked: once more the id {answer['id']!r}"
        )
    if answer.get("ok") is not True:
        raise ExternalError(
            f"{carrier.name} reports a problem: {str(answer.get('error', answer))[:200]}"
        )
    return answer


def answers_to(
    carrier: Carrier, answers: Sequence[bytes], ids: Sequence[int]
) -> list[dict[str, Any]]:
    """The answers to the requests with these ids, whatever the order they came in."""
    asked = set(ids)
    found: dict[int, dict[str, Any]] = {}
    for line in answers:
        answer = _decoded(carrier, line)
        number = answer.get("id")
        if not isinstance(number, int) or isinstance(number, bool) or number not in asked:
            raise ExternalError(f"{carrier.name} answered an id that was not asked: {number!r}")
        if number in found:
            raise ExternalError(f"{carrier.name} answered an id twice: {number!r}")
        if "error" in answer:
            raise ExternalError(f"{carrier.name} could not score an item: {answer['error']}")
        found[number] = answer
    if len(found) != len(ids):
        raise ExternalError(f"{carrier.name} answered {len(found)} of {counted(len(ids), 'item')}")
    return [found[number] for number in ids]


def numbers_of(carrier: Carrier, answer: Mapping[str, Any], wanted: Sequence[str]) -> list[float]:
    """The wanted scores of an answer."""
    scores = answer.get("scores")
    if not isinstance(scores, Mapping):
        raise ExternalError(f"{carrier.name} answered no scores")
    result = []
    for name in wanted:
        value = scores.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise ExternalError(f"{carrier.name} answered no number for {name!r}: {value!r}")
        try:
            result.append(float(value))
        except OverflowError:
            raise ExternalError(
                f"{carrier.name} answered a number for {name!r} that is too large"
            ) from None
    return result


def _decoded(carrier: Carrier, line: bytes) -> dict[str, Any]:
    try:
        answer = msgspec.json.decode(line)
    except NOT_JSON:
        answer = None
    if not isinstance(answer, dict):
        shown = line[:80].decode("utf-8", "replace")
        raise ExternalError(f"{carrier.name} did not answer with a JSON object: {shown!r}")
    return answer


# -- asking, with answers kept by request and by version of the program: in memory or in a file

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
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> FormatError:
        message = f"this cannot be used to keep answers: {error}"
        return FormatError(message, code="K116", place=Place(self._path))

    @staticmethod
    def key(program: str, question: bytes) -> str:
        """The key of a request to a program in a version."""
        return hashlib.sha256(program.encode() + b"\0" + question).hexdigest()

    def get(self, key: str, kind: type[Kept]) -> Kept | None:
        """The cached answer, or None."""
        try:
            with self._lock:
                row = self._database.execute(
                    "select scores from answers where question = ?", (key,)
                ).fetchone()
            return None if row is None else msgspec.json.decode(row[0], type=kind)
        except (sqlite3.Error, *NOT_JSON) as error:
            raise self._unusable(error) from None

    def put(self, answers: Sequence[tuple[str, Any]]) -> None:
        """Keeps answers."""
        rows = [(key, msgspec.json.encode(scores)) for key, scores in answers]
        try:
            with self._lock, self._database:
                self._database.executemany("insert or replace into answers values (?, ?)", rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from None


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
        ids = list(itertools.islice(_ids, len(asked)))
        lines = [line(number, each) for number, each in zip(ids, asked.values(), strict=True)]
        written = answers_to(carrier, carrier.exchange(lines), ids)
        answers = [take(*pair) for pair in zip(asked.values(), written, strict=True)]
        cache.put(list(zip(asked, answers, strict=True)))
        known.update(zip(asked, answers, strict=True))
    if names:
        _health(carrier)  # which is no answer to what was not asked
    return [known[key] for key in keys]
