"""An HTML page of drawings that needs no other files."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from karat.core.commands import Drawing

_STYLE = """
body { font-family: system-ui, sans-serif; margin: 2rem; color: #222; background: #fff;
       overflow-wrap: anywhere; }
figure { margin: 0 0 2.5rem; }
figcaption { margin-bottom: .5rem; }
figure > div { overflow-x: auto; }
h2 { font-size: 1rem; margin: 0; }
"""


def page(drawings: Iterable[Drawing], title: str = "karat draw") -> str:
    """The drawings below each other, each with its id and title."""
    figures = "\n".join(
        f"<figure><figcaption><h2>{escape(drawing.id)}</h2>{escape(drawing.title)}</figcaption>"
        f"<div>{drawing.svg}</div></figure>"
        for drawing in drawings
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body>\n{figures}\n</body></html>\n"
    )
