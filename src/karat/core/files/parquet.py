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
            batches = _row_groups(parquet.ParquetFile(seekable()))
        elif magic.startswith(ARROW_STREAM):
            batches = ipc.open_stream(raw)
        else:
            file = ipc.open_file(seekable())
            batches = map(file.get_batch, range(file.num_record_batches))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, kind, error) from None
    return stream_of(_blocks(batches, pyarrow, name, kind))


def _row_groups(file: Any) -> Iterator[Any]:
    for group in range(file.num_row_groups):
        yield from file.iter_batches(_ROWS, row_groups=[group])


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
        batches = parquet.ParquetFile(raw).iter_batches(_ROWS, row_groups=[group])
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, "Parquet", error) from None
    return b"".join(_blocks(batches, pyarrow, name, "Parquet"))


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
            for first in range(0, batch.num_rows, _ROWS):
                records = batch.slice(first, _ROWS).to_pylist()
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
