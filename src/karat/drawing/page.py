"""Drawings, the base class of commands that make them, and pages of HTML with many of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from html import escape

import msgspec

from karat.core.commands import Job, Verb
from karat.errors import OptionError, counted, quote_some

_STYLE = """
body { font-family: system-ui, sans-serif; margin: 2rem; color: #222; background: #fff;
       overflow-wrap: anywhere; }
figure { margin: 0 0 2.5rem; }
figcaption { margin-bottom: .5rem; }
figure > div { overflow-x: auto; }
h2 { font-size: 1rem; margin: 0; }
"""


class Drawing(msgspec.Struct, frozen=True):
    """One picture: an SVG element, and what it shows."""

    id: str
    title: str
    svg: str


class Drawer(Verb, ABC):
    """Pictures of the values in the inputs, beside those of gold where that is given."""

    name = "draw"

    @abstractmethod
    def draw(self, job: Job) -> Iterable[Drawing]: ...

    def dot(self, job: Job) -> Iterable[str]:
        """The drawings in the language of Graphviz, for graphs."""
        raise OptionError("only graphs can be drawn in DOT, others as SVG", code="K346")

    def warn_alone(self, job: Job, noun: str, names: Sequence[str]) -> None:
        """Tells what was drawn by itself although there is a gold file."""
        if names and job.golds:
            subject = counted(len(names), f"{noun} has", f"{noun}s have")
            job.report.warn(f"{subject} no gold, drawn alone: {quote_some(names)}")


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
