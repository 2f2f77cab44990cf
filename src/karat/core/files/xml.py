"""XML from untrusted files: no document types, no entities, errors with their place."""

from __future__ import annotations

from typing import Any, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

_DEEPEST = 2_000
MOST_ELEMENTS = 500_000
"""More in one document is refused: elements take far more memory than the text they are from."""


class UnreadableXml(Exception):
    """An error and its place; lines and columns count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def parse_xml(data: bytes | str, lines: dict[Element, int] | None = None) -> Element:
    """The root element. Names lose their namespace; what hostile files use is refused.

    `lines` is filled with the line in which each element begins.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    builder = TreeBuilder()
    depth = elements = 0

    def fail(message: str) -> NoReturn:
        raise UnreadableXml(message, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth += 1
        elements += 1
        if depth > _DEEPEST:
            fail(f"elements are nested more than {_DEEPEST} deep")
        if elements > MOST_ELEMENTS:
            fail(f"the document has more than {MOST_ELEMENTS:,} elements")
        element = builder.start(name.rpartition(" ")[2], attributes)
        if lines is not None:
            lines[element] = parser.CurrentLineNumber

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name.rpartition(" ")[2])

    def doctype(*_: Any) -> None:
        fail("document types and entities are not allowed")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = doctype
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = f"this is not XML: {expat.ErrorString(error.code)}"
        raise UnreadableXml(reason, error.lineno, error.offset + 1) from None
    except (LookupError, ValueError) as error:  # an encoding is declared that expat cannot read
        reason = f"the declared encoding cannot be read ({error}); save the file as UTF-8"
        raise UnreadableXml(reason, parser.CurrentLineNumber, 1) from None
    return builder.close()
