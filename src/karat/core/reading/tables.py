"""Columns of values in memory: lists, arrays, data frames, Arrow tables, data sets.

Nothing of the libraries is imported: a table is known by where its class comes from, or by the
Arrow stream that it offers. Values become Python's in batches, when they are asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from karat.core.reading.doors import shown
from karat.core.reading.fields import MISSING, listed, value_at
from karat.core.reading.strings import Offsets, Strings
from karat.errors import MissingExtra, OptionError, did_you_mean

_DEPTH = 64
"""The depth up to which lists and objects in cells are converted."""
_HOLDERS = frozenset({list, dict})
_STRINGS = ("string", "large_string", "string_view")


class Take(NamedTuple):
    """How to get values of a column of another library, and what is known of their type."""

    some: Callable[[Sequence[int]], list[Any]]
    is_text: bool = False
    arrow: Callable[[range], Any] | None = None
    """The values as an Arrow array, if the library offers that."""
    is_lists: bool = False
    """Whether they are known to be lists of strings."""


class Values(ABC):
    """A column: how many values it has, some of them, and what errors call one."""

    name = ""
    is_text = False
    """Whether all values are known to be strings, or missing."""
    is_lists = False
    """Whether all values are known to be lists of strings, or missing."""
    keys: list[tuple[str | None, ...] | None] | None = None
    """The keys that the values stand for, if they are ids; cached."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def at(self, rows: Sequence[int]) -> list[Any]:
        """The values in these rows, missing ones as None."""

    def strings(self, rows: range) -> Strings | None:
        """The strings in these rows in one block; None where one is missing or no string."""
        found = self.at(rows)
        return Strings.of(found) if frozenset(map(type, found)) <= {str} else None

    def lists(self, rows: range) -> tuple[Strings, Offsets] | None:
        """The strings of lists in one block, and the first of each; None where one is no such."""
        return _of_lists(self.at(rows))

    def where(self, row: int) -> str:
        """The name of a value in messages, as a Python expression: ``gold[3]``."""
        return f"{self.name}[{row}]"


class ListColumn(Values):
    """The values of a list."""

    def __init__(self, values: Sequence[Any], name: str, names: Sequence[str] | None = None):
        self.values, self.name, self.names = values, name, names

    def __len__(self) -> int:
        return len(self.values)

    def at(self, rows: Sequence[int]) -> list[Any]:
        if isinstance(rows, range) and rows.step == 1:
            return _plain(list(self.values[rows.start : rows.stop]))
        return _plain([self.values[row] for row in rows])

    def where(self, row: int) -> str:
        return f"{self.name}[{self.names[row]!r}]" if self.names else super().where(row)


class LibraryColumn(Values):
    """A column of another library, taken batch by batch."""

    def __init__(self, taken: Take, size: int, name: str) -> None:
        self._taken, self._size, self.name = taken, size, name
        self.is_text, self.is_lists = taken.is_text, taken.is_lists

    def __len__(self) -> int:
        return self._size

    def at(self, rows: Sequence[int]) -> list[Any]:
        return self._taken.some(rows)

    def strings(self, rows: range) -> Strings | None:
        found = self._taken.arrow(rows) if self._taken.arrow else None
        return super().strings(rows) if found is None else _of_buffers(found)

    def lists(self, rows: range) -> tuple[Strings, Offsets] | None:
        found = self._taken.arrow(rows) if self._taken.arrow and self.is_lists else None
        return super().lists(rows) if found is None else _of_list_buffers(found)


class PathColumn(Values):
    """The values at a dotted path within those of another column."""

    def __init__(self, outer: Values, path: str) -> None:
        self._outer, self._path, self.name = outer, path, f"{outer.name}.{path}"

    def __len__(self) -> int:
        return len(self._outer)

    def at(self, rows: Sequence[int]) -> list[Any]:
        found = [value_at(value, self._path) for value in self._outer.at(rows)]
        return [None if value is MISSING else value for value in found]


class JoinedColumns(Values):
    """Several columns of references as one list for each row; missing ones are left out."""

    def __init__(self, columns: Sequence[Values]) -> None:
        self._columns = columns
        self.name = " and ".join(column.name for column in columns)

    def __len__(self) -> int:
        return len(self._columns[0])

    def at(self, rows: Sequence[int]) -> list[Any]:
        columns = [column.at(rows) for column in self._columns]
        found = [[each for each in row if each is not None] for row in zip(*columns, strict=True)]
        return [row or None for row in found]


