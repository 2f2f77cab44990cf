"""The edits of a run: found by as many workers as the run, made in items, and measured again.

They come from the correspondence that each row was counted under, never from a new search.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from karat.core.capabilities import MeasuresRepaired, Repairs, RepairsMapped, has
from karat.core.metric import Metric
from karat.core.reading.items import Pair, place_of
from karat.core.reading.plan import Chunk, Maker, Plan, Span
from karat.core.repairs import Edit, ItemRepair, KnowsSums
from karat.core.runs.evaluation import Evaluation
from karat.core.scores import Array
from karat.engine.look import pairs_at, reopened

_CHUNK = 64
_MOST_KEPT = 4096
Mappings: TypeAlias = Mapping[int, bytes]
"""By place in gold, what measuring kept."""
Kept: TypeAlias = Literal["nothing", "unsure", "all"]
"""Which items are held after their edits were found."""


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
        for own, pairs, items in self._chunks(positions):
            for i, pair, item in zip(own, pairs, items, strict=True):
                edits = item.edits(partition)
                self._see_sums(i, edits, _adds_up(item))
                needed = keep == "all" or (keep == "unsure" and i not in self._sums)
                if needed and len(self._kept) < _MOST_KEPT:
                    self._kept[i] = pair, item
                yield i, edits

    def _see_sums(self, position: int, edits: Sequence[Edit], adds_up: bool) -> None:
        one_class = self._field is not None or len({edit.group for edit in edits}) < 2
        if adds_up or one_class:
            self._sums.add(position)

    def _chunks(
        self, positions: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], Sequence[Pair], Sequence[ItemRepair]]]:
        """Positions, their pairs, and what repairs these, some at a time; those kept come first."""
        kept = [i for i in positions if i in self._kept]
        for first in range(0, len(kept), _CHUNK):
            some = kept[first : first + _CHUNK]
            yield some, [self._kept[i][0] for i in some], [self._kept[i][1] for i in some]
        position = {self.run.places[i]: i for i in positions if i not in self._kept}
        plan = self._again.plan.only(position)
        for span in plan.spans(_CHUNK) if position else ():
            pairs = self.maker.make(plan.chunk(span)).pairs
            own = [position[place_of(pair)] for pair in pairs]
            yield own, pairs, _repairs(self.run.metric, pairs, self._mappings)

    def forget(self) -> None:
        """Lets go of what was kept."""
        self._kept = {}

    def applied(self, chosen: Collection[str]) -> Iterator[tuple[str, bool, Any]]:
        """All items in gold order, with the edits of some classes made: the id of each, whether it
        was changed, and its value."""
        run = self.run
        position = {place: i for i, place in enumerate(run.places)}
        for pair in pairs_at(self._again.plan, self.maker, position):
            i = position[place_of(pair)]
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
        metric = self.run.metric
        lenient = metric.for_repaired() if has(metric, MeasuresRepaired) else metric
        changed: list[list[tuple[list[int], Array]]] = [[] for _ in sets]
        unsure = [
            i
            for i, edits in self.of.items()
            if edits and (predicted is None or i not in self._sums)
        ]
        for positions, pairs, items in self._chunks(unsure):
            made: dict[tuple[int, tuple[int, ...]], int] = {}  # most sets change few items anew
            repaired: list[tuple[Any, Any]] = []
            places: list[tuple[list[int], list[int]]] = [([], []) for _ in sets]
            for i, pair, item in zip(positions, pairs, items, strict=True):
                classes = self.classes(i)
                for chosen, (own, rows_of) in zip(sets, places, strict=True):
                    numbers = tuple([n for n, name in enumerate(classes) if name in chosen])
                    whole = predicted is not None and len(numbers) == len(classes)
                    if whole or not numbers:
                        continue
                    if (i, numbers) not in made:
                        made[i, numbers] = len(repaired)
                        repaired.append((item.apply(numbers), pair.gold))
                    own.append(i)
                    rows_of.append(made[i, numbers])
            if repaired:
                rows = np.asarray(lenient.measure_many(repaired))
                for found, (own, rows_of) in zip(changed, places, strict=True):
                    found.append((own, rows[rows_of]))
        if predicted is None:
            predicted = (self.run.counts.copy() for _ in sets)
        for counts, found in zip(predicted, changed, strict=True):
            for own, rows in found:
                counts[own] = rows
            yield counts


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
    pairs = maker.make(chunk).pairs
    found = zip(pairs, _repairs(metric, pairs, mappings), strict=True)
    return [(place_of(pair), item.edits(partition), _adds_up(item)) for pair, item in found]


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
