"""Tuples of MRP graphs from the bytes of a chunk, where their lines are plain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.raw import RawItems
from karat.graphs.formats.base import fields_of
from karat.graphs.formats.mrp import Mrp
from karat.graphs.matching.solver import Ids, Kind, graph_pairs


class PairedTuples(NamedTuple):
    """The graphs of a chunk of pairs, normalised, as the matcher takes them."""

    nodes: Ids
    """How many nodes gold and system have."""
    modes: Ids
    gold: Sequence[npt.NDArray[Any]]
    system: Sequence[npt.NDArray[Any]]
    fields: list[dict[str, str]]
    """Those of the gold items."""

    def pairs(self, kinds: Sequence[Kind]) -> _native.GraphPairs:
        """All pairs, to be matched."""
        below = np.empty((0, 2), np.int32), np.zeros(len(self.nodes) + 1, np.int64)
        return graph_pairs(
            self.nodes, self.modes.tolist(), (*self.gold, *below), (*self.system, *below), kinds
        )


def tuples_of(system: RawItems, gold: RawItems) -> PairedTuples | None:
    """The tuples of both sides; None where a line is not plain, and has to be parsed."""
    for items in (system, gold):
        if not isinstance(items.format, Mrp) or items.format.robust:
            return None
    sides = (system.data, _spans(system), gold.data, _spans(gold))
    plain, nodes, modes, theirs, ours, words, told, asked = _native.mrp_tuples(*sides, [])
    if asked:
        # What is not ASCII is lowered here, and then all is read again.
        known = [(text, text.decode().lower().encode()) for text in asked]
        plain, nodes, modes, theirs, ours, words, told, _ = _native.mrp_tuples(*sides, known)
    if not plain.all():
        return None
    fields = [
        fields_of(*names, nodes=count, words=None if size < 0 else size)
        for names, count, size in zip(told, nodes[:, 0].tolist(), words.tolist(), strict=True)
    ]
    return PairedTuples(nodes, modes, theirs, ours, fields)


def _spans(items: RawItems) -> npt.NDArray[np.int64]:
    return np.column_stack([items.begin, items.end])
