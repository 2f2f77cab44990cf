"""Decompression: gzip, bzip2, xz, Zstandard, zip archives of one file; Parquet as JSON lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from karat.core.catalog import tells_format
from karat.core.files.parquet import ARROW, PARQUET, json_lines, stream_of
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


@contextmanager
def unpacked(raw: IO[bytes], magic: bytes, name: str, limit: int, most: int) -> Iterator[IO[bytes]]:
    """The content of a compressed stream, by its first bytes; damage is a FormatError.

    `limit` is how much of an archive that comes through a pipe is read; more content than `most`
    is refused where it is also far larger than the compressed data.
    """
    packed = _Counted(raw)
    file = cast(IO[bytes], packed)
    try:
        with _content(file, magic, name, limit) as stream:
            yield cast(IO[bytes], _Bounded(stream, packed, name, most))
    except _DAMAGE as error:
        raise _damaged(name, error) from None
    except OSError as error:
        if error.errno is None:  # bz2 reports bad data this way
            raise _damaged(name, error) from None
        raise


@contextmanager
def _content(raw: IO[bytes], magic: bytes, name: str, limit: int) -> Iterator[IO[bytes]]:
    if magic.startswith(b"\x1f\x8b"):
        yield cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    elif magic.startswith(b"BZh"):
        yield cast(IO[bytes], bz2.BZ2File(raw))
    elif magic.startswith(b"\xfd7zXZ\x00"):
        yield cast(IO[bytes], lzma.LZMAFile(raw))
    elif magic.startswith(b"\x28\xb5\x2f\xfd"):
        yield _zstd(raw, name)
    elif magic.startswith((PARQUET, *ARROW)):
        yield json_lines(raw, magic, name, limit)
    else:
        with _single_entry(raw, name, limit) as stream:
            yield stream


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


def _damaged(name: str, error: Exception) -> FormatError:
    return FormatError(
        f"the compressed data is damaged or cut short ({error})",
        code="K104",
        place=Place(name),
        advice="get the file again, or decompress it by hand to see how far it goes",
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
