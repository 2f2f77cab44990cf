"""Tables of scores in Parquet, and the details that lighteval writes so."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.core.reading.items import Item
from karat.errors import FormatError, MissingExtra, Place
from karat.logs.formats.base import ScoreFormat, unfit
from karat.logs.formats.tables import TableFormat, check_names
from karat.logs.model import known_ranges

_DETAILS = {"doc", "model_response", "metric"}


def _file(source: Source) -> Any:
    """A Parquet file; damage to it is a FormatError."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra.package("pyarrow", "parquet", f"reading {source.name}") from None
    is_elsewhere = source.is_pipe or source.is_remote
    place: Any = io.BytesIO(source.packed(PLAIN_LIMIT)) if is_elsewhere else source.path
    try:
        return pyarrow.parquet.ParquetFile(place)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(source, error) from None


def _read(source: Source, columns: list[str] | None = None) -> Any:
    file = _file(source)
    import pyarrow

    try:
        return file.read(columns)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(source, error) from None


def _damaged(source: Source, error: Exception) -> FormatError:
    why = " ".join(str(error).split())
    return FormatError(
        f"this is not a Parquet file, or it is damaged ({why})",
        code="K104",
        place=Place(source.name),
    )


def _is_parquet(source: Source) -> bool:
    return not source.is_folder and source.first.is_parquet


class Lighteval(ScoreFormat):
    """The details of lighteval: `details_{task}_{date}.parquet`.

    The scores are the members of `metric`, the ids those of `doc`, or positions from 0.
    """

    name = "lighteval"

    @classmethod
    def recognizes_file(cls, source: Source) -> bool:
        return _is_parquet(source) and set(_file(source).schema_arrow.names) >= _DETAILS

    def read(self, source: Source) -> Iterator[Item]:
        if missing := sorted(_DETAILS - set(_file(source).schema_arrow.names)):
            raise unfit(
                f"there is no column {missing[0]!r}, which lighteval writes", Place(source.name)
            )
        rows = _read(source, ["doc", "metric"]).to_pylist()
        found: list[dict[str, Any]] = [row["metric"] or {} for row in rows]
        skipped = dict.fromkeys(
            name for scores in found for name, value in scores.items()
            if isinstance(value, (list, dict))
        )  # fmt: skip
        self.leave_out(skipped)
        known = known_ranges({name for scores in found for name in scores})
        for i, (row, scores) in enumerate(zip(rows, found, strict=True)):
            document = row["doc"] or {}
            name = document.get("id")
            fields = {"task_name": document.get("task_name")}
            yield self.item(
                Place(source.name, item=f"row {i + 1}"),
                str(i) if name in (None, "") else str(name),
                {each: value for each, value in scores.items() if each not in skipped},
                fields={key: value for key, value in fields.items() if value},
                known=known,
            )


class ScoresParquet(TableFormat):
    """Columns of a Parquet file; those within structures have dotted names."""

    name = "scores-parquet"

    @classmethod
    def recognizes_file(cls, source: Source) -> bool:
        return _is_parquet(source)

    def read(self, source: Source) -> Iterator[Item]:
        table = _read(source)
        while any(str(each.type).startswith("struct") for each in table.schema):
            table = table.flatten()
        check_names(table.column_names, source.name)
        columns = {
            name: table.column(name).to_pylist()
            for name in table.column_names
            if not str(table.schema.field(name).type).startswith(("list", "large_list", "map"))
        }
        if table.num_rows:
            yield from self.items(columns, range(1, table.num_rows + 1), source.name)
