"""Records with named fields: JSON lines and arrays, and the usual readers of summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, cast

import msgspec

from karat.core.files.opener import Source
from karat.core.format import Format, LineFormat, Part, array_elements
from karat.core.options import File
from karat.core.reading.items import Item, Refs
from karat.errors import FormatError, Place, did_you_mean
from karat.text.formats.lines import begins_records
from karat.text.model import TextRecord
from karat.text.records.columns import Records, record_keys
from karat.text.records.layout import Layout
from karat.text.records.schemas import json_item, json_items, unfit_error


class RecordFormat(Format):
    """Base class of formats of records, whose fields are known by name or given by options."""

    kind = "text"
    noun = "records"
    of_systems = frozenset({"text_field", "system_field", "null_text"})

    text_field: Annotated[str, "the field with the text of the system, a name or a path"] = ""
    gold_field: Annotated[str, "the field with the references"] = ""
    id_field: Annotated[str, "the field with the id"] = ""
    system_field: Annotated[str, "the field that names the system of each record"] = ""
    group_field: Annotated[
        tuple[str, ...], "fields within others by which items can be grouped, as paths with dots"
    ] = ()
    null_text: Annotated[
        Literal["error", "empty"], "how to treat a record whose text is null or missing"
    ] = "error"
    _layout = cast("Layout | None", None)

    @property
    def named_text(self) -> str:
        """The field with the text, where an option of the format names it in another way."""
        return ""

    def layout(self) -> Layout:
        """The layout of a file, which is completed while the file is read."""
        if not self.continues or self._layout is None:
            self._layout = Layout(
                text=self.text_field or self.named_text,
                gold=self.gold_field,
                id=self.id_field,
                system=self.system_field,
                role=self.role,
                groups=self.group_field,
                null_is_empty=self.null_text == "empty",
            )
        return self._layout

    def noted(self, items: Iterator[Item], layout: Layout) -> Iterator[Item]:
        """The items; what was chosen and is not obvious is kept for the user."""
        for item in items:
            self.systems_in = layout.system
            yield item
        self.systems_in = layout.system
        self.warnings[:] = layout.warnings

    def json_items(self, source: Source) -> Iterator[Item]:
        """The records of a file of JSON lines."""
        layout = self.layout()
        return self.noted(json_items(source, layout), layout)


class JsonTexts(RecordFormat):
    """One JSON array of objects, which have the fields that JSON lines have."""

    name = "json-texts"
    json_keys = "all"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return begins_records(head)

    def read(self, source: Source) -> Iterator[Item]:
        layout = self.layout()
        return self.noted(self._items(source, layout), layout)

    def _items(self, source: Source, layout: Layout) -> Iterator[Item]:
        advice = "if each line is an object, say ``format='jsonl'``"
        for text, line in array_elements(source, "JSON objects", "K111", advice):
            yield json_item(text.decode(), source.name, line, layout)


class JsonLines(RecordFormat, LineFormat):
    """One JSON object per line.

    The text is under `summary`, `text`, `hypothesis`, `prediction`, `output`, `response` or
    another usual name; references under `references` or `reference` (also `gold`,
    `target`, `ground_truth`); source documents under `documents` or `document`; the id under
    `id` or `instance_id`; who made the text under `summarizer_id`, `system`, `model` or the like.
    Where several fields may be meant, the options say which one. A text is a string, a list
    of sentences, or an object with a `text`. An object with `scus` is a pyramid or an
    annotation. `questions` is a list of questions with their answers, or such a list for each
    reference. Other fields with strings can be used for breakdowns.
    """

    name = "jsonl"
    json_keys = "all"
    blank_lines = "skipped"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("{")

    def parts(self, source: Source) -> Iterator[Part]:
        layout = self.layout()
        for part in super().parts(source):
            part.refs.state = layout
            yield part
        self.systems_in = layout.system
        self.warnings[:] = layout.warnings

    def name_items(self, part: Part, file: str) -> None:
        refs, layout = part.refs, part.refs.state
        records = Records(part.content, refs.begin - part.offset, refs.end - part.offset)
        lines = refs.line.tolist()
        found, systems, unfit = record_keys(records, lines, layout, file)
        for row, problem in unfit.items():
            refs.errors[row] = unfit_error(file, lines[row], problem)
        refs.keys = found
        if layout.system:
            refs.fields = [{layout.system: name} if name else {} for name in systems]

    def parse_line(self, text: str, line: int, file: str) -> Item:
        return json_item(text, file, line, self.layout())

    def parse(self, refs: Refs, data: Sequence[bytes], file: str) -> list[Item]:
        lines = zip(data, refs.line.tolist(), strict=True)
        items = [json_item(each.decode(), file, line, refs.state) for each, line in lines]
        self.systems_in = refs.state.system
        return items


# -- readers of summaries ------------------------------------------------------
# Each gives records that hold both sides: what is scored and what it is scored against. Readers
# that join two files take the first as an option.


class ReferenceBased(RecordFormat):
    """Summaries with their references (`references` or `reference`)."""

    name = "reference-based"
    json_keys = "all"
    needed: ClassVar[tuple[str, ...]] = ("text", "references")

    def read(self, source: Source) -> Iterator[Item]:
        for item in self.json_items(source):
            yield _having(item, source, *self.needed)


class DocumentBased(ReferenceBased):
    """Summaries with the documents they come from (`documents` or `document`)."""

    name = "document-based"
    json_keys = "all"
    needed = ("text", "documents")


class SummaryOnly(RecordFormat):
    """Summaries, whatever else the file holds."""

    name = "summary-only"
    json_keys = "all"

    def read(self, source: Source) -> Iterator[Item]:
        for item in self.json_items(source):
            checked = _having(item, source, "text")
            if checked.error is None:
                checked = msgspec.structs.replace(checked, value=TextRecord(checked.value.text))
            yield checked


class SplitDocumentBased(RecordFormat):
    """Summaries, joined with another file of documents by `instance_id`."""

    name = "split-document-based"
    json_keys = "all"

    documents: Annotated[str, File(), "the file of documents, JSON lines"]

    def read(self, source: Source) -> Iterator[Item]:
        documents = _Table(self.documents, "documents")
        for item in self.json_items(source):
            yield documents.join(_having(item, source, "text"), source)


class PyramidBased(RecordFormat):
    """Annotations of summaries, joined with a file of pyramids by `instance_id`.

    Summaries of the pyramid itself are added as items of the type `reference`,
    each against the pyramid without it, unless that is turned off.
    """

    name = "pyramid-based"
    json_keys = "all"

    pyramids: Annotated[str, File(), "the file of pyramids, JSON lines"]
    include_reference_annotations: Annotated[bool, "add the summaries of the pyramids as items"] = (
        True
    )

    def read(self, source: Source) -> Iterator[Item]:
        pyramids = _Table(self.pyramids, "pyramid")
        seen: dict[str, int] = {}
        for item in self.json_items(source):
            item = pyramids.join(_having(item, source, "annotation"), source)
            if item.error is None and item.key:
                seen.setdefault(str(item.key[0]), item.line)
            yield item
        if self.include_reference_annotations:
            for name, line in seen.items():
                yield from _summaries_of(name, line, pyramids.values[name])


def _summaries_of(name: str, line: int, pyramid: Any) -> Iterator[Item]:
    if len(pyramid.summaries) < 2:
        return
    for index, summarizer in enumerate(pyramid.summarizer_ids):
        annotation = pyramid.annotation(index)
        value = TextRecord(
            annotation.summary, annotation=annotation, pyramid=pyramid.remove_summary(index)
        )
        fields = {"summarizer_id": summarizer, "summarizer_type": "reference"}
        yield Item(value, (name, summarizer), line, fields)


def _having(item: Item, source: Source, *parts: str) -> Item:
    """The item, or the same with an error where a part that is needed is not there."""
    if item.error is None:
        for part in parts:
            if getattr(item.value, part) in (None, ()):
                return _failed(item, source, f"the record has no {part}", "K111")
    return item


def _failed(item: Item, source: Source, message: str, code: str) -> Item:
    name = str(item.key[0]) if item.key else ""
    error = FormatError(message, code=code, place=Place(source.name, item.line, item=name))
    return msgspec.structs.replace(item, value=None, error=error)


class _Table:
    """The values of a second file by instance, to be joined with the items of the first."""

    def __init__(self, path: str, part: str) -> None:
        self.part = part
        self.source = Source(path)
        self.values: dict[str, Any] = {}
        for item in json_items(self.source, Layout()):
            item = _having(item, self.source, part)
            if item.error is None and item.key is None:
                item = _failed(item, self.source, "the record has no instance_id", "K111")
            if item.error is None and self._name(item) in self.values:
                item = _failed(item, self.source, "the instance_id occurs twice", "K113")
            if item.error is not None:
                raise item.error
            self.values[self._name(item)] = getattr(item.value, part)

    @staticmethod
    def _name(item: Item) -> str:
        return str(item.key[0]) if item.key else ""

    def join(self, item: Item, source: Source) -> Item:
        """The item with what this table has for it, or with the error that it has nothing."""
        if item.error is not None:
            return item
        name = self._name(item)
        if name not in self.values:
            near = did_you_mean(name, self.values)
            message = f"{self.source.name} has no {self.part} for instance {name!r}{near}"
            return _failed(item, source, message, "K112")
        value = msgspec.structs.replace(item.value, **{self.part: self.values[name]})
        return msgspec.structs.replace(item, value=value)
