"""Packed files where their items are measured: each process unpacks what it reads, once.

Those who scan a file need not hold what it unpacks to, nor send it to others. Of Parquet files only
the row groups are read that have the wanted rows.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np

from karat.core.files.memory import Spool
from karat.core.files.opener import BLOCK, Source

_T = TypeVar("_T")


class _Recent(Generic[_T]):
    """What was made last, up to so many bytes; the last one stays, whatever its size."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[object, tuple[_T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object, make: Callable[[], tuple[_T, int]]) -> _T:
        """What was made under this key, or is made now, with its size."""
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


def unpacked(path: str) -> Spool:
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
    from karat.core.files.parquet import row_group, row_groups

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
