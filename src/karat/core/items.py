"""What readers give: a value, who it is, and where it stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from karat.errors import FormatError

Key: TypeAlias = tuple[str | None, ...]
_NO_FIELDS: Mapping[str, str] = {}


class Item(msgspec.Struct, frozen=True, gc=False):
    """One thing in a file: where it is and what it is called, and its value once it was parsed.

    `key` begins with the id; further parts (framework, language) make it unique,
    and a part that is None agrees with any. Without key, items meet by position.
    An item that could not be read has the error in place of a value, so that
    what comes after it keeps its position.
    """

    value: Any
    key: Key | None = None
    line: int = 0
    fields: Mapping[str, str] = _NO_FIELDS
    error: FormatError | None = None
    number: int = 0
    """Its place among the items of its file, from 0; pairing counts them."""
    begin: int = -1
    """Where its bytes begin in the file; -1 where there is a value, an error, or `data`."""
    end: int = -1
    data: bytes | None = None
    """Its bytes, where the file cannot be read again."""
    notices: tuple[str, ...] = ()
    """What the reader put right by itself."""

    @property
    def is_parsed(self) -> bool:
        """Whether there is a value, or an error in its place."""
        return self.begin < 0 and self.data is None


class Match(msgspec.Struct, frozen=True, gc=False):
    """A gold item and its system item, if there is one, before they are parsed.

    The value of `gold` is a list of items, one from each gold file; `index` is the place in
    the gold order.
    """

    index: int
    system: Item | None
    gold: Item

    @property
    def id(self) -> str:
        """The id of the gold item, or its number from 1."""
        key = self.gold.key
        return key[0] if key and key[0] is not None else str(self.gold.number + 1)

    @property
    def key(self) -> Key | None:
        return self.gold.key

    @property
    def fields(self) -> Mapping[str, str]:
        """The fields that are known before the item is parsed."""
        return self.gold.fields


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


def place_of(work: Pair | Match) -> int:
    """Which item of the gold file a pair is about, from 0."""
    if isinstance(work, Match):
        return work.gold.number
    return work.index if work.place < 0 else work.place


def item_names(
    keys: Sequence[Key], groups: Mapping[str, Sequence[str]], places: Sequence[int]
) -> list[dict[str, str]]:
    """What to call items: by id, and where ids repeat, by what tells the items apart.

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
