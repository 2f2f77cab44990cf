"""The scores of an item, as a log has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import msgspec

from karat.core.reading.fields import json_text

Range: TypeAlias = tuple[float, float]
_WORDS = {"true": 1.0, "false": 0.0}
_MISSING = frozenset(("", "nan", "null"))
LONGEST_FIELD = 200
"""Longer values are not fields: they are texts, unsuitable for grouping."""
LONGEST_TEXT = 4000
"""Of a prompt or an output no more is kept: a log may hold whole books."""


class ItemScores(msgspec.Struct, frozen=True, gc=False):
    """The scores of one item; None is a missing one."""

    values: Mapping[str, float | None]
    known: Mapping[str, Range] = {}
    """The ranges that the tool defines, the same for all items of a file."""
    mark: str = ""
    """A mark that is equal for the same item of another system, such as a hash of the input."""
    texts: tuple[str, str, str] = ("", "", "")
    """Prompt, expected answer and output, as far as the log has them; for people to read."""


def as_number(value: Any, *, texts: bool = False) -> float | None | Literal["text", "infinite"]:
    """A value as a score: None is missing. With `texts`, numbers may be written as texts.

    >>> as_number(True), as_number("0.5"), as_number("0.5", texts=True), as_number(float("nan"))
    (1.0, 'text', 0.5, None)
    """
    if value is None:
        return None
    if isinstance(value, str):
        if not texts:
            return "text"
        word = value.strip().lower()
        if word in _MISSING:
            return None
        if word in _WORDS:
            return _WORDS[word]
        try:
            value = float(word) if "_" not in word else "text"
        except ValueError:
            return "text"
    if not isinstance(value, (bool, int, float, Decimal)):
        return "text"
    try:
        number = float(value)
    except OverflowError:
        return "infinite"
    if math.isnan(number):
        return None
    return "infinite" if math.isinf(number) else number


def as_field(value: Any) -> str | None:
    """A value as the field of an item; None where it is none: a list, an object, a long text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, (str, int, float)):
        text = str(value)
        return text if len(text) <= LONGEST_FIELD else None
    return None


def as_prose(value: Any, *, last: bool = False) -> str:
    """A text or the messages of a chat, cut to what a page has room for, with `last` to its end.

    >>> as_prose([{"role": "user", "content": "Hello"}])
    'user: Hello'
    """
    text = _prose(value)
    if len(text) <= LONGEST_TEXT:
        return text
    return f"… {text[-LONGEST_TEXT:]}" if last else f"{text[:LONGEST_TEXT]} …"


def _prose(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n\n".join(filter(None, (_message(each) for each in value)))
    return json_text(value) if isinstance(value, (bool, int, float)) else ""


def _message(value: Any) -> str:
    """A message of a chat, a part of one, or a text in a list."""
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    content = value.get("content", value.get("text"))
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        content = "\n".join(each for each in texts if isinstance(each, str))
    if not isinstance(content, str) or not content:
        return ""
    return f"{value['role']}: {content}" if "role" in value else content


#: Scores that are shares by the definitions of the tools that write them.
SHARES = frozenset(("acc", "acc_norm", "accuracy", "em", "exact_match", "success"))


def known_ranges(names: Any) -> dict[str, Range]:
    """The ranges of those scores that tools define; a filter may follow the name."""
    return {name: (0.0, 1.0) for name in names if name.partition(",")[0] in SHARES}
