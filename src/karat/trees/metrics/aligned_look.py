"""Trees over two sentences, many pairs at once, for item files and pages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from karat import _native
from karat.core.capabilities import ToLookAt
from karat.core.reading.raw import RawChunk
from karat.core.shown import LookedOnce, ShownPairs
from karat.trees.formats.columns import same_ids, side_of

_NOTHING = b"{},null,[]"
"""There are neither layers nor notes: the trees are shown side by side."""


class AlignedLook(LookedOnce):
    """Pairs whose trees are drawn from the bytes of files, and explained by one call."""

    def __init__(
        self, chunk: ToLookAt, shown: ShownPairs, tell: Callable[..., list[bytes]]
    ) -> None:
        super().__init__(chunk.asked)
        self._chunk = chunk
        self._pairs = shown
        self._tell = tell

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        return self._tell(self._chunk.pairs()) if told else None, self._pairs


def look_at_aligned(chunk: ToLookAt, tell: Callable[..., list[bytes]]) -> AlignedLook | None:
    """The pairs of a chunk, which `tell` explains; None where trees cannot be read so."""
    raw = chunk.raw()
    shown = None if raw is None else _drawn(raw)
    return None if shown is None else AlignedLook(chunk, shown, tell)


def _drawn(raw: RawChunk) -> ShownPairs | None:
    sides = []
    for items in (raw.system, *raw.golds):
        side = side_of(items)
        arcs = None if side is None else _native.tree_arcs(side)
        if arcs is None or len(arcs) != len(raw.golds[0]):
            return None
        sides.append(arcs)
    if raw.mode == "auto" and not all(same_ids(raw.system, gold) for gold in raw.golds):
        return None
    systems, *golds = sides
    none = np.zeros(0, np.int32)
    return ShownPairs(
        [b"null,[%b]" % b",".join(each) for each in zip(*golds, strict=True)],
        systems,
        [_NOTHING] * len(systems),
        (),
        none,
        none,
    )
