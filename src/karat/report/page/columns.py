"""Columns and blocks of a page: arrays and texts, each compressed in an element of its own."""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from karat._native import deflated
from karat.core.scores import Array
from karat.report.contract import Column, ItemSet
from karat.report.page.arrangement import Items
from karat.report.page.items import Collector

BLOCK = 1024
"""So many items are compressed together."""
MOST_VALUES = 2000
"""A field with more values is not offered as a filter."""
LONGEST_VALUE = 200
"""Longer values are texts, not names of groups."""
_GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
"""What stands before a compressed stream: no name, no time, no system."""
_QUICK, _THOROUGH = 4, 64
"""How many earlier places compression looks at."""
_LITTLE = 256_000
"""So many bytes are compressed thoroughly, which takes three times as long or more."""
_FEW_BLOCKS = 2
"""And so many blocks: for more items, writing would take too long beside measuring."""
_LINE_ENDS = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_PER_PAIR, _PER_SYSTEM, _PER_GROUP, _AT_RANDOM = 2000, 2000, 200, 2000


class Stored:
    """What the page holds in compressed elements, by their ids; made when it is asked for."""

    def __init__(self) -> None:
        self._makers: dict[str, Callable[[], bytes]] = {}

    def add(self, id: str, make: Callable[[], bytes]) -> None:
        self._makers[id] = make

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __contains__(self, id: object) -> bool:
        return id in self._makers

    def data(self, id: str) -> bytes:
        """The bytes of an element, not compressed."""
        return self._makers[id]()


def packed(data: bytes, thorough: bool = False) -> bytes:
    """Gzip with nothing in its head that differs from time to time."""
    ends = zlib.crc32(data), len(data) & 0xFFFFFFFF
    made = deflated(data, _THOROUGH if thorough or len(data) <= _LITTLE else _QUICK)
    return b"".join((_GZIP, made, *(end.to_bytes(4, "little") for end in ends)))


def embedded(data: bytes, thorough: bool = False) -> bytes:
    return b64encode(packed(data, thorough))


def item_keys(items: Items) -> list[str]:
    """The name of each item in addresses: its id; further ones of an id get a number."""
    ids = items.first.ids
    if len(set(ids)) == len(ids) and not _LINE_ENDS.search("".join(ids)):  # as nearly always
        return list(ids)
    seen: dict[str, int] = {}
    keys = []
    for id in ids:
        name = _LINE_ENDS.sub("␤", id)
        seen[name] = seen.get(name, 0) + 1
        keys.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return keys


def make_columns(
    number: int, items: Items, fields: Sequence[str], into: Stored
) -> tuple[list[Column], dict[str, str]]:
    """Keys, scores and facets of a set, and the ids of the facets' columns by field."""
    columns: list[Column] = []

    def add(name: str, role: str, dtype: str, data: bytes, **more: Any) -> str:
        id = f"k-{number}c{len(columns)}"
        columns.append(Column(id, name, role, dtype, len(data), **more))
        into.add(id, lambda: data)
        return id

    add("item", "key", "text", "\n".join(item_keys(items)).encode("utf-8", "replace"))
    for m in range(len(items.runs)):
        for s, run in items.measured(m):
            add("score", "score", "f8", _bytes(items.scores(run), "<f8"), metric=m, system=s)
    ids = {}
    groups = items.first.groups
    for field in dict.fromkeys([*fields, *groups]):
        if field not in groups:
            continue
        names = list(dict.fromkeys(groups[field]))
        if field not in fields and (field == items.input_field or not _tells_apart(names)):
            continue
        places = {name: i for i, name in enumerate(names)}
        coded = np.fromiter(map(places.__getitem__, groups[field]), np.int64, len(items))
        dtype = "u1" if len(names) <= 256 else "u2" if len(names) <= 65536 else "u4"
        ids[field] = add(field, "facet", dtype, _bytes(coded, f"<{dtype}"), values=names)
    return columns, ids


def _tells_apart(names: Sequence[str]) -> bool:
    """Whether the values of a field make groups: there are several, and none is a whole text."""
    return 1 < len(names) <= MOST_VALUES and max(map(len, names)) <= LONGEST_VALUE


def make_postings(number: int, found: ItemSet, collector: Collector, into: Stored) -> None:
    """A column for each listed error and system: the rows that have it, as distances."""
    rows, keys, found.errors_left_out = collector.errors()
    for row, (metric, fault) in zip(rows, keys, strict=True):
        for s, times in enumerate(row.times):
            if times:
                places = collector.faults[metric].items_with(fault, s)
                id = f"k-{number}c{len(found.columns)}"
                found.columns.append(posting(id, "error", places, into, s))
                row.columns[s] = id
    found.errors = rows
    found.confusions = collector.confusions()


def posting(
    id: str, name: str, rows: npt.NDArray[np.int64], into: Stored, system: int = -1
) -> Column:
    """A column of rows in their order, as distances."""
    gaps = rows.astype("<u4")
    gaps[1:] -= gaps[:-1].copy()
    data = gaps.tobytes()
    into.add(id, lambda: data)
    return Column(id, name, "posting", "gaps", len(data), system=system)


