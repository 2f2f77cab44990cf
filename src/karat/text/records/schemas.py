"""JSON objects as text records, in the schemas that are in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from karat.core.files.opener import Source
from karat.core.reading.fields import IDS, MISSING, REFERENCES, TEXTS, listed, value_at
from karat.core.reading.items import Item, Key
from karat.errors import FormatError, OptionError, Place, quote_some
from karat.text.model import Text, TextRecord
from karat.text.pyramid import Annotation, Pyramid
from karat.text.questions import QuestionSet, question_sets
from karat.text.records.layout import DOCUMENTS, QUESTIONS, AmbiguousFields, Layout

_EMPTY = "have no text (taken as empty)"
_decode = msgspec.json.Decoder().decode


class UnfitError(Exception):
    """A record that does not fit the schema."""

    item = ""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


def json_items(source: Source, layout: Layout) -> Iterator[Item]:
    """The records of a file of JSON lines, each as an item whose value is a TextRecord.

    Blank lines are skipped; a record that does not fit carries its error.
    """
    for number, line in source.lines():
        if line.strip():
            yield json_item(line, source.name, number, layout)


def json_item(text: str, file: str, number: int, layout: Layout) -> Item:
    """The record that is written in JSON, or the item that stands for one that does not fit."""
    try:
        return item_of(json_object(text), file, number, layout)
    except UnfitError as unfit:
        return broken(file, number, unfit)


def broken(file: str, number: int, unfit: UnfitError) -> Item:
    """The item that stands for a record that could not be read."""
    error = unfit_error(file, number, unfit)
    return Item(None, (unfit.item, None) if unfit.item else None, number, error=error)


def unfit_error(file: str, number: int, unfit: UnfitError) -> FormatError:
    """The error that a record could not be read."""
    place = Place(file, number, item=unfit.item)
    return FormatError(str(unfit), code="K111", place=place, advice=unfit.advice)


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


def item_of(record: dict[str, Any], file: str, number: int, layout: Layout) -> Item:
    """A decoded record as an item: its value, its key and its fields.

    Fields that may be one thing or another end the reading, whatever happens to bad records.
    """
    name = ""
    try:
        found = _id(record, layout)
        name = found or ""
        value = _pyramid_record(record) if "scus" in record else _text_record(record, layout)
    except UnfitError as unfit:
        unfit.item = name
        raise
    except AmbiguousFields as problem:
        raise _ambiguous(problem, Place(file, number, item=name)) from None
    fields = layout.fields_of(record)
    notices = (_EMPTY,) if layout.null_is_empty and _is_null(record, value, layout) else ()
    if found is None:
        return Item(value, None, number, fields, notices=notices)
    own = (value.references, value.documents, value.questions) != (None, None, None)
    key = found, system_key(layout.system_of(record), own, layout)
    return Item(value, key, number, fields, notices=notices)


def _is_null(record: Mapping[str, Any], value: TextRecord, layout: Layout) -> bool:
    """Whether an empty text stands for one that is not there."""
    return value.text == "" and value_at(record, layout.text) in (None, MISSING)


def _ambiguous(problem: AmbiguousFields, place: Place) -> FormatError:
    return FormatError(str(problem), code="K145", place=place, advice=problem.advice)


def system_key(system: str | None, own: bool, layout: Layout) -> str | None:
    """The system as a part of the key, where one file may hold the outputs of several.

    `own` says whether the record holds what its text is held against.
    """
    if layout.system == "summarizer_id":
        return system
    return system if own and layout.role != "gold" else None


class RecordKeys:
    """Finds the keys of the records of a file, and with them its layout."""

    def __init__(self, layout: Layout, file: str) -> None:
        self.layout = layout
        self.file = file
        self.known: dict[tuple[str, ...], tuple[str, str, bool]] = {}
        """For the fields of a record: those of id and system, and whether it has gold.

        Where others have the same fields, no more than their keys is read.
        """

    def key(self, data: bytes, line: int) -> tuple[Key | None, str | None]:
        """The key of a record, and the system that it names."""
        record, layout = json_object(data.decode()), self.layout
        name = _id(record, layout)
        documents, questions = _first(record, DOCUMENTS), record.get(QUESTIONS)
        references = None
        if "scus" not in record:
            try:
                references = layout.gold_of(record)
                if not (layout.role == "gold" and references):
                    layout.text_of(record)
            except AmbiguousFields as problem:
                raise _ambiguous(problem, Place(self.file, line, item=name or "")) from None
        own = (references, documents, questions) != (None, None, None)
        system = layout.system_of(record)
        told = [field for field in (*IDS, *DOCUMENTS, QUESTIONS, "scus") if field in record]
        if told == [layout.id] and not layout.named_keys():
            held_by = layout.system if layout.system in record else ""
            self.known[tuple(record)] = layout.id, held_by, own
        return None if name is None else (name, system_key(system, own, layout)), system


def _text_record(record: Mapping[str, Any], layout: Layout) -> TextRecord:
    references = layout.gold_of(record)
    # A file of gold may hold the texts of its makers as well.
    text = None if layout.role == "gold" and references else layout.text_of(record)
    documents, questions = _first(record, DOCUMENTS), record.get(QUESTIONS)
    if text is None and references is None and documents is None and questions is None:
        is_gold = layout.role == "gold"
        raise _no_text(record, REFERENCES if is_gold else TEXTS, "gold_field" if is_gold else "")
    value = TextRecord(
        None if text is None or text[1] in (None, MISSING) else _text(*text),
        None if references is None else _references(*references, named=layout.names_gold),
        None if documents is None else _texts("documents", *documents),
        questions=None if questions is None else _questions(questions),
    )
    if layout.role == "system" and value.text is None and text and layout.null_is_empty:
        return msgspec.structs.replace(value, text="")
    if layout.role == "system" and value.text is None:
        if text and text[1] is None:
            raise UnfitError(
                f"the text is null, in {text[0]!r}",
                "``null_text='empty'`` counts it as an empty text, ``on_error='skip'`` leaves it "
                "out (both are reported)",
            )
        raise _no_text(record, [text[0]] if text else TEXTS)
    if layout.role == "gold" and value.references == () and (documents, questions) == (None, None):
        raise UnfitError(f"there is no reference: {layout.gold!r} is empty or not there")
    return value


def _no_text(record: Mapping[str, Any], usual: Sequence[str], option: str = "") -> UnfitError:
    """The error that none of the fields that usually hold a text is there."""
    wanted = f"one of {quote_some(usual, 3)}" if len(usual) > 1 else repr(usual[0])
    return UnfitError(
        f"there is no text: expected {wanted}, found {listed(record) or 'nothing'}",
        f"name the field with ``{option or 'text_field'}``",
    )


def _references(name: str, value: Any, *, named: bool) -> tuple[Text, ...]:
    """The references of a field; one that is named may hold one or a list of them."""
    if value is None or value is MISSING:
        return ()
    if named and name not in REFERENCES and not isinstance(value, list):
        return (_text(name, value),)
    return _texts(name if named and name not in REFERENCES else "references", name, value)


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
        raise UnfitError(f"this is not a valid {kind.__name__.lower()}: {error}") from None
    if isinstance(value, Pyramid):
        return TextRecord(pyramid=value)
    return TextRecord(text=value.summary, annotation=value)


def _id(record: Mapping[str, Any], layout: Layout) -> str | None:
    for path in layout.named_keys():
        if value_at(record, path) is MISSING:
            raise UnfitError(f"there is no field {path!r}, found {listed(record)}")
    found = layout.id_of(record)
    if found is None:
        return None
    name, value = found
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise UnfitError(f"$.{name} must be a string, found {_kind(value)}")
    return str(value)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, Any] | None:
    return next(((name, record[name]) for name in names if record.get(name) is not None), None)


def _text(path: str, value: Any) -> Text:
    if isinstance(value, dict):
        if "text" not in value:
            raise UnfitError(
                f"$.{path} has no 'text', found {listed(value)}",
                "name the field that holds the text: ``text_field`` or ``gold_field``, a name or "
                "a path",
            )
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
