"""Explanations for people: texts with matches in colour, counts, and JSON on few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from karat.report.layout import Styled
from karat.report.plain_text import plain

WIDTH = 96
Mark: TypeAlias = Literal["", "matched", "clipped", "alone", "exact", "stem", "synonym"]
"""Alone: without a partner in the other text. Clipped: it has one, but too often."""


_STYLES: dict[Mark, str] = {
    "": "",
    "matched": "bold green",
    "clipped": "yellow",
    "alone": "red",
    "exact": "bold green",
    "stem": "cyan",
    "synonym": "magenta",
}


class Marked(NamedTuple):
    """One text, its words in lines, each with its mark."""

    title: str
    lines: list[list[tuple[str, Mark]]]


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


def marked_texts(explanation: Mapping[str, Any]) -> Iterator[tuple[Marked, Marked]]:
    """The system's text and each reference, as an explanation about tokens has them."""
    for number, reference in enumerate(explanation["references"], 1):
        title = f"reference {number}"
        if "measures" in reference:
            counts = _word_counts(reference["measures"])
            yield (
                Marked("system", _counted(explanation["system"], counts)),
                Marked(title, _counted(reference["tokens"], counts)),
            )
        else:
            yield (
                Marked("system", [_aligned(explanation["system"], reference, "system")]),
                Marked(title, [_aligned(reference["tokens"], reference, "gold")]),
            )


def is_about_tokens(explanation: Mapping[str, Any]) -> bool:
    """Whether `marked_texts` can show it."""
    return "system" in explanation and isinstance(explanation.get("references"), list)


def _word_counts(measures: Mapping[str, Any]) -> Counter[str] | None:
    """How often each word matches; None where single words were not looked at."""
    for name in ("rouge-1", "rouge1"):
        if name in measures:
            return Counter({each["gram"]: each["count"] for each in measures[name]["matched"]})
    return None


def _counted(
    lines: Sequence[Sequence[str]], counts: Counter[str] | None
) -> list[list[tuple[str, Mark]]]:
    if counts is None:
        return [[(token, "") for token in line] for line in lines]
    left = counts.copy()

    def mark(token: str) -> Mark:
        if token not in counts:
            return "alone"
        left[token] -= 1
        return "matched" if left[token] >= 0 else "clipped"

    return [[(token, mark(token)) for token in line] for line in lines]


def _aligned(
    tokens: Sequence[str], reference: Mapping[str, Any], side: str
) -> list[tuple[str, Mark]]:
    stages: dict[int, Mark] = {match[side]: match["stage"] for match in reference["matched"]}
    return [(token, stages.get(place, "alone")) for place, token in enumerate(tokens)]
