"""The protocol between karat and a program that computes scores or answers questions.

A request is one JSON object per line: ``id`` (a number that is used once), ``scores`` (the
names wanted), ``summary`` and ``references`` or ``documents``. An answer is one line with the
same ``id`` and ``scores``, a mapping of all names to numbers, or ``error``, a text. A request
of answers has ``context`` and ``questions`` instead, and is answered by as many ``answers``:
texts, null for none, or objects with ``text`` and ``probability``. The request
``{"health": true}`` is answered by ``{"ok": true, "name": ..., "version": ...}``.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from karat.errors import KaratError
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


def check_nothing_is_left(carrier: Carrier) -> None:
    """An error where the program answered more than it was asked."""
    _health(carrier)


def fresh_ids(count: int) -> list[int]:
    """Numbers for requests, none of which was used before in this process."""
    return [next(_ids) for _ in range(count)]


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
        raise ExternalError(f"{carrier.name} answered {len(found)} of {len(ids)} items")
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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        shown = line[:80].decode("utf-8", "replace")
        raise ExternalError(f"{carrier.name} did not answer with a JSON object: {shown!r}")
    return answer
