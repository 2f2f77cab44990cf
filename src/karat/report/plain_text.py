"""Explanations of any shape as text for people: names and values on indented lines.

>>> edits = [{"edit": "delete", "gold": ["a"], "system": []}]
>>> for line in plain({"distance": 1, "edits": edits}):
...     print(line)
distance: 1
edits:
  delete, gold: a
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

_STEP = "  "
_GRAMS = frozenset({"gram", "count"})
_KEPT = frozenset({"hit", "keep"})
_MOST_GRAMS = 12


def plain(value: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """The lines of an explanation. Of many n-grams the first ones are shown, and how many more."""
    for name, part in value.items():
        yield from _named(name, part, indent)


def _named(name: str, part: Any, indent: str) -> Iterator[str]:
    if (line := _inline(part)) is not None:
        yield f"{indent}{_word(name)}: {line}"
        return
    yield f"{indent}{_word(name)}:"
    inner = indent + _STEP
    yield from plain(part, inner) if isinstance(part, Mapping) else _parts(part, inner)


def _parts(values: Sequence[Any], indent: str) -> Iterator[str]:
    """The parts of a list, each on a line, or on several after a dash."""
    for each in _joined_hits(values):
        if (line := _row(each)) is not None:
            yield indent + line
            continue
        inner = indent + _STEP
        lines = plain(each, inner) if isinstance(each, Mapping) else _parts(each, inner)
        yield f"{indent}- {next(lines).lstrip()}"
        yield from lines


def _inline(value: Any) -> str | None:
    """A value that fits behind its name; None for what needs lines of its own."""
    if not isinstance(value, (Mapping, list, tuple)):
        return _word(value)
    if not value:
        return "none"
    if isinstance(value, Mapping):
        return None
    if all(isinstance(each, Mapping) and each.keys() == _GRAMS for each in value):
        grams = [
            _word(each["gram"]) + (f" ×{each['count']}" if each["count"] > 1 else "")
            for each in value[:_MOST_GRAMS]
        ]
        more = len(value) - _MOST_GRAMS
        return " · ".join(grams) + (f" and {more} more" if more > 0 else "")
    if any(isinstance(each, (Mapping, list, tuple)) for each in value):
        return None
    texts = all(isinstance(each, str) for each in value)
    return (" " if texts else ", ").join(map(_word, value))


def _row(value: Any) -> str | None:
    """A part of a list on one line: a triple, an edit; None where it has parts of its own."""
    if not isinstance(value, Mapping):
        if isinstance(value, (list, tuple)):
            if any(isinstance(each, (Mapping, list, tuple)) for each in value):
                return None
            return ", ".join(map(_word, value)) if value else "none"
        return _word(value)
    parts = []
    for name, part in value.items():
        line = _inline(part)
        if line is None:
            return None
        if name == "edit":
            parts.append(line)
        elif not (isinstance(part, (list, str)) and not part and "edit" in value):
            parts.append(f"{_word(name)}: {line}")
    return ", ".join(parts) if parts else "none"


def _joined_hits(values: Sequence[Any]) -> Iterator[Any]:
    """The parts of a list; words that an alignment keeps, and that are neighbours, as one."""
    for kept, group in groupby(values, key=_is_kept):
        if not kept:
            yield from group
            continue
        hits = list(group)
        yield {
            "edit": hits[0]["edit"],
            "both": [token for each in hits for token in _tokens(each["gold"])],
        }


def _is_kept(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("edit") in _KEPT and "gold" in value


def _tokens(side: Any) -> list[str]:
    return [side] if isinstance(side, str) else list(side)


def _word(value: Any) -> str:
    """One value: quoted if it would not be seen as it is."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else str(value)
    seen = text and text == text.strip() and text.isprintable()
    return text if seen else json.dumps(text)
