"""Many pairs of graphs under their mappings, explained and shown by kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.raw import RawChunk
from karat.core.shown import Fault, Raw, ShownPairs
from karat.graphs.amr.triples import Top
from karat.graphs.matching.solver import Ids, Matchings, Numbers


class MrpLook:
    """Graphs of MRP, from the lines of files."""

    def __init__(
        self, chunk: RawChunk, lowered: list[tuple[bytes, bytes]], mappings: tuple[Ids, Numbers]
    ) -> None:
        from karat.graphs.formats.mrp_tuples import sides_of  # which PENMAN does without

        self._sides = sides_of(chunk.system, chunk.golds[0])
        self._lowered = lowered
        self._mappings = mappings

    def explanations(self) -> list[bytes]:
        (found,) = self._given_by(_native.mrp_explanations)
        return found  # type: ignore[no-any-return]

    def shown(self) -> ShownPairs:
        *contents, faults = self._given_by(_native.mrp_overlays)
        return _shown_pairs(*contents, *faults)

    def _given_by(self, kernel: Callable[..., Any]) -> Any:
        from karat.graphs.formats.mrp_tuples import with_lower_case

        known = self._lowered
        return with_lower_case(lambda: kernel(*self._sides, known, *self._mappings), known)


class PenmanLook:
    """AMR graphs in PENMAN notation."""

    def __init__(self, pairs: Sequence[tuple[Any, Any]], matchings: Matchings, top: Top) -> None:
        self._golds = [str(gold) for _, gold in pairs]
        self._systems = [str(system) for system, _ in pairs]
        self._mappings = matchings.mapping, matchings.mapping_offsets
        self._top_is_concept = top == "concept"

    def explanations(self) -> list[bytes]:
        return _native.penman_explanations(
            self._golds, self._systems, *self._mappings, top_is_concept=self._top_is_concept
        )

    def shown(self) -> ShownPairs:
        overlays, faults = _native.penman_overlays(
            self._golds, self._systems, *self._mappings, top_is_concept=self._top_is_concept
        )
        # What is plain has no comments, so that there is no sentence.
        golds = [b"null,[" + _raw(gold) + b"]" for gold in self._golds]
        return _shown_pairs(golds, [_raw(system) for system in self._systems], overlays, *faults)


def _shown_pairs(
    golds: Sequence[bytes],
    systems: Sequence[bytes],
    overlays: Sequence[bytes],
    bounds: npt.NDArray[np.int64],
    found: Ids,
    faults: Sequence[Fault],
) -> ShownPairs:
    """Pairs that have overlays, or none where one has to be shown by itself."""
    views = [b"{},%b,[]" % overlay if overlay else b"" for overlay in overlays]
    rows = np.repeat(np.arange(len(views), dtype=np.int32), np.diff(bounds))
    return ShownPairs(golds, systems, views, faults, rows, found)


def _raw(text: str) -> bytes:
    return msgspec.json.encode(Raw(text))
