"""Files of JSON documents: one a line, an array of them, or records with a field for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import IO, Annotated, Any

import msgspec

from karat.core.files.opener import Source
from karat.core.format import Format, LineFormat, Part, array_elements
from karat.core.reading.fields import SYSTEMS
from karat.core.reading.items import Item
from karat.errors import FormatError, Place, did_you_mean
from karat.records.model import Document, UnfitError

IDS = ("id", "item_id", "instance_id", "doc_id", "sample_id", "key")
OUTPUTS = (
    "output", "prediction", "predicted", "response", "completion", "answer", "generated", "system",
    "value", "json",
)  # fmt: skip
GOLDS = (
    "gold", "reference", "references", "target", "expected", "expected_output", "ground_truth",
    "label", "value", "json",
)  # fmt: skip
_HEAD = 4000
"""How many bytes of a file are surely not all of it, where its format is guessed."""
_raw = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_raws = msgspec.json.Decoder(list[msgspec.Raw]).decode
_nested = msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw]).decode


class JsonDocuments(LineFormat):
    """One JSON document per line; an output that is no JSON is a line of text."""

    name = "json-documents"
    needs_first_line = True
    kind = "record"
    blank_lines = "skipped"
    is_fallback = True
    has_keys = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        # One document that goes over several lines is none of these, though an output may be cut.
        first, newline, _ = head.lstrip().partition("\n")
        return not (
            newline
            and first[:1] in ("{", "[")
            and not _is_json(first)
            and _is_json(head, whole=len(head.encode("utf-8", "replace")) < _HEAD)
        )

    def parse_line(self, text: str, line: int, file: str) -> Item:
        return Item(Document(text.encode("utf-8", "surrogatepass"), file, line), None, line)

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            stream.write(one_line(value.text) + b"\n")


class JsonArray(Format):
    """One array that holds the documents."""

    name = "json-array"
    kind = "record"
    content_decides = True

    @classmethod
    def recognizes(cls, head: str) -> bool:
        # A document that is an array begins in the same way, and ends on its line.
        first, newline, rest = head.lstrip().partition("\n")
        return first.startswith("[") and not (newline and rest.strip() and _is_json(first))

    def read(self, source: Source) -> Iterator[Item]:
        advice = "if each line is a document, say ``format='json-documents'``"
        for text, line in array_elements(source, "JSON documents", "K176", advice):
            yield Item(Document(text, source.name, line), None, line)

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        separator = b"[\n"
        for value in values:
            stream.write(separator + one_line(value.text))
            separator = b",\n"
        stream.write(b"[]\n" if separator == b"[\n" else b"\n]\n")


class JsonRecords(LineFormat):
    """One JSON object per line with an id, in which a field holds the document.

    What the system gave is under `output`, `prediction`, `response` or another usual name, gold
    under `gold`, `reference`, `expected` or the like; the options name others. A string in the
    field is text to be read as JSON, unless `field_is_value`. A record with both needs no gold
    file. Other fields with strings can be used for breakdowns.
    """

    name = "json-records"
    json_keys = "records"
    kind = "record"
    blank_lines = "skipped"
    of_systems = frozenset({"text_field", "system_field"})

    text_field: Annotated[str, "the field with the output of the system, a name or a path"] = ""
    gold_field: Annotated[str, "the field with gold"] = ""
    id_field: Annotated[str, "the field with the id"] = ""
    system_field: Annotated[str, "the field that names the system of each record"] = ""
    group_field: Annotated[
        tuple[str, ...], "fields within others by which items can be grouped, as paths with dots"
    ] = ()
    field_is_value: Annotated[bool, "a string in the field is the value itself, not JSON text"] = (
        False
    )

    @classmethod
    def recognizes(cls, head: str) -> bool:
        # The first object tells, even if its line is broken or longer than what is looked at.
        lines = (line for line in head.split("\n") if line.lstrip().startswith("{"))
        names = _names(next(lines, ""))
        return not names.isdisjoint(IDS) and not names.isdisjoint((*OUTPUTS, *GOLDS))

    def name_items(self, part: Part, file: str) -> None:
        items = self.name_by_parsing(part, file)
        if self.systems_in:
            part.refs.fields = [item.fields for item in items]

    def parse_line(self, text: str, line: int, file: str) -> Item:
        try:
            return self._item(text, line, file)
        except UnfitError as unfit:
            error = FormatError(str(unfit), code="K176", place=Place(file, line))
            return Item(None, None, line, error=error)

    def _item(self, text: str, line: int, file: str) -> Item:
        try:
            record = _raw(text)
        except (msgspec.DecodeError, UnicodeEncodeError) as error:
            raise UnfitError(f"this is not a JSON object: {error}") from None
        except RecursionError:
            raise UnfitError("this JSON is nested too deeply") from None
        output = self._field(record, self.text_field, OUTPUTS, GOLDS)
        gold = self._field(record, self.gold_field, GOLDS, OUTPUTS)
        named = self.id_field or next((each for each in IDS if each in record), "")
        if output is None and gold is None:
            raise UnfitError(
                "no field holds the document: name it with ``text_field`` or ``gold_field``; "
                f"there are {', '.join(map(repr, list(record)[:8])) or 'none'}"
            )
        golds = None if gold is None else self._golds(gold, _at(record, gold))
        content = b"" if output is None else self._text(_at(record, output))
        fields = {
            field: decoded
            for field, raw in record.items()
            if field not in (output, gold, named) and (decoded := _string(bytes(raw))) is not None
        }
        for path in self.group_field:
            if (each := _name(_at(record, path))) is not None:
                fields[path] = each
        system = self._system(record, (output, gold, named))
        if system is not None:
            fields[self.systems_in] = system
        name = self._id(record, named)
        own = system if golds is not None and self.role != "gold" else None
        key = None if name is None else (name, own)
        return Item(Document(content, file, line, golds, name or ""), key, line, fields)

    def _system(self, record: dict[str, Any], taken: tuple[str | None, ...]) -> str | None:
        """The system that a record names; the first field that does so counts for the file."""
        if self.role == "gold":
            return None
        if self.system_field:
            self.systems_in = self.system_field
            found = _name(_at(record, self.system_field))
            if found is None:
                raise UnfitError(f"there is no system in the field {self.system_field!r}")
            return found
        if not self.systems_in:
            names = (each for each in SYSTEMS if each not in taken and each in record)
            self.systems_in = next((each for each in names if _name(record[each]) is not None), "")
        return _name(record.get(self.systems_in)) if self.systems_in else None

    def _field(
        self, record: dict[str, Any], named: str, usual: tuple[str, ...], others: tuple[str, ...]
    ) -> str | None:
        if named:
            if _at(record, named) is None:
                if usual is GOLDS and self.role == "system":
                    return None  # gold may be in a file of its own
                near = did_you_mean(named, record)
                raise UnfitError(f"there is no field {named!r}{near}")
            return named
        found = [
            name for name in usual if name in record and (name not in others or self._own(usual))
        ]
        if len(found) > 1:
            raise UnfitError(
                f"{quote(found)} may each hold the document: name one with "
                f"``{'text_field' if usual is OUTPUTS else 'gold_field'}``"
            )
        return found[0] if found else None

    def _own(self, usual: tuple[str, ...]) -> bool:
        """Whether a name that may be of both sides is of this one."""
        return (usual is GOLDS) == (self.role == "gold")

    def _text(self, raw: Any) -> bytes:
        content = bytes(raw)
        if self.field_is_value:
            return content
        string = _string(content)
        return content if string is None else string.encode("utf-8", "surrogatepass")

    def _golds(self, name: str, raw: Any) -> tuple[bytes, ...]:
        if name == "references":
            try:
                return tuple(map(self._text, _raws(bytes(raw))))
            except (msgspec.DecodeError, RecursionError):
                raise UnfitError("the field references must hold a list of documents") from None
        return (self._text(raw),)

    def _id(self, record: dict[str, Any], path: str) -> str | None:
        raw = _at(record, path) if path else None
        if raw is None:
            if self.id_field:
                raise UnfitError(f"there is no field {path!r}{did_you_mean(path, record)}")
            return None
        found = _name(raw)
        if found is None:
            raise UnfitError(f"$.{path} must be a string or a whole number")
        return found

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for number, value in enumerate(values, 1):
            name = json.dumps(value.id or str(number)).encode()
            golds = list(map(one_line, value.golds or ()))
            gold = b',"gold":%s' % golds[0] if golds else b""
            if len(golds) > 1:
                gold = b',"references":[%s]' % b",".join(golds)
            stream.write(b'{"id":%s,"output":%s%s}\n' % (name, one_line(value.text), gold))


_PART = r'"(?:[^"\\]|\\.)*"|[{}\[\]:]'


def _names(line: str) -> set[str]:
    """The names of an object, as far as its line goes."""
    found: set[str] = set()
    depth, last = 0, ""
    for match in re.finditer(_PART, line):
        part = match[0]
        if part == ":" and depth == 1:
            found.add(last[1:-1])
        depth += (part in "{[") - (part in "}]")
        last = part
    return found


def quote(names: Iterable[str]) -> str:
    return " and ".join(map(repr, names))


def _string(content: bytes) -> str | None:
    """The string that JSON holds; None where it holds something else."""
    if not content.startswith(b'"'):
        return None
    try:
        return str(msgspec.json.decode(content, type=str))
    except msgspec.DecodeError:  # surrogates that stand alone
        return str(json.loads(content))


def _at(record: dict[str, Any], path: str) -> Any:
    """The JSON at a name or a dotted path; None where there is none."""
    if path in record:
        return record[path]
    inner: Any = record
    for part in path.split("."):
        if not isinstance(inner, (dict, list)):
            try:
                inner = _nested(inner)
            except (msgspec.DecodeError, RecursionError):
                return None
        if isinstance(inner, list):
            place = int(part[:9]) if part.isdecimal() else len(inner)
            inner = inner[place] if place < len(inner) else None
        else:
            inner = inner.get(part)
        if inner is None:
            return None
    return inner


def _name(raw: Any) -> str | None:
    """A string or a whole number as a name; None where it is something else, or nothing."""
    if raw is None:
        return None
    string = _string(bytes(raw))
    if string is not None:
        return string
    try:
        return str(msgspec.json.decode(raw, type=int))
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_json(text: str, *, whole: bool = True) -> bool:
    """Whether a text is JSON, or, if it need not be whole, how JSON begins."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated string")
        return not whole and cut
    except (ValueError, RecursionError):
        return False
    return True


def one_line(text: bytes) -> bytes:
    """A document on one line; text that is no JSON as a JSON string."""
    from karat._native import RecordBatch

    batch = RecordBatch(False, True, False)
    batch.read([text], 0)
    if not batch.failure(0)[0]:
        return bytes(batch.text(0))
    return json.dumps(text.decode("utf-8", "surrogatepass")).encode()
