"""Tuples of MRP graphs from the bytes of a chunk, where their lines are plain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.raw import RawItems
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
    plain: npt.NDArray[np.bool_]
    """Which pairs were read; others have no tuples."""
    lowered: list[tuple[bytes, bytes]]
    """What is not ASCII, and the same in lower case."""

    def pairs(self, kinds: Sequence[Kind]) -> _native.GraphPairs:
        """All pairs, to be matched."""
        below = np.empty((0, 2), np.int32), np.zeros(len(self.nodes) + 1, np.int64)
        return graph_pairs(
            self.nodes, self.modes.tolist(), (*self.gold, *below), (*self.system, *below), kinds
        )


def tuples_of(system: RawItems, gold: RawItems, *, lenient: bool = False) -> PairedTuples | None:
    """The tuples of both sides, where lines are plain; None where the format is another one.

    With `lenient`, lines may be such that reading them gives a notice.
    """
    if not is_read_natively(system, gold):
        return None
    known: list[tuple[bytes, bytes]] = []
    plain, nodes, modes, theirs, ours, words, told = with_lower_case(
        lambda: _native.mrp_tuples(*sides_of(system, gold), known, lenient=lenient), known
    )
    fields = [
        fields_of(*names, nodes=count, words=None if size < 0 else size)
        for names, count, size in zip(told, nodes[:, 0].tolist(), words.tolist(), strict=True)
    ]
    return PairedTuples(nodes, modes, theirs, ours, fields, plain.astype(np.bool_), known)


def is_read_natively(*sides: RawItems) -> bool:
    """Whether the format of all of them is MRP, read as it usually is."""
    return all(isinstance(each.format, Mrp) and not each.format.robust for each in sides)


def sides_of(
    system: RawItems, gold: RawItems
) -> tuple[bytes, npt.NDArray[np.int64], bytes, npt.NDArray[np.int64]]:
    """The lines of both sides, as kernels take them."""
    return system.data, _spans(system), gold.data, _spans(gold)


def with_lower_case(kernel: Callable[[], Any], known: list[tuple[bytes, bytes]]) -> Any:
    """What a kernel gives, when it is told the lower case of all that is not ASCII."""
    while True:
        *found, asked = kernel()
        if not asked:
            return found
        known += [(text, text.decode().lower().encode()) for text in asked]


def _spans(items: RawItems) -> npt.NDArray[np.int64]:
    return np.column_stack([items.begin, items.end])
