"""Tool calls in the forms that models and benchmarks write, as one: name and arguments."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

_ARGUMENTS = ("arguments", "input", "parameters", "args")


class Number(float):
    """A number that keeps its digits when it is written again."""

    text: str

    def __new__(cls, text: str) -> Number:
        made = super().__new__(cls, 0.0)
        made.text = text
        return made


def decoded(text: bytes) -> Any:
    """JSON whose numbers keep their digits; what is none raises a ValueError."""
    try:
        return json.loads(
            text.decode("utf-8", "surrogatepass"),
            parse_float=Number,
            parse_int=Number,
            parse_constant=_refuse,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def rendered(value: Any) -> str:
    """A decoded value as JSON again."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(f"{json.dumps(key)}:{rendered(each)}" for key, each in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(rendered, value)) + "]"
    return json.dumps(value)


def calls_of(value: Any, *, gold: bool) -> list[Any]:
    """The calls in any of the known forms, each with a name and arguments.

    >>> calls_of({"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}, gold=False)
    [{'name': 'f', 'arguments': {}}]
    """
    if isinstance(value, dict):
        if isinstance(value.get("tool_calls"), list):
            return [_call(each, gold=gold) for each in value["tool_calls"]]
        if isinstance(value.get("content"), list):
            parts = value["content"]
            return [
                _call(each, gold=gold)
                for each in parts
                if isinstance(each, dict) and each.get("type") == "tool_use"
            ]
        if "role" in value and "content" in value:
            return []  # a message that calls nothing
        return [_call(value, gold=gold)]
    if isinstance(value, list):
        return [_call(each, gold=gold) for each in value]
    return [] if value is None else [value]


def _call(value: Any, *, gold: bool) -> Any:
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("function"), dict):
        value = value["function"]
    if "name" not in value:
        return _answer(value) if gold and _is_answer(value) else value
    arguments: Any = {}
    for name in _ARGUMENTS:
        if name in value:
            arguments = value[name]
            break
    if isinstance(arguments, str):
        with suppress(ValueError):  # then it stays a string: one wrong leaf
            arguments = decoded(arguments.encode("utf-8", "surrogatepass"))
    return {"name": value["name"], "arguments": arguments}


def _is_answer(value: dict[str, Any]) -> bool:
    """Whether it is an answer of BFCL: a function with a list of values for each argument."""
    if len(value) != 1:
        return False
    (arguments,) = value.values()
    return isinstance(arguments, dict) and all(
        isinstance(each, list) for each in arguments.values()
    )


def _answer(value: dict[str, Any]) -> Any:
    ((name, arguments),) = value.items()
    found: dict[str, Any] = {}
    for argument, allowed in arguments.items():
        choices = [each for each in allowed if each != ""]
        if not choices:
            found[argument] = {"$optional": ""} if allowed else None
            continue
        choice = choices[0] if len(choices) == 1 else {"$any": choices}
        found[argument] = {"$optional": choice} if len(choices) < len(allowed) else choice
    return {"name": name, "arguments": found}


def prepared(text: bytes, *, gold: bool) -> bytes:
    """A document as a list of calls; what is no JSON stays as it is."""
    try:
        return rendered(calls_of(decoded(text), gold=gold)).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return text
