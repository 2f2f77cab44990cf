"""The edits of a run: found by as many workers as the run, made in items, and measured again.

They come from the correspondence that each row was counted under, never from a new search.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from karat.core.capabilities import MeasuresRepaired, Repairs, RepairsBytes, RepairsMapped, has
from karat.core.metric import Metric
from karat.core.reading.items import Pair, place_of
from karat.core.reading.plan import Chunk, Maker, Plan, Span
from karat.core.reading.raw import RawChunk
from karat.core.repairs import Drawn, DrawsEdits, Edit, ItemRepair, KnowsSums
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array
from karat.engine.look import pairs_at, reopened, wanted_places

_CHUNK = 64
_MOST_KEPT = 4096
Mappings: TypeAlias = Mapping[int, bytes]
"""By place in gold, what measuring kept."""
Kept: TypeAlias = Literal["nothing", "unsure", "all"]
"""Which items are held after their edits were found."""
Repaired: TypeAlias = tuple[int, tuple[int, ...]]
"""The position of an item, and the numbers of edits that are made in it."""


class RunEdits:
    """The edits of the items of a run, in classes: those of a partition, or of a field of items."""

    def __init__(
        self, run: Evaluation, partition: str, field: Sequence[str] | None,
        positions: Sequence[int], *, keep: Kept,
    ) -> None:  # fmt: skip
        """What will be measured again is held, unless workers found it, or it is much."""
        self.run = run
        self._field = field
        self._again = reopened(run)
        self._mappings = run.mappings if self._again is run.again else {}  # files may have changed
        self._kept: dict[int, tuple[Pair, ItemRepair]] = {}
        self._sums: set[int] = set()
        """The positions of items in which any classes together change the sum of their edits."""
        self.of: dict[int, list[Edit]] = dict(self._found(partition, positions, keep))
        """By position, the edits of those items that were looked at."""

    @property
    def maker(self) -> Maker:
        """What reads the items."""
        return self._again.maker

    def __len__(self) -> int:
        return sum(map(len, self.of.values()))

    def classes(self, position: int) -> list[str]:
        """The class of each edit of an item."""
        found = self.of.get(position, [])
        if self._field is not None:
            return [self._field[position]] * len(found)
        return [edit.group for edit in found]

    def _found(
        self, partition: str, positions: Sequence[int], keep: Kept
    ) -> Iterator[tuple[int, list[Edit]]]:
        jobs, metric = self._again.jobs, self.run.metric
        if jobs > 1 and len(positions) > _CHUNK:
            from karat.engine.pools import results

            position = {self.run.places[i]: i for i in positions}
            plan = self._again.plan.only(position)
            work = _Finding(metric, self.maker, plan, plan.spans(_CHUNK), self._mappings, partition)
            for chunk in results(work, jobs, threads=metric.releases_gil):
                for place, edits, adds_up in chunk:
                    self._see_sums(position[place], edits, adds_up)
                    yield position[place], edits
            return
        for own, chunk in self._chunks(positions):
            parsed: dict[int, tuple[Pair, ItemRepair]] = {}
            found = None
            if keep != "all":  # else pairs are needed
                found = _edits_of_bytes(metric, self.maker, chunk, self._mappings, partition)
            if found is None:
                parsed = self._parsed(chunk)
                own = list(parsed)
                found = [(item.edits(partition), _adds_up(item)) for _, item in parsed.values()]
            for i, (edits, adds_up) in zip(own, found, strict=True):
                self._see_sums(i, edits, adds_up)
                needed = keep == "all" or (keep == "unsure" and i not in self._sums)
                if needed and i in parsed and len(self._kept) < _MOST_KEPT:
                    self._kept[i] = parsed[i]
                yield i, edits

    def _see_sums(self, position: int, edits: Sequence[Edit], adds_up: bool) -> None:
        one_class = self._field is not None or len({edit.group for edit in edits}) < 2
        if adds_up or one_class:
            self._sums.add(position)

    def _chunks(self, positions: Iterable[int]) -> Iterator[tuple[list[int], Chunk]]:
        """Positions, and where their pairs are, some at a time."""
        position = {self.run.places[i]: i for i in positions}
        plan = self._again.plan.only(position)
        for span in plan.spans(_CHUNK) if position else ():
            chunk = plan.chunk(span)
            yield [position[place] for place in wanted_places(chunk)], chunk

    def _parsed(self, chunk: Chunk) -> dict[int, tuple[Pair, ItemRepair]]:
        """By position, the pairs of a chunk, and what repairs them."""
        pairs = self.maker.make(chunk).pairs
        items = _repairs(self.run.metric, pairs, self._mappings)
        own = [self._position[place_of(pair)] for pair in pairs]
        return dict(zip(own, zip(pairs, items, strict=True), strict=True))

    @cached_property
    def _position(self) -> dict[int, int]:
        """The positions of items by their places in gold."""
        return {place: i for i, place in enumerate(self.run.places)}

    def forget(self) -> None:
        """Lets go of what was kept."""
        self._kept = {}

    def applied(self, chosen: Collection[str]) -> Iterator[tuple[str, bool, Any]]:
        """All items in gold order, with the edits of some classes made: the id of each, whether it
        was changed, and its value."""
        run = self.run
        for pair in pairs_at(self._again.plan, self.maker, self._position):
            i = self._position[place_of(pair)]
            numbers = [n for n, name in enumerate(self.classes(i)) if name in chosen]
            value = pair.system
            if numbers:
                (item,) = _repairs(run.metric, [pair], self._mappings)
                value = item.apply(numbers)
            yield run.ids[i], bool(numbers), value

    def measured(
        self, sets: Sequence[Collection[str]], predicted: Iterable[Array] | None
    ) -> Iterator[Array]:
        """The counts of the run without each of some sets of classes, measured again.

        If counts are `predicted` for each set, they hold for items whose edits add up, and for sets
        that have all edits of an item.
        """
        changed: list[list[Repaired]] = [[] for _ in sets]
        wanted: dict[int, dict[tuple[int, ...], None]] = {}  # most sets change few items anew
        for i, edits in self.of.items():
            if not edits or (predicted is not None and i in self._sums):
                continue
            classes = self.classes(i)
            for chosen, own in zip(sets, changed, strict=True):
                numbers = tuple([n for n, name in enumerate(classes) if name in chosen])
                if numbers and (predicted is None or len(numbers) < len(classes)):
                    wanted.setdefault(i, {})[numbers] = None
                    own.append((i, numbers))
        rows = dict(self._rows_after(wanted, natively=predicted is not None))
        if predicted is None:
            predicted = (self.run.counts.copy() for _ in sets)
        for counts, own in zip(predicted, changed, strict=True):
            if own:
                counts[[i for i, _ in own]] = [rows[each] for each in own]
            yield counts

    def _rows_after(
        self, wanted: Mapping[int, Collection[tuple[int, ...]]], *, natively: bool
    ) -> Iterator[tuple[Repaired, Array]]:
        """The rows of items after some edits; `natively` if these are never all of an item."""
        metric = self.run.metric
        lenient = metric.for_repaired() if has(metric, MeasuresRepaired) else metric

        def rows_of(
            some: Mapping[int, tuple[Pair, ItemRepair]],
        ) -> Iterator[tuple[Repaired, Array]]:
            asked = [(i, numbers) for i in some for numbers in wanted[i]]
            values = [(some[i][1].apply(numbers), some[i][0].gold) for i, numbers in asked]
            return zip(asked, np.asarray(lenient.measure_many(values)), strict=True)

        kept = [i for i in wanted if i in self._kept]
        for first in range(0, len(kept), _CHUNK):
            yield from rows_of({i: self._kept[i] for i in kept[first : first + _CHUNK]})
        for own, chunk in self._chunks(i for i in wanted if i not in self._kept):
            if natively and has(metric, RepairsBytes) and (raw := _raw(self.maker, chunk)):
                rows = metric.rows_of_repaired(raw, [list(wanted[i]) for i in own])
                if rows is not None:
                    asked = [(i, numbers) for i in own for numbers in wanted[i]]
                    yield from zip(asked, rows, strict=True)
                    continue
            yield from rows_of(self._parsed(chunk))

    def drawn(self) -> dict[int, Sequence[Sequence[Drawn]]]:
        """By position, the parts of the item's drawing that each of its edits changes."""
        found = {}
        for _, chunk in self._chunks(i for i, edits in self.of.items() if edits):
            for i, (_, item) in self._parsed(chunk).items():
                if not has(item, DrawsEdits):
                    return {}
                found[i] = item.drawn()
        return found


