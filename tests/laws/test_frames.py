"""Laws of frames: however a library holds the data, they are measured as the same lists are.

Columns are drawn with gaps, in every type that may hold them, in chunks, in slices, under odd
indexes; each frame gives the rows, ids and groups of the lists, or the same error in the same row.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.errors import KaratError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
datasets = pytest.importorskip("datasets")
Columns = dict[str, list[Any]]
TEXTS = ("mt", "ref")


class Capsule:
    """A table of a library that nobody knows."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


class OneBatch:
    """The same where there is one batch."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._batch.__arrow_c_array__(requested_schema)


def cast(columns: Columns, text: Any) -> Any:
    """A table whose texts have another type; lists of texts stay."""
    table = pyarrow.table(columns)
    for i, name in enumerate(table.column_names):
        if name in TEXTS and str(table.schema.field(i).type) == "string":
            table = table.set_column(i, name, text(table.column(i)))
    return table


def pieces(columns: Columns) -> list[Columns]:
    size = len(columns["mt"])
    cuts = [0, size // 3, size // 3, (2 * size) // 3, size]
    return [{name: values[a:b] for name, values in columns.items()} for a, b in pairwise(cuts)]


def chunked(columns: Columns) -> Any:
    schema = pyarrow.table(columns).schema
    return pyarrow.concat_tables([pyarrow.table(each, schema) for each in pieces(columns)])


def sliced(columns: Columns) -> Any:
    more = {name: [*values[:1], *values, *values[:2]] for name, values in columns.items()}
    return pyarrow.table(more).slice(1, len(columns["mt"]))


def polars_chunks(columns: Columns) -> Any:
    whole = polars.DataFrame(columns, strict=False)
    parts = [polars.DataFrame(each, schema=whole.schema) for each in pieces(columns)]
    return polars.concat(parts, rechunk=False)


def polars_categories(columns: Columns) -> Any:
    frame = polars.DataFrame(columns)
    names = [name for name in TEXTS if frame.schema[name] == polars.String]
    return frame.with_columns(polars.col(names).cast(polars.Categorical))


def pandas_types(columns: Columns, dtype: str) -> Any:
    frame = pandas.DataFrame(columns, dtype=object)
    for name in TEXTS:
        if all(each is None or isinstance(each, str) for each in columns[name]):
            frame[name] = frame[name].astype(dtype)
    return frame


def odd_index(columns: Columns) -> Any:
    frame = pandas.DataFrame(columns, dtype=object)
    frame.index = [7] * len(frame)
    return frame.set_index("name")


def chosen(columns: Columns) -> Any:
    """A data set that is a choice of the rows of another one."""
    data = datasets.Dataset.from_dict({name: values[::-1] for name, values in columns.items()})
    return data.select(list(range(len(data)))[::-1])


FRAMES: dict[str, Callable[[Columns], Any]] = {
    "pandas": pandas.DataFrame,
    "pandas objects": lambda columns: pandas.DataFrame(columns, dtype=object),
    "pandas str": lambda columns: pandas_types(columns, "str"),
    "pandas string": lambda columns: pandas_types(columns, "string[python]"),
    "pandas arrow": lambda columns: pyarrow.table(columns).to_pandas(
        types_mapper=pandas.ArrowDtype
    ),
    "pandas categories": lambda columns: pandas_types(columns, "category"),
    "pandas, from a file": lambda columns: pyarrow.table(columns).to_pandas(),
    "pandas, id as index": odd_index,
    "polars": polars.DataFrame,
    "polars chunks": polars_chunks,
    "polars categories": polars_categories,
    "polars slice": lambda columns: polars.from_arrow(sliced(columns)),
    "arrow chunks": chunked,
    "arrow slice": sliced,
    "arrow dictionary": lambda columns: cast(columns, lambda each: each.dictionary_encode()),
    "arrow large": lambda columns: cast(columns, lambda each: each.cast("large_string")),
    "arrow views": lambda columns: cast(columns, lambda each: each.cast("string_view")),
    "capsule": lambda columns: Capsule(chunked(columns)),
    "capsule of a batch": lambda columns: OneBatch(pyarrow.RecordBatch.from_pydict(columns)),
    "data set": datasets.Dataset.from_dict,
    "choice of a data set": chosen,
    "lists by name": dict,
    "records": lambda columns: [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ],
}

WORDS = st.text(string.ascii_lowercase[:3] + " é\n", max_size=6)
GRAPHS = st.sampled_from(["(a / b)", "(a / b :x (c / d))", "(a / b", "", "(c / d)"])
ITEMS: dict[str, tuple[Any, Any]] = {
    "exact": (st.none() | WORDS, st.none() | WORDS),
    "bleu": (WORDS, st.none() | st.lists(st.none() | WORDS, max_size=2)),
    "smatch": (st.none() | GRAPHS, GRAPHS),
}
NAMES: tuple[Any, ...] = (st.integers(0, 99), WORDS, st.dates(date(2020, 1, 1), date(2020, 3, 1)))
GROUPS: tuple[Any, ...] = (
    st.none() | WORDS,
    st.booleans(),
    st.integers(-9, 9),
    st.sampled_from([Decimal("1.50"), Decimal("2.25")]),
    st.sampled_from([datetime(2020, 1, 1), datetime(2020, 1, 1, 12, 30)]),
)


@st.composite
def drawn(draw: st.DrawFn, metric: str) -> Columns:
    size = draw(st.integers(1, 7))

    def column(values: Any, **more: Any) -> list[Any]:
        return draw(st.lists(values, min_size=size, max_size=size, **more))

    system, gold = ITEMS[metric]
    return {
        "mt": column(system),
        "ref": column(gold),
        "name": column(draw(st.sampled_from(NAMES)), unique=True),
        "part": column(draw(st.sampled_from(GROUPS))),
    }


def outcome(metric: str, data: tuple[Any, ...], on_error: Any, options: dict[str, Any]) -> Any:
    """The rows with their names, or the error with its code and row."""
    try:
        found = karat.evaluate(metric, *data, on_error=on_error, **options)
    except KaratError as error:
        return error.code, re.findall(r"\[\d+\]", str(error.place))
    return found.counts.tolist(), found.ids, found.groups, found.skipped, found.scores()


@pytest.mark.parametrize("kind", FRAMES)
@settings(max_examples=20)
@given(
    data=st.data(), metric=st.sampled_from(list(ITEMS)), on_error=st.sampled_from(["fail", "skip"])
)
def test_a_frame_is_measured_as_its_lists_are(
    kind: str, metric: str, data: st.DataObject, on_error: str
) -> None:
    columns = data.draw(drawn(metric))
    lists = (columns["mt"], columns["ref"])
    expected = outcome(
        metric, lists, on_error, {"id": columns["name"], "by": {"part": columns["part"]}}
    )
    try:
        frame = FRAMES[kind](columns)
    except (pyarrow.ArrowException, polars.exceptions.PolarsError, TypeError):
        return  # the library cannot hold such columns
    names = {"system": "mt", "gold": "ref", "id": "name", "by": "part"}
    assert outcome(metric, (frame,), on_error, names) == expected


def test_groups_of_two_frames_are_those_of_gold() -> None:
    """Only gold's frame needs the column; rows are paired by id."""
    pandas = pytest.importorskip("pandas")
    ours = pandas.DataFrame({"id": ["b", "a", "c"], "mt": ["x", "y", "z"]})
    theirs = pandas.DataFrame({"id": ["a", "b", "c"], "ref": ["y", "w", "z"], "part": [1, 2, 1]})
    run = karat.evaluate("exact", ours, theirs, system="mt", gold="ref", id="id", by="part")
    assert run.by("part") == {"1": {"accuracy": 1.0}, "2": {"accuracy": 0.0}}
    assert run.group_sizes("part") == {"1": 2, "2": 1}
    with pytest.raises(KaratError, match="no column 'part'"):
        karat.evaluate("exact", theirs, ours, system="ref", gold="mt", id="id", by="part")
