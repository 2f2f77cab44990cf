"""Explanations for people: texts with matches in colour, counts, and JSON on few lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from karat.report.marks import Mark, Marked, is_about_tokens, marked_texts
from karat.report.plain_text import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

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


def show(console: Console, explanation: Mapping[str, Any]) -> None:
    """Prints an explanation: texts in colour, or names and values on indented lines."""
    if not is_about_tokens(explanation):
        for line in plain(msgspec.to_builtins(explanation)):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        return
    for both, reference in zip(marked_texts(explanation), explanation["references"], strict=True):
        for text in both:
            console.print(_coloured(text))
        if "measures" in reference:
            _show_counts(console, reference["measures"])
        else:
            _show_matches(console, reference["matched"])


def _coloured(marked: Marked) -> Text:
    from rich.text import Text

    text = Text().append(f"{marked.title}: ", "bold")
    for line in marked.lines:
        for token, mark in line:
            text.append(token, _STYLES[mark])
            text.append(" ")
        if len(marked.lines) > 1:
            text.append("/ ", "dim")
    return text


def _show_counts(console: Console, measures: Mapping[str, Any]) -> None:
    """The figures of each measure, and what matched."""
    from rich.text import Text

    for name, figures in measures.items():
        line = f"  {name}: {figures['hits']} of {figures['gold']} in the reference"
        console.print(f"{line}, of {figures['system']} in the system", highlight=False)
        grams = [
            each["gram"] + (f" ×{each['count']}" if each["count"] > 1 else "")
            for each in figures.get("matched", ())
        ]
        if grams and name not in ("rouge-1", "rouge1"):
            shown = "    " + " · ".join(grams[:12]) + _more(len(grams) - 12)
            console.print(Text(shown, _STYLES["matched"]))


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _show_matches(console: Console, matches: list[Mapping[str, Any]]) -> None:
    """The pairs of words, in the colour of the stage that they match in."""
    from rich.text import Text

    for match in matches:
        ours, theirs = match["words"]
        console.print(Text(f"  {ours} ~ {theirs} ({match['stage']})", _STYLES[match["stage"]]))


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
