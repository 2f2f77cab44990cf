"""Parquet files as JSON lines: a record for each row, row group by row group."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any, cast

import msgspec

from karat.errors import FormatError, MissingExtra, Place

_ROWS = 4096
"""How many rows are turned into records at once."""


def json_lines(raw: IO[bytes], name: str, limit: int) -> IO[bytes]:
    """The rows as JSON objects, one a line; cells without a value are left out.

    `limit` is how much of a file that comes through a pipe is read.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra.package("pyarrow", "parquet", f"reading {name}") from None
    seekable = raw if raw.seekable() else io.BytesIO(raw.read(limit))
    try:
        file = parquet.ParquetFile(seekable)
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(name, error) from None
    return cast(IO[bytes], io.BufferedReader(_Lines(file, pyarrow, name), 1 << 18))


def _damaged(name: str, error: Exception) -> FormatError:
    return FormatError(
        f"the Parquet file is damaged or cut short ({str(error).splitlines()[0]})",
        code="K104",
        place=Place(name),
        advice="get the file again",
    )


class _Lines(io.RawIOBase):
    def __init__(self, file: Any, pyarrow: Any, name: str) -> None:
        self._blocks = _blocks(file, pyarrow, name)
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


def _blocks(file: Any, pyarrow: Any, name: str) -> Iterator[bytes]:
    encode = msgspec.json.Encoder(enc_hook=str).encode_lines
    try:
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(_ROWS, row_groups=[group]):
                records = batch.to_pylist()
                yield encode([{k: v for k, v in each.items() if v is not None} for each in records])
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(name, error) from None