class Rows(Values):
    """Several columns as one mapping for each row."""

    name = "frame"

    def __init__(self, columns: Mapping[str, Values], size: int) -> None:
        self._columns, self._size = columns, size

    def __len__(self) -> int:
        return self._size

    def at(self, rows: Sequence[int]) -> list[Any]:
        columns = [column.at(rows) for column in self._columns.values()]
        return [dict(zip(self._columns, row, strict=True)) for row in zip(*columns, strict=True)]


class Table:
    """Named columns of equal length."""

    def __init__(self, names: Sequence[Any], size: int, column: Callable[[Any], Take]) -> None:
        self.names = list(names)
        self.size = size
        self._column = column

    def __getitem__(self, name: str) -> Values:
        """The column of this name, or the values at a dotted path."""
        if self.names.count(name) > 1:
            raise OptionError(f"the frame has two columns {name!r}", code="K393")
        if name in self.names:
            return LibraryColumn(self._column(name), self.size, f"frame[{name!r}]")
        outer, _, path = str(name).partition(".")
        if path and outer in self.names:
            return PathColumn(self[outer], path)
        near = did_you_mean(str(name), map(str, self.names))
        raise OptionError(
            f"the frame has no column {name!r}{near}",
            code="K393",
            advice=f"columns: {listed(map(str, self.names)) or 'none'}",
        )


def holds_numbers(column: Values) -> bool:
    """Whether there are numbers in a column, and nothing else."""
    types: set[type] = set()
    for first in range(0, len(column), 8192):
        types |= set(map(type, column.at(range(first, min(first + 8192, len(column))))))
        if not types <= {int, float, bool, type(None)}:
            return False
    return bool(types - {type(None)})


