"""Bytes in memory as a source of items."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from karat.core.files.opener import Source


class MemorySource(Source):
    """Bytes under a name, which errors show in place of a file's."""

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
        """The bytes as they are: what looks compressed is not unpacked."""
        yield self._open_path()

    def _open_path(self) -> IO[bytes]:
        return io.BytesIO(self._data)
