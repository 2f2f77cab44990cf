"""Proven optimal matching of two graphs, on integers.

This is the typed side of the native matcher. It knows nodes, features and edges
as numbers only; what they stand for is the caller's business.

A node feature is a row (node, kind, value), an edge a row (source, target, kind,
value). Under a mapping of gold nodes to system nodes two features match when
kind and value agree and their nodes are paired, two edges when kind and value
agree and both ends are paired, source with source. Self-loops match self-loops
only. What a side has twice counts once. The mapping found is one-to-one and
maximises the number of matches, weighted by kind.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, overload

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.options import Range

Mode = Literal["free", "ordered", "dominated"]
Ids = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]

_T = TypeVar("_T", bound=np.generic)
_MODES: dict[Mode, int] = {"free": 0, "ordered": 1, "dominated": 2}

#: Elementary operations for one pair; a second or two when all are needed
#: (docs/matching.md, section 10).
DEFAULT_BUDGET = 1_000_000_000
Budget: TypeAlias = Annotated[
    int, Range(0), "work to spend on one pair before its score is called not proven"
]
#: The same for choosing among mappings of equal value.
DEFAULT_TIE_BUDGET = 50_000_000


class Kind(msgspec.Struct, frozen=True):
    """The weight of matches of one kind, and their rank in breaking ties.

    Of all mappings of the greatest value one is taken that has most matches of
    rank 1, among those most of rank 2, and so on; rank 0 takes no part, nor does a
    kind of weight 0.
    """

    weight: int = 1
    rank: int = 0


class Side(msgspec.Struct, frozen=True, eq=False):
    """One graph: tables of integers, as arrays or (nested or flat) sequences.

    The fastest to take over is a flat `array("i")`, row after row.
    """

    nodes: int
    features: npt.ArrayLike = ()  # node, kind, value
    edges: npt.ArrayLike = ()  # source, target, kind, value
    below: npt.ArrayLike = ()  # upper, lower: the transitive closure, for mode "dominated"


class GraphPair(msgspec.Struct, frozen=True, eq=False):
    """Two graphs to match.

    `ordered`: of two paired gold nodes the earlier has the earlier partner.
    `dominated`: what lies below a paired gold node has its partner below that
    node's partner, and nodes with nothing below them pair only with such nodes.
    """

    gold: Side
    system: Side
    mode: Mode = "free"


class Climb(msgspec.Struct, frozen=True):
    """Hill climbing in place of a search that proves its result, for pairs of mode "free".

    The first climb begins with pairs of nodes that share most, `restarts` more with
    random ones; each takes the best step until none is left. The same seed gives the
    same mapping for a pair, whatever pairs stand beside it.
    """

    restarts: int = 4
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """The best mapping of one pair, and how good any mapping can be."""

    mapping: Ids  # the system node of each gold node, or -1
    value: int  # the weight of all matches
    bound: int  # no mapping has a greater value
    settled: bool  # no mapping of the same value is preferred by the ranks
    work: int  # elementary operations spent
    gold: Numbers  # distinct tuples of each kind
    system: Numbers
    matched: Numbers
    certificate: Numbers = field(repr=False)  # see check_many

    @property
    def proven(self) -> bool:
        """No other mapping has a greater value."""
        return self.value == self.bound

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Gold nodes that have a partner, with it."""
        return [(i, j) for i, j in enumerate(self.mapping.tolist()) if j >= 0]


