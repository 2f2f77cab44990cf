"""Unparsed items as bytes, for metrics that measure bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.options import Mode
from karat.core.reading.items import Ints, LazyItems, Refs
from karat.core.reading.strings import Offsets


class RawItems(NamedTuple):
    """Items of one file that are not parsed, and the bytes that hold them."""

    refs: Refs
    """Without keys and fields, which parsing would find."""
    data: bytes
    begin: Ints
    """Where the bytes of each item begin and end in `data`."""
    end: Ints
    format: Format
    file: str
    """The name of the file, for messages."""
    bounds: Offsets | None = None
    """For lists of strings in memory: the offset of the first string of each item."""

    def __len__(self) -> int:
        return len(self.begin if self.bounds is None else self.refs)


class Lists(Format):
    """Lists of strings in memory, in place of a file."""

    name = "lists"


class RawChunk(NamedTuple):
    """The unparsed items of a chunk.

    Those at the same place are a pair, unless the metric pairs by itself.
    """

    system: RawItems
    golds: Sequence[RawItems]
    """The items of each gold file; none where the system's hold their own gold."""
    mode: Mode


def _of_memory(refs: Refs, name: str) -> RawItems | None:
    """Strings in memory are like lines of a file, also lists of them; None for other items."""
    if not isinstance(refs.items, LazyItems):
        return None
    texts = refs.items.strings()
    if texts is None:
        lists = refs.items.lists()
        if lists is None:
            return None
        texts, bounds = lists
        return RawItems(refs, texts.data, texts.begin, texts.end, Lists(), name, bounds)
    from karat.core.registry import format_class

    return RawItems(refs, texts.data, texts.begin, texts.end, format_class("lines")(), name)


def raw_items(refs: Refs, format: Format, path: str, name: str) -> RawItems | None:
    """The bytes of items; None where the format had to parse them to find them."""
    if refs.items is not None:
        return _of_memory(refs, name)
    if refs.data is not None:
        ends = np.cumsum([len(each) for each in refs.data], dtype=np.int64)
        sizes = np.diff(ends, prepend=0)
        return RawItems(refs, b"".join(refs.data), ends - sizes, ends, format, name)
    data, begin = Source(refs.spooled or path).read_together(refs.begin, refs.end)
    return RawItems(refs, data, begin, begin + (refs.end - refs.begin), format, name)
