"""Results in notebooks: tables of HTML, with intervals drawn as lines of SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_WIDTH, _HEIGHT = 160, 16
_CELL = "text-align:right;padding:2px 8px;font-variant-numeric:tabular-nums"
_NAME = "text-align:left;padding:2px 8px"


def figure(value: object, scale: float = 1.0) -> str:
    """A number with the digits that it deserves: two of a percentage, four of others."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if scale == 100 else f"{value:.4f}"


def signed(value: float) -> str:
    """A difference."""
    return "–" if value != value else f"{value:+.4g}"


def p_value(value: float | None) -> str:
    """A p-value for people."""
    if value is None:
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def drawn(
    low: float, value: float, high: float, begin: float, end: float, mark: float | None = None
) -> str:
    """An interval with its value on a line from `begin` to `end`; `mark` is drawn across it."""
    span = end - begin or 1.0

    def x(at: float) -> float:
        return round(4 + (_WIDTH - 8) * min(max((at - begin) / span, 0.0), 1.0), 1)

    middle = _HEIGHT / 2
    across = (
        ""
        if mark is None
        else (
            f'<line x1="{x(mark)}" x2="{x(mark)}" y1="1" y2="{_HEIGHT - 1}" stroke="#999" '
            'stroke-dasharray="2 2"/>'
        )
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="from {low:.4g} to {high:.4g}" style="vertical-align:middle">'
        f'<line x1="4" x2="{_WIDTH - 4}" y1="{middle}" y2="{middle}" stroke="#ddd"/>{across}'
        f'<line x1="{x(low)}" x2="{x(high)}" y1="{middle}" y2="{middle}" stroke="#1f6f8b" '
        f'stroke-width="4" stroke-linecap="round"/>'
        f'<circle cx="{x(value)}" cy="{middle}" r="4" fill="#0b3c49"/></svg>'
    )


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table; cells are HTML already, titles and headers are not."""
    head = "".join(f'<th style="{_NAME}">{escape(name)}</th>' for name in header)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{_CELL if i else _NAME}">{cell}</td>' for i, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    below = f'<div style="color:#777;font-size:smaller">{escape(note)}</div>' if note else ""
    return (
        f"<div><div><strong>{escape(title)}</strong></div>"
        f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{below}</div>"
    )
