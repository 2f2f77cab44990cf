"""Drawings as formats to write: SVG, and pages of arcs in the manner of displaCy."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import IO, Annotated, ClassVar

from karat.core.format import Format
from karat.drawing.page import Drawing, page
from karat.errors import OptionError
from karat.graphs.formats.base import cannot_hold
from karat.graphs.model import Graph
from karat.graphs.pictures.layout import Style, drawing_of


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


class Displacy(_Drawn):
    """A page of bilexical graphs as arcs over the words of the sentence."""

    name = "displacy"

    def write(self, values: Iterable[Graph], stream: IO[bytes]) -> None:
        drawings = []
        for graph in values:
            if graph.flavor != 0:
                raise cannot_hold(graph, "displaCy", f"it is of flavor {graph.flavor}, not 0")
            drawings.append(Drawing(graph.id, graph.framework or "", drawing_of(graph, self.style)))
        stream.write(page(drawings, "graphs").encode())
