"""Items of files: their places and keys before parsing, their values after it, and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

import msgspec
import numpy as np
import numpy.typing as npt

from karat.core.reading.strings import Offsets, Strings
from karat.errors import FormatError

if TYPE_CHECKING:
    from karat.core.reading.memory import MemoryStream

_T = TypeVar("_T")
Key: TypeAlias = tuple[str | None, ...]
Ints: TypeAlias = npt.NDArray[np.int64]
Rows: TypeAlias = slice | Ints
_NO_FIELDS: Mapping[str, str] = {}
_SOME = 4096
"""How many names are decoded at once."""


class Item(msgspec.Struct, frozen=True):  # with gc: the traceback of its error may hold it
    """An item of a file: its value, its key and its place.

    `key` begins with the id; further parts (framework, language) make it unique,
    and a part that is None agrees with any. Items without keys are paired by position.
    An item that could not be read has the error in place of a value, so that
    what comes after it keeps its position.
    """

    value: Any
    key: Key | None = None
    line: int = 0
    fields: Mapping[str, str] = _NO_FIELDS
    error: FormatError | None = None
    notices: tuple[str, ...] = ()
    """What the reader corrected."""


class LazyItems(Sequence[Item]):
    """Items of values in memory, made on demand and not kept.

    Sent to another process, they are a list.
    """

    def __init__(self, supply: MemoryStream, rows: Sequence[int]) -> None:
        self._supply = supply
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, places: Sequence[int]) -> LazyItems:
        """Some of the items."""
        rows = self._rows
        if isinstance(places, range) and isinstance(rows, range):
            return LazyItems(self._supply, rows[places.start : places.stop : places.step])
        return LazyItems(self._supply, [rows[place] for place in places])

    def strings(self) -> Strings | None:
        """The items as strings; None if one is anything else."""
        return self._supply.strings(self._rows)

    def lists(self) -> tuple[Strings, Offsets] | None:
        """These rows as lists of references, and the offset of each; None for other values."""
        return self._supply.lists(self._rows)

    def columns(self) -> dict[str, list[str]]:
        """The fields of the items, by their names."""
        return self._supply.columns(self._rows)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return self._supply.items(self._rows[index])
        return self._supply.items([self._rows[index]])[0]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._supply.items(self._rows))

    def __reduce__(self) -> tuple[object, ...]:
        return list, (list(self),)


class NameKeys(Sequence[Key]):
    """Keys of items that all have a name, kept as bytes and decoded on demand.

    >>> list(NameKeys(Strings.of(["a", "b"]), (None,)))
    [('a', None), ('b', None)]
    """

    def __init__(self, names: Strings, rest: Key = ()) -> None:
        self.names = names
        self.rest = rest
        """The parts after the name, which are the same in all keys."""

    @classmethod
    def joined(cls, parts: Sequence[NameKeys]) -> NameKeys:
        """The keys of all parts, which have the same rest."""
        return cls(Strings.joined(*(part.names for part in parts)), parts[0].rest)

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> Key: ...
    @overload
    def __getitem__(self, index: slice) -> NameKeys: ...
    def __getitem__(self, index: int | slice) -> Key | NameKeys:
        if isinstance(index, slice):
            return self.take(index)
        return (self.names.text(index), *self.rest)

    def __iter__(self) -> Iterator[Key]:
        for first in range(0, len(self), _SOME):
            names = self.names.take(slice(first, first + _SOME)).compact().decoded()
            yield from ((name, *self.rest) for name in names)

    def take(self, places: Rows) -> NameKeys:
        """Some of the keys."""
        return NameKeys(self.names.take(places), self.rest)


class Refs(msgspec.Struct, eq=False):
    """Items of a file before they are parsed: where each is, and what it is called.

    The columns have an entry for each item. Items of a format that cannot be cut without
    parsing are in `items`, and then there are no spans.
    """

    number: Ints
    """Which item of its file each one is, from 0."""
    line: Ints
    begin: Ints
    """Where its bytes begin and end in the file, decompressed."""
    end: Ints
    keys: Sequence[Key | None] | None = None
    """None where no item has a key."""
    fields: list[Mapping[str, str]] | None = None
    """The fields that are known before parsing, where there are any."""
    errors: dict[int, FormatError] = {}
    """The errors of items that the scan found to be invalid, by their position here."""
    items: Sequence[Item] | None = None
    data: list[bytes] | None = None
    """The bytes of the items, where the file cannot be read again and they are few."""
    extra: dict[str, Ints] = {}
    """Further columns that a format needs for parsing."""
    state: Any = None
    """What was detected at the beginning of the file and holds for all its items."""
    spooled: str = ""
    """The file that the spans are in, where the file itself cannot be read again."""
    packed: bool = False
    """Whether the file has to be unpacked by those who read the items."""

    def __len__(self) -> int:
        return len(self.number)

    @classmethod
    def of_items(cls, items: Sequence[Item]) -> Refs:
        """Items that are parsed already."""
        nowhere = np.zeros(len(items), np.int64)
        has_keys = any(item.key is not None for item in items)
        return cls(
            np.arange(len(items)),
            np.array([item.line for item in items], np.int64),
            nowhere,
            nowhere,
            [item.key for item in items] if has_keys else None,
            [item.fields for item in items],
            {i: item.error for i, item in enumerate(items) if item.error is not None},
            list(items),
        )

    @classmethod
    def joined(cls, parts: Sequence[Refs]) -> Refs:
        """The items of all parts of a file."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls.of_items([])
        errors, before = {}, 0
        for part in parts:
            errors.update({before + i: error for i, error in part.errors.items()})
            before += len(part)
        return cls(
            np.concatenate([part.number for part in parts]),
            np.concatenate([part.line for part in parts]),
            np.concatenate([part.begin for part in parts]),
            np.concatenate([part.end for part in parts]),
            keys=_keys([part.keys for part in parts], parts),
            fields=_lists([part.fields for part in parts], parts, _NO_FIELDS),
            errors=errors,
            data=_lists([part.data for part in parts], parts, b""),
            extra={
                name: np.concatenate([part.extra[name] for part in parts])
                for name in parts[0].extra
            },
            state=parts[-1].state,
            spooled=parts[-1].spooled,
            packed=parts[-1].packed,
        )

    def take(self, rows: Rows) -> Refs:
        """Some of the items."""
        numbers = self.number[rows]
        places = range(len(self))[rows] if isinstance(rows, slice) else rows.tolist()
        return Refs(
            numbers,
            self.line[rows],
            self.begin[rows],
            self.end[rows],
            self.keys.take(rows) if isinstance(self.keys, NameKeys) else _some(self.keys, places),
            _some(self.fields, places),
            {i: self.errors[place] for i, place in enumerate(places) if place in self.errors}
            if self.errors
            else {},
            self.items.take(places)
            if isinstance(self.items, LazyItems)
            else _some(self.items, places),
            _some(self.data, places),
            {name: column[rows] for name, column in self.extra.items()},
            self.state,
            self.spooled,
            self.packed,
        )

    def key(self, row: int) -> Key | None:
        return None if self.keys is None else self.keys[row]

    def id(self, row: int) -> str:
        """The id of an item, or its number from 1."""
        key = self.key(row)
        return key[0] if key and key[0] is not None else str(self.number[row] + 1)

    def ids(self, rows: Sequence[int]) -> list[str]:
        """The ids of some items."""
        if self.keys is None:
            return list(map(str, (self.number[np.asarray(rows, np.int64)] + 1).tolist()))
        if isinstance(self.keys, NameKeys):
            return self.keys.take(np.asarray(rows, np.int64)).names.compact().decoded()
        return [self.id(row) for row in rows]