def _bytes(values: npt.NDArray[Any], dtype: str) -> bytes:
    return np.ascontiguousarray(values, dtype).tobytes()


# -- blocks ------------------------------------------------------------------------------------


def block_of(collector: Collector, number: int, kept: npt.NDArray[np.bool_] | None = None) -> bytes:
    """A block of items as JSON; those that are not kept are null."""
    rows = range(number * BLOCK, min((number + 1) * BLOCK, len(collector.items)))
    some = None if kept is None else kept[rows.start : rows.stop].tolist()
    return b'{"items":[%b]}' % collector.joined(rows, some)


def make_blocks(
    number: int, found: ItemSet, collector: Collector, room: int | None
) -> tuple[dict[str, bytes], int, list[str]]:
    """The blocks of a set, embedded, how many items they hold, and what all of these lack.

    Where not all fits into `room` bytes, layers of marks go first but for one, then how drawn
    graphs are written. Then those items are kept that somebody will look for; see
    `order_of_interest`.
    """
    n = len(collector.items)
    count = -(-n // BLOCK)
    if not collector.has_items():
        found.blocks = [0] * count
        return {}, 0, []
    sizes: list[int] = []
    made: dict[str, bytes] = {}
    kept: npt.NDArray[np.bool_] | None = None
    number_kept = n
    lacking: list[str] = []
    savings = [
        (collector.without_further_layers, "further layers of marks"),
        (collector.without_written, "how the graphs that are drawn are written"),
    ]
    while True:
        made, sizes, used = {}, [], 0
        for i in range(count):
            any_kept = kept is None or bool(kept[i * BLOCK : (i + 1) * BLOCK].any())
            if not any_kept:
                sizes.append(0)
                continue
            data = block_of(collector, i, kept)
            made[f"k-{number}b{i}"] = embedded(data, thorough=count <= _FEW_BLOCKS)
            sizes.append(len(data))
            used += len(made[f"k-{number}b{i}"])
            if room is not None and used > room and kept is None and i + 1 < count:
                used = used * count // (i + 1)  # what the rest would need
                break
        if room is None or used <= room:
            break
        saved = False
        while savings and not saved:
            save, name = savings.pop(0)
            if saved := save():
                lacking.append(name)
        if saved:
            continue
        number_kept = int(number_kept * room / used * 0.9)
        kept = np.zeros(n, bool)
        kept[order_of_interest(collector)[:number_kept]] = True
        if number_kept <= 0:
            made, sizes, number_kept = {}, [0] * count, 0
            break
    found.blocks = sizes
    return made, number_kept, lacking


def order_of_interest(collector: Collector) -> npt.NDArray[np.int64]:
    """The rows in the order in which a page of limited size keeps them.

    The largest differences of each two systems, the worst of each system, some of each group and
    of each listed error, and a sample come first, in turns; then the others from the worst on,
    and at last those that are perfect for all systems.
    """
    items = collector.items
    n = len(items)
    scores = [
        (run.metric.about, items.scores(run))
        for m in range(len(items.runs))
        for _, run in items.measured(m)
    ]
    # What is undefined is as interesting as the worst.
    good = [
        np.nan_to_num(-values if about.headline in about.lower_is_better else values, nan=-np.inf)
        for about, values in scores
    ]
    lists: list[npt.NDArray[np.int64]] = []
    for m in range(len(items.runs)):
        own = [items.scores(run) for _, run in items.measured(m)]
        for i, one in enumerate(own):
            for other in own[i + 1 :]:
                gap = np.nan_to_num(np.abs(one - other), nan=0.0)
                lists.append(np.argsort(-gap, kind="stable")[:_PER_PAIR])
    lists += [np.argsort(values, kind="stable")[:_PER_SYSTEM] for values in good]
    for values in items.first.groups.values():
        of_group: dict[str, list[int]] = {}
        for row, value in enumerate(values):
            of_group.setdefault(value, []).append(row)
        if len(of_group) <= MOST_VALUES:
            lists += [np.array(rows[:_PER_GROUP]) for rows in of_group.values()]
    _, keys, _ = collector.errors()
    for metric, fault in keys:
        faults = collector.faults[metric]
        some = [faults.rows_with(fault, s)[:_PER_GROUP] for s in range(len(collector.contents))]
        lists.append(np.unique(np.concatenate(some))[:_PER_GROUP])
    lists.append(np.random.default_rng(0).permutation(n)[:_AT_RANDOM])
    rank = np.full(n, np.iinfo(np.int64).max, np.int64)
    for rows_of in lists:
        np.minimum.at(rank, rows_of, np.arange(len(rows_of)))
    worst = _worst(good, n)
    perfect = np.ones(n, bool)
    for about, found in scores:
        perfect &= found == about.perfect
    return np.lexsort((worst, rank, perfect))


def _worst(good: Sequence[Array], n: int) -> Array:
    """The lowest place that a row has among those of one system."""
    best = np.full(n, float(n))
    for values in good:
        places = np.empty(n)
        places[np.argsort(values, kind="stable")] = np.arange(n)
        best = np.minimum(best, places)
    return best
