"""Explanations for people: texts with what matched in colour, and the counts behind a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from karat.report.marks import Mark, Marked, is_about_tokens, marked_texts
from karat.report.outline import outline

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
    """Prints an explanation; one that is not about tokens as JSON."""
    if not is_about_tokens(explanation):
        document = outline(explanation, console.width)
        console.print(document, markup=False, highlight=False, soft_wrap=True)
        return
    for both, reference in zip(marked_texts(explanation), explanation["references"], strict=True):
        for text in both:
            console.print(_coloured(text))
        if "measures" in reference:
            _show_counts(console, reference["measures"])
        else:
            _show_matches(console, reference["matched"])


def _coloured(marked: Marked) -> Text:
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
    for match in matches:
        ours, theirs = match["words"]
        console.print(Text(f"  {ours} ~ {theirs} ({match['stage']})", _STYLES[match["stage"]]))