class _Finding(msgspec.Struct):
    """The edits of chunks of pairs, for workers."""

    metric: Metric[Any, Any]
    maker: Maker
    plan: Plan
    spans: list[Span]
    mappings: Mappings
    partition: str

    def __len__(self) -> int:
        return len(self.spans)

    def do(self, number: int) -> list[tuple[int, list[Edit], bool]]:
        chunk = self.plan.chunk(self.spans[number])
        return _edits_of(self.metric, self.maker, chunk, self.mappings, self.partition)

    def parcels(self) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
        known = self.mappings
        for span in self.spans:
            chunk = self.plan.chunk(span)
            places = chunk.golds[0].number.tolist()
            mappings = {place: known[place] for place in places if place in known}
            yield _edits_of, (self.metric, self.maker, chunk, mappings, self.partition)


def _edits_of(
    metric: Metric[Any, Any], maker: Maker, chunk: Chunk, mappings: Mappings, partition: str
) -> list[tuple[int, list[Edit], bool]]:
    """The places of the pairs of a chunk, their edits, and whether these add up."""
    known = _edits_of_bytes(metric, maker, chunk, mappings, partition)
    if known is not None:
        return [(place, *each) for place, each in zip(wanted_places(chunk), known, strict=True)]
    pairs = maker.make(chunk).pairs
    found = zip(pairs, _repairs(metric, pairs, mappings), strict=True)
    return [(place_of(pair), item.edits(partition), _adds_up(item)) for pair, item in found]


def _edits_of_bytes(
    metric: Metric[Any, Any], maker: Maker, chunk: Chunk, mappings: Mappings, partition: str
) -> Sequence[tuple[list[Edit], bool]] | None:
    """The edits of the pairs of a chunk, and whether they add up; None where it is to be parsed."""
    if partition != "kind" or not has(metric, RepairsBytes):
        return None
    raw = _raw(maker, chunk)
    if raw is None:
        return None
    return metric.edits_of_bytes(raw, [mappings.get(at, b"") for at in wanted_places(chunk)])


def _raw(maker: Maker, chunk: Chunk) -> RawChunk | None:
    """The bytes of pairs, if all of a chunk are wanted."""
    return maker.raw(chunk) if chunk.wanted is None else None


def _adds_up(item: ItemRepair) -> bool:
    return has(item, KnowsSums) and item.adds_up


def _repairs(
    metric: Metric[Any, Any], pairs: Sequence[Pair], mappings: Mappings
) -> Sequence[ItemRepair]:
    values = [(pair.system, pair.gold) for pair in pairs]
    if has(metric, RepairsMapped):
        return metric.repairs_mapped(values, [mappings.get(place_of(each), b"") for each in pairs])
    assert has(metric, Repairs)
    return metric.repairs(values)
