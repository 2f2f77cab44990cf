"""Many pairs of graphs under their mappings, explained and shown by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import Asked
from karat.core.reading.raw import RawChunk
from karat.core.shown import Fault, LookedOnce, Raw, ShownPairs
from karat.graphs.amr.triples import Top
from karat.graphs.matching.solver import Ids, Numbers


class MrpLook(LookedOnce):
    """Graphs of MRP, from the lines of files."""

    def __init__(
        self,
        chunk: RawChunk,
        lowered: list[tuple[bytes, bytes]],
        mappings: tuple[Ids, Numbers],
        asked: Asked,
    ) -> None:
        from karat.graphs.formats.mrp_tuples import sides_of  # which PENMAN does without

        super().__init__(asked)
        self._mappings = mappings
        self._sides = sides_of(chunk.system, chunk.golds[0])
        self._lowered = lowered

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        from karat.graphs.formats.mrp_tuples import with_lower_case

        known = self._lowered
        explanations, found = with_lower_case(
            lambda: _native.look_at_mrp(*self._sides, known, *self._mappings, told, shown), known
        )
        if not shown:
            return explanations, None
        *contents, faults = found
        return explanations, _shown_pairs(*contents, *faults)


class PenmanLook(LookedOnce):
    """AMR graphs in PENMAN notation."""

    def __init__(
        self,
        pairs: Sequence[tuple[Any, Any]],
        mappings: tuple[Ids, Numbers],
        top: Top,
        asked: Asked,
    ) -> None:
        super().__init__(asked)
        self._mappings = mappings
        self._golds = [str(gold) for _, gold in pairs]
        self._systems = [str(system) for system, _ in pairs]
        self._top_is_concept = top == "concept"

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        explanations, found = _native.look_at_penman(
            self._golds, self._systems, *self._mappings,
            top_is_concept=self._top_is_concept, told=told, shown=shown,
        )  # fmt: skip
        if not shown:
            return explanations, None
        overlays, faults = found
        # What is plain has no comments, so that there is no sentence.
        golds = [b"null,[%b]" % gold for gold in _raw(self._golds)]
        return explanations, _shown_pairs(golds, _raw(self._systems), overlays, *faults)


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


def _raw(texts: list[str]) -> list[bytes]:
    return _encoder.encode_lines(list(map(Raw, texts))).splitlines()


_encoder = msgspec.json.Encoder()
