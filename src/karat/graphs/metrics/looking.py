"""Many pairs of graphs under their mappings, explained and shown by kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import Asked, ToLookAt
from karat.core.metric import Metric
from karat.core.scores import Array
from karat.core.shown import Fault, LookedOnce, Raw, ShownPairs
from karat.graphs.amr.triples import Top
from karat.graphs.matching.solver import Ids, Numbers, unpacked
from karat.graphs.model import Graph


class Lines(NamedTuple):
    """The graphs of both sides as lines of MRP."""

    sides: tuple[bytes, npt.NDArray[np.int64], bytes, npt.NDArray[np.int64]]
    """Of the system and of gold, with beginnings and ends."""
    from_file: bool
    """Else they were made of graphs."""

    @classmethod
    def of(cls, chunk: ToLookAt) -> Lines | None:
        """Those of files, or such as say the same; None where an item is no graph."""
        from karat.graphs.formats.mrp_tuples import is_read_natively, sides_of

        raw = chunk.raw()
        if raw is not None and len(raw.golds) == 1 and is_read_natively(raw.system, raw.golds[0]):
            return cls(sides_of(raw.system, raw.golds[0]), True)
        return cls.of_graphs(chunk.pairs())

    @classmethod
    def of_graphs(cls, pairs: Sequence[tuple[Any, Any]]) -> Lines | None:
        """Lines that say the same as graphs; None where an item is none, or has no such line."""
        if not all(isinstance(each, Graph) for pair in pairs for each in pair):
            return None
        try:
            systems = [_encoder.encode(system) for system, _ in pairs]
            golds: list[bytes] = []
            for i, (_, gold) in enumerate(pairs):  # several systems may have the same
                known = i > 0 and pairs[i - 1][1] is gold
                golds.append(golds[-1] if known else _encoder.encode(gold))
        except (UnicodeEncodeError, TypeError, OverflowError):  # no JSON has such values
            return None
        return cls((*_joined(systems), *_joined(golds)), False)


def _joined(lines: list[bytes]) -> tuple[bytes, npt.NDArray[np.int64]]:
    ends = np.cumsum([len(each) for each in lines], dtype=np.int64)
    return b"".join(lines), np.column_stack([np.concatenate(([0], ends[:-1])), ends])


def rows_of_graphs(
    metric: Metric[Any, Any], pairs: Sequence[tuple[Any, Any]], *, variant: bool = False
) -> Array | None:
    """Rows of 1 and by kind the tuples of gold, system and both; None where an item is no graph."""
    lines = Lines.of_graphs(pairs)
    if lines is None or not pairs:
        return None
    from karat.graphs.formats.mrp_tuples import with_lower_case

    known: list[tuple[bytes, bytes]] = []
    plain, counts = with_lower_case(
        lambda: _native.count_mrp(*lines.sides, known, metric=metric.name, variant=variant), known
    )
    rows = np.concatenate((np.ones((len(pairs), 1)), counts), axis=1, dtype=np.float64)
    for i in np.flatnonzero(plain == 0).tolist():
        rows[i] = metric.measure(*pairs[i])
    return rows


def look_at_graphs(
    chunk: ToLookAt,
    metric: str,
    *,
    variant: bool = False,
    mappings: Callable[[], tuple[Ids, Numbers]] | None = None,
    lowered: list[tuple[bytes, bytes]] | None = None,
) -> GraphLook | None:
    """Graphs as a metric compares them with its usual options; None where an item is no graph.

    `mappings` finds those of metrics that need them, `lowered` is what is known in lower case.
    """
    lines = Lines.of(chunk)
    if lines is None:
        return None
    if mappings is None:
        known = np.empty(0, np.int32), np.zeros(len(lines.sides[1]) + 1, np.int64)
    else:
        known = unpacked(chunk.mappings) if chunk.mappings else mappings()
    return GraphLook(lines, metric, variant, known, lowered or [], chunk.asked)


class GraphLook(LookedOnce):
    """Graphs that are compared by kernels."""

    def __init__(
        self,
        lines: Lines,
        metric: str,
        variant: bool,
        mappings: tuple[Ids, Numbers],
        lowered: list[tuple[bytes, bytes]],
        asked: Asked,
    ) -> None:
        super().__init__(asked)
        self._lines = lines
        self._metric = metric
        self._variant = variant
        self._mappings = mappings
        self._lowered = lowered

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        from karat.graphs.formats.mrp_tuples import with_lower_case

        sides, from_file = self._lines
        known = self._lowered
        explanations, found = with_lower_case(
            lambda: _native.look_at_mrp(
                *sides, known, *self._mappings, told, shown,
                metric=self._metric, variant=self._variant, from_file=from_file,
            ),
            known,
        )  # fmt: skip
        if not shown:
            return explanations, None
        *contents, faults = found
        return explanations, _shown_pairs(*contents, *faults)


class PenmanLook(LookedOnce):
    """AMR graphs in PENMAN notation, as smatch or, standardised, as smatch++ compares them."""

    def __init__(
        self,
        pairs: Sequence[tuple[Any, Any]],
        mappings: tuple[Ids, Numbers],
        top: Top,
        asked: Asked,
        *,
        standardized: bool = False,
    ) -> None:
        from karat.graphs.amr.text_matching import reifications

        super().__init__(asked)
        self._reifications = reifications() if standardized else None
        self._mappings = mappings
        self._golds = [str(gold) for _, gold in pairs]
        self._systems = [str(system) for system, _ in pairs]
        self._top_is_concept = top == "concept"

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        explanations, found = _native.look_at_penman(
            self._golds, self._systems, *self._mappings,
            top_is_concept=self._top_is_concept, told=told, shown=shown,
            reifications=self._reifications,
        )  # fmt: skip
        if not shown:
            return explanations, None
        overlays, faults = found
        # What is plain has no comments, so that there is no sentence.
        golds = [b"null,[%b]" % gold for gold in _raw(self._golds)]
        return explanations, _shown_pairs(golds, _raw(self._systems), overlays, *faults)


class ListLook(LookedOnce):
    """AMR graphs whose names, in lists, are compared by kernels, without a mapping."""

    def __init__(self, chunk: ToLookAt, metric: str, *, orders: int = 0, variant: bool = False):
        super().__init__(chunk.asked)
        self._pairs = chunk.pairs()
        self._compare = partial(
            _native.look_at_lists, metric=metric, orders=orders, variant=variant
        )

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        golds = [str(gold) for _, gold in self._pairs]
        systems = [str(system) for system, _ in self._pairs]
        explanations, notes = self._compare(golds, systems)
        if not shown:
            return explanations, None
        # What may be a comment tells what a graph was made from.
        views = [
            b"{},null,%b" % own if own and "#" not in gold else b""
            for own, gold in zip(notes, golds, strict=True)
        ]
        none = np.zeros(0, np.int32)
        shown_golds = [b"null,[%b]" % gold for gold in _raw(golds)]
        pairs = ShownPairs(shown_golds, _raw(systems), views, (), none, none, drawn=False)
        return explanations, pairs


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
