"""Drawings as formats to write: SVG, pages of arcs as displaCy has them, LaTeX with tikz."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Annotated, ClassVar

from karat.core.format import Format
from karat.drawing.page import Drawing, page
from karat.errors import OptionError
from karat.graphs.errors import cannot_hold
from karat.graphs.model import Graph
from karat.graphs.pictures.content import Style
from karat.graphs.pictures.layout import bilexical_words, drawing_of


class _Drawn(Format):
    kind = "graph"
    writing: ClassVar[frozenset[str]] = frozenset({"ids", "strings"})

    ids: Annotated[bool, "show the ids of nodes"] = False
    strings: Annotated[bool, "show the text that nodes are anchored to"] = False

    def __post_init__(self) -> None:
        self.style = Style(self.ids, self.strings)


class Svg(_Drawn):
    """One graph as a picture."""

    name = "svg"

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        graphs = list(islice(values, 2))
        if len(graphs) != 1:
            raise OptionError(
                "an SVG file holds one drawing" + (", there are more" if graphs else ", got none"),
                code="K345",
                advice="choose one (``id``, ``i``), or draw a page: ``output='FILE.html'``",
            )
        stream.write(drawing_of(graphs[0], self.style).encode())


def _bilexical(graphs: Iterable[Graph], format: str) -> Iterator[Graph]:
    for graph in graphs:
        if graph.flavor != 0:
            raise cannot_hold(graph, format, f"it is of flavor {graph.flavor}, not 0")
        yield graph


class Displacy(_Drawn):
    """A page of bilexical graphs as arcs over the words of the sentence."""

    name = "displacy"

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        drawings = [
            Drawing(graph.id, graph.framework or "", drawing_of(graph, self.style))
            for graph in _bilexical(values, "displaCy")
        ]
        stream.write(page(drawings, "graphs").encode())


_SPECIAL = re.compile(r"[#$%&_{}~^\\]")
_ESCAPED = {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
}


class Tikz(Format):
    """A document of its own for each graph."""

    name = "tikz"
    kind = "graph"

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        for graph in _bilexical(values, "tikz-dependency"):
            stream.write("\n".join(_document(graph)).encode() + b"\n")


def _document(graph: Graph) -> Iterator[str]:
    position, words = bilexical_words(graph, Style())
    yield "\\documentclass{article}"
    yield "\\usepackage[T1]{fontenc}"
    yield "\\usepackage[utf8]{inputenc}"
    yield "\\usepackage{tikz-dependency}"
    yield "\\begin{document}"
    yield "\\begin{dependency}"
    yield "\\begin{deptext}"
    yield f"% id = {_one_line(graph.id)}"
    if graph.input is not None:
        yield f"% input = {_one_line(graph.input)}"
    yield " \\& ".join(_tex(word.form) for word in words) + " \\\\"
    yield "\\end{deptext}"
    for node in sorted(graph.nodes, key=lambda node: position[node.id]):
        here = position[node.id] + 1
        if node.id in graph.tops:
            yield f"\\deproot{{{here}}}{{TOP}}"
        for edge in graph.incoming[node.id]:
            source = position[edge.source] + 1
            yield f"\\depedge{{{source}}}{{{here}}}{{{_tex(edge.label or '')}}}"
    yield "\\end{dependency}"
    yield "\\end{document}"


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def _tex(text: str) -> str:
    return _SPECIAL.sub(lambda match: _ESCAPED.get(match[0], "\\" + match[0]), text)
