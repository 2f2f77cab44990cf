"""Decompression: gzip, bzip2, xz, Zstandard, zip archives of one file; Parquet as JSON lines.

Workers unpack the files that they read items of, once for each process, so that what a packed file
holds is neither kept by the process that scanned it nor sent to others.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import threading
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import IO, Any, Generic, TypeVar, cast

import numpy as np

from karat.core.catalog import tells_format
from karat.core.files.memory import Spool
from karat.core.files.opener import BLOCK, Source
from karat.core.files.parquet import (
    ARROW,
    PARQUET,
    json_lines,
    row_group,
    row_groups,
    stream_of,
)
from karat.errors import FormatError, MissingExtra, Place

_T = TypeVar("_T")
_STEP = 1 << 11
"""How much of Zstandard is unpacked at once: little, since a few bytes may stand for very many."""
_DAMAGE = (
    EOFError,
    NotImplementedError,  # a zip entry that is packed in a way Python does not know
    gzip.BadGzipFile,
    lzma.LZMAError,
    zlib.error,
    zipfile.BadZipFile,
)


@contextmanager
def unpacked(raw: IO[bytes], magic: bytes, name: str, limit: int) -> Iterator[IO[bytes]]:
    """The content of a compressed stream, by its first bytes; damage is a FormatError.

    `limit` is how much of an archive that comes through a pipe is read.
    """
    try:
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
    except _DAMAGE as error:
        raise _damaged(name, error) from None
    except OSError as error:
        if error.errno is None:  # bz2 reports bad data this way
            raise _damaged(name, error) from None
        raise


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
                f"the zip archive has {len(entries)} files, expected exactly one",
                code="K105",
                place=Place(name),
                advice="unzip it and name the file you mean",
            )
        if entries[0].flag_bits & 1:
            raise FormatError("the zip archive is encrypted", code="K105", place=Place(name))
        with archive.open(entries[0]) as stream:
            yield stream


# -- packed files where their items are measured ---------------------------------------------------


class _Recent(Generic[_T]):
    """A cache of the latest values, up to so many bytes; the last one is always kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[object, tuple[_T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], tuple[_T, int]]) -> _T:
        """The cached value of a key; `make` returns a new one and its size."""
        with self._lock:  # so that no two threads make the same file
            if key not in self._kept:
                self._kept[key] = make()
                while len(self._kept) > 1 and self._size() > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def _size(self) -> int:
        return sum(size for _, size in self._kept.values())


_spools: _Recent[Spool] = _Recent(4 << 30)
_groups: _Recent[list[bytes]] = _Recent(256 << 20)
_layouts: _Recent[list[int]] = _Recent(1 << 20)


def unpacked_file(path: str) -> Spool:
    """A file with the unpacked bytes, which lasts at least as long as this object is held."""

    def make() -> tuple[Spool, int]:
        spool, size = Spool(), 0
        with source.open() as stream:
            while block := stream.read(BLOCK):
                spool.add([block])
                size += len(block)
        return spool, size

    source = Source(path)
    return _spools.get((path, source.stamp()), make)


def parquet_rows(path: str, rows: Sequence[int]) -> list[bytes]:
    """Some rows of a Parquet file, each as a JSON object on one line."""
    source = Source(path)
    mark = path, source.stamp()

    def bounds() -> tuple[list[int], int]:
        with source.opened() as raw:
            found = [0, *accumulate(row_groups(raw, source.name))]
        return found, 8 * len(found)

    def lines(group: int) -> tuple[list[bytes], int]:
        with source.opened() as raw:
            content = row_group(raw, group, source.name)
        return content.split(b"\n"), len(content)

    firsts = _layouts.get(mark, bounds)
    which = np.searchsorted(firsts, rows, side="right") - 1
    held = {
        group: _groups.get((mark, group), lambda group=group: lines(group))  # type: ignore[misc]
        for group in np.unique(which).tolist()
    }
    places = zip(which.tolist(), rows, strict=True)
    return [held[group][row - firsts[group]] for group, row in places]
