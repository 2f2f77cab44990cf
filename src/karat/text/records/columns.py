"""JSON records as columns: where the values of their fields are, without decoding the records.

Records with the same fields, whose values are of the same kinds, are of one class. What a field
of a class is (the text, the references, the id) is found out from its first record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from karat import _native
from karat.core.reading.fields import json_text
from karat.core.reading.items import Ints, Item, Key, NameKeys
from karat.core.reading.strings import Offsets, Referenced, Strings
from karat.errors import FormatError
from karat.text.model import TextRecord
from karat.text.records.layout import Layout
from karat.text.records.schemas import (
    RecordKeys,
    UnfitError,
    item_of,
    json_object,
    system_key,
)

_MOST_CLASSES = 64
_T = TypeVar("_T")
_NAMES = frozenset("si")
"""The kinds of values that an id or a system may have."""


class RecordClass(NamedTuple):
    """The fields of some records, and the kinds of their values (see json_records.hpp)."""

    fields: tuple[str, ...]
    kinds: str
    rows: Ints
    """Which of the records they are."""

    def kind(self, field: str) -> str:
        """The kind of the values of a field; empty where there is no such field."""
        return self.kinds[self.fields.index(field)] if field in self.fields else ""


class Records:
    """The records of some lines."""

    def __init__(self, data: bytes, begin: Offsets, end: Offsets) -> None:
        self.lines = Strings(data, begin, end)
        self.classes, self._first, self._begin, self._end, names, ends = _native.json_records(
            *self.lines.columns
        )
        self._names = [names[first:last] for first, last in pairwise(ends.tolist())]

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def by_class(self) -> list[RecordClass]:
        """The classes in the order in which they first occur."""
        order = np.argsort(self.classes, kind="stable")
        bounds = np.searchsorted(self.classes[order], np.arange(len(self._names) + 1))
        found = []
        for name, (first, last) in zip(self._names, pairwise(bounds.tolist()), strict=True):
            parts = name.decode().split("\0")
            # Each part but the first begins with the kind of the field before.
            fields = [parts[0], *(part[1:] for part in parts[1:-1])] if len(parts) > 1 else []
            kinds = "".join(part[0] for part in parts[1:])
            found.append(RecordClass(tuple(fields), kinds, order[first:last]))
        return found

    def record(self, row: int) -> bytes:
        """The bytes of one record."""
        return self.lines.data[int(self.lines.begin[row]) : int(self.lines.end[row])]

    def _spans(self, each: RecordClass, field: str) -> tuple[Offsets, Offsets]:
        places = self._first[each.rows] + each.fields.index(field)
        return self._begin[places], self._end[places]

    def strings(self, each: RecordClass, field: str) -> Strings:
        """The values of a field that holds strings; as they are written, where it holds numbers."""
        begin, end = self._spans(each, field)
        if each.kind(field) != "s":
            return Strings(self.lines.data, begin, end)
        return self._unescaped(begin, end)

    def lists(self, each: RecordClass, field: str) -> tuple[Strings, Offsets]:
        """The strings of a field that holds lists of strings, and the first one of each list."""
        columns = np.frombuffer(self.lines.data, np.uint8), *self._spans(each, field)
        bounds, begin, end = _native.json_lists(*columns)
        return self._unescaped(begin, end), bounds

    def _unescaped(self, begin: Offsets, end: Offsets) -> Strings:
        if not self._has_escapes:
            return Strings(self.lines.data, begin, end)
        data, ends = _native.json_unescaped(np.frombuffer(self.lines.data, np.uint8), begin, end)
        return Strings(data, ends[:-1], ends[1:])

    @cached_property
    def _has_escapes(self) -> bool:
        return b"\\" in self.lines.data


# -- names ---------------------------------------------------------------------------------------


def record_keys(
    records: Records, lines: Sequence[int], layout: Layout, file: str
) -> tuple[Sequence[Key | None], list[str | None], dict[int, UnfitError]]:
    """The keys of records, their systems, and why some have none.

    The layout is completed on the way.
    """
    finder = RecordKeys(layout, file)
    found: list[Key | None] = [None] * len(records)
    systems: list[str | None] = [None] * len(records)
    unfit: dict[int, UnfitError] = {}

    def one(row: int) -> None:
        try:
            found[row], systems[row] = finder.key(records.record(row), lines[row])
        except UnfitError as problem:
            unfit[row] = problem

    # In their order, since what comes first decides the layout.
    if (names := _names_alone(records, finder, lines)) is not None:
        return names, systems, {}
    alone = set(np.flatnonzero(records.classes < 0).tolist())
    firsts = {int(each.rows[0]): each for each in records.by_class}
    for row in sorted(alone | firsts.keys()):
        one(row)
        each = firsts.get(row)
        if each is None:
            continue
        rest = each._replace(rows=each.rows[1:])
        keys = _class_keys(records, rest, finder)
        if keys is None:
            for other in rest.rows.tolist():
                one(other)
        else:
            _put(found, rest.rows, keys[0])
            if keys[1] is not None:
                _put(systems, rest.rows, keys[1])
    return found, systems, unfit


def _names_alone(records: Records, finder: RecordKeys, lines: Sequence[int]) -> NameKeys | None:
    """The keys of records that all have the same fields, an id, and no system; None for others."""
    if len(records.by_class) != 1 or (records.classes < 0).any():
        return None
    each = records.by_class[0]
    try:
        first, system = finder.key(records.record(0), lines[0])
    except UnfitError:
        return None
    known = finder.known.get(each.fields)
    if known is None or first is None or system is not None or known[1]:
        return None
    if each.kind(known[0]) not in _NAMES:
        return None
    found = NameKeys(records.strings(each, known[0]).compact(), (None,))
    return found if found[0] == first else None


def _put(column: list[_T], rows: Ints, values: Sequence[_T]) -> None:
    """Puts values into rows, which come in their order."""
    if len(rows) and int(rows[-1]) - int(rows[0]) == len(rows) - 1:
        column[int(rows[0]) : int(rows[-1]) + 1] = values
        return
    for row, value in zip(rows.tolist(), values, strict=True):
        column[row] = value


def _class_keys(
    records: Records, each: RecordClass, finder: RecordKeys
) -> tuple[list[Key | None], list[str | None] | None] | None:
    """The keys of records of a class, and their systems where they have such; None where they
    have to be looked at one by one."""
    known = finder.known.get(each.fields)
    if known is None or each.kind(known[0]) not in _NAMES:
        return None
    id_field, system_field, own = known
    names = records.strings(each, id_field).decoded()
    if not system_field:
        return list(zip(names, repeat(None), strict=False)), None
    if each.kind(system_field) not in _NAMES:
        return None
    systems = [system or None for system in records.strings(each, system_field).decoded()]
    keys = [system_key(system, own, finder.layout) for system in systems]
    return list(zip(names, keys, strict=True)), systems


# -- texts ---------------------------------------------------------------------------------------


class RecordTexts(NamedTuple):
    """What text metrics take of records."""

    texts: Strings | None
    """The texts; None where a record has none."""
    references: Strings | None
    """Their references; None where a record has none."""
    bounds: Offsets
    """The first reference of each record."""
    fields: Mapping[str, list[str]]
    """Fields for breakdowns, where they were asked for."""


def record_texts(
    records: Records, layout: Layout, *, with_fields: bool = False
) -> RecordTexts | None:
    """The texts of records; None where some have to be decoded: their texts are no plain strings,
    they hold something else that counts, or they do not fit."""
    if with_fields and layout.groups:
        return None
    if (records.classes < 0).any() or len(records.by_class) > _MOST_CLASSES:
        return None
    columns = [_Columns.of(records, each, layout) for each in records.by_class]
    if not columns or any(each is None for each in columns):
        return None
    found = [each for each in columns if each is not None]
    fields: dict[str, list[str]] = {}
    if with_fields:
        for part in found:
            values = _fields(records, part, layout)
            if values.keys() != part.first.fields.keys():
                return None  # the system's name is not a field of its own
            for name, some in values.items():
                column = fields.setdefault(name, [""] * len(records))
                for row, value in zip(part.each.rows.tolist(), some, strict=True):
                    column[row] = value
    if len(found) == 1:
        (only,) = found
        return RecordTexts(only.texts, only.references, only.bounds, fields)
    rows = np.argsort(np.concatenate([part.each.rows for part in found]), kind="stable")
    texts = [part.texts for part in found if part.texts is not None]
    lists = [
        Referenced(part.references, part.references, part.bounds)
        for part in found
        if part.references is not None
    ]
    joined = _references(lists, rows) if len(lists) == len(found) else None
    return RecordTexts(
        Strings.joined(*texts).take(rows) if len(texts) == len(found) else None,
        joined[0] if joined else None,
        joined[1] if joined else np.zeros(len(records) + 1, np.int64),
        fields,
    )


def _references(parts: Sequence[Referenced], rows: Ints) -> tuple[Strings, Offsets]:
    """The references of all parts, those of the items in these rows one after the other."""
    sizes = np.concatenate([part.sizes for part in parts])
    starts = np.cumsum(sizes) - sizes
    bounds = np.concatenate([[0], np.cumsum(sizes[rows])])
    # For each reference of the result, its place among those of all parts.
    places = np.repeat(starts[rows] - bounds[:-1], sizes[rows]) + np.arange(bounds[-1])
    return Strings.joined(*(part.references for part in parts)).take(places), bounds


class _Columns(NamedTuple):
    """The texts of the records of a class."""

    each: RecordClass
    first: Item
    """Its first record."""
    texts: Strings | None
    references: Strings | None
    bounds: Offsets

    @classmethod
    def of(cls, records: Records, each: RecordClass, layout: Layout) -> _Columns | None:
        """None where the texts are not to be had without decoding."""
        try:
            record = json_object(records.record(int(each.rows[0])).decode())
            item = item_of(record, "", 0, layout)
        except (UnfitError, FormatError):
            return None  # decoding all of them in order says what is wrong
        value = item.value
        if not isinstance(value, TextRecord) or value != TextRecord(value.text, value.references):
            return None
        texts = references = None
        bounds = np.zeros(len(each.rows) + 1, np.int64)
        if value.text is not None:
            if each.kind(layout.text) != "s" or value.text != record[layout.text]:
                return None
            texts = records.strings(each, layout.text)
        if value.references is not None:
            name = _gold_field(record, layout)
            if each.kind(name) == "s" and value.references == (record[name],):
                references = records.strings(each, name)
                bounds = np.arange(len(each.rows) + 1)
            elif each.kind(name) == "l" and value.references == tuple(record[name]):
                references, bounds = records.lists(each, name)
            else:
                return None
        return cls(each, item, texts, references, bounds)


def _gold_field(record: Mapping[str, Any], layout: Layout) -> str:
    found = layout.gold_of(record)
    return found[0] if found else ""


def _fields(records: Records, part: _Columns, layout: Layout) -> dict[str, list[str]]:
    """The fields for breakdowns of records of a class."""
    each, found = part.each, {}
    for name in layout.other_fields(each.fields):
        kind = each.kind(name)
        if kind in "sitf":
            found[name] = records.strings(each, name).decoded()
        elif kind == "d":
            values = records.strings(each, name).decoded()
            found[name] = [json_text(msgspec.json.decode(value)) for value in values]
    return found
