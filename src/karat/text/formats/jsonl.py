"""JSON lines with texts and references, in the schemas that are in use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from karat.core.format import Format
from karat.core.items import Item
from karat.core.opener import Source
from karat.errors import FormatError, Place
from karat.text.model import Text, TextRecord

_IDS = ("instance_id", "id")
_TEXTS = ("summary", "text", "hypothesis", "prediction", "system")
_REFERENCES = ("references", "reference", "gold", "target")
_decode = msgspec.json.Decoder().decode


class JsonLines(Format):
    """One JSON object per line.

    The text is under `summary`, `text`, `hypothesis`, `prediction` or `system`;
    references under `references` or `reference` (also `gold`, `target`); the id
    under `id` or `instance_id`. A text is a string, a list of sentences, or an
    object with a `text`. Other fields with strings can be used for breakdowns.
    """

    name = "jsonl"
    kind = "text"

    def __init__(self) -> None:
        pass

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("{")

    def read(self, source: Source) -> Iterator[Item]:
        for number, line in source.lines():
            if not line.strip():
                continue
            try:
                yield _item(line, number)
            except _UnfitError as unfit:
                place = Place(source.name, number, item=unfit.item)
                error = FormatError(str(unfit), code="K111", place=place)
                yield Item(None, (unfit.item,) if unfit.item else None, number, error=error)


class _UnfitError(Exception):
    """A record that does not fit the schema."""

    item = ""


def _item(line: str, number: int) -> Item:
    try:
        record = _decode(line)
    except msgspec.DecodeError as error:
        raise _UnfitError(f"this is not JSON: {error}") from None
    except RecursionError:
        raise _UnfitError("this JSON is nested too deeply") from None
    if not isinstance(record, dict):
        raise _UnfitError(f"expected a JSON object, found {_kind(record)}")
    key = _key(record)
    try:
        text, references = _first(record, _TEXTS), _first(record, _REFERENCES)
        value = TextRecord(
            None if text is None else _text(*text),
            None if references is None else _references(*references),
        )
        if value.text is None and value.references is None:
            raise _UnfitError(
                f"there is no text: expected one of {', '.join(_TEXTS + _REFERENCES)}"
            )
    except _UnfitError as unfit:
        unfit.item = key[0] if key and key[0] else ""
        raise
    fields = {
        name: field for name, field in record.items() if isinstance(field, str) and name not in _IDS
    }
    for name in (*_TEXTS, *_REFERENCES):
        fields.pop(name, None)
    return Item(value, key, number, fields)


def _key(record: dict[str, Any]) -> tuple[str | None, ...] | None:
    found = _first(record, _IDS)
    if found is None:
        return None
    name, value = found
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise _UnfitError(f"$.{name} must be a string, found {_kind(value)}")
    summarizer = record.get("summarizer_id")
    return str(value), None if summarizer is None else str(summarizer)


def _first(record: dict[str, Any], names: tuple[str, ...]) -> tuple[str, Any] | None:
    return next(((name, record[name]) for name in names if record.get(name) is not None), None)


def _text(path: str, value: Any) -> Text:
    if isinstance(value, dict):
        if "text" not in value:
            raise _UnfitError(f"$.{path} has no 'text'")
        path, value = f"{path}.text", value["text"]
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(sentence, str) for sentence in value):
        return tuple(value)
    raise _UnfitError(f"$.{path} must be a string or a list of strings, found {_kind(value)}")


def _references(name: str, value: Any) -> tuple[Text, ...]:
    if name == "references":
        if not isinstance(value, list):
            raise _UnfitError(f"$.references must be a list, found {_kind(value)}")
        return tuple(_text(f"references[{i}]", each) for i, each in enumerate(value))
    return (_text(name, value),)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")
