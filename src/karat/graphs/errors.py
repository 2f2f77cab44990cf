"""Errors that readers and writers of graphs raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from karat.errors import FormatError, Place
from karat.graphs.model import Graph

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_DIGITS = 18
"""The most digits of a number in a file: what fits into 64 bits."""


class UnreadableGraph(Exception):
    """Raised inside a reader; it becomes a FormatError that knows its place."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        line: int = 0,
        column: int = 0,
        excerpt: str = "",
        advice: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.column = column
        self.excerpt = excerpt
        self.advice = advice


def whole_number(digits: str) -> int:
    """The number that digits mean, with a sign or without; no place in a text needs so many."""
    if len(digits) > MOST_DIGITS:
        raise UnreadableGraph(
            f"a number has {len(digits):,} digits, expected at most {MOST_DIGITS}", code="K122"
        )
    return int(digits)


def parse_xml(data: bytes | str, first_line: int = 1) -> tuple[Element, Callable[[Element], int]]:
    """The root element of a document that begins in some line of a file, and the lines of all."""
    from karat.core.files import notations

    lines: dict[Element, int] = {}
    try:
        root = notations.parse_xml(data, lines)
    except notations.UnreadableXml as error:
        line = first_line + error.line - 1
        raise UnreadableGraph(str(error), code="K128", line=line, column=error.column) from None
    return root, lambda element: first_line + lines[element] - 1


def cannot_hold(graph: Graph, format: str, why: str) -> FormatError:
    """The error for a graph that a format has no way to write."""
    return FormatError(
        f"{format} cannot hold this graph: {why}",
        code="K126",
        place=Place("output", item=graph.id),
        advice="choose another format, or use ``on_error='skip'`` to leave such graphs out",
    )


def refuse_overlay(graph: Graph) -> None:
    """For what compares graphs: an overlay only says which tokens the parts of another one are of.

    Its edges have no ends, and its anchors are tokens rather than characters.
    """
    if graph.flavor == -1:
        raise FormatError(
            f"the graph {graph.id!r} is an overlay (flavor -1), which has nothing to compare: "
            "its edges have no ends, expected a graph of flavor 0, 1 or 2",
            code="K223",
            place=Place(item=graph.id),
            advice="give the file of the graphs that it belongs to, or leave overlays out with "
            "``on_error='skip'``",
        )
