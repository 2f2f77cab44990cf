"""A metric as a string, and back: ``parse(repr(metric)) == metric``."""

from __future__ import annotations

import ast
import re
from typing import Any

from karat.errors import OptionError

_UP_TO_BAR = re.compile(r"""(?:[^|'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*""", re.DOTALL)
_CALL = re.compile(r"\s*([A-Za-z][\w+-]*)\s*(\(.*\))?\s*\Z", re.DOTALL)


def split(text: str) -> tuple[str, dict[str, Any]]:
    """The name and options in ``name(option=value, …)``; a bare name has none.

    What follows the first ``|`` outside quotes, as in a signature, is ignored.

    >>> split("exact(ignore_case=True)|karat:1.0.0")
    ('exact', {'ignore_case': True})
    """
    match = _CALL.match(_before_bar(text))
    if match is None:
        raise _malformed(text)
    name, arguments = match.group(1), match.group(2) or "()"
    try:
        call = ast.parse("metric" + arguments, mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
            raise _malformed(text)
        options = {}
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in options:
                raise _malformed(text)
            options[keyword.arg] = ast.literal_eval(keyword.value)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _malformed(text) from None
    return name, options


def join(name: str, options: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in options.items())})"


def _before_bar(text: str) -> str:
    match = _UP_TO_BAR.match(text)
    # A quote that is never closed is left to the parser to complain about.
    return match.group() if match and text[match.end() :][:1] in ("", "|") else text


def _malformed(text: str) -> OptionError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    return OptionError(
        f"{shown!r} is not a metric",
        code="K304",
        advice="write a name, or a name with options: edit-distance(normalize='none')",
    )
