"""Explanations for people: texts with matches in colour, counts, and JSON on few lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from karat.report.layout import Styled

WIDTH = 96
Mark: TypeAlias = Literal["", "matched", "clipped", "alone", "exact", "stem", "synonym"]
"""Alone: without a partner in the other text. Clipped: it has one, but too often."""

_STEP = "  "
_GRAMS = frozenset({"gram", "count"})
_COUNTED = frozenset({"matched", "missing", "surplus"})
_KEPT = frozenset({"hit", "keep"})
_MOST_GRAMS = 12

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
        grams = figures.get("matched")
        if grams and name not in ("rouge-1", "rouge1"):
            yield Styled((("    " + _grams(grams), _STYLES["matched"]),))


def plain(value: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """An explanation of any shape as names and values on indented lines.

    >>> edits = [{"edit": "delete", "gold": ["a"], "system": []}]
    >>> for line in plain({"distance": 1, "edits": edits}):
    ...     print(line)
    distance: 1
    edits:
      delete, gold: a
    """
    for name, part in value.items():
        yield from _named(name, part, indent)


def _named(name: str, part: Any, indent: str) -> Iterator[str]:
    if name in _COUNTED and isinstance(part, Mapping):
        part = [{"gram": gram, "count": count} for gram, count in part.items()]
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
        return _grams(value)
    if any(isinstance(each, (Mapping, list, tuple)) for each in value):
        return None
    texts = all(isinstance(each, str) for each in value)
    return (" " if texts else ", ").join(map(_word, value))


def _grams(grams: Sequence[Mapping[str, Any]]) -> str:
    """The first of some n-grams with their counts, and how many more there are."""
    first = [
        _word(each["gram"]) + (f" ×{each['count']}" if each["count"] > 1 else "")
        for each in grams[:_MOST_GRAMS]
    ]
    more = len(grams) - _MOST_GRAMS
    return " · ".join(first) + (f" and {more} more" if more > 0 else "")


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
    """A value as text; quoted if it is blank or has unprintable characters."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else str(value)
    seen = text and text == text.strip() and text.isprintable()
    return text if seen else json.dumps(text)


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
    """The number of matches of each word; None if single words were not compared."""
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
