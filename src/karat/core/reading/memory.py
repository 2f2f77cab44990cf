"""Items in memory, with the interface of a file: `MemoryStream` stands in for `Stream`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from karat.core.files.memory import MemorySource
from karat.core.format import Format, Notices
from karat.core.metric import Metric
from karat.core.options import declared
from karat.core.reading.doors import Door, Role, Unacceptable, door_class, shown
from karat.core.reading.fields import cell_text
from karat.core.reading.items import Item, Key, LazyItems, Refs
from karat.core.reading.plan import Parser
from karat.core.reading.selection import Selection, split_options
from karat.core.reading.strings import Offsets, Strings
from karat.core.reading.tables import ListColumn, Values
from karat.core.registry import check_kind, format_class, name_within
from karat.core.runs.store import Input
from karat.errors import FormatError, OptionError, Place, counted, quote_some

_BATCH = 8192


class Memory(msgspec.Struct, frozen=True):
    """Values that were given in place of a file."""

    values: Values
    name: str
    """The name of the system, or of gold."""
    ids: Values | None = None
    groups: Mapping[str, Values] = {}
    system_names: tuple[str, Values] | None = None
    """The column that names the system of each row, and what it is called."""


class InMemory(Format):
    """The format of values in memory for which no notation is named."""

    name = "memory"


class MemoryStream:
    """The counterpart of `Stream` for values in memory."""

    def __init__(
        self,
        given: Memory,
        metric: Metric[Any, Any],
        kinds: Sequence[str],
        role: Role,
        format_name: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.given = given
        self.metric = metric
        self.role: Role = role
        self.kinds = kinds
        self.source = MemorySource(b"", given.name)
        selected, named = split_options(options or {})
        self.selection = Selection(**selected)
        self.options: dict[str, Any] = {}
        self.format: Format = InMemory()
        self.noticed = Notices()
        if format_name:
            cls = check_kind(format_class(name_within(kinds, format_name)), kinds)
            known = declared(cls).keys() - (cls.of_systems if role == "gold" else frozenset())
            self.options = {name: value for name, value in named.items() if name in known}
            self.format = cls(**self.options)
        self.format.role = role
        self.format.systems_in = given.system_names[0] if given.system_names else ""
        self.door = self._door()
        self._keys: list[Key | None] | None = None

    def _door(self) -> Door:
        named = None if type(self.format) is InMemory else self.format
        return door_class(self.metric.kind)(self.metric, named)

    @property
    def kind(self) -> str:
        """The kind of the items, from the first value that is not missing."""
        if type(self.format) is not InMemory:
            return self.format.kind
        values = self.given.values.at(range(min(16, self._size)))
        return self.door.kind_of(next((each for each in values if each is not None), None))

    @property
    def _size(self) -> int:
        return len(self.given.values)

    def read_otherwise(self) -> None:
        """Reads strings into the other model, as the other side has."""
        self.door.read_otherwise()

    def scan(self) -> Refs:
        """The items, named; their values are made when they are asked for."""
        size = self._size
        numbers = np.arange(size)
        errors: dict[int, FormatError] = {}
        self._keys = self._named(errors)
        extra = self.door.columns(
            (each for rows in _batches(size) for each in self.items(rows)), size
        )
        return Refs(
            numbers,
            np.zeros(size, np.int64),
            np.zeros(size, np.int64),
            np.zeros(size, np.int64),
            keys=self._keys,
            errors=errors,
            items=LazyItems(self, range(size)),
            extra=extra,
        )

    def _named(self, errors: dict[int, FormatError]) -> list[Key | None] | None:
        """The keys of all items, from the column of ids, else from the items themselves.

        What cannot be read has none; its error is put among `errors`.
        """
        keys: list[Key | None] = []
        given = self.given
        if given.ids is not None:
            keys = _keys(given.ids)
        elif given.values.is_text and self.door.are_items(frozenset({str})):
            return None
        for rows in _batches(self._size if given.ids is None else 0):
            values = given.values.at(rows)
            if self.door.are_items(frozenset(map(type, values)) - {type(None)}):
                keys += [None] * len(values)
            else:
                keys += [
                    self._key(row, value, errors) for row, value in zip(rows, values, strict=True)
                ]
        if given.system_names is not None and given.ids is not None:
            systems = _texts(given.system_names[1], range(self._size))
            keys = [
                (key[0], system or None) if key else None
                for key, system in zip(keys, systems, strict=True)
            ]
        return None if all(key is None for key in keys) else keys

    def _key(self, row: int, value: Any, errors: dict[int, FormatError]) -> Key | None:
        try:
            if value is not None:
                return self.door.key(value, self.role)
        except (Unacceptable, FormatError):
            pass
        error = self._item(row, value).error
        if error is not None:
            errors[row] = error
        return None

    def strings(self, rows: Sequence[int]) -> Strings | None:
        """The values of some rows if they are strings that need no reading, else None."""
        if not self.door.are_items(frozenset({str})):
            return None
        return strings_of(self.given.values, rows)

    def lists(self, rows: Sequence[int]) -> tuple[Strings, Offsets] | None:
        """The strings of some rows that hold lists of references, and the first of each row."""
        if self.role != "gold" or not self.door.lists_are_references:
            return None
        values = self.given.values
        if isinstance(rows, range) and rows.step == 1:
            return values.lists(rows)
        return ListColumn(values.at(rows), "").lists(range(len(rows)))

    def items(self, rows: Sequence[int]) -> list[Item]:
        """The items of some rows; one that cannot be read carries its error."""
        values, keys = self.given.values.at(rows), self._keys
        named = [None] * len(rows) if keys is None else [keys[row] for row in rows]
        fields = self._fields(rows)
        strings = self.door.are_items(frozenset({str}))
        if fields is None and self.door.are_items(frozenset(map(type, values))):
            return [Item(value, key) for value, key in zip(values, named, strict=True)]
        result = []
        for i, (row, value, key) in enumerate(zip(rows, values, named, strict=True)):
            item = Item(value) if strings and type(value) is str else self._item(row, value)
            more = {**item.fields, **fields[i]} if fields is not None else item.fields
            result.append(Item(item.value, key, 0, more, item.error, item.notices))
        return result

    def _item(self, row: int, value: Any) -> Item:
        where = self.given.values.where(row)
        try:
            if value is None:
                noun = "reference" if self.role == "gold" else "output"
                raise FormatError(f"there is no {noun}: the value is missing", code="K146")
            item = self.door.item(value, self.role, where)
            if item.error is not None:
                raise item.error
            return item
        except Unacceptable as problem:
            error = FormatError(str(problem), code="K146")
        except FormatError as problem:
            error = problem
        line = error.place.line if error.place and error.place.line > 1 else 0
        error.place = Place(where, line, error.place.column if error.place and line else 0)
        return Item(None, None, 0, error=error)

    def columns(self, rows: Sequence[int]) -> dict[str, list[str]]:
        """The groups of some rows, and the names of their systems."""
        named = dict(self.given.groups)
        if self.given.system_names is not None:
            named.setdefault(*self.given.system_names)
        return {name: _texts(column, rows) for name, column in named.items()}

    def _fields(self, rows: Sequence[int]) -> list[dict[str, str]] | None:
        columns = self.columns(rows)
        if not columns:
            return None
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def __iter__(self) -> Iterator[Item]:
        self._keys = self._named({})
        return self.selection.choose(
            item for rows in _batches(self._size) for item in self.items(rows)
        )

    def systems_of(self, refs: Refs) -> list[str] | None:
        """The system that made each item, where a column tells."""
        named = self.given.system_names
        return None if named is None else _texts(named[1], range(self._size))

    def parser(self) -> Parser:
        """The parser for workers, to whom the items are sent as they are."""
        return Parser(InMemory(), "", self.source.name)

    def warnings(self) -> list[str]:
        """The warnings of reading."""
        found = [*self.noticed.warnings(), *self.selection.warnings]
        if self.selection.outcome:
            found.append(self.selection.outcome)
        return [f"{self.source.name}: {warning}" for warning in found]

    def input(self, selection: Mapping[str, Any]) -> Input:
        """The record of these values in a saved run: they are in no file."""
        options = {**self.options, **selection}
        return Input(
            self.role, "", self.format.name, options, self.digest(), self.reading(selection)
        )

    def digest(self) -> str:
        """A digest of the values, equal for equal ones in whatever container they are."""
        import hashlib  # takes its time to load

        found = hashlib.sha256()
        for rows in _batches(self._size):
            texts = strings_of(self.given.values, rows)
            if texts is not None:
                found.update((texts.end - texts.begin).astype("<i8").tobytes())
                found.update(texts.data)
                continue
            found.update(_packed(self.given.values.at(rows), self.role))
        return found.hexdigest()

    def reading(self, selection: Mapping[str, Any]) -> str:
        """How strings were read, as signatures show it."""
        from karat.core import signature

        known = {**declared(type(self.format)), **declared(Selection)}
        return signature.reading(self.format.name, known, {**self.options, **selection})


def strings_of(values: Values, rows: Sequence[int]) -> Strings | None:
    """Some values as strings; None if one is not a string."""
    if values.is_lists:
        return None
    if values.is_text and isinstance(rows, range) and rows.step == 1:
        return values.strings(rows)
    found = values.at(rows)
    return Strings.of(found) if frozenset(map(type, found)) <= {str} else None


def _packed(values: Sequence[Any], role: Role) -> bytes:
    """Values as bytes, which are equal for equal ones."""
    try:
        return msgspec.msgpack.encode(values, enc_hook=repr)
    except (OverflowError, UnicodeEncodeError, RecursionError):  # what JSON knows, and it does not
        import json  # takes its time to load

        try:
            return json.dumps(values, default=repr).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise OptionError(f"{role}: a value cannot be written: {error}", code="K317") from None


def _batches(size: int) -> Iterator[range]:
    for first in range(0, size, _BATCH):
        yield range(first, min(first + _BATCH, size))


def _keys(ids: Values) -> list[Key | None]:
    """The keys that a column of ids gives; made once, where it names both sides."""
    if ids.keys is None:
        keys: list[Key | None] = []
        for rows in _batches(len(ids)):
            names = ids.at(rows)
            if frozenset(map(type, names)) <= {str} and all(names):
                keys += [(name,) for name in names]
            else:
                named = zip(rows, names, strict=True)
                keys += [(_name(value, ids.where(row)),) for row, value in named]
        ids.keys = keys
    return ids.keys


def _name(value: Any, where: str) -> str:
    found = None if isinstance(value, (bool, float, type(None))) else cell_text(value)
    if found:
        return found
    raise FormatError(
        f"an id must be a string or a whole number, found {shown(value)}",
        code="K146",
        place=Place(where),
    )


def _texts(column: Values, rows: Sequence[int]) -> list[str]:
    """The values of a column of groups, as files would hold them."""
    found = []
    for row, value in zip(rows, column.at(rows), strict=True):
        text = value if type(value) is str else "" if value is None else cell_text(value)
        if text is None:
            raise FormatError(
                "a group must be a string, a number, a date or a truth value, found "
                + shown(value),
                code="K146",
                place=Place(column.where(row)),
            )
        found.append(text)
    return found


def check_lengths(given: Memory) -> None:
    """Raises unless ids and groups are as many as the items."""
    size = len(given.values)
    others = {"id": given.ids, **given.groups}
    wrong = [
        (name, len(each)) for name, each in others.items() if each is not None and len(each) != size
    ]
    if wrong:
        raise OptionError(
            f"there are {counted(size, 'item')}, and {counted(wrong[0][1], 'value')} of "
            f"{quote_some([wrong[0][0]])}",
            code="K393",
        )
