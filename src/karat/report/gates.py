"""The verdict of a gate for people: lines for a terminal, Markdown for a pull request."""

from __future__ import annotations

from karat.core import signature
from karat.core.runs.gate import Gate, GatedScore
from karat.report.exports import markdown_table
from karat.report.layout import broken
from karat.report.numbers import NOTHING, interval_title, sample_size, shown, signed


def lines(gate: Gate, width: int | None = None) -> list[str]:
    """A line for each score under a header, and the verdict; verdicts of scores are put on
    lines of their own where they do not fit."""
    header = _header(gate, gate.base.metric.name)
    rows = [_cells(score) for score in gate.scores]
    sizes = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        parts = [cells[0].ljust(sizes[0])]
        parts += [cell.rjust(size) for cell, size in zip(cells[1:], sizes[1:], strict=True)]
        return "  ".join(parts)

    result = [line(header)]
    for row, score in zip(rows, gate.scores, strict=True):
        whole = f"{line(row)}  {_words(score, gate)}"
        if width is not None and len(whole) > width:
            result += [line(row), f"  {_words(score, gate)}"]
        else:
            result.append(whole)
    return [*result, *broken(f"{gate.verdict.upper()}  {_note(gate)}", width)]


def _header(gate: Gate, first: str) -> list[str]:
    return [first, "base", "new", "change", interval_title(1 - 2 * gate.alpha), "margin"]


def _note(gate: Gate, quote: str = "") -> str:
    made_by = signature.of_runs([gate.base, gate.new])
    items = sample_size(gate.base, gate.cluster)
    return f"{items}; alpha {gate.alpha:g}; {quote}{made_by}{quote}"


def _cells(score: GatedScore) -> list[str]:
    ends = score.ends
    interval = "[{}, {}]".format(*(shown(end, score.scale) for end in ends)) if ends else NOTHING
    return [
        score.name,
        shown(score.base, score.scale),
        shown(score.new, score.scale),
        signed(score.new - score.base, score.scale),
        interval if score.found.differing else NOTHING,
        shown(score.margin, score.scale),
    ]


def _words(score: GatedScore, gate: Gate) -> str:
    """The verdict on a score in words."""
    if score.found.is_identical:
        return f"identical on all {len(gate.base):,} items"
    if score.verdict != "cannot tell":
        return score.reason or score.verdict
    few = f"{score.reason}; " if score.reason.startswith("fewer") else ""
    if score.needed_items is None:
        return f"cannot tell: {few}nothing tells how many items are needed"
    needed = f"{_about(score.needed_items):,}"
    return f"cannot tell: {few}about {needed} items needed, has {len(gate.base):,}"


def _about(number: int) -> int:
    """Three digits of a number, rounded up.

    >>> _about(18_761), _about(99)
    (18800, 99)
    """
    unit = int("1" + "0" * max(0, len(str(number)) - 3))
    return -(-number // unit) * unit


def markdown(gate: Gate) -> str:
    """A section for a pull request; items by their ids alone, since texts may be private."""
    rows = [[*_cells(score), _words(score, gate)] for score in gate.scores]
    body = markdown_table([*_header(gate, "score"), "verdict"], rows, words=1)
    lost = gate.lost_most()
    named = ", ".join(f"`{_quoted(name)}`" for name in lost)
    most = f"\nLost most ({gate.scores[0].name}): {named}\n" if lost else ""
    return f"## karat gate: {gate.verdict}\n\n{body}\n{_note(gate, '`')}\n{most}"


def _quoted(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("`", "'")
