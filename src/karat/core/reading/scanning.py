"""Scans many files as one: each item keeps its place in its own file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from karat.core.files.memory import Spool
from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.reading.items import Ints, Refs

_MOST_HELD = 32 << 20
"""More bytes than that of files that cannot be read again are kept on disk."""


class Shard(msgspec.Struct, frozen=True):
    """One of many files."""

    first: int
    """The number of its first item."""
    path: str
    name: str
    state: Any
    """What was detected at its beginning and holds for all its items."""
    spooled: str = ""
    packed: bool = False


def scan_all(format: Format, sources: Sequence[Source]) -> tuple[Refs, tuple[Shard, ...]]:
    """The items of all files, numbered through; their places are those in their own files."""
    found: list[Refs] = []
    shards: list[Shard] = []
    held = count = 0
    spool: Spool | None = None
    for number, source in enumerate(sources):
        format.continues, format.before = number > 0, count
        refs = format.scan(source)
        refs.number = refs.number + count
        if "blanks" in refs.extra and count and len(refs):
            # Where a file ends, there is a blank line as between other items.
            refs.extra["blanks"] = refs.extra["blanks"].copy()
            refs.extra["blanks"][0] += 1
        shards.append(Shard(count, source.path, source.name, refs.state, refs.spooled, refs.packed))
        found.append(refs)
        count += len(refs)
        held += sum(map(len, refs.data or ()))
        if held > _MOST_HELD or spool is not None or refs.spooled:
            if spool is None:
                spool = Spool()
                format.__dict__.setdefault("_spools_of_shards", []).append(spool)
            for i, each in enumerate(found):
                if each.data is not None:
                    each.begin, each.end = spool.add(each.data)
                    each.data = None
                    shards[i] = msgspec.structs.replace(shards[i], spooled=spool.path)
    # Files without items have no columns either.
    return Refs.joined([refs for refs in found if len(refs)] or found[:1]), tuple(shards)


def by_shard(shards: Sequence[Shard], refs: Refs) -> Iterator[tuple[Shard, Ints, Refs]]:
    """The items of each file among some, and at which rows they are."""
    firsts = np.array([shard.first for shard in shards])
    # Of files without items, which begin at the same place as the next one, none has a row.
    which = np.searchsorted(firsts, refs.number, side="right") - 1
    for number in np.unique(which).tolist():
        shard, rows = shards[number], np.flatnonzero(which == number)
        part = refs.take(rows)
        part.state, part.spooled, part.packed = shard.state, shard.spooled, shard.packed
        yield shard, rows, part
