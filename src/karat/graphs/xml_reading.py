"""XML of graphs: what cannot be read is an error of the graph, at its line."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from karat.core.files import xml
from karat.graphs.formats.base import UnreadableGraph


def parse_xml(data: bytes | str, first_line: int = 1) -> Element:
    """The root element of a document that begins in some line of a file."""
    try:
        return xml.parse_xml(data)
    except xml.UnreadableXml as error:
        line = first_line + error.line - 1
        raise UnreadableGraph(str(error), code="K128", line=line, column=error.column) from None
