"""Reads and writes TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from karat.errors import MissingExtra

_MOST_PARTS = 100
"""Python's reader takes memory that grows with the square of the parts of a key."""
_PART = re.compile(r"""\s*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')\s*""")


def loads(content: bytes) -> dict[str, Any]:
    """The parsed TOML; a ValueError if it is invalid."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        try:
            import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            raise MissingExtra.package("tomli", "toml", "reading TOML on Python 3.10") from None
    text, parts = content.decode("utf-8"), 0
    for piece in text.split("."):
        parts = parts + 1 if _PART.fullmatch(piece) else 0
        if parts > _MOST_PARTS:
            raise ValueError(f"a key has more than {_MOST_PARTS} parts")
    return tomllib.loads(text)


def dumps(name: str, table: Mapping[str, Any]) -> str:
    """One table of an array of tables, its values texts, numbers, truth values, or lists of them.

    >>> print(dumps("evaluate", {"metric": "bleu", "system": ["a", "b"], "seed": 1}), end="")
    [[evaluate]]
    metric = "bleu"
    system = ["a", "b"]
    seed = 1
    """
    lines = [f"[[{name}]]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    # JSON's texts, whole numbers and truth values are TOML's, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
