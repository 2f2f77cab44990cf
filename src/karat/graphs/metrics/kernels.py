"""Graphs as kernels take them: lines of MRP, and texts in PENMAN notation.

What kernels make of many pairs at once: tables of tuples to be matched, counts, explanations, and
what a page shows. Where they cannot read an item, it is for the caller to parse it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.capabilities import LazyPairs, WantedOutputs
from karat.core.metric import Metric
from karat.core.reading.raw import RawChunk
from karat.core.scores import Array
from karat.core.shown import CachedOutputs, Fault, Raw, ShownPairs
from karat.graphs.formats.base import fields_of
from karat.graphs.matching.solver import (
    Ids,
    Kind,
    Matchings,
    Numbers,
    graph_pairs,
    match_flat,
    unpacked,
)
from karat.graphs.model import Graph

if TYPE_CHECKING:
    from karat.graphs.amr.penman import Top

Lowered: TypeAlias = list[tuple[bytes, bytes]]
"""What is not ASCII, and the same in lower case."""
Sides: TypeAlias = tuple[bytes, npt.NDArray[np.int64], bytes, npt.NDArray[np.int64]]
"""Lines of MRP of the system and of gold, each with where they begin and end."""


def sides_of(chunk: RawChunk | None) -> Sides | None:
    """The lines of a chunk; None where its files are not MRP, read as it usually is."""
    from karat.graphs.formats.mrp import Mrp  # most graphs that are measured are not in MRP

    if chunk is None or len(chunk.golds) != 1:
        return None
    sides = chunk.system, chunk.golds[0]
    if not all(isinstance(each.format, Mrp) and not each.format.robust for each in sides):
        return None
    (ours, mine), (theirs, yours) = (
        (each.data, np.column_stack([each.begin, each.end])) for each in sides
    )
    return ours, mine, theirs, yours


def with_lower_case(kernel: Callable[[Lowered], Any], known: Lowered | None = None) -> Any:
    """What a kernel gives, when it is told the lower case of all that is not ASCII."""
    known = [] if known is None else known
    while True:
        *found, asked = kernel(known)
        if not asked:
            return found
        known += [(text, text.decode().lower().encode()) for text in asked]


# -- to be matched --------------------------------------------------------------------------------


class PairedTuples(NamedTuple):
    """The graphs of a chunk of pairs, normalised, as the matcher takes them."""

    nodes: Ids
    """How many nodes gold and system have."""
    modes: Sequence[int]
    gold: Sequence[npt.NDArray[Any]]
    system: Sequence[npt.NDArray[Any]]
    plain: npt.NDArray[np.bool_]
    """Which pairs were read; others have no tuples."""
    fields: Sequence[dict[str, str]] = ()
    """Those of the gold items."""
    lowered: Sequence[tuple[bytes, bytes]] = ()

    def matched(self, kinds: Sequence[Kind], **search: Any) -> Matchings:
        """The matchings of all pairs, by the options of `match_many`."""
        pairs = graph_pairs(self.nodes, self.modes, self.gold, self.system, kinds)
        return match_flat(pairs, self.nodes[:, 0].tolist(), **search)


def tuples_of_lines(chunk: RawChunk, *, lenient: bool = False) -> PairedTuples | None:
    """The tuples of lines of MRP, where these are plain; None where the format is another one.

    With `lenient`, lines may be such that reading them gives a notice.
    """
    sides = sides_of(chunk)
    if sides is None:
        return None
    lowered: Lowered = []
    plain, nodes, modes, theirs, ours, words, told = with_lower_case(
        lambda known: _native.mrp_tuples(*sides, known, lenient=lenient), lowered
    )
    fields = [
        fields_of(*names, nodes=count, words=None if size < 0 else size)
        for names, count, size in zip(told, nodes[:, 0].tolist(), words.tolist(), strict=True)
    ]
    return PairedTuples(
        nodes, modes.tolist(), theirs, ours, plain.astype(np.bool_), fields, lowered
    )


def tuples_of_texts(pairs: Sequence[tuple[Any, Any]], read: Callable[..., Any]) -> PairedTuples:
    """The triples of texts in PENMAN notation, as a kernel reads those of gold and system."""
    plain, nodes, gold, system = read(*_texts(pairs))
    return PairedTuples(nodes, [0] * len(plain), gold, system, plain.astype(np.bool_))


def _texts(pairs: Sequence[tuple[Any, Any]]) -> tuple[list[str], list[str]]:
    return [str(gold) for _, gold in pairs], [str(system) for system, _ in pairs]


def reifications(as_tool: bool = False) -> list[tuple[str, str, str, str]]:
    """Concepts that stand for a role, as kernels take them."""
    from karat.graphs.amr.statements import edges_of_concepts  # for graphs in PENMAN notation

    return [(concept, *edge) for concept, edge in edges_of_concepts(as_tool).items()]


# -- explained and shown --------------------------------------------------------------------------


class Lines(NamedTuple):
    """The graphs of both sides as lines of MRP."""

    sides: Sides
    from_file: bool
    """Else they were made of graphs."""

    @classmethod
    def of(cls, chunk: LazyPairs) -> Lines | None:
        """Those of files, or such as say the same; None where an item is no graph."""
        sides = sides_of(chunk.raw())
        return cls.of_graphs(chunk.pairs()) if sides is None else cls(sides, True)

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
    plain, counts = with_lower_case(
        lambda known: _native.count_mrp(*lines.sides, known, metric=metric.name, variant=variant)
    )
    rows = np.concatenate((np.ones((len(pairs), 1)), counts), axis=1, dtype=np.float64)
    for i in np.flatnonzero(plain == 0).tolist():
        rows[i] = metric.measure(*pairs[i])
    return rows


def look_at_graphs(
    chunk: LazyPairs,
    metric: str,
    *,
    variant: bool = False,
    mappings: Callable[[], tuple[Ids, Numbers]] | None = None,
    lowered: Lowered | None = None,
) -> GraphOutputs | None:
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
    return GraphOutputs(lines, metric, variant, known, lowered or [], chunk.outputs)


class GraphOutputs(CachedOutputs):
    """Graphs that are compared by kernels."""

    def __init__(
        self,
        lines: Lines,
        metric: str,
        variant: bool,
        mappings: tuple[Ids, Numbers],
        lowered: Lowered,
        outputs: WantedOutputs,
    ) -> None:
        super().__init__(outputs)
        self._lines = lines
        self._metric = metric
        self._variant = variant
        self._mappings = mappings
        self._lowered = lowered

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        sides, from_file = self._lines
        explanations, found = with_lower_case(
            lambda known: _native.look_at_mrp(
                *sides, known, *self._mappings, told, shown,
                metric=self._metric, variant=self._variant, from_file=from_file,
            ),
            self._lowered,
        )  # fmt: skip
        if not shown:
            return explanations, None
        *contents, faults = found
        return explanations, _shown_pairs(*contents, *faults)


class PenmanOutputs(CachedOutputs):
    """AMR graphs in PENMAN notation, as smatch or, standardised, as smatch++ compares them."""

    def __init__(
        self,
        pairs: Sequence[tuple[Any, Any]],
        mappings: tuple[Ids, Numbers],
        top: Top,
        outputs: WantedOutputs,
        *,
        standardized: bool = False,
    ) -> None:
        super().__init__(outputs)
        self._reifications = reifications() if standardized else None
        self._mappings = mappings
        self._golds, self._systems = _texts(pairs)
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


class ListOutputs(CachedOutputs):
    """AMR graphs whose names, in lists, are compared by kernels, without a mapping."""

    def __init__(self, chunk: LazyPairs, metric: str, *, orders: int = 0, variant: bool = False):
        super().__init__(chunk.outputs)
        self._pairs = chunk.pairs()
        self._compare = partial(
            _native.look_at_lists, metric=metric, orders=orders, variant=variant
        )

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        golds, systems = _texts(self._pairs)
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
