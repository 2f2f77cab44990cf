"""Metrics on Arrow tables: pairs in, counts out; sums of counts become scores.

So any engine that moves Arrow tables runs them: Polars, DuckDB, Spark, Ray Data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.pairing.sides import Sides
from karat.core.reading.doors import agreed, native_value, shown
from karat.core.reading.tables import pyarrow_for
from karat.core.registry import parse
from karat.core.scores import MetricsDict
from karat.core.scoring import total_scores
from karat.errors import KaratError, OptionError, PairingError, Place, did_you_mean

if TYPE_CHECKING:
    from karat.core.metric import Metric

_TEXTS = ("text", "amr")
"""Kinds of items that metrics take as texts, with one or several references. Items of other kinds
are made from the values of a column, as `evaluate` makes them from data frames."""
_OF_TABLES = ("graph", "logic", "record", "span", "drs", "sbn")


def as_table(value: Any) -> Any:
    """An Arrow table, from a table, a record batch, a data frame or the result of a query."""
    pyarrow = pyarrow_for("measuring Arrow tables")
    if isinstance(value, pyarrow.Table):
        return value
    if isinstance(value, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([value])
    try:
        return pyarrow.table(value)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise OptionError(
            f"{shown(value)} cannot be converted to an Arrow table: {error}", code="K393"
        ) from None


def measure_table(metric: Metric[Any, Any], table: Any, *, system: str, gold: str, id: str) -> Any:
    """The counts of each row; see `Metric.measure_arrow`."""
    pyarrow = pyarrow_for("measuring Arrow tables")
    rows = as_table(table)
    names = list(rows.column_names)
    if metric.kind not in (*_TEXTS, *_OF_TABLES):
        raise OptionError(
            f"{metric.name} compares items of the kind {metric.kind}, a table holds single ones",
            code="K319",
            advice="write the items to files, and measure these",
        )
    for name in (system, gold):
        if name not in names:
            raise OptionError(
                f"the table has no column {name!r}{did_you_mean(name, names)}",
                code="K315",
                advice=f"columns: {', '.join(names)}; ``system`` and ``gold`` name those of texts",
            )
    groups = [name for name in names if name not in (system, gold, id)]
    if taken := set(metric.columns) & {*groups, id}:
        raise OptionError(
            f"the column {sorted(taken)[0]!r} has the name of a count of {metric.name}",
            code="K348",
            advice="rename it first",
        )
    ids = rows.column(id) if id in names else pyarrow.array(map(str, range(1, len(rows) + 1)))
    values = zip(
        rows.column(system).to_pylist(), rows.column(gold).to_pylist(), ids.to_pylist(), strict=True
    )
    both = Sides(metric)
    pairs = agreed(metric, [_pair(metric, both, *each) for each in values])
    counts = np.empty((len(pairs), len(metric.columns)))
    for first in range(0, len(pairs), metric.chunk_size):
        batch = pairs[first : first + metric.chunk_size]
        counts[first : first + len(batch)] = metric.measure_many(batch)
    columns = {id: ids, **{name: rows.column(name) for name in groups}}
    return _with_counts(metric, columns, counts, metric.signature())


def _pair(
    metric: Metric[Any, Any], both: Sides, system: Any, gold: Any, name: Any
) -> tuple[Any, Any]:
    """A text and its references, or a pair of anything else: its notation, or a value of JSON."""
    is_text = metric.kind in _TEXTS
    with _named(name):
        if is_text:
            references = gold if isinstance(gold, list) else [gold]
            theirs = both.gold([each for each in references if each is not None])
        elif gold is None:
            raise PairingError("there is no gold", code="K201")
        else:
            theirs = native_value(metric, gold, "gold")
        if system is not None:
            ours = both.system(system) if is_text else native_value(metric, system, "system")
        elif both.absent is not None:
            ours = both.absent(theirs)
        else:
            noun = "text" if is_text else "item"
            raise PairingError(f"there is no {noun} of the system", code="K201")
        return ours, theirs


@contextmanager
def _named(name: Any) -> Iterator[None]:
    """Errors tell which row they are about."""
    try:
        yield
    except KaratError as unfit:
        unfit.place = unfit.place or Place(item=str(name))
        raise


def counts_table(
    metric: Metric[Any, Any],
    ids: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    counts: Any,
    signature: str,
) -> Any:
    """The rows of a run as a table: ids, groups, and a column of each count."""
    free = {name: values for name, values in groups.items() if name not in metric.columns}
    return _with_counts(metric, {"id": ids} | free | {"id": ids}, counts, signature)


def _with_counts(
    metric: Metric[Any, Any], columns: Mapping[str, Any], counts: Any, signature: str
) -> Any:
    pyarrow = pyarrow_for("a table of counts")
    found = dict(columns)
    for i, name in enumerate(metric.columns):
        found[name] = pyarrow.array(np.ascontiguousarray(counts[:, i]), pyarrow.float64())
    about = {"karat.metric": repr(metric), "karat.signature": signature}
    return pyarrow.table(found).replace_schema_metadata(about)


def summarize(counts: Any, metric: Metric[Any, Any] | str) -> MetricsDict:
    """The scores of a table of counts: of all its rows together.

    The table is one that `Metric.measure_arrow` or ``--save counts.parquet`` made, or any sum of
    its rows; it may have other columns besides. `counts` may also be a data frame, or whatever
    else can be converted to an Arrow table.
    """
    metric = parse(metric)
    table = as_table(counts)
    missing = [name for name in metric.columns if name not in table.column_names]
    if missing:
        raise OptionError(
            f"the table has no column {missing[0]!r}, which {metric!r} counts",
            code="K315",
            advice="give the metric with the options that the counts were made with",
        )
    if not len(table):
        raise PairingError("the table has no rows", code="K203")
    matrix = np.empty((len(table), len(metric.columns)))
    for i, name in enumerate(metric.columns):
        try:
            matrix[:, i] = table.column(name).to_numpy()
        except (TypeError, ValueError) as error:
            raise OptionError(
                f"the column {name!r} does not hold counts: {error}", code="K315"
            ) from None
    if not np.isfinite(matrix).all():
        raise PairingError("a count of the table is missing, or infinite", code="K203")
    return total_scores(metric, matrix.sum(axis=0))
