"""Graphs in memory: graphs, PENMAN and other notations, penman, networkx, JSON values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from karat._native import is_plain_penman
from karat.core.files.memory import MemorySource
from karat.core.format import Format
from karat.core.reading.doors import Door, Role, not_unicode, read_one
from karat.core.reading.items import Item, Key
from karat.core.registry import guess_format
from karat.errors import FormatError
from karat.graphs.amr.statements import Statements
from karat.graphs.formats.amr import Amr, converted_id
from karat.graphs.formats.base import item_of
from karat.graphs.formats.penman import PenmanText, penman_of, text_block
from karat.graphs.model import Graph, from_networkx
from karat.graphs.ucca.passages import Passage

_COMMENTS = re.compile(r"\s*(?:#[^\n]*\s*)*")


class GraphDoor(Door):
    """A graph, a string in any notation of graphs, or a graph of penman or networkx."""

    accepts = (
        "a Graph, a string in PENMAN or another notation of graphs, a JSON value of MRP, "
        "a penman.Graph or a graph of networkx"
    )
    kind = "graph"

    def __init__(self, metric: Any, format: Format | None = None) -> None:
        super().__init__(metric, format)
        kinds = getattr(metric, "kinds", (metric.kind,))
        self.keeps_text = "amr" in kinds
        """Whether PENMAN notation stays as it is."""
        self.keeps_graphs = "graph" in kinds
        self._guessed: Format | None = None

    def item(self, value: Any, role: Role, where: str) -> Item:
        value = _plain(value)
        if isinstance(value, Graph):
            return item_of(value, 0) if self.keeps_graphs else Item(penman_of(value))
        if isinstance(value, Statements) and "triples" in getattr(self.metric, "kinds", ()):
            return Item(value)
        if not isinstance(value, str):
            raise self.refuse(value)
        if self.format is not None:
            return read_one(self.format, value, where)
        if self.keeps_text and _opening(value) != "{":
            return read_one(PenmanText(), value, where)
        found = self._format(value, where)
        if isinstance(found, Amr):
            return found.read_text(value, where)
        item = read_one(found, value, where)
        if item.error is None and not self.keeps_graphs:
            return Item(penman_of(item.value), item.key)
        return item

    def _format(self, text: str, where: str) -> Format:
        """The format of a string, by how it begins; that of the one before is tried first."""
        if self._guessed is None or not self._guessed.recognizes(text[:4096]):
            if "\n" not in text and not text.lstrip().startswith(("(", "{", "<", "#")):
                raise FormatError(
                    f"this is not a graph: expected {self.accepts}; found {text[:40]!r}",
                    code="K146",
                )
            self._guessed = guess_format("graph", MemorySource(text.encode(), where))()
        return self._guessed

    def key(self, value: Any, role: Role) -> Key | None:
        value = _plain(value)
        if isinstance(value, Graph):
            return value.key if value.id and self.keeps_graphs else None
        if isinstance(value, Statements):
            return None
        if not isinstance(value, str):
            raise self.refuse(value)
        if not value.strip():
            return None
        if self.format is None and _opening(value) in ("(", ""):
            name = text_block(value.strip("\n"), 1).id if "::id" in value else ""
            if not name:
                return None
            return (name,) if self.keeps_text else (converted_id(name), "amr", None)
        key = self.parsed(value, role).key
        return key if key and key[0] else None

    def native(self, value: Any, role: Role) -> Any:
        value = _plain(value)
        if isinstance(value, Graph):
            return value if self.keeps_graphs else penman_of(value)
        if isinstance(value, Statements) and "triples" in getattr(self.metric, "kinds", ()):
            return value
        if not isinstance(value, str):
            raise self.refuse(value)
        if not value.strip():
            return value if self.keeps_text else Graph("")
        if self.keeps_text and _opening(value) != "{":
            return _checked(value, self.metric, role)
        item = read_one(self._strict(value, role), value, role)
        if item.error is not None:
            raise item.error
        return item.value if self.keeps_graphs else penman_of(item.value)

    def _strict(self, text: str, role: Role) -> Format:
        found = self._format(text, role)
        return Amr(strict=True) if type(found) is Amr else found

    def kind_of(self, value: Any) -> str:
        value = _plain(value)
        if isinstance(value, Statements):
            return "triples"
        text = isinstance(value, str) and _opening(value) != "{"
        return "amr" if self.keeps_text and (text or not self.keeps_graphs) else "graph"

    def read_otherwise(self) -> None:
        self.keeps_text = not self.keeps_graphs

    def agree(self, system: Any, gold: Any) -> tuple[Any, Any]:
        if isinstance(system, Graph) and isinstance(gold, str):
            return system, _graph(gold)
        if isinstance(gold, Graph) and isinstance(system, str):
            return _graph(system), gold
        return system, gold


class PenmanDoor(GraphDoor):
    """The same for metrics that count what PENMAN notation says."""

    kind = "amr"


def _opening(text: str) -> str:
    """The character that a graph begins with, after blanks and comments."""
    found = _COMMENTS.match(text)
    return text[found.end() : found.end() + 1] if found else ""


def _plain(value: Any) -> Any:
    """A graph of another library, or a JSON value, as a string or a graph of ours."""
    library = type(value).__module__.partition(".")[0]
    if library == "penman" and hasattr(value, "triples"):
        import penman

        try:
            return penman.encode(value)
        except penman.PenmanError as error:
            raise FormatError(f"penman cannot write this graph: {error}", code="K146") from None
    if library == "networkx":
        return from_networkx(value)
    if isinstance(value, Mapping):
        try:
            return msgspec.json.encode(dict(value)).decode()
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise FormatError(f"this is no JSON value of MRP: {error}", code="K146") from None
    return value


def _checked(text: str, metric: Any, where: str) -> str:
    """PENMAN notation; parentheses that do not match are an error, as a warning would not be seen.

    What another tool reads in its own way is left to the metric.
    """
    body = text.strip()
    try:
        body.encode()
    except UnicodeEncodeError as problem:
        raise not_unicode(problem) from None
    if not is_plain_penman(body) and not getattr(metric, "compat", None):
        item = read_one(PenmanText(strict=True), text, where)
        if item.error is not None:
            raise item.error
    return text


def _graph(text: str) -> Graph:
    return Amr().of_text(text)


class _TextDoor(Door):
    """The base for structures that metrics take as their text."""

    format_name = ""

    def item(self, value: Any, role: Role, where: str) -> Item:
        if not isinstance(value, str):
            raise self.refuse(value)
        if not value.strip():
            return Item("")
        from karat.core.registry import format_class

        return read_one(self.format or format_class(self.format_name)(), value, where)

    def native(self, value: Any, role: Role) -> Any:
        if not isinstance(value, str):
            raise self.refuse(value)
        return value


class DrsDoor(_TextDoor):
    """Discourse representation structures in clause form."""

    accepts = "a string of clauses, one a line"
    kind = "drs"
    format_name = "clf"


class SbnDoor(_TextDoor):
    """Structures in simplified box notation."""

    accepts = "a string in simplified box notation"
    kind = "sbn"
    format_name = "sbn"


class PassageDoor(Door):
    """Passages of UCCA."""

    accepts = "a Passage, or a string of the XML of one"
    kind = "passage"

    def key(self, value: Any, role: Role) -> Key | None:
        return self.parsed(value, role).key

    def item(self, value: Any, role: Role, where: str) -> Item:
        if isinstance(value, Passage):
            return Item(value, (value.id,))
        if not isinstance(value, str):
            raise self.refuse(value)
        from karat.core.registry import format_class

        return read_one(self.format or format_class("ucca-xml")(), value, where)

    def native(self, value: Any, role: Role) -> Any:
        return self.parsed(value, role).value