def _some(values: Sequence[_T] | None, places: Sequence[int]) -> list[_T] | None:
    if values is None:
        return None
    if isinstance(places, range) and places.step == 1:
        found = values[places.start : places.stop]
        return found if isinstance(found, list) else list(found)
    return [values[place] for place in places]


def _keys(columns: Sequence[Sequence[Key | None] | None], parts: Sequence[Refs]) -> Any:
    names = [column for column in columns if isinstance(column, NameKeys)]
    if len(names) == len(columns) and all(each.rest == names[0].rest for each in names):
        return NameKeys.joined(names)
    return _lists([None if column is None else list(column) for column in columns], parts, None)


def _lists(
    columns: Sequence[list[_T] | None], parts: Sequence[Refs], missing: Any
) -> list[_T] | None:
    """The concatenated columns; parts without one are filled."""
    if all(column is None for column in columns):
        return None
    result: list[_T] = []
    for column, part in zip(columns, parts, strict=True):
        result += [missing] * len(part) if column is None else column
    return result


class Named(msgspec.Struct, frozen=True, eq=False):
    """The names of some items of a file, made on demand.

    Millions of names take more memory than all that is counted, and most runs show none.
    """

    found: Sequence[Key | None] | None
    """The keys of all items of the file."""
    places: Ints
    """Which of them these are, from 0."""

    def __len__(self) -> int:
        return len(self.places)

    def ids(self) -> list[str]:
        """Their ids, or their numbers from 1."""
        if self.found is None:
            return list(map(str, (self.places + 1).tolist()))
        return [str(key[0]) for key in self.keys()]

    def keys(self) -> list[Key]:
        """Their whole keys, which begin with these ids."""
        if self.found is None:
            return [(name,) for name in self.ids()]
        if isinstance(self.found, NameKeys):
            return list(self.found.take(self.places))
        return [_full_key(self.found[place], place) for place in self.places.tolist()]


