"""Calls of tools, in the forms in which models and benchmarks write them, against gold."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal

import numpy as np

from karat._native import RecordBatch
from karat.core.capabilities import Pairs, grid_in
from karat.core.scores import Array
from karat.records.batch import WAYS
from karat.records.metrics.json import Extract, Json
from karat.records.model import Reader, rendered
from karat.records.settings import Lists


class ToolCalls(Json):
    """Names and arguments of tool calls that system and gold share; `calls.f` counts whole calls.

    Calls are paired by name so that as much as possible matches: parallel calls of one tool may
    come in any order (`order`). Lists in arguments are compared in their order. It reads lists of
    objects with `name` and `arguments` (or `input`, `parameters`, `args`), messages with
    `tool_calls`, messages with parts of type `tool_use`, decoded outputs of BFCL and, as gold, its
    possible answers. Text without JSON counts as no calls.

    >>> call = [{"name": "weather", "arguments": {"city": "Oslo", "unit": "c"}}]
    >>> ToolCalls().score([{"name": "weather", "arguments": {"city": "Oslo"}}], call)["recall"]
    0.6666666666666666
    """

    name = "tool-calls"
    root_only = True
    records_name = "calls"

    lists: Annotated[Lists, "how lists in arguments are compared"] = "ordered"
    compat: Annotated[Literal["none"], "there is no other way to count calls"] = "none"
    order: Annotated[Literal["set", "ordered"], "whether the order of calls matters"] = "set"
    extract: Annotated[
        Extract, "take JSON from a fenced block, or the first or last in the text"
    ] = "first"
    tracing = grid_in("karat.records.metrics.grids", "tool_calls")

    def own_settings(self) -> dict[str, Any]:
        return {**super().own_settings(), "": {"list": self.order, "key": ["name"]}}

    def documents(self, texts: list[bytes], *, gold: bool) -> tuple[list[bytes], Array | None]:
        batch = RecordBatch(False, True, False)
        batch.read(texts, WAYS["none" if gold else self.extract])
        states = batch.states()
        found = list(texts)
        for i in np.flatnonzero(states[:, 0] + states[:, 1]).tolist():
            tags = None if gold or states[i, 0] else tagged(texts[i])
            found[i], states[i, 3] = self.prepared(tags or batch.text(i), gold)
        return found, states

    def prepared(self, text: bytes, gold: bool) -> tuple[bytes, bool]:
        """A document as a list of calls, and whether it had doubled keys."""
        return prepared(text, gold=gold)

    def measure_many(self, pairs: Pairs) -> Array:
        rows = super().measure_many(pairs)
        at = {name: self.columns.index(name) for name in ("exact", "gold", "parsed", "extracted")}
        # Text without JSON is no call, which is right where gold has none either.
        nothing = (rows[:, at["parsed"]] + rows[:, at["extracted"]] == 0) & (
            rows[:, at["gold"]] == 0
        )
        rows[:, at["exact"]] = np.where(nothing, 1, rows[:, at["exact"]])
        return rows


# -- the forms of calls that models and benchmarks write, as one: name and arguments ------------

_ARGUMENTS = ("arguments", "input", "parameters", "args")
_WRAPPERS = ("function", "function_call", "functionCall", "toolUse")
_NAMES = frozenset((*_ARGUMENTS, *_WRAPPERS))
_PARTS = ("content", "output", "parts")
_OF_MESSAGES = frozenset(("role", "parts", "tool_calls", "message"))
_TYPES = ("tool_use", "function_call")


def calls_of(value: Any, read: Reader, *, gold: bool) -> list[Any]:
    """The calls in any of the known forms, each with a name and arguments.

    >>> message = {"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    >>> calls_of(message, Reader(), gold=False)
    [{'name': 'f', 'arguments': {}}]
    """
    if isinstance(value, dict):
        is_call = "name" in value and "role" not in value
        if is_call or (gold and _is_answer(value)):
            return [_call(value, read, gold=gold)]
        value = _message(value)
        if isinstance(value.get("tool_calls"), list):
            return [_call(each, read, gold=gold) for each in value["tool_calls"]]
        for name in _PARTS:
            if isinstance(value.get(name), list):
                return [_call(each, read, gold=gold) for each in value[name] if _is_call(each)]
        if "role" in value and "content" in value and not _wrapped(value):
            return []  # a message that calls nothing
        return [_call(value, read, gold=gold)]
    if isinstance(value, list):
        typed = ("text", *_TYPES)
        parts = any(isinstance(each, dict) and each.get("type") in typed for each in value)
        return [_call(each, read, gold=gold) for each in value if not parts or _is_call(each)]
    return [] if value is None else [value]


def _message(value: dict[str, Any]) -> dict[str, Any]:
    """The message of a whole answer of an interface: the first one, where it has several."""
    for name, below in (("choices", "message"), ("candidates", "content")):
        several = value.get(name)
        if isinstance(several, list) and several and isinstance(several[0], dict):
            value = {below: several[0].get(below)}
    for name in ("message", "content", "output"):
        inner = value.get(name)
        if isinstance(inner, dict) and not _OF_MESSAGES.isdisjoint(inner):
            return _message(inner) if name == "output" else inner
    return value


def _is_call(part: Any) -> bool:
    """Whether a part of a message is a call, and no text."""
    return isinstance(part, dict) and (part.get("type") in _TYPES or bool(_wrapped(part)))


def _wrapped(value: dict[str, Any]) -> dict[str, Any] | None:
    """The call that an object holds under a name of its own."""
    found = (value.get(name) for name in _WRAPPERS)
    return next((each for each in found if isinstance(each, dict) and "name" in each), None)


def _call(value: Any, read: Reader, *, gold: bool) -> Any:
    if not isinstance(value, dict):
        return value
    value = _wrapped(value) or value
    if gold and "name" not in value and _is_answer(value):
        return _answer(value)
    given: Any = next((value[each] for each in _ARGUMENTS if each in value), {})
    arguments = _decoded(given, read)
    name = value.get("name", value.get("function"))
    if "name" in value or isinstance(name, str):
        return {"name": name, "arguments": arguments}
    if len(value) == 1 and value.keys().isdisjoint(_NAMES):
        ((name, given),) = value.items()  # the form of which answers of BFCL are
        if isinstance(arguments := _decoded(given, read), dict):
            return {"name": name, "arguments": arguments}
    return value


def _decoded(arguments: Any, read: Reader) -> Any:
    """Arguments that may be written as text; what is no JSON stays text, which is one leaf."""
    if isinstance(arguments, str):
        with suppress(ValueError):
            return read(arguments.encode("utf-8", "surrogatepass"))
    return arguments


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
    return {"name": name, "arguments": {each: _choice(arguments[each]) for each in arguments}}


def _choice(allowed: list[Any]) -> Any:
    """A list of allowed values; an empty string among them means that there need be none."""
    choices = [_allowed(each) for each in allowed if each != ""]
    if not choices:
        return {"$optional": ""} if allowed else None
    choice = choices[0] if len(choices) == 1 else {"$any": choices}
    return {"$optional": choice} if len(choices) < len(allowed) else choice


def _allowed(value: Any) -> Any:
    """An allowed value; members of objects are lists of allowed values again."""
    if isinstance(value, list):
        return [_allowed(each) if isinstance(each, dict) else each for each in value]
    if isinstance(value, dict) and all(isinstance(each, list) for each in value.values()):
        return {name: _choice(each) for name, each in value.items()}
    return value


def tagged(text: bytes) -> bytes | None:
    """All that several pairs of tags enclose, as one list; None where they are no JSON.

    >>> tagged(b'<tool_call>{"name": "f"}</tool_call> <tool_call>{"name": "g"}</tool_call>')
    b'[{"name": "f"},{"name": "g"}]'
    """
    *parts, _ = text.split(b"</tool_call>")
    blocks = [part.partition(b"<tool_call>")[2] for part in parts if b"<tool_call>" in part]
    try:
        for block in blocks:
            Reader()(block)
    except ValueError:
        return None
    return b"[" + b",".join(map(bytes.strip, blocks)) + b"]" if len(blocks) > 1 else None


def prepared(text: bytes, *, gold: bool) -> tuple[bytes, bool]:
    """A document as a list of calls, and whether it had doubled keys; no JSON stays as it is."""
    read = Reader()
    try:
        calls = rendered(calls_of(read(text), read, gold=gold))
    except (ValueError, RecursionError):
        return text, False
    return calls.encode("utf-8", "surrogatepass"), read.doubled
