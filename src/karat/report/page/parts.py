"""What the parts of a page share: how it looks, tables, marked words."""

from __future__ import annotations

import html
from collections.abc import Sequence

from karat.report.marks import Marked

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #667; --line: #d5d9e0; --bar: #3b6ea8;
        --paper: #fff; --soft: #f5f6f8; --missing: #b34700; --surplus: #1f5fae; --clipped: #8a6d00 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --dim: #9aa3ad; --line: #3a4048;
        --bar: #7aa9dc; --paper: #16191d; --soft: #1f2329; --missing: #ff9a52; --surplus: #8abaf5;
        --clipped: #e3c456 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 66rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.2rem } h3 { font-size: 1rem }
a { color: var(--surplus) } nav ul { columns: 2; padding-left: 1.2rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: .6rem 0 } caption { text-align: left; color: var(--dim) }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; border-bottom: 1px solid var(--line);
         font-variant-numeric: tabular-nums; vertical-align: top; overflow-wrap: normal;
         white-space: nowrap }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 8rem;
         white-space: normal }
tr.main td { font-weight: 600 } td small { color: var(--dim); font-weight: 400 }
.dim, .signature { color: var(--dim) } .signature { font-family: ui-monospace, monospace;
         font-size: .85rem }
.beside { display: flex; flex-wrap: wrap; gap: 0 2.5rem }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0;
          padding: .3rem .8rem }
summary { cursor: pointer } pre { background: var(--soft); padding: .6rem; overflow-x: auto;
         white-space: pre-wrap; font-size: .85rem }
.words { background: var(--soft); padding: .5rem .7rem; margin: .3rem 0; unicode-bidi: plaintext }
.words .side { color: var(--dim); margin-right: .5rem }
.alone.system { color: var(--surplus); text-decoration: underline dotted 2px }
.alone.gold { color: var(--missing); text-decoration: underline dashed 2px }
.clipped { color: var(--clipped); font-style: italic }
.stem, .synonym { text-decoration: underline 1px }
.picture { overflow-x: auto; background: #fff; border-radius: .3rem; padding: .3rem }
svg.chart { width: 100%; max-width: 660px } svg.chart text { fill: var(--dim); font-size: 11px }
svg.chart rect, svg.chart circle { fill: var(--bar) } svg.chart line { stroke: var(--line) }
svg.chart line.interval { stroke: var(--bar); stroke-width: 2 }
"""


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