@dataclass(frozen=True, slots=True, eq=False)
class Matchings(Sequence[Matching]):
    """The matchings of many pairs, as arrays with one row for each pair."""

    mapping: Ids  # one entry for each gold node of each pair
    mapping_offsets: Numbers
    value: Numbers
    bound: Numbers
    settled: npt.NDArray[np.bool_]
    work: Numbers
    counts: Numbers  # (pairs, 3, kinds): tuples of gold, of system, and matched ones
    certificate: Numbers
    certificate_offsets: Numbers

    def packed(self) -> list[bytes]:
        """The mapping of each pair as bytes; `unpacked` reads them."""
        data, ends = self.mapping.tobytes(), (4 * self.mapping_offsets).tolist()
        return [data[begin:end] for begin, end in pairwise(ends)]

    @property
    def proven(self) -> npt.NDArray[np.bool_]:
        """For each pair, whether no other mapping has a greater value."""
        return np.equal(self.value, self.bound)

    def __len__(self) -> int:
        return len(self.value)

    @overload
    def __getitem__(self, index: int) -> Matching: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Matching]: ...
    def __getitem__(self, index: int | slice) -> Matching | Sequence[Matching]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        gold, system, matched = self.counts[i]
        return Matching(
            mapping=_part(self.mapping, self.mapping_offsets, i),
            value=int(self.value[i]),
            bound=int(self.bound[i]),
            settled=bool(self.settled[i]),
            work=int(self.work[i]),
            gold=gold,
            system=system,
            matched=matched,
            certificate=_part(self.certificate, self.certificate_offsets, i),
        )


class Verdicts(msgspec.Struct, frozen=True, eq=False):
    """Values and bounds that mappings and certificates prove by themselves, for each pair."""

    valid: npt.NDArray[np.bool_]  # the mapping obeys its mode, the certificate fits the pair
    value: Numbers  # of the mapping; 0 where not valid
    bound: Numbers  # no mapping has a greater value; 0 where not valid