def _full_key(key: Key | None, place: int) -> Key:
    if key is None or key[0] is None:
        return (str(place + 1), *(key or ())[1:])
    return key


class Pair(msgspec.Struct, frozen=True, gc=False):
    """A system item and its gold item; `index` is the place in the gold order.

    `key` is the whole key of the gold item, `place` which item of the gold file it is, from 0:
    another than `index` where a later item with the same key replaced it. -1 is `index`.
    """

    index: int
    id: str
    fields: Mapping[str, str]
    system: Any
    gold: Any
    key: Key | None = None
    place: int = -1


def columns_of_fields(fields: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """The fields of items as columns, empty where an item lacks a field.

    >>> columns_of_fields([{"type": "a"}, {"type": "b", "source": "c"}])
    {'type': ['a', 'b'], 'source': ['', 'c']}
    """
    names = dict.fromkeys(name for each in fields for name in each)
    return {name: [each.get(name, "") for each in fields] for name in names}


def place_of(pair: Pair) -> int:
    """Which item of the gold file a pair is about, from 0."""
    return pair.index if pair.place < 0 else pair.place


def item_names(
    keys: Sequence[Key], groups: Mapping[str, Sequence[str]], places: Sequence[int]
) -> list[dict[str, str]]:
    """Unique names of items: the id, and where ids repeat, further fields or a number.

    That is those of their fields that are part of the keys (framework, system), else the
    number of the item in the gold file, from 1.

    >>> item_names([("1", "A"), ("1", "B")], {"system": ["A", "B"], "type": ["x", "x"]}, [0, 1])
    [{'id': '1', 'system': 'A'}, {'id': '1', 'system': 'B'}]
    """
    ids = [str(key[0]) for key in keys]
    if len(set(ids)) == len(ids):
        return [{"id": name} for name in ids]
    further = {
        field: values
        for field, values in groups.items()
        if field != "id"
        and len(set(values)) > 1
        and all((value or None) in key[1:] for value, key in zip(values, keys, strict=True))
    }
    result = [
        {"id": name, **{field: values[i] for field, values in further.items()}}
        for i, name in enumerate(ids)
    ]
    if len({tuple(each.values()) for each in result}) < len(result):
        result = [
            {**each, "item": str(place + 1)} for each, place in zip(result, places, strict=True)
        ]
    return result
