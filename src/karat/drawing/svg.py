"""SVG elements as strings, and estimates of the width of a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from karat.core.shown import Kind

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace"

# Colours that people with any kind of colour blindness can tell apart (Okabe and Ito).
INK = "#222222"
FAINT = "#767676"
BLUE = "#0072B2"
ORANGE = "#D55E00"
GREEN = "#009E73"
PALE_BLUE = "#E6F1F8"
PAPER = "#FFFFFF"

# What only gold has, what only the system has, and what both have otherwise: colours of the page.
MISSING, MISSING_SOFT = "#A83A00", "#FDEADF"
SURPLUS, SURPLUS_SOFT = "#0A5FA8", "#E1EFFB"
CHANGED = "#8B2F74"
WORDS = "#0B6E63"


class Style(NamedTuple):
    """How a difference looks: colour, broken line, the sign before its text, the ground of a box.

    Each alone tells the kinds apart.
    """

    color: str = INK
    dash: str = ""
    sign: str = ""
    soft: str = PAPER


STYLES: dict[int, Style] = {
    Kind.MATCHED: Style(),
    Kind.MISSING: Style(MISSING, "5 3", "\u2212 ", MISSING_SOFT),
    Kind.SURPLUS: Style(SURPLUS, "2 3", "+ ", SURPLUS_SOFT),
    Kind.CHANGED: Style(CHANGED, "", "~ "),
    Kind.SYNONYM: Style(WORDS),
    Kind.IGNORED: Style(FAINT),
}

# As DejaVu Sans has them, which is wider than Helvetica and stands in where that is missing.
_NARROW = frozenset("iIljt.,:;'|!()[]{}f ‘’`")
_WIDE = frozenset("mMwW@%+~=→−…")
_SQUARE = re.compile(
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f"
    "\uff00-\uff60\uffe0-\uffe6\U0001f300-\U0001f64f\U0001f900-\U0001f9ff\U00020000-\U0003fffd]"
)
"""Characters that are as wide as high, as the page has them, too."""


def text_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """About how wide a text is in pixels; rather too wide than too narrow."""
    total = 0.0
    for mark in text:
        if not mark.isascii() and unicodedata.category(mark) in ("Mn", "Me"):
            continue
        if not mark.isascii() and _SQUARE.match(mark):
            total += 1.0
        elif mono:
            total += 0.61
        elif mark in _NARROW:
            total += 0.35
        elif mark in _WIDE:
            total += 0.95
        elif mark.isupper():
            total += 0.74
        else:
            total += 0.62
    return total * size * (1.11 if bold else 1.0)


def shortened(text: str, longest: int = 40) -> str:
    """The text, or its beginning where it is too long to draw."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def tag(name: str, content: str = "", **attributes: object) -> str:
    """An element; ``font_size`` becomes ``font-size``, a trailing underscore is dropped."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{shown}>{content}</{name}>" if content else f"<{name}{shown}/>"


def _plain(value: object) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def label(
    x: float,
    y: float,
    text: str,
    *,
    size: float = 13,
    color: str = INK,
    anchor: str = "middle",
    bold: bool = False,
    italic: bool = False,
    mono: bool = False,
    backed: bool = False,
) -> str:
    """A line of text whose middle (or start, or end) is at x and whose base is at y."""
    element = tag(
        "text",
        escape(_printable(text), quote=False),
        x=x,
        y=y,
        font_size=size,
        fill=color,
        text_anchor=None if anchor == "start" else anchor,
        font_weight="bold" if bold else None,
        font_style="italic" if italic else None,
        font_family=MONO if mono else None,
    )
    if not backed:
        return element
    wide = text_width(text, size, bold=bold, mono=mono) + 4
    left = x - wide / 2 if anchor == "middle" else x - 2 if anchor == "start" else x - wide + 2
    return (
        tag("rect", x=left, y=y - size * 0.85, width=wide, height=size * 1.1, fill=PAPER) + element
    )


def _printable(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(
        mark
        if mark >= " " and not 0xD800 <= ord(mark) <= 0xDFFF and mark not in "\ufffe\uffff"
        else "�"
        for mark in text.replace("\n", "⏎").replace("\t", " ")
    )


def arrow_head(x: float, y: float, dx: float, dy: float, color: str = INK, size: float = 7) -> str:
    """A filled head at (x, y) for a line that comes in the direction (dx, dy)."""
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length, dy / length
    left = (x - size * ux - size * 0.42 * uy, y - size * uy + size * 0.42 * ux)
    right = (x - size * ux + size * 0.42 * uy, y - size * uy - size * 0.42 * ux)
    points = " ".join(f"{_plain(a)},{_plain(b)}" for a, b in ((x, y), left, right))
    return tag("polygon", points=points, fill=color)


def picture(width: float, height: float, parts: Iterable[str], title: str = "") -> str:
    """A whole drawing on white paper."""
    inside = [
        tag("title", escape(_printable(title), quote=False)) if title else "",
        tag("rect", width=width, height=height, fill=PAPER),
        *parts,
    ]
    return tag(
        "svg",
        "\n".join(part for part in inside if part),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {_plain(float(width))} {_plain(float(height))}",
        font_family=FONT,
        role="img",
    )


def placed(part: str, x: float, y: float) -> str:
    """A part of a drawing, moved."""
    return tag("g", part, transform=f"translate({_plain(float(x))} {_plain(float(y))})")
