"""Explanations for people: texts with what matched in colour, and the counts behind a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

_MATCHED, _CLIPPED, _ALONE = "bold green", "yellow", "red"
_STAGES = {"exact": "bold green", "stem": "cyan", "synonym": "magenta"}


def show(console: Console, explanation: Mapping[str, Any]) -> None:
    """Prints an explanation; one that is not about tokens as JSON."""
    references = explanation.get("references")
    if "system" not in explanation or not isinstance(references, list):
        document = msgspec.json.format(msgspec.json.encode(explanation), indent=2)
        console.print(document.decode(), markup=False, highlight=False)
        return
    for number, reference in enumerate(references, 1):
        if "measures" in reference:
            _show_counts(console, explanation["system"], reference, number)
        else:
            _show_alignment(console, explanation["system"], reference, number)


def _show_counts(
    console: Console,
    system: Sequence[Sequence[str]],
    reference: Mapping[str, Any],
    number: int,
) -> None:
    """Words that match, that match but are clipped, that are alone; then each measure."""
    measures = reference["measures"]
    words = next(
        (figures for name, figures in measures.items() if name in ("rouge-1", "rouge1")), None
    )
    counts = {each["gram"]: each["count"] for each in words["matched"]} if words else {}
    for title, lines in (("system", system), (f"reference {number}", reference["tokens"])):
        console.print(_coloured(title, lines, Counter(counts), bool(words)))
    for name, figures in measures.items():
        line = f"  {name}: {figures['hits']} of {figures['gold']} in the reference"
        console.print(f"{line}, of {figures['system']} in the system", highlight=False)
        grams = [
            each["gram"] + (f" ×{each['count']}" if each["count"] > 1 else "")
            for each in figures.get("matched", ())
        ]
        if grams and name not in ("rouge-1", "rouge1"):
            console.print(Text("    " + " · ".join(grams[:12]) + _more(len(grams) - 12), _MATCHED))


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _coloured(
    title: str, lines: Sequence[Sequence[str]], left: Counter[str], coloured: bool
) -> Text:
    known = set(left)
    text = Text().append(f"{title}: ", "bold")
    for line in lines:
        for token in line:
            style = ""
            if coloured and token not in known:
                style = _ALONE
            elif coloured:
                style = _MATCHED if left[token] > 0 else _CLIPPED
                left[token] -= 1
            text.append(token, style)
            text.append(" ")
        text.append("/ ", "dim")
    return text


def _show_alignment(
    console: Console, system: Sequence[str], reference: Mapping[str, Any], number: int
) -> None:
    """Words in the colour of the stage that they match in; then the pairs."""
    matched = reference["matched"]
    sides = (("system", "system", system), ("gold", f"reference {number}", reference["tokens"]))
    for side, title, tokens in sides:
        styles = {match[side]: _STAGES.get(match["stage"], _MATCHED) for match in matched}
        text = Text().append(f"{title}: ", "bold")
        for place, token in enumerate(tokens):
            text.append(token, styles.get(place, _ALONE))
            text.append(" ")
        console.print(text)
    for match in matched:
        ours, theirs = match["words"]
        console.print(
            Text(f"  {ours} ~ {theirs} ({match['stage']})", _STAGES.get(match["stage"], _MATCHED))
        )
