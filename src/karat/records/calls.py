"""Tool calls in the forms that models and benchmarks write, as one: name and arguments."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any
from unicodedata import normalize

_ARGUMENTS = ("arguments", "input", "parameters", "args")


class Number(float):
    """A number that keeps its digits when it is written again."""

    text: str

    def __new__(cls, text: str) -> Number:
        made = super().__new__(cls, 0.0)
        made.text = text
        return made


class Reader:
    """Reads JSON, and notices keys that occur twice in one object; the last one counts."""

    def __init__(self) -> None:
        self.doubled = False

    def __call__(self, text: bytes) -> Any:
        """JSON whose numbers keep their digits; what is none raises a ValueError."""
        try:
            return json.loads(
                text.decode("utf-8", "surrogatepass"),
                parse_float=Number,
                parse_int=Number,
                parse_constant=_refuse,
                object_pairs_hook=self._object,
            )
        except RecursionError:
            raise ValueError("nested too deeply") from None

    def _object(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        keys = found if all(map(str.isascii, found)) else {normalize("NFC", key) for key in found}
        self.doubled |= len(keys) < len(members)
        return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


class _Text(str):
    """Text that is JSON already."""

    __slots__ = ()


def rendered(value: Any) -> str:
    """A decoded value as JSON again.

    >>> rendered({"a": [Number("1.50"), None]})
    '{"a":[1.50,null]}'
    """
    parts: list[str] = []
    waiting = [value]  # rather than recursion, which ends where Python's stack does
    while waiting:
        each = waiting.pop()
        if isinstance(each, _Text):
            parts.append(each)
        elif isinstance(each, Number):
            parts.append(each.text)
        elif isinstance(each, (dict, list)):
            begin, end = ("{", "}") if isinstance(each, dict) else ("[", "]")
            waiting.append(_Text(end))
            if isinstance(each, dict):
                for place, (key, below) in reversed(list(enumerate(each.items()))):
                    waiting += [below, _Text(f"{',' * (place > 0)}{json.dumps(key)}:")]
            else:
                for place, below in reversed(list(enumerate(each))):
                    waiting += [below, _Text("," * (place > 0))]
            parts.append(begin)
        else:
            parts.append(json.dumps(each))
    return "".join(parts)


def calls_of(value: Any, read: Reader, *, gold: bool) -> list[Any]:
    """The calls in any of the known forms, each with a name and arguments.

    >>> message = {"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    >>> calls_of(message, Reader(), gold=False)
    [{'name': 'f', 'arguments': {}}]
    """
    if isinstance(value, dict):
        if isinstance(value.get("tool_calls"), list):
            return [_call(each, read, gold=gold) for each in value["tool_calls"]]
        if isinstance(value.get("content"), list):
            parts = value["content"]
            return [
                _call(each, read, gold=gold)
                for each in parts
                if isinstance(each, dict) and each.get("type") == "tool_use"
            ]
        if "role" in value and "content" in value:
            return []  # a message that calls nothing
        return [_call(value, read, gold=gold)]
    if isinstance(value, list):
        return [_call(each, read, gold=gold) for each in value]
    return [] if value is None else [value]


def _call(value: Any, read: Reader, *, gold: bool) -> Any:
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
            arguments = read(arguments.encode("utf-8", "surrogatepass"))
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


def prepared(text: bytes, *, gold: bool) -> tuple[bytes, bool]:
    """A document as a list of calls, and whether it had doubled keys; no JSON stays as it is."""
    read = Reader()
    try:
        calls = rendered(calls_of(read(text), read, gold=gold))
    except ValueError:
        return text, False
    return calls.encode("utf-8", "surrogatepass"), read.doubled
