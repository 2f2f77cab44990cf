"""JSON, TOML and XML as other people's files have them: what decoders take silently is told, and
what hostile files use is refused. What reads XML is loaded where there is some.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from karat.errors import MissingExtra, counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoders raise where content is no JSON, or is nested too deeply."""

# -- JSON: keys that stand twice in one object, of which every decoder takes the last --------------


def doubled_key(text: bytes | str) -> str:
    """The first key that an object of a document has twice; empty where there is none.

    >>> doubled_key('{"a": {"b": 1, "b": 2}}')
    'b'
    """
    from karat._native import doubled_keys

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    count, _, name = doubled_keys(data, False, True)
    return (name.decode("utf-8", "replace") or "''") if count else ""


class DoubledKeys:
    """The records of a file that have a key twice, to warn of them (`Source.keys`).

    Documents that are compared have rules of their own (`karat.records`).
    """

    def __init__(self, *, deep: bool) -> None:
        self.deep = deep
        self.begin()

    def begin(self) -> None:
        """The file is read from its beginning."""
        self.count, self.first, self.noun = 0, "", "record"

    def see(self, data: bytes, lines_before: int, *, lines: bool) -> None:
        """Looks at whole lines, each of which is a record, or at one document."""
        from karat._native import doubled_keys

        count, line, name = doubled_keys(data, lines, self.deep)
        if count and not self.count:
            shown = name.decode("utf-8", "replace")
            self.first = f"{shown!r} in line {lines_before + line + 1}"
            self.noun = "record" if lines else "object"
        self.count += count

    def warnings(self) -> list[str]:
        if not self.count:
            return []
        those = counted(self.count, f"{self.noun} has", f"{self.noun}s have")
        return [f"{those} a key twice, the last counts: {self.first}"]


# -- TOML ----------------------------------------------------------------------------------------

_MOST_PARTS = 100
"""Python's reader takes memory that grows with the square of the parts of a key."""
_PART = r"""\s*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')\s*"""


def read_toml(content: bytes) -> dict[str, Any]:
    """The parsed TOML; a ValueError if it is invalid."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        try:
            import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            raise MissingExtra.package("tomli", "toml", "reading TOML on Python 3.10") from None
    import re

    text, parts = content.decode("utf-8"), 0
    for piece in text.split("."):
        parts = parts + 1 if re.fullmatch(_PART, piece) else 0
        if parts > _MOST_PARTS:
            raise ValueError(f"a key has more than {_MOST_PARTS} parts")
    return tomllib.loads(text)


def toml_table(name: str, table: Mapping[str, Any]) -> str:
    """One table of an array of tables, its values texts, numbers, truth values, or lists of them.

    >>> print(toml_table("evaluate", {"metric": "bleu", "system": ["a", "b"], "seed": 1}), end="")
    [[evaluate]]
    metric = "bleu"
    system = ["a", "b"]
    seed = 1
    """
    lines = [f"[[{name}]]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    import json

    # JSON's texts, whole numbers and truth values are TOML's, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# -- XML -----------------------------------------------------------------------------------------

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
    from xml.etree.ElementTree import TreeBuilder
    from xml.parsers import expat

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