def unpacked(mappings: Sequence[bytes]) -> tuple[Ids, Numbers]:
    """The mappings of many pairs in one array, and where each begins."""
    offsets = offsets_of(len(each) // 4 for each in mappings)
    return np.frombuffer(b"".join(mappings), np.int32), offsets


def match_many(
    pairs: Sequence[GraphPair],
    kinds: Sequence[Kind],
    *,
    budget: int = DEFAULT_BUDGET,
    tie_budget: int = DEFAULT_TIE_BUDGET,
    threads: int = 1,
    climb: Climb | None = None,
) -> Matchings:
    """Best mappings of all pairs, the same on any machine and any number of threads.

    When the budget ends first, `bound` stays above `value`: the optimum lies
    between them. With a `tie_budget` of 0 any mapping of the greatest value is taken.
    With `climb` the mappings are what hill climbing finds; `bound` holds all the same.

    >>> gold = Side(2, features=[(0, 0, 7), (1, 0, 8)], edges=[(0, 1, 1, 5)])
    >>> system = Side(3, features=[(2, 0, 7), (0, 0, 9)], edges=[(2, 0, 1, 5)])
    >>> [matching] = match_many([GraphPair(gold, system)], [Kind(), Kind()])
    >>> matching.mapping.tolist(), matching.value, matching.proven
    ([2, 0], 2, True)
    """
    return match_flat(
        flat_pairs(pairs, kinds),
        [pair.gold.nodes for pair in pairs],
        budget=budget,
        tie_budget=tie_budget,
        threads=threads,
        climb=climb,
    )


def match_flat(
    pairs: _native.GraphPairs,
    gold_nodes: Iterable[int],
    *,
    budget: int = DEFAULT_BUDGET,
    tie_budget: int = DEFAULT_TIE_BUDGET,
    threads: int = 1,
    climb: Climb | None = None,
) -> Matchings:
    """The same for pairs that are in flat arrays already, with their numbers of gold nodes."""
    if climb is None:
        result = _native.match_pairs(pairs, budget=budget, tie_budget=tie_budget, threads=threads)
    else:
        result = _native.climb_pairs(
            pairs, budget=budget, restarts=climb.restarts, seed=climb.seed, threads=threads
        )
    mapping, value, bound, settled, work, counts, certificate, offsets = result
    return Matchings(
        mapping=mapping,
        mapping_offsets=offsets_of(gold_nodes),
        value=value,
        bound=bound,
        settled=settled.astype(np.bool_),
        work=work,
        counts=counts,
        certificate=certificate,
        certificate_offsets=offsets,
    )


def check_many(
    pairs: Sequence[GraphPair],
    kinds: Sequence[Kind],
    mappings: Sequence[npt.ArrayLike],
    certificates: Sequence[npt.ArrayLike],
) -> Verdicts:
    """Recomputes value and bound from mappings and certificates, without a search.

    Any certificate that fits gives a true bound; that of a proven matching gives
    a bound equal to its value, unless the proof took branch and bound. Those few
    are matched again to be verified.
    """
    sizes = [np.size(mapping) for mapping in mappings]
    if sizes != [pair.gold.nodes for pair in pairs]:
        raise ValueError("one mapping for each pair, with one entry for each gold node")
    flat = [np.asarray(certificate, np.int64).ravel() for certificate in certificates]
    valid, value, bound = _native.check_pairs(
        flat_pairs(pairs, kinds),
        _joined([np.asarray(mapping, np.int32).ravel() for mapping in mappings], np.int32),
        _joined(flat, np.int64),
        offsets_of(map(len, flat)),
    )
    return Verdicts(valid.astype(np.bool_), value, bound)


def flat_pairs(pairs: Sequence[GraphPair], kinds: Sequence[Kind]) -> _native.GraphPairs:
    """All pairs in the flat arrays that the native side takes."""
    counts = [(pair.gold.nodes, pair.system.nodes) for pair in pairs]
    return graph_pairs(
        np.array(counts, np.int32).reshape(-1, 2),
        [_MODES[pair.mode] for pair in pairs],
        _tables([pair.gold for pair in pairs]),
        _tables([pair.system for pair in pairs]),
        kinds,
    )


def graph_pairs(
    nodes: Ids,
    modes: Sequence[int],
    gold: Sequence[npt.NDArray[Any]],
    system: Sequence[npt.NDArray[Any]],
    kinds: Sequence[Kind],
) -> _native.GraphPairs:
    """The arrays of all pairs: for each side features, edges and, unless there are none, what lies
    below what, each with its offsets."""
    names = [f"{table}{end}" for table in ("feature", "edge") for end in ("s", "_offsets")]
    names += ["below", "below_offsets"]
    if len(gold) < len(names):
        below = np.empty((0, 2), np.int32), np.zeros(len(nodes) + 1, np.int64)
        gold, system = (*gold, *below), (*system, *below)
    return _native.GraphPairs(
        nodes=nodes,
        modes=np.array(modes, np.int32),
        **{f"gold_{name}": table for name, table in zip(names, gold, strict=True)},
        **{f"system_{name}": table for name, table in zip(names, system, strict=True)},
        weights=np.array([kind.weight for kind in kinds], np.int64),
        ranks=np.array([kind.rank for kind in kinds], np.int32),
    )


def _tables(sides: Sequence[Side]) -> list[npt.NDArray[Any]]:
    return [
        *_table([side.features for side in sides], 3),
        *_table([side.edges for side in sides], 4),
        *_table([side.below for side in sides], 2),
    ]


def _table(tables: Sequence[npt.ArrayLike], columns: int) -> tuple[Ids, Numbers]:
    """All tables in one, and where the rows of each begin."""
    packed = [_packed(table) for table in tables]
    offsets = offsets_of(_row_count(numbers, columns) for numbers in packed)
    return np.frombuffer(b"".join(packed), np.int32).reshape(-1, columns), offsets


def rows_of(table: npt.ArrayLike, columns: int) -> list[list[int]]:
    """The rows of a table of a side."""
    return np.frombuffer(_packed(table), np.int32).reshape(-1, columns).tolist()


def _packed(table: npt.ArrayLike) -> bytes:
    """The numbers of a table, four bytes each."""
    if isinstance(table, array) and table.typecode == "i":
        return table.tobytes()
    if isinstance(table, tuple) and not table:
        return b""
    return np.asarray(table, np.int32).tobytes()


def _row_count(packed: bytes, columns: int) -> int:
    rows, rest = divmod(len(packed), 4 * columns)
    if rest:
        raise ValueError(f"there are no rows of {columns} in {len(packed) // 4} numbers")
    return rows


def _joined(arrays: list[npt.NDArray[_T]], dtype: type[_T]) -> npt.NDArray[_T]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)


def offsets_of(sizes: Iterable[int]) -> Numbers:
    """Where parts of these sizes begin and end in one array."""
    return np.array([0, *sizes], np.int64).cumsum()


def _part(flat: npt.NDArray[_T], offsets: Numbers, i: int) -> npt.NDArray[_T]:
    return flat[offsets[i] : offsets[i + 1]]
