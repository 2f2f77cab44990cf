"""LaTeX with tikz-dependency, for bilexical graphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO

from karat.core.format import Format
from karat.graphs.formats.base import cannot_hold
from karat.graphs.model import Graph
from karat.graphs.pictures.layout import Style, bilexical_words

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
        for graph in values:
            if graph.flavor != 0:
                raise cannot_hold(
                    graph, "tikz-dependency", f"it is of flavor {graph.flavor}, not 0"
                )
            stream.write("\n".join(_lines(graph)).encode() + b"\n")


def _lines(graph: Graph) -> Iterator[str]:
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
