"""Extracts the two sides of a pair from records, in the form that a metric takes.

A reader gives plain values, or records that hold more than one side of one pair: a text with its
references, say. Metrics need not know of records; those that want other parts of them have the
capabilities `ReadsRecords` and `ReadsGold`.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, get_args, get_origin

from karat.core.capabilities import (
    ComparesGold,
    FillsGaps,
    HoldsGold,
    ReadsGold,
    ReadsKinds,
    ReadsRecords,
    has,
)
from karat.core.metric import Metric
from karat.errors import OptionError, PairingError


class Record(Protocol):
    """A record as a reader returns it, from which both sides of a pair can be extracted."""

    def system_value(self) -> Any:
        """The output of the system."""

    def gold_values(self) -> Sequence[Any]:
        """All references of the record."""

    def holds_gold(self) -> bool:
        """Whether the record of a system has gold of its own."""

    def has_other_gold(self, golds: Sequence[Any], /) -> bool:
        """Whether it has gold of its own that has nothing in common with `golds`."""


class Sides:
    """Extracts the sides of pairs for one metric, whose capabilities are looked up once."""

    def __init__(self, metric: Metric[Any, Any]) -> None:
        self._metric = metric
        self.name = metric.name
        self.system: Callable[[Any], Any] = (
            metric.of_system if has(metric, ReadsRecords) else _system_value
        )
        """The system's side of a pair, from its record."""
        self._own_gold = metric.of_gold if has(metric, ReadsGold) else None
        self._compares: Callable[[Any, Sequence[Any]], bool] | None = (
            metric.has_other_gold if has(metric, ComparesGold) else None
        )
        self.absent: Callable[[Any], Any] | None = metric.absent if has(metric, FillsGaps) else None
        """Makes the value to score for a missing system item; None: a missing item is an error."""

    def gold(self, records: Sequence[Any]) -> Any:
        """The gold side of a pair, from the records of all gold files."""
        if self._own_gold is not None:
            return self._own_gold(records)
        golds = [
            gold
            for record in records
            for gold in (record.gold_values() if _is_record(record) else (record,))
        ]
        if not golds:
            raise PairingError("there is no reference", code="K211")
        cls: Any = type(self._metric)
        if _takes_several(cls):
            return golds
        if len(golds) != 1:
            noun = "gold file" if len(golds) == len(records) else "gold text per item"
            raise OptionError(
                f"{self._metric.name} takes one {noun}, got {len(golds)}", code="K309"
            )
        return golds[0]

    def has_other_gold(self, record: Any, golds: Sequence[Any]) -> bool:
        """Whether a system's record holds gold of its own that has nothing of the given gold."""
        if self._compares is not None:
            return self._compares(record, golds)
        if self._own_gold is not None or not _is_record(record):
            return False
        return bool(record.has_other_gold(golds))


def _is_record(value: Any) -> bool:
    return type(value) is not str and has(value, Record)


def _system_value(record: Any) -> Any:
    return record.system_value() if _is_record(record) else record


def holds_gold(metric: Metric[Any, Any], record: Any) -> bool:
    """Whether a system's record holds its own gold, so that no gold file is needed."""
    if has(metric, HoldsGold):
        return metric.holds_gold(record)
    return not has(metric, ReadsGold) and _is_record(record) and bool(record.holds_gold())


def readable_kinds(cls: type[Metric[Any, Any]]) -> tuple[str, ...]:
    """The kinds of items that can be read for a metric."""
    return cls.kinds if has(cls, ReadsKinds) else (cls.kind,)


@cache
def _takes_several(cls: type[object]) -> bool:
    """Whether the gold of a metric is a sequence, by the type arguments of its base class.

    `Metric[str, Sequence[str]]` does, `Metric[str, str]` does not.
    """
    for base in cls.__mro__:
        for generic in vars(base).get("__orig_bases__", ()):
            if get_origin(generic) is Metric:
                return get_origin(get_args(generic)[1]) in (collections.abc.Sequence, list, tuple)
    return False
