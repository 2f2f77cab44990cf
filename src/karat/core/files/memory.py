"""A source of bytes in memory, and a temporary file for input that can be read only once."""

from __future__ import annotations

import io
import os
import sys
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

import numpy as np
import numpy.typing as npt

from karat.core.files.opener import Source


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
        yield self._open_path()

    def _open_path(self) -> IO[bytes]:
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
