"""Records with named fields: the base class of their formats, JSON lines and arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, cast

from karat.core.files.opener import Source
from karat.core.format import Format, LineFormat, Part, array_elements
from karat.core.reading.items import Item, Refs
from karat.text.formats.lines import begins_records
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
