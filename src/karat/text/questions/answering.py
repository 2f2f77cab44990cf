"""Who answers questions about a text: a program, a server, or a function of the user's."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from karat.errors import MissingExtra, OptionError, shell
from karat.text.external.memory import Memory, memory
from karat.text.external.process import process
from karat.text.external.protocol import (
    Carrier,
    ExternalError,
    answers_of,
    check_health,
    check_nothing_is_left,
    encoded,
    fresh_ids,
    named_version,
)
from karat.text.external.server import Server
from karat.text.questions.model import Answer

Request: TypeAlias = tuple[str, tuple[str, ...]]
"""A text and the questions about it."""
Function: TypeAlias = Callable[[str, list[str]], Sequence[Any]]
_BATCH = 32


class Program:
    """Answers by a program or a server, kept by what was asked of which version."""

    def __init__(self, carrier: Carrier, cache: str | None) -> None:
        self.carrier = carrier
        self.kept: Memory = memory(cache)

    def answer(self, requests: Sequence[Request]) -> list[list[Answer]]:
        """The answers to each request, in order; equal requests are made once."""
        program = check_health(self.carrier)
        keys = [self.kept.key(program, _line(0, request)) for request in requests]
        known = {key: self.kept.get(key, list[Answer]) for key in keys}
        missing = {key: requests[i] for i, key in enumerate(keys) if known[key] is None}
        names = list(missing)
        for first in range(0, len(names), _BATCH):
            batch = names[first : first + _BATCH]
            ids = fresh_ids(len(batch))
            lines = [_line(number, missing[key]) for number, key in zip(ids, batch, strict=True)]
            found = answers_of(self.carrier, self.carrier.exchange(lines), ids)
            answers = [
                _answers(value, len(missing[key][1]), self.carrier.name)
                for key, value in zip(batch, found, strict=True)
            ]
            self.kept.put(list(zip(batch, answers, strict=True)))
            known.update(zip(batch, answers, strict=True))
        if names:
            check_nothing_is_left(self.carrier)
        return [known[key] or [] for key in keys]

    def version(self) -> str:
        """Name and version of the program, where it gives one."""
        return named_version(self.carrier)


class Local:
    """Answers by a function that takes a text and a list of questions."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.function = _imported(path)

    def answer(self, requests: Sequence[Request]) -> list[list[Answer]]:
        """The answers to each request, in order; equal requests are made once."""
        known: dict[Request, list[Answer]] = {}
        for context, questions in requests:
            if (context, questions) not in known:
                found = self.function(context, list(questions))
                known[context, questions] = _answers(found, len(questions), self.name)
        return [known[request] for request in requests]

    def version(self) -> str:
        """A function of the user's has none."""
        return ""


def answerer(
    command: str | None, url: str | None, function: str | None, timeout: float, cache: str | None
) -> Program | Local:
    """Who answers, by whichever way is given."""
    if command is not None:
        return Program(process(command, timeout), cache)
    if url is not None:
        return Program(Server(url, timeout), cache)
    if function is not None:
        return Local(function)
    raise MissingExtra(
        "questions are answered by a program or function of yours, and none is named",
        code="K402",
        advice="give ``command``, ``url`` or ``function``; or "
        + shell("setup metric qa", "command", "'...'"),
    )


def _line(number: int, request: Request) -> bytes:
    context, questions = request
    return encoded({"id": number, "context": context, "questions": questions})


def _answers(found: Any, count: int, name: str) -> list[Answer]:
    if not isinstance(found, (list, tuple)) or len(found) != count:
        shown = f"{len(found)}" if isinstance(found, (list, tuple)) else "no list of"
        raise ExternalError(f"{name} gave {shown} answers to {count} questions")
    return [_answer(each, name) for each in found]


def _answer(value: Any, name: str) -> Answer:
    if value is None:
        return Answer()
    if isinstance(value, str):
        return Answer(value)
    if isinstance(value, Answer):
        return value
    if isinstance(value, Mapping) and value.get("text", "") is None:
        value = {**value, "text": ""}
    try:
        return msgspec.convert(value, Answer)
    except msgspec.ValidationError as error:
        raise ExternalError(f"{name} gave an answer that is none: {error}") from None


def _imported(path: str) -> Function:
    module, colon, name = path.partition(":")
    if not colon or not module or not name:
        raise OptionError(f"{path!r} names no function: write module:function", code="K302")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise OptionError(f"there is no function {path!r}: {error}", code="K302") from None
    if not callable(found):
        raise OptionError(f"{path!r} is no function", code="K302")
    return found  # type: ignore[no-any-return]
