"""JSON lines with forms under any names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import IO, Annotated, Any

import msgspec

from karat.core.format import LineFormat, Part
from karat.core.reading.items import Item, Key
from karat.core.reading.raw import RawItems
from karat.core.reading.strings import Strings
from karat.errors import FormatError, Place
from karat.logic.convert import restore as restored
from karat.logic.formats.lines import IGNORE_SENTENCES, RESTORE, Spans, field_columns, fields_of
from karat.logic.model import Entry

_decode = msgspec.json.Decoder().decode


class LfJsonLines(LineFormat):
    """One JSON object per line; the options say which field holds what.

    A line must have the form, or the gold form, or both (then no gold file is
    needed). Sentence, type and id may be absent; items with ids are paired by id.
    """

    name = "lf-jsonl"
    json_keys = "all"
    kind = "logic"
    blank_lines = "skipped"

    form_field: Annotated[str, "the field of the logical form"] = "lf"
    gold_field: Annotated[str, "the field of the gold form"] = "gold"
    sentence_field: Annotated[str, "the field of the sentence"] = "sentence"
    type_field: Annotated[str, "the field of the type"] = "type"
    id_field: Annotated[str, "the field of the id"] = "id"
    ignore_sentences: Annotated[bool, IGNORE_SENTENCES] = False
    restore: Annotated[bool, RESTORE] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("{")

    def name_items(self, part: Part, file: str) -> None:
        refs = part.refs
        known = msgspec.defstruct("Known", [("id", Any, None)], rename={"id": self.id_field})
        decode: Callable[[bytes], Any] = msgspec.json.Decoder(known).decode
        keys: list[Key | None] = []
        for row, data in enumerate(part.data()):
            try:
                keys.append(self._key(decode(data).id))
            except (msgspec.DecodeError, RecursionError, _UnfitError):
                item = self.parse_line(data.decode(), int(refs.line[row]), file)
                keys.append(item.key)
                if item.error is not None:
                    refs.errors[row] = item.error
        if any(keys) or refs.errors:
            refs.keys = keys

    def parse_line(self, text: str, line: int, file: str) -> Item:
        try:
            return self._item(text, file, line)
        except _UnfitError as unfit:
            error = FormatError(str(unfit), code="K173", place=Place(file, line))
            return Item(None, None, line, error=error)

    def spans(self, items: RawItems, *, is_gold: bool) -> Spans | None:
        if self.restore or self._known is None:
            return None
        forms: list[str] = []
        sentences: list[str] = []
        types: list[str] = []
        try:
            for begin, end in zip(items.begin.tolist(), items.end.tolist(), strict=True):
                record = self._known.decode(items.data[begin:end])
                self._key(record.id)
                form = record.gold if is_gold and record.gold is not None else record.form
                if form is None:
                    return None
                forms.append(form)
                if record.sentence is not None:
                    sentences.append(record.sentence)
                types.append(record.type or "")
        except (msgspec.DecodeError, RecursionError, _UnfitError):
            return None
        if not self.ignore_sentences and 0 < len(sentences) < len(forms):
            return None  # some are to be compared
        compared = None if self.ignore_sentences or not sentences else Strings.of(sentences)
        return Spans(Strings.of(forms), compared, field_columns(types) if is_gold else {})

    @cached_property
    def _known(self) -> msgspec.json.Decoder[Any] | None:
        """A decoder of the fields that count; None where one of them is to count twice."""
        named = {
            "id": self.id_field,
            "form": self.form_field,
            "gold": self.gold_field,
            "sentence": self.sentence_field,
            "type": self.type_field,
        }
        if len(set(named.values())) < len(named):
            return None
        fields = [(name, Any if name == "id" else str | None, None) for name in named]
        return msgspec.json.Decoder(msgspec.defstruct("Known", fields, rename=named))

    def _item(self, line: str, file: str, number: int) -> Item:
        try:
            record = _decode(line)
        except msgspec.DecodeError as error:
            raise _UnfitError(f"this is not JSON: {error}") from None
        except RecursionError:
            raise _UnfitError("this JSON is nested too deeply") from None
        if not isinstance(record, dict):
            raise _UnfitError("expected a JSON object")
        form, gold = self._text(record, self.form_field), self._text(record, self.gold_field)
        if form is None and gold is None:
            raise _UnfitError(
                f"there is no form: expected a string under {self.form_field!r} "
                f"or {self.gold_field!r}"
            )
        if self.restore:
            form, gold = (each and restored(each) for each in (form, gold))
        sentence = self._text(record, self.sentence_field)
        type_ = self._text(record, self.type_field) or ""
        key = self._key(record.get(self.id_field))
        kept = None if self.ignore_sentences else sentence
        name = str(key[0]) if key else ""
        entry = Entry(form, gold, kept, file, number, type_, name)
        return Item(entry, key, number, fields_of(type_))

    def _text(self, record: dict[str, Any], field: str) -> str | None:
        value = record.get(field)
        if value is not None and not isinstance(value, str):
            raise _UnfitError(f"$.{field} must be a string")
        return value

    def _key(self, value: Any) -> Key | None:
        if value is None:
            return None
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            raise _UnfitError(f"$.{self.id_field} must be a string or a whole number")
        return (str(value),)

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            record = {
                self.id_field: value.id or None,
                self.sentence_field: value.sentence,
                self.form_field: value.form,
                self.gold_field: value.gold,
                self.type_field: value.type,
            }
            present = {key: each for key, each in record.items() if each is not None}
            stream.write(msgspec.json.encode(present) + b"\n")


class _UnfitError(Exception):
    """A record that does not fit the schema."""
