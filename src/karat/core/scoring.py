"""Scoring in memory: rows of lists of items, and rows and sums of them as scores."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from karat.core.capabilities import Warns, has
from karat.core.marks import Array, Description, Path
from karat.core.reading.doors import native_pairs
from karat.core.scores import MetricsDict, leaves, nest, nest_rows, number
from karat.errors import PairingError, counted

if TYPE_CHECKING:
    from karat.core.metric import Metric


def check_sizes(systems: Sequence[Any], golds: Sequence[Any], noun: str) -> None:
    """Raises unless there are as many of the one as of the other."""
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
