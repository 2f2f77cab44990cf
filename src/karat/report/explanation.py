"""Explanations for people: texts with matches in colour, counts, and JSON on few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from karat.report.layout import Styled
from karat.report.marks import Mark, Marked, is_about_tokens, marked_texts
from karat.report.plain_text import plain

WIDTH = 96


_STYLES: dict[Mark, str] = {
    "": "",
    "matched": "bold green",
    "clipped": "yellow",
    "alone": "red",
    "exact": "bold green",
    "stem": "cyan",
    "synonym": "magenta",
}


def explained(explanation: Mapping[str, Any]) -> Iterator[Styled]:
    """An explanation for people: texts in colour, or names and values on indented lines."""
    if not is_about_tokens(explanation):
        for line in plain(msgspec.to_builtins(explanation)):
            yield Styled(((line, ""),))
        return
    for both, reference in zip(marked_texts(explanation), explanation["references"], strict=True):
        yield from map(_coloured, both)
        if "measures" in reference:
            yield from _counts(reference["measures"])
            continue
        for match in reference["matched"]:  # in the colour of the stage that words match in
            ours, theirs = match["words"]
            text = f"  {ours} ~ {theirs} ({match['stage']})"
            yield Styled(((text, _STYLES[match["stage"]]),))


def _coloured(marked: Marked) -> Styled:
    spans = [(f"{marked.title}: ", "bold")]
    for line in marked.lines:
        for token, mark in line:
            spans += (token, _STYLES[mark]), (" ", "")
        if len(marked.lines) > 1:
            spans.append(("/ ", "dim"))
    return Styled(tuple(spans))


def _counts(measures: Mapping[str, Any]) -> Iterator[Styled]:
    """The figures of each measure, and what matched."""
    for name, figures in measures.items():
        hits, gold, system = (f"{figures[each]:.6g}" for each in ("hits", "gold", "system"))
        line = f"  {name}: {hits} of {gold} in the reference, of {system} in the system"
        yield Styled(((line, ""),))
        grams = [
            each["gram"] + (f" ×{each['count']}" if each["count"] > 1 else "")
            for each in figures.get("matched", ())
        ]
        if grams and name not in ("rouge-1", "rouge1"):
            more = f" and {len(grams) - 12} more" if len(grams) > 12 else ""
            yield Styled((("    " + " · ".join(grams[:12]) + more, _STYLES["matched"]),))


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
