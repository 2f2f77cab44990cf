"""Scoring in memory: the methods that every metric has for lists of items.

They follow from `measure_many` and `summarize`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec
import numpy as np

from karat.arguments import checks_arguments, shown
from karat.core.capabilities import Warns, has
from karat.core.marks import Array, Description, Path
from karat.core.reading.doors import native_pairs
from karat.core.scores import MetricsDict, leaves, nest, nest_rows, number
from karat.errors import OptionError, PairingError, counted

if TYPE_CHECKING:
    from karat.core.metric import Metric

System = TypeVar("System")
Gold = TypeVar("Gold")


class Scoring(Generic[System, Gold]):
    """Methods of metrics that score items in memory."""

    def score(self, system: System, gold: Gold) -> MetricsDict:
        """The scores of one pair."""
        return self.score_all([system], [gold])[0]

    def score_all(self, systems: Sequence[System], golds: Sequence[Gold]) -> list[MetricsDict]:
        """The scores of each pair, in order."""
        metric = cast("Metric[System, Gold]", self)
        return row_scores(metric, _measured(metric, systems, golds))

    def score_batch(
        self, systems: Sequence[System], golds: Sequence[Gold], score: str | None = None
    ) -> Array:
        """One score of each pair as an array: the headline, or the score that is named.

        For loops that score many items, such as rewards in training: nothing is made for each
        item but its number. Undefined scores are NaN, and no warnings are given.
        """
        metric = cast("Metric[System, Gold]", self)
        _check_sizes(systems, golds, "system items")
        if not len(systems):
            return np.zeros(0)
        rows = metric.measure_many(native_pairs(metric, systems, golds))
        return values_of(metric, metric.about.path_of(score), rows)

    def score_multi(self, systems: Sequence[System], gold: Gold) -> list[MetricsDict]:
        """The scores of many system items against one gold item."""
        _check_list(systems, "system")
        return self.score_all(systems, [gold] * len(systems))

    def score_multi_all(
        self, systems: Sequence[Sequence[System]], golds: Sequence[Gold]
    ) -> list[list[MetricsDict]]:
        """The scores of groups of system items, each group against its own gold item."""
        _check_sizes(systems, golds, "groups of system items")
        for group in systems:
            _check_list(group, "system")
        flat = self.score_all(
            [system for group in systems for system in group],
            [gold for group, gold in zip(systems, golds, strict=True) for _ in group],
        )
        scores = iter(flat)
        return [[next(scores) for _ in group] for group in systems]

    def evaluate(
        self, systems: Sequence[System], golds: Sequence[Gold]
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """The scores of the whole, and of each pair."""
        metric = cast("Metric[System, Gold]", self)
        _check_sizes(systems, golds, "system items")
        if not len(systems):
            raise PairingError(f"{metric.name} cannot evaluate an empty list", code="K203")
        rows = _measured(metric, systems, golds)
        return total_scores(metric, rows.sum(axis=0)), row_scores(metric, rows)

    @checks_arguments
    def measure_arrow(
        self, table: Any, *, system: str = "system", gold: str = "gold", id: str = "id"
    ) -> Any:
        """The counts of each row of an Arrow table, as a table: `karat.summarize` adds them up.

        `system` and `gold` name the columns of texts, or of other items in a notation or as values
        of JSON; several references are a list. The result has the id, all other columns, and a
        column of each count. Rows do not depend on each other, so that any part of a table may be
        measured anywhere. A record batch, a data frame or whatever else gives an Arrow table will
        do as well.
        """
        # Tables are measured on top of metrics, so this is found by its name when it is wanted.
        door = import_module("karat.core.arrow")
        return door.measure_table(self, table, system=system, gold=gold, id=id)


def _check_list(values: Any, role: str) -> None:
    many = hasattr(values, "__len__") and hasattr(values, "__iter__")
    if not many or isinstance(values, (str, bytes, Mapping)):
        raise OptionError(
            f"the {role} items are a list, got {shown(values)}",
            code="K317",
            advice="``score`` takes a single pair",
        )


def _check_sizes(systems: Sequence[Any], golds: Sequence[Any], noun: str) -> None:
    _check_list(systems, "system")
    _check_list(golds, "gold")
    if len(systems) != len(golds):
        raise PairingError(
            f"there are {len(systems)} {noun} and {counted(len(golds), 'gold item')}", code="K202"
        )


def _measured(metric: Metric[Any, Any], systems: Sequence[Any], golds: Sequence[Any]) -> Array:
    _check_sizes(systems, golds, "system items")
    rows = metric.measure_many(native_pairs(metric, systems, golds))
    if has(metric, Warns):
        for caveat in metric.caveats(np.asarray(rows.sum(axis=0))):
            warnings.warn(caveat, stacklevel=3)
    return rows


def values_of(metric: Metric[Any, Any], path: Path, rows: Array) -> Array:
    """One score of rows, or of sums of them."""
    return np.asarray(dict(leaves(metric.summarize(rows)))[path], np.float64)


def total_scores(metric: Metric[Any, Any], totals: Array) -> MetricsDict:
    """The scores of one sum of rows, as plain numbers."""
    known = metric.about
    return nest((path, plain(known, path, each)) for path, each in leaves(metric.summarize(totals)))


def row_scores(metric: Metric[Any, Any], rows: Array) -> list[MetricsDict]:
    """The scores of each row on its own."""
    known = metric.about
    return nest_rows(
        [
            (path, [plain(known, path, each) for each in np.asarray(values).tolist()])
            for path, values in leaves(metric.summarize(rows))
        ]
    )


def encoded_scores(metric: Metric[Any, Any], rows: Array) -> list[tuple[Path, list[bytes]]]:
    """The scores of each row as JSON, column by column."""
    known = metric.about
    result = []
    for path, values in leaves(metric.summarize(rows)):
        column = _plain_column(known, path, np.asarray(values))
        # Numbers alone, of which those that are undefined are null.
        encoded = msgspec.json.encode(column)[1:-1]
        result.append((path, encoded.split(b",") if encoded else []))
    return result


def nested_scores(columns: Sequence[tuple[Path, list[bytes]]]) -> list[bytes]:
    """For each row the JSON object of its scores, as in `row_scores`.

    >>> nested_scores([(("a", "b"), [b"1", b"2"]), (("c",), [b"3", b"4"])])
    [b'{"a":{"b":1},"c":3}', b'{"a":{"b":2},"c":4}']
    """
    parts: dict[str, list[tuple[Path, list[bytes]]]] = {}
    for path, values in columns:
        parts.setdefault(path[0], []).append((path[1:], values))
    names = [msgspec.json.encode(name).replace(b"%", b"%%") + b":%b" for name in parts]
    inner = [part[0][1] if part[0][0] == () else nested_scores(part) for part in parts.values()]
    template = b"{" + b",".join(names) + b"}"
    return [template % row for row in zip(*inner, strict=True)]


def _plain_column(known: Description, path: Path, values: Array) -> list[Any]:
    """Numbers as `plain` gives them, and NaN for what is undefined."""
    if ".".join(path) not in known.totals:
        return values.tolist()  # type: ignore[no-any-return]
    if (
        values.dtype.kind == "f"
        and (np.trunc(values) == values).all()
        and (abs(values) < 2**53).all()
    ):
        return values.astype(np.int64).tolist()  # type: ignore[no-any-return]
    return [plain(known, path, each) for each in values.tolist()]


def plain(known: Description, path: Path, value: Any) -> Any:
    """A number for output: an int for a count, None for NaN."""
    result = number(value)
    if isinstance(result, float):
        if result != result:
            return None
        if result.is_integer() and ".".join(path) in known.totals:
            return int(result)
    return result
