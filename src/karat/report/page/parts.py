"""Shared parts of pages: the style, tables, texts with marked words."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib.resources import files

from karat.report.marks import Marked


def style() -> str:
    """The style sheet of all pages."""
    return files("karat.report").joinpath("page", "page.css").read_text("utf-8")


MAIN = " class=main"
"""Marks the row of the score that stands for all."""


BETWEEN = "{} – {}"
"""How both ends of an interval are written."""


def small_print(text: str) -> str:
    """A line in pale letters; nothing for nothing."""
    return f"<p class=dim>{escaped(text)}</p>" if text else ""


def escaped(value: object) -> str:
    return html.escape(str(value))


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    main: int | None = None,
) -> str:
    """A table of cells that are HTML already; one row may stand out."""
    top = "".join(f"<th>{cell}" for cell in head)
    body = "".join(
        f"<tr{MAIN if i == main else ''}>{''.join(f'<td>{cell}' for cell in row)}"
        for i, row in enumerate(rows)
    )
    title = f"<caption>{caption}</caption>" if caption else ""
    return f"<div class=scroll><table>{title}<tr>{top}{body}</table></div>"


def words(text: Marked) -> str:
    """A text with its marks."""
    side = "system" if text.title == "system" else "gold"
    lines = "<br>".join(
        " ".join(
            f"<span class='{mark} {side}' title='{mark}'>{escaped(word)}</span>"
            if mark not in ("", "matched", "exact")
            else escaped(word)
            for word, mark in line
        )
        for line in text.lines
    )
    return f"<p class=words dir=auto><span class=side>{escaped(text.title)}</span>{lines}</p>"
