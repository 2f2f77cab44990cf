"""A source of bytes in memory, and temporary files of input that is not a plain file.

Workers unpack the packed files that they read items of, once for each process, so that the process
that scanned them need not hold their content or send it.
"""

from __future__ import annotations

import io
import os
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import IO, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from karat.core.files.opener import BLOCK, Source

_T = TypeVar("_T")


class MemorySource(Source):
    """Bytes with a name, which errors show in place of a file name."""

    def __init__(self, data: bytes, name: str) -> None:
        self.path = ""
        self.name = name
        self.is_stdin = self.is_pipe = self.is_remote = self.is_unpacked_again = False
        self._data = data
        self._pipe = None

    @property
    def is_folder(self) -> bool:
        return False

    def digest(self) -> str:
        return ""

    def stamp(self) -> tuple[int, int]:
        return (-1, -1)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes as they are, never decompressed."""
        yield self.opened()

    def opened(self) -> IO[bytes]:
        return io.BytesIO(self._data)


class Spool:
    """A temporary file that is deleted with this object, or when the process ends."""

    def __init__(self) -> None:
        import tempfile  # most runs do without
        from pathlib import Path

        self._file = tempfile.NamedTemporaryFile(prefix="karat-", delete=False)
        self.path = self._file.name
        """Where the bytes can be read while this object lives, also by other processes."""
        if sys.platform == "linux":
            # Without a name, nothing is left behind however the process ends.
            Path(self.path).unlink()
            self.path = f"/proc/{os.getpid()}/fd/{self._file.fileno()}"
            weakref.finalize(self, self._file.close)
        else:
            weakref.finalize(self, Path(self.path).unlink, missing_ok=True)
        self._size = 0

    def add(self, data: Sequence[bytes]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Adds the bytes of items; where each begins and ends."""
        ends = self._size + np.cumsum([len(each) for each in data], dtype=np.int64)
        self._file.write(b"".join(data))
        self._file.flush()
        begins = np.concatenate([[self._size], ends[:-1]]) if len(ends) else ends
        self._size = int(ends[-1]) if len(ends) else self._size
        return begins, ends


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
    from karat.core.files.packed import row_group, row_groups  # loads what most runs do without

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
