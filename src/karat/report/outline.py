"""JSON for people: what fits on a line stays on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

WIDTH = 96


def outline(value: Any, width: int = WIDTH) -> str:
    """The value as indented JSON in which only what is too long is broken into lines.

    >>> print(outline({"missing": [[3, "everyone"]], "surplus": [[3, "everybody"]]}, width=40))
    {
      "missing": [[3, "everyone"]],
      "surplus": [[3, "everybody"]]
    }
    """
    return "\n".join(_lines(msgspec.to_builtins(value), width, "", ""))


def _lines(value: Any, width: int, before: str, indent: str) -> list[str]:
    """`before` stands in front of the value: the indent, and its name in an object."""
    one = before + _one_line(value)
    if len(one) < width or not value or not isinstance(value, (Mapping, list)):
        return [one]
    inner = indent + "  "
    if isinstance(value, Mapping):
        parts = [(inner + _one_line(str(name)) + ": ", part) for name, part in value.items()]
    else:
        parts = [(inner, part) for part in value]
    result = [before + ("{" if isinstance(value, Mapping) else "[")]
    for number, (start, part) in enumerate(parts, 1):
        result += _lines(part, width, start, inner)
        result[-1] += "," if number < len(parts) else ""
    return [*result, indent + ("}" if isinstance(value, Mapping) else "]")]


def _one_line(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = (f"{_one_line(str(name))}: {_one_line(part)}" for name, part in value.items())
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_one_line, value))}]"
    return msgspec.json.encode(value).decode()
