"""Parquet and Arrow files as JSON lines: a record for each row, batch by batch."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

import msgspec

from karat.errors import FormatError, MissingExtra, Place

PARQUET = b"PAR1"
ARROW_STREAM = tuple(b"\xff\xff\xff\xff" + bytes([low]) for low in range(0, 256, 8))
"""A mark, and the size of what follows, a multiple of 8."""
ARROW = (*ARROW_STREAM, b"ARROW1")
"""The first bytes of Arrow files."""
_ROWS = 4096
"""How many rows are turned into records at once."""
_LARGE = 64 << 20
"""Fewer rows where they may be larger than that together."""


def json_lines(raw: IO[bytes], magic: bytes, name: str, limit: int) -> IO[bytes]:
    """The rows as JSON objects, one a line; cells without a value are left out.

    `magic` is how the file begins, `limit` how much of one that comes through a pipe is read.
    """
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:
        raise MissingExtra.package("pyarrow", "parquet", f"reading {name}") from None

    def seekable() -> IO[bytes]:
        return raw if raw.seekable() else io.BytesIO(raw.read(limit))

    kind = "Parquet" if magic.startswith(PARQUET) else "Arrow"
    batches: Iterable[Any]
    try:
        if magic.startswith(PARQUET):
            batches = _row_groups(seekable(), parquet)
        elif magic.startswith(ARROW_STREAM):
            batches = ipc.open_stream(raw)
        else:
            file = ipc.open_file(seekable())
            batches = map(file.get_batch, range(file.num_record_batches))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, kind, error) from None
    return stream_of(_blocks(batches, pyarrow, name, kind))


def _row_groups(raw: IO[bytes], parquet: Any) -> Iterator[Any]:
    for group in range(parquet.read_metadata(raw).num_row_groups):
        yield from _batches(raw, group, parquet)


def _batches(raw: IO[bytes], group: int, parquet: Any) -> Iterator[Any]:
    """The rows of a group, so many at a time as are small enough.

    Values that many rows share are in the file once; the first row tells which there are.
    """
    about = parquet.read_metadata(raw).row_group(group)
    shared = [
        column.path_in_schema
        for column in map(about.column, range(about.num_columns))
        if column.physical_type == "BYTE_ARRAY"
        and column.has_dictionary_page
        and column.total_uncompressed_size > _LARGE // _ROWS
    ]
    rows = _ROWS
    if shared:
        file = parquet.ParquetFile(raw, read_dictionary=shared)
        for first in file.iter_batches(1, row_groups=[group], columns=shared):
            rows = _at_once(first)
            break
    yield from parquet.ParquetFile(raw).iter_batches(rows, row_groups=[group])


def _at_once(batch: Any) -> int:
    """How many rows of a batch to turn into records at once, by the longest shared values."""
    from pyarrow import compute, types

    longest = 0
    for column in batch.columns:
        while types.is_list(column.type) or types.is_large_list(column.type):
            column = column.values
        if types.is_dictionary(column.type):
            value = column.type.value_type
            if types.is_string(value) or types.is_binary(value) or types.is_large_string(value):
                longest += compute.max(compute.binary_length(column.dictionary)).as_py() or 0
    return max(1, min(_ROWS, _LARGE // max(1, longest)))


def row_groups(raw: IO[bytes], name: str) -> list[int]:
    """How many rows each group of a Parquet file has."""
    import pyarrow
    from pyarrow import parquet

    try:
        about = parquet.read_metadata(raw)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, "Parquet", error) from None
    return [about.row_group(group).num_rows for group in range(about.num_row_groups)]


def row_group(raw: IO[bytes], group: int, name: str) -> bytes:
    """The rows of one group as JSON objects, one a line."""
    import pyarrow
    from pyarrow import parquet

    try:
        return b"".join(_blocks(_batches(raw, group, parquet), pyarrow, name, "Parquet"))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, "Parquet", error) from None


def _damaged(name: str, kind: str, error: Exception) -> FormatError:
    return FormatError(
        f"the {kind} file is damaged or cut short ({str(error).splitlines()[0]})",
        code="K104",
        place=Place(name),
        advice="get the file again",
    )


def _blocks(batches: Iterable[Any], pyarrow: Any, name: str, kind: str) -> Iterator[bytes]:
    encode = msgspec.json.Encoder(enc_hook=str).encode_lines
    try:
        for batch in batches:
            _check_names(batch.schema.names, name)
            rows = _at_once(batch)
            for first in range(0, batch.num_rows, rows):
                records = batch.slice(first, rows).to_pylist()
                yield encode([{k: v for k, v in each.items() if v is not None} for each in records])
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, kind, error) from None


def _check_names(names: list[str], file: str) -> None:
    """Records hold a field once: of two columns with one name, one would be lost."""
    if len(set(names)) < len(names):
        raise FormatError(
            f"two columns have one name: {', '.join(names)}", code="K114", place=Place(file)
        )


def stream_of(blocks: Iterator[bytes]) -> IO[bytes]:
    """Blocks of bytes as a stream, each made when it is read."""
    return cast(IO[bytes], io.BufferedReader(_Blocks(blocks), 1 << 18))


class _Blocks(io.RawIOBase):
    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._ready = memoryview(block)
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size
