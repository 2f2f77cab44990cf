"""Doors: which values in memory the metrics of a family accept as items.

A door converts a value of the user (a string, a list of references, a graph of another library)
to the item that a reader would return for the same value in a file. Scoring in memory and
evaluations of lists and data frames both use it, so they accept the same values.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from karat.core import catalog
from karat.core.files.memory import MemorySource
from karat.core.reading.items import Ints, Item, Key
from karat.errors import FormatError, OptionError

if TYPE_CHECKING:
    from karat.core.format import Format
    from karat.core.metric import Metric

Role: TypeAlias = Literal["system", "gold"]


class Unacceptable(Exception):
    """A value that is no item of the family; the message says what is accepted."""


class Door:
    """Base class: values are taken as they are, as for metrics whose kind belongs to no family."""

    accepts: ClassVar[str] = "what its measure method takes"
    kind: ClassVar[str] = ""
    """The kind of the items that come out, where a metric reads several; empty: any."""

    rows_are_items: ClassVar[bool] = False
    """Whether an item consists of all numeric columns of a row of a data frame."""

    @property
    def lists_are_references(self) -> bool:
        """Whether a list of strings of gold is a list of references, and nothing else."""
        return False

    def __init__(self, metric: Metric[Any, Any], format: Format | None = None) -> None:
        self.metric = metric
        self.format = format
        """The format of strings, if the user named it."""

    def item(self, value: Any, role: Role, where: str) -> Item:
        """A value as an item without its key; `where` is its name in errors."""
        return Item(self.native(value, role))

    def key(self, value: Any, role: Role) -> Key | None:
        """The key of a value, if the value contains it."""
        return None

    def parsed(self, value: Any, role: Role) -> Item:
        """The item that a value is parsed to; raises if it is invalid."""
        item = self.item(value, role, role)
        if item.error is not None:
            raise item.error
        return item

    def are_items(self, types: frozenset[type]) -> bool:
        """Whether values of these types are items as they are, without keys of their own."""
        return False

    def are_native(self, types: frozenset[type], role: Role) -> bool:
        """Whether `measure` takes values of these types as they are."""
        return False

    def native(self, value: Any, role: Role) -> Any:
        """A value as `measure` takes it."""
        return value

    def agree(self, system: Any, gold: Any) -> tuple[Any, Any]:
        """Both sides of a pair in one model, where `measure` takes several."""
        return system, gold

    def kind_of(self, value: Any) -> str:
        """The kind of the item that a value is, where a metric reads several."""
        return self.kind

    def read_otherwise(self) -> None:
        """From now on all items are made of the kind that the other side has."""

    def columns(self, items: Iterable[Item], size: int) -> dict[str, Ints]:
        """The columns `Refs.extra` that a metric which pairs itself needs."""
        return {}

    def refuse(self, value: Any) -> Unacceptable:
        """The error that a value is not accepted."""
        return Unacceptable(f"{self.metric.name} takes {self.accepts}; found {shown(value)}")


def door_class(kind: str) -> type[Door]:
    """The door of a family, by the kind of its items."""
    target = catalog.DOORS.get(kind)
    if target is None:
        return Door
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]


@lru_cache(maxsize=64)
def _door(metric: Metric[Any, Any]) -> Door:
    return door_class(metric.kind)(metric)


def native_pairs(
    metric: Metric[Any, Any], systems: Sequence[Any], golds: Sequence[Any]
) -> list[tuple[Any, Any]]:
    """Pairs as `measure_many` takes them; what is no item is an OptionError."""
    door = _door(metric)
    ours = _all_native(door, systems, "system")
    return agreed(metric, list(zip(ours, _all_native(door, golds, "gold"), strict=True)))


def native_value(metric: Metric[Any, Any], value: Any, role: Role) -> Any:
    """One side of a pair as `measure` takes it, before `agreed`."""
    return _native(_door(metric), value, role)


def agreed(metric: Metric[Any, Any], pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Pairs whose two sides are converted to one common model."""
    door = _door(metric)
    if type(door).agree is Door.agree:
        return pairs
    return [door.agree(system, gold) for system, gold in pairs]


def _all_native(door: Door, values: Sequence[Any], role: Role) -> Sequence[Any]:
    if door.are_native(frozenset(map(type, values)), role):
        return values
    return [_native(door, value, role) for value in values]


def _native(door: Door, value: Any, role: Role) -> Any:
    try:
        return door.native(value, role)
    except Unacceptable as problem:
        raise OptionError(f"{role}: {problem}", code="K317") from None


def shown(value: object) -> str:
    """A value in a message: its type, and how it begins."""
    if value is None:
        return "None"
    try:
        text = repr(value)
    except Exception:  # a number of too many digits, lists too deep, or whatever its class does
        return type(value).__name__
    return f"{type(value).__name__} {text[:40]}{'...' if len(text) > 40 else ''}"


def not_unicode(problem: UnicodeEncodeError) -> FormatError:
    """The error for a text that UTF-8 cannot hold."""
    return FormatError(
        f"character {problem.start + 1} of the text is half of a surrogate pair, which is no "
        "character",
        code="K102",
    )


def read_one(format: Format, text: str | bytes, where: str) -> Item:
    """The one item that a string holds in the notation of a format."""
    format.alone = True
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as problem:
        raise not_unicode(problem) from None
    items = list(format.read(MemorySource(data, where)))
    if len(items) != 1:
        raise FormatError(
            f"expected one item in {format.name} notation, found {len(items) or 'none'}",
            code="K146",
        )
    return items[0]
