"""Bytes of items that cannot be read again from their file: compressed files and pipes."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class Spool:
    """A temporary file of bytes, which goes with this object, and with the process."""

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
