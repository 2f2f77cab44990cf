"""Answering of questions about a text by a program, a server, or a function of the user's."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from karat.errors import MissingExtra, OptionError, shell
from karat.text.external.cache import answer_cache, ask
from karat.text.external.carriers import carrier_of
from karat.text.external.protocol import Carrier, ExternalError, encoded, named_version
from karat.text.questions import Answer

Request: TypeAlias = tuple[str, tuple[str, ...]]
"""A text and the questions about it."""
Function: TypeAlias = Callable[[str, list[str]], Sequence[Any]]


class Program:
    """Answers by a program or a server, kept by what was asked of which version."""

    def __init__(self, carrier: Carrier, cache: str | None) -> None:
        self.carrier = carrier
        self.cache = answer_cache(cache)

    def answer(self, requests: Sequence[Request]) -> list[list[Answer]]:
        """The answers to each request, in order; equal requests are made once."""

        def take(request: Request, answer: dict[str, Any]) -> list[Answer]:
            return _answers(answer.get("answers"), len(request[1]), self.carrier.name)

        return ask(self.carrier, self.cache, requests, _line, take, list[Answer])

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
    """The answerer for a command, a URL or a function (exactly one)."""
    if carrier := carrier_of(command, url, timeout):
        return Program(carrier, cache)
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
        raise ExternalError(f"{name} gave an invalid answer: {error}") from None


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
