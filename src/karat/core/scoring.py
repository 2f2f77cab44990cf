"""Scoring in memory: rows of lists of items, and rows and sums of them as scores."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from karat import _native
from karat.arguments import shown
from karat.core.capabilities import Warns, has
from karat.core.marks import Array, Description, Path
from karat.core.reading.doors import native_pairs
from karat.core.scores import MetricsDict, leaves, nest, nest_rows, number
from karat.errors import OptionError, PairingError, counted

if TYPE_CHECKING:
    from karat.core.metric import Metric


def check_list(values: Any, role: str) -> None:
    """Raises unless there are several items."""
    many = hasattr(values, "__len__") and hasattr(values, "__iter__")
    if not many or isinstance(values, (str, bytes, Mapping)):
        raise OptionError(
            f"the {role} items are a list, got {shown(values)}",
            code="K317",
            advice="``score`` takes a single pair",
        )


def check_sizes(systems: Sequence[Any], golds: Sequence[Any], noun: str) -> None:
    """Raises unless there are as many of the one as of the other."""
    check_list(systems, "system")
    check_list(golds, "gold")
    if len(systems) != len(golds):
        raise PairingError(
            f"there are {len(systems)} {noun} and {counted(len(golds), 'gold item')}", code="K202"
        )


def measured_rows(metric: Metric[Any, Any], systems: Sequence[Any], golds: Sequence[Any]) -> Array:
    """The rows of pairs in memory, with the warnings of the metric."""
    check_sizes(systems, golds, "system items")
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


def encoded_scores(metric: Metric[Any, Any], rows: Array) -> list[tuple[Path, bytes]]:
    """The scores of each row as JSON, column by column, with commas between the numbers."""
    known = metric.about
    # Of numbers alone, those that are undefined are null.
    return [
        (path, msgspec.json.encode(_plain_column(known, path, np.asarray(values)))[1:-1])
        for path, values in leaves(metric.summarize(rows))
    ]


def nested_scores(columns: Sequence[tuple[Path, bytes]]) -> list[bytes]:
    """For each row the JSON object of its scores, as in `row_scores`.

    >>> nested_scores([(("a", "b"), b"1,2"), (("c",), b"3,4")])
    [b'{"a":{"b":1},"c":3}', b'{"a":{"b":2},"c":4}']
    """
    around, inner = _nested(columns)
    return _native.interleaved(around.split(_VALUE), inner)


_VALUE = b"\0"
"""Stands for a number, and in no name that is JSON."""


def _nested(columns: Sequence[tuple[Path, bytes]]) -> tuple[bytes, list[bytes]]:
    """What stands around the numbers of a row, and their columns in this order."""
    parts: dict[str, list[tuple[Path, bytes]]] = {}
    for path, values in columns:
        parts.setdefault(path[0], []).append((path[1:], values))
    members, inner = [], []
    for name, part in parts.items():
        around, own = (_VALUE, [part[0][1]]) if part[0][0] == () else _nested(part)
        members.append(msgspec.json.encode(name) + b":" + around)
        inner += own
    return b"{" + b",".join(members) + b"}", inner


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
