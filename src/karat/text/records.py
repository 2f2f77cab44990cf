"""JSON objects as text records, in the schemas that are in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from karat.core.items import Item, Key
from karat.core.opener import Source
from karat.errors import FormatError, OptionError, Place
from karat.text.model import Text, TextRecord
from karat.text.pyramids import Annotation, Pyramid
from karat.text.questions import QuestionSet, question_sets

IDS = ("instance_id", "id")
TEXTS = ("summary", "text", "hypothesis", "prediction", "system")
REFERENCES = ("references", "reference", "gold", "target")
DOCUMENTS = ("documents", "document")
QUESTIONS = "questions"
_decode = msgspec.json.Decoder().decode


class UnfitError(Exception):
    """A record that does not fit the schema."""

    item = ""


def json_items(source: Source) -> Iterator[Item]:
    """The records of a file of JSON lines, each as an item whose value is a TextRecord.

    Blank lines are skipped; a record that does not fit carries its error.
    """
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            yield item_of(json_object(line), number)
        except UnfitError as unfit:
            yield broken(source, number, unfit)


def broken(source: Source, number: int, unfit: UnfitError) -> Item:
    """The item that stands for a record that could not be read."""
    place = Place(source.name, number, item=unfit.item)
    error = FormatError(str(unfit), code="K111", place=place)
    return Item(None, (unfit.item, None) if unfit.item else None, number, error=error)


def json_object(line: str) -> dict[str, Any]:
    """One line of a file, decoded."""
    try:
        record = _decode(line)
    except msgspec.DecodeError as error:
        raise UnfitError(f"this is not JSON: {error}") from None
    except RecursionError:
        raise UnfitError("this JSON is nested too deeply") from None
    if not isinstance(record, dict):
        raise UnfitError(f"expected a JSON object, found {_kind(record)}")
    return record


def item_of(record: dict[str, Any], number: int) -> Item:
    """A decoded record as an item: its value, its key and its fields."""
    key = _key(record)
    try:
        value = _pyramid_record(record) if "scus" in record else _text_record(record)
    except UnfitError as unfit:
        unfit.item = key[0] if key and key[0] else ""
        raise
    used = {*IDS, *TEXTS, *REFERENCES, *DOCUMENTS}
    fields = {
        name: field for name, field in record.items() if isinstance(field, str) and name not in used
    }
    return Item(value, key, number, fields)


def _text_record(record: Mapping[str, Any]) -> TextRecord:
    text, references = _first(record, TEXTS), _first(record, REFERENCES)
    documents, questions = _first(record, DOCUMENTS), record.get(QUESTIONS)
    if text is None and references is None and documents is None and questions is None:
        expected = (*TEXTS, *REFERENCES, *DOCUMENTS, QUESTIONS)
        raise UnfitError(f"there is no text: expected one of {', '.join(expected)}")
    return TextRecord(
        None if text is None else _text(*text),
        None if references is None else _texts("references", *references),
        None if documents is None else _texts("documents", *documents),
        questions=None if questions is None else _questions(questions),
    )


def _questions(value: Any) -> tuple[QuestionSet, ...]:
    try:
        return question_sets(value, f"$.{QUESTIONS}")
    except OptionError as error:
        raise UnfitError(error.message) from None


def _pyramid_record(record: Mapping[str, Any]) -> TextRecord:
    kind: type[Pyramid] | type[Annotation] = Pyramid if "summaries" in record else Annotation
    try:
        value = msgspec.convert(record, kind)
    except msgspec.ValidationError as error:
        raise UnfitError(f"this is no {kind.__name__.lower()}: {error}") from None
    if isinstance(value, Pyramid):
        return TextRecord(pyramid=value)
    return TextRecord(text=value.summary, annotation=value)


def _key(record: Mapping[str, Any]) -> Key | None:
    found = _first(record, IDS)
    if found is None:
        return None
    name, value = found
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise UnfitError(f"$.{name} must be a string, found {_kind(value)}")
    summarizer = record.get("summarizer_id")
    return str(value), None if summarizer is None else str(summarizer)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, Any] | None:
    return next(((name, record[name]) for name in names if record.get(name) is not None), None)


def _text(path: str, value: Any) -> Text:
    if isinstance(value, dict):
        if "text" not in value:
            raise UnfitError(f"$.{path} has no 'text'")
        path, value = f"{path}.text", value["text"]
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        flat = _flat(value)
        if all(isinstance(sentence, str) for sentence in flat):
            return tuple(flat)
    raise UnfitError(f"$.{path} must be a string or a list of strings, found {_kind(value)}")


def _flat(nested: list[Any]) -> list[Any]:
    """Nested lists as one, depth first."""
    result: list[Any] = []
    stack = [nested]
    while stack:
        value: Any = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value))
        else:
            result.append(value)
    return result


def _texts(plural: str, name: str, value: Any) -> tuple[Text, ...]:
    if name != plural:
        return (_text(name, value),)
    if not isinstance(value, list):
        raise UnfitError(f"$.{plural} must be a list, found {_kind(value)}")
    return tuple(_text(f"{plural}[{i}]", each) for i, each in enumerate(value))


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")