def _library(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def table_of(data: Any) -> Table | None:
    """The value as a table; None if it is none."""
    library, cls = _library(data), type(data).__name__
    if library == "pandas" and hasattr(data, "columns"):
        return _of_pandas_frame(data)
    if library in ("polars", "narwhals") and cls == "LazyFrame":
        raise OptionError(
            "a lazy frame has no values yet", code="K393", advice="give frame.collect()"
        )
    if library == "polars" and hasattr(data, "columns"):
        return Table(data.columns, data.height, lambda name: _of_polars(data[name]))
    if library == "datasets" and isinstance(data, Mapping):
        raise OptionError(
            f"a {cls} holds several splits: {listed(map(str, data))}",
            code="K393",
            advice="choose one: data['test']",
        )
    if library == "datasets" and hasattr(data, "column_names") and hasattr(data, "__len__"):
        return Table(data.column_names, len(data), lambda name: _of_dataset(data, name))
    if library == "datasets" and cls.startswith("Iterable"):
        raise OptionError(
            f"the items of a {cls} cannot be counted or read again",
            code="K393",
            advice="load it without streaming=True",
        )
    if library == "pyarrow" and hasattr(data, "column_names"):
        return _of_arrow(data)
    if offers_arrow(data):
        found = _chunked(data)
        if str(found.type).startswith("struct"):
            return _of_arrow(pyarrow_for().Table.from_struct_array(found))
    return None


def offers_arrow(data: Any) -> bool:
    """Whether a value of an unknown library offers its data by the capsules of Arrow."""
    return not is_column(data) and (
        hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    )


def _chunked(data: Any) -> Any:
    arrow = pyarrow_for()
    try:
        if hasattr(data, "__arrow_c_stream__"):
            return arrow.chunked_array(data)
        return arrow.chunked_array([arrow.array(data)])
    except (arrow.ArrowException, TypeError, ValueError) as error:
        raise OptionError(
            f"the Arrow data of {type(data).__name__} cannot be read: {error}", code="K393"
        ) from None


def table_of_records(data: Any) -> Table | None:
    """Lists by the names of columns, or mappings, one for each row, as a table; else None."""
    if isinstance(data, Mapping):
        if not all(isinstance(each, (list, tuple)) or is_column(each) for each in data.values()):
            return None
        columns = {name: column_of(each, str(name)) for name, each in data.items()}
        sizes = sorted({len(each) for each in columns.values()})
        if len(sizes) > 1:
            raise OptionError(f"the columns have {sizes[0]} to {sizes[-1]} values", code="K393")
        return Table(list(data), sizes[0] if sizes else 0, lambda name: Take(columns[name].at))
    if not isinstance(data, (list, tuple)) or not all(isinstance(row, Mapping) for row in data):
        return None

    def column(name: Any) -> Take:
        return Take(lambda rows: _plain([data[row].get(name) for row in rows]))

    return Table(list(dict.fromkeys(key for row in data for key in row)), len(data), column)


def pyarrow_for(what: str = "reading Arrow data") -> Any:
    """The pyarrow package; a MissingExtra if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra.package("pyarrow", "parquet", what) from None
    return pyarrow


def is_column(data: Any) -> bool:
    """Whether a value is a column of a known library."""
    library, cls = _library(data), type(data).__name__
    return (
        (library in ("pandas", "polars") and cls in ("Series", "Index"))
        or (library == "pyarrow" and hasattr(data, "to_pylist") and not hasattr(data, "columns"))
        or (library == "numpy" and cls == "ndarray")
        or (library == "datasets" and cls == "Column")
    )


def column_of(data: Any, name: str) -> Values:
    """A list or a column of any library; anything else is an error."""
    library = _library(data)
    if offers_arrow(data):
        data, library = _chunked(data), "pyarrow"
    if is_column(data):
        if library == "pandas":
            return LibraryColumn(_of_pandas(data), len(data), name)
        if library == "polars":
            return LibraryColumn(_of_polars(data), len(data), name)
        if library == "pyarrow":
            return LibraryColumn(_of_arrow_column(data), len(data), name)
        if library == "numpy" and data.ndim != 1:
            raise OptionError(f"{name}: expected one dimension, found {data.ndim}", code="K393")
        return LibraryColumn(Take(lambda rows: _some(data, rows)), len(data), name)
    if isinstance(data, Mapping):
        return ListColumn(list(data.values()), name, [str(key) for key in data])
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return ListColumn(data, name)
    if isinstance(data, (set, frozenset)):
        raise OptionError(f"{name}: a set has no order to pair items by", code="K393")
    if hasattr(data, "__iter__") and not isinstance(data, (str, bytes)):
        return ListColumn(list(data), name)
    raise OptionError(
        f"{name}: expected a path, a list, a column or a data frame; found {shown(data)}",
        code="K393",
    )


def _plain(values: list[Any], holders: frozenset[type] = frozenset()) -> list[Any]:
    """Values with numpy scalars and arrays converted to Python values."""
    types = frozenset(map(type, values))
    if types == {list}:
        inner = frozenset(map(type, chain.from_iterable(values)))
        if inner <= {str, type(None)}:
            return values
    if types & holders or any(map(_is_numpys, types)):
        return [_plain_value(value) for value in values]
    return values


def _is_numpys(cls: type) -> bool:
    return cls.__module__ == "numpy" and cls.__name__ != "str_"


def _plain_value(value: Any, depth: int = 0) -> Any:
    """One value, and the values in it, converted to Python values."""
    if _is_numpys(type(value)) and hasattr(value, "tolist"):
        value = value.tolist()
    if depth < _DEPTH and isinstance(value, list):
        return [_plain_value(each, depth + 1) for each in value]
    if depth < _DEPTH and isinstance(value, dict):
        return {name: _plain_value(each, depth + 1) for name, each in value.items()}
    return value


def _some(data: Any, rows: Sequence[int]) -> list[Any]:
    found = data[_slice(rows)]
    return _plain(found.tolist() if hasattr(found, "tolist") else list(found))


def _slice(rows: Sequence[int]) -> Any:
    if isinstance(rows, range) and rows.step == 1:
        return slice(rows.start, rows.stop)
    return list(rows)


def _of_pandas_frame(frame: Any) -> Table:
    """The columns of a frame, and the parts of its index that have names."""
    index = [name for name in frame.index.names if name is not None and name not in frame.columns]

    def column(name: Any) -> Take:
        return _of_pandas(frame.index.get_level_values(name) if name in index else frame[name])

    return Table([*frame.columns, *index], len(frame), column)


def _of_pandas(series: Any) -> Take:
    if not hasattr(series, "iloc"):  # an index
        series = series.to_series()

    def take(rows: Sequence[int]) -> list[Any]:
        values = series.iloc[_slice(rows)].tolist()
        if is_object:
            values = _plain(values, _HOLDERS)
        if has_gaps:  # for which pandas has several things
            return [None if _is_missing(value) else value for value in values]
        return values  # type: ignore[no-any-return]

    has_gaps = bool(series.hasnans)
    is_object = series.dtype == object
    is_text = str(series.dtype).startswith("str")
    is_arrow = is_text and hasattr(series.array, "__arrow_array__")

    def arrow(rows: range) -> Any:
        try:
            return series.array[rows.start : rows.stop].__arrow_array__()
        except ImportError:  # without pyarrow there are Python's strings
            return None

    return Take(take, is_text, arrow if is_arrow else None)


def _is_missing(value: Any) -> bool:
    if type(value) is str:
        return False
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def _of_polars(series: Any) -> Take:
    def take(rows: Sequence[int]) -> list[Any]:
        if isinstance(rows, range) and rows.step == 1:
            return series.slice(rows.start, len(rows)).to_list()  # type: ignore[no-any-return]
        return series[list(rows)].to_list()  # type: ignore[no-any-return]

    def arrow(rows: range) -> Any:
        try:
            return series.slice(rows.start, len(rows)).to_arrow()
        except ImportError:  # without pyarrow there are Python's strings
            return None

    kind = str(series.dtype)
    return Take(take, kind == "String", arrow, kind == "List(String)")


def _of_arrow(table: Any) -> Table:
    return Table(
        table.column_names,
        table.num_rows,
        lambda name: _of_arrow_column(table.column(table.column_names.index(name))),
    )


def _of_arrow_column(column: Any) -> Take:
    def take(rows: Sequence[int]) -> list[Any]:
        if isinstance(rows, range) and rows.step == 1:
            return column.slice(rows.start, len(rows)).to_pylist()  # type: ignore[no-any-return]
        return column.take(pyarrow_for().array(list(rows), "int64")).to_pylist()  # type: ignore[no-any-return]

    return Take(take, *_arrow_kinds(column.type, lambda rows: column.slice(rows.start, len(rows))))


def _arrow_kinds(type: Any, arrow: Callable[[range], Any]) -> tuple[bool, Any, bool]:
    """The arguments of `Take` for a column of an Arrow type."""
    is_lists = str(type).startswith(("list<", "large_list<")) and str(type.value_type) in _STRINGS
    return str(type) in _STRINGS, arrow, is_lists


def _of_lists(values: Sequence[Any]) -> tuple[Strings, Offsets] | None:
    lists = [(each,) if type(each) is str else each for each in values]
    if not frozenset(map(type, lists)) <= {list, tuple} or not all(lists):
        return None
    flat = list(chain.from_iterable(lists))
    if not frozenset(map(type, flat)) <= {str}:
        return None
    bounds = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(list(map(len, lists)), out=bounds[1:])
    return Strings.of(flat), bounds


def _of_list_buffers(found: Any) -> tuple[Strings, Offsets] | None:
    """The block of an Arrow array of lists of strings; None where one is missing or empty."""
    found = _in_one(found)
    if found.null_count or not len(found):
        return None
    bounds = np.asarray(found.offsets, np.int64)
    strings = _of_buffers(found.flatten())
    if strings is None or (np.diff(bounds) == 0).any():
        return None
    return strings, bounds - bounds[0]


def _in_one(found: Any) -> Any:
    return found.combine_chunks() if hasattr(found, "combine_chunks") else found


def _of_buffers(found: Any) -> Strings | None:
    """The block of bytes of an Arrow array of strings; None where one is missing."""
    if found.null_count:
        return None
    found = _in_one(found)
    if str(found.type) != "large_string":
        found = found.cast("large_string")
    size, offset = len(found), found.offset
    if not size:
        return Strings(b"", np.zeros(0, np.int64), np.zeros(0, np.int64))
    _, bounds, data = found.buffers()
    ends = np.frombuffer(bounds, np.int64, size + 1, 8 * offset)
    first, last = int(ends[0]), int(ends[-1])
    block = b"" if data is None else data[first:last].to_pybytes()
    return Strings(block, ends[:-1] - first, ends[1:] - first)


def _of_dataset(data: Any, name: str) -> Take:
    only = data.select_columns([name]).with_format(None)
    stored = only.with_format("arrow")

    def take(rows: Sequence[int]) -> list[Any]:
        return list(only[_slice(rows)][name])

    def arrow(rows: range) -> Any:
        return stored[_slice(rows)].column(name)

    return Take(take, *_arrow_kinds(only.data.schema.field(name).type, arrow))
