"""The dataset readers of the summarization world, by their usual names.

Each gives records that hold both sides: what is scored and what it is scored
against. Readers that join two files take the first as an option.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

import msgspec

from karat.core.files.opener import Source
from karat.core.options import File
from karat.core.reading.items import Item
from karat.errors import FormatError, Place, did_you_mean
from karat.text.formats.records import RecordFormat
from karat.text.model import TextRecord
from karat.text.records.layout import Layout
from karat.text.records.schemas import json_items


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
