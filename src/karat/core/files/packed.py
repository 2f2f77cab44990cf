"""Unpacking: gzip, bzip2, xz, Zstandard, zip archives of one file; Parquet as JSON lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

import msgspec

from karat.core.catalog import tells_format
from karat.errors import FormatError, LimitExceeded, MissingExtra, Place, counted

_STEP = 1 << 11
"""How much of Zstandard is unpacked at once: little, since a few bytes may stand for very many."""
_TIMES = 100
"""Content above a limit is refused if it has more than so many times the packed size."""
_DAMAGE = (
    EOFError,
    NotImplementedError,  # a zip entry that is packed in a way Python does not know
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    zipfile.BadZipFile,
)
_COMPRESSED = "compressed data"
_BY_HAND = ", or decompress it by hand to see how far it goes"


@contextmanager
def unpacked(raw: IO[bytes], kind: str, name: str, limit: int, most: int) -> Iterator[IO[bytes]]:
    """The content of a packed stream; damage is a FormatError.

    `kind` is how it is packed: gzip, zip, Parquet, ... `limit` is how much of an archive that comes
    through a pipe is read; more content than `most` is refused where it is also far larger than
    the compressed data.
    """
    packed = _Counted(raw)
    file = cast(IO[bytes], packed)
    try:
        with _content(file, kind, name, limit) as stream:
            yield cast(IO[bytes], _Bounded(stream, packed, name, most))
    except _DAMAGE as error:
        raise _damaged(name, _COMPRESSED, error, _BY_HAND) from None
    except OSError as error:
        if error.errno is None:  # bz2 reports bad data this way
            raise _damaged(name, _COMPRESSED, error, _BY_HAND) from None
        raise


@contextmanager
def _content(raw: IO[bytes], kind: str, name: str, limit: int) -> Iterator[IO[bytes]]:
    if kind == "gzip":
        yield cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    elif kind == "bzip2":
        yield cast(IO[bytes], bz2.BZ2File(raw))
    elif kind == "xz":
        yield cast(IO[bytes], lzma.LZMAFile(raw))
    elif kind == "zstd":
        yield _zstd(raw, name)
    elif kind == "zip":
        with _single_entry(raw, name, limit) as stream:
            yield stream
    else:
        yield json_lines(raw, kind, name, limit)


class _Counted:
    """A stream that counts the bytes that are read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        found = self._stream.read(size)
        self.size += len(found)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Bounded(_Counted):
    """The content of a packed stream; far too much for what was read of that is an error."""

    def __init__(self, stream: IO[bytes], packed: _Counted, name: str, most: int) -> None:
        super().__init__(stream)
        self._packed, self._name = packed, name
        self._most = most

    def read(self, size: int = -1) -> bytes:
        found = super().read(size)
        if self.size > self._most and self.size > _TIMES * self._packed.size:
            raise LimitExceeded(
                f"the content is larger than {self._most:,} bytes and {_TIMES} times the "
                "compressed data",
                code="K502",
                place=Place(self._name),
                advice="set KARAT_MAX_FILE_BYTES to allow larger content, or decompress it by hand",
            )
        return found


def _damaged(name: str, what: str, error: Exception, also: str = "") -> FormatError:
    why = str(error).partition("\n")[0]
    return FormatError(
        f"the {what} is damaged or cut short ({why})",
        code="K104",
        place=Place(name),
        advice="get the file again" + also,
    )


def _zstd(raw: IO[bytes], name: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra.package("zstandard", "zstd", f"reading {name}") from None
    return stream_of(_frames(raw, zstandard))


def _frames(raw: IO[bytes], zstandard: Any) -> Iterator[bytes]:
    """The content of Zstandard frames, one after the other.

    The library's own reader takes a file that is cut short for a complete one.
    """
    frame: Any = None
    while packed := raw.read(_STEP):
        try:
            while packed:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(packed)
                packed = frame.unused_data
                if frame.eof:
                    frame = None
        except zstandard.ZstdError as error:
            raise EOFError(str(error)) from None
    if frame is not None:
        raise EOFError("the file ends inside a frame")


@contextmanager
def _single_entry(raw: IO[bytes], name: str, limit: int) -> Iterator[IO[bytes]]:
    seekable = raw if raw.seekable() else io.BytesIO(raw.read(limit))
    with zipfile.ZipFile(seekable) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        # A file whose name tells its format may come with a licence or a note about it.
        told = [entry for entry in entries if tells_format(entry.filename)]
        if len(told) == 1:
            entries = told
        if len(entries) != 1:
            raise FormatError(
                f"the zip archive has {counted(len(entries), 'file')}, expected exactly one",
                code="K105",
                place=Place(name),
                advice="unzip it and name the file you mean",
            )
        if entries[0].flag_bits & 1:
            raise FormatError("the zip archive is encrypted", code="K105", place=Place(name))
        with archive.open(entries[0]) as stream:
            yield stream


# -- Parquet and Arrow: a record for each row, batch by batch -------------------------------------

_ROWS = 4096
"""How many rows are turned into records at once."""
_LARGE = 64 << 20
"""Fewer rows where they may be larger than that together."""


def json_lines(raw: IO[bytes], kind: str, name: str, limit: int) -> IO[bytes]:
    """The rows as JSON objects, one a line; cells without a value are left out.

    `kind` is Parquet, Arrow or Arrow stream, `limit` how much is read of what comes through a pipe.
    """
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:
        raise MissingExtra.package("pyarrow", "parquet", f"reading {name}") from None

    def seekable() -> IO[bytes]:
        return raw if raw.seekable() else io.BytesIO(raw.read(limit))

    what = "Parquet file" if kind == "Parquet" else "Arrow file"
    batches: Iterable[Any]
    try:
        if kind == "Parquet":
            batches = _row_groups(seekable(), parquet)
        elif kind == "Arrow stream":
            batches = ipc.open_stream(raw)
        else:
            file = ipc.open_file(seekable())
            batches = map(file.get_batch, range(file.num_record_batches))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, what, error) from None
    return stream_of(_blocks(batches, pyarrow, name, what))


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
        raise _damaged(name, "Parquet file", error) from None
    return [about.row_group(group).num_rows for group in range(about.num_row_groups)]


def row_group(raw: IO[bytes], group: int, name: str) -> bytes:
    """The rows of one group as JSON objects, one a line."""
    import pyarrow
    from pyarrow import parquet

    try:
        return b"".join(_blocks(_batches(raw, group, parquet), pyarrow, name, "Parquet file"))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, "Parquet file", error) from None


def _blocks(batches: Iterable[Any], pyarrow: Any, name: str, what: str) -> Iterator[bytes]:
    encode = msgspec.json.Encoder(enc_hook=str).encode_lines
    try:
        for batch in batches:
            _check_names(batch.schema.names, name)
            rows = _at_once(batch)
            for first in range(0, batch.num_rows, rows):
                records = batch.slice(first, rows).to_pylist()
                yield encode([{k: v for k, v in each.items() if v is not None} for each in records])
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(name, what, error) from None


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
