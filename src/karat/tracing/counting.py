"""The values of all settings on some files: each pass is counted once, nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from karat.core.marks import Array
from karat.core.tracing import Counted, Grid, Pass, Preset, RandomSetting, Setting, Spread
from karat.errors import KaratError
from karat.tracing import slips
from karat.tracing.reading import Inputs
from karat.tracing.slips import NONE, Items, Numbers, Slip


class Block(NamedTuple):
    """The values of a setting with a slip, one for each of its numbers."""

    setting: Setting
    slip: Slip
    numbers: Numbers
    values: Array


class Ranged(NamedTuple):
    """A random setting, and where its values lie."""

    setting: RandomSetting
    spread: Spread


class Plan(NamedTuple):
    """What is to be done."""

    grid: Grid
    departures: Callable[[Setting | RandomSetting], int]
    slips: bool
    deep: bool
    seed: int


class Found(NamedTuple):
    """What a pass gave."""

    blocks: list[Block]
    ranges: list[Ranged]
    size: int


def evaluated(passes: Sequence[Pass], inputs: Inputs, plan: Plan, jobs: int) -> Iterator[Found]:
    """What each pass gives, in their order."""
    work = []
    shared: dict[object, list[tuple[Items, dict[str, Counted]]]] = {}
    problem: KaratError | None = None
    for one in passes:
        try:
            items = inputs.items(one)
        except KaratError as error:  # in another dialect there may be no such items
            problem = problem or error
            continue
        if one.applies is not None and not one.applies(items.pairs):
            continue
        work.append((one, items))
    if problem is not None and not work:
        raise problem
    changed: dict[tuple[int, str], Items | None] = {}

    def do(task: tuple[Pass, Items]) -> Found:
        return _Work(*task, plan, shared, changed).do()

    if jobs == 1 or len(work) < 2:
        yield from map(do, work)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(do, work)


class _Work:
    """One pass over the items, and over those that slips make of them."""

    def __init__(
        self, one: Pass, items: Items, plan: Plan,
        shared: dict[object, list[tuple[Items, dict[str, Counted]]]],
        changed: dict[tuple[int, str], Items | None],
    ) -> None:  # fmt: skip
        self.one = one
        self.plan = plan
        self.items = items
        self.shared = shared
        self.changed = changed
        self.needs = frozenset[str]().union(*(each.needs for each in one.all_settings()))

    def do(self) -> Found:
        with np.errstate(all="ignore"):
            counted = self._count(self.items, "")
            likely = [
                each
                for each in self.one.settings
                if self.plan.departures(each) <= self.plan.grid.slip_departures
            ]
            blocks = list(self._blocks(counted, self.items, self.one.settings, NONE))
            if self.plan.slips and likely:
                blocks += self._left_out(counted, likely)
                blocks += self._recounted(counted, likely)
            ranges = [
                Ranged(each, each.spread(counted, self.items.pairs, self.plan.seed))
                for each in self.one.random
            ]
        return Found(blocks, ranges, len(self.items))

    def _count(self, items: Items, slip: str) -> Counted:
        one = self.one
        pairs = items.pairs
        if one.prepare is None:
            return one.count(pairs, self.needs)
        prepared = one.prepare(pairs)
        pairs = pairs if prepared is None else prepared
        known = self.shared.setdefault((one.counts_as, slip, self.needs), [])
        for earlier, counted in list(known):
            if earlier.pairs == pairs:
                return counted
        counted = one.count(pairs, self.needs)
        known.append((Items(items.reader, pairs, items.ids, {}), counted))
        return counted

    def _blocks(
        self, counted: Counted, items: Items, settings: Sequence[Setting], slip: Slip
    ) -> Iterator[Block]:
        """The value of each setting on all items."""
        sums: dict[object, Array] = {}
        for setting in settings:
            columns = self._columns(setting, counted)
            if setting.of_items is not None:
                value = np.array([setting.of_items(columns, items.ids)])
            else:
                if setting.columns not in sums:
                    sums[setting.columns] = columns.sum(axis=0)
                value = np.atleast_1d(setting.value(sums[setting.columns]))
            yield Block(setting, slip, slips.ONE, value)

    def _columns(self, setting: Setting, counted: Counted) -> Array:
        cache: dict[object, Array] = self._cache(counted)
        if setting.columns not in cache:
            cache[setting.columns] = np.asarray(setting.columns(counted), np.float64)
        return cache[setting.columns]

    def _cache(self, counted: Counted) -> dict[object, Array]:
        """The columns that were made of what is counted at present."""
        if getattr(self, "_of", None) is not counted:
            self._of: Any = counted
            self._made: dict[object, Array] = {}
        return self._made

    def _left_out(self, counted: Counted, likely: Sequence[Setting]) -> Iterator[Block]:
        sums: dict[object, Array] = {}
        for setting in likely:
            columns = self._columns(setting, counted)
            if setting.of_items is not None:
                found = slips.of_all(columns, setting.of_items, self.items)
            else:
                if setting.columns not in sums:
                    sums[setting.columns] = np.cumsum(columns, axis=0)
                found = slips.summed(
                    columns, setting.value, self.items, self.plan.deep, sums[setting.columns]
                )
            for slip, numbers, values in found:
                yield Block(setting, slip, numbers, values)

    def _recounted(self, counted: Counted, likely: Sequence[Setting]) -> Iterator[Block]:
        for name, change in slips.changes_of(self.plan.grid).items():
            other = None
            if name == slips.SWAPPED and self.one.swapped is not None:
                other = self.one.swapped(counted)
            items = self.items
            if other is None:
                changed = self._changed(name, change)
                if changed is None:
                    continue
                items = changed
                try:
                    other = self._count(items, name)
                except KaratError:  # with this slip there would have been no figure
                    continue
            yield from self._blocks(other, items, likely, Slip(name))

    def _changed(self, name: str, change: Any) -> Items | None:
        key = id(self.items), name
        if key not in self.changed:
            self.changed[key] = self.items.changed(change)
        return self.changed[key]


def departures_in(grid: Grid, names: Mapping[str, int]) -> Callable[[Setting | RandomSetting], int]:
    """The number of choices by which a setting differs from the nearest preset, and those that it
    takes to call its figure by a name."""
    known: dict[tuple[Any, ...], int] = {}

    def departures(setting: Setting | RandomSetting) -> int:
        key = (setting.name, *sorted(setting.choices.items()))
        if key not in known:
            preset = nearest_preset(grid, setting)
            size = len(departed(grid, preset, setting)) + names.get(setting.name, 0)
            known[key] = size
        return known[key]

    return departures


def nearest_preset(grid: Grid, setting: Setting | RandomSetting) -> Preset:
    """The preset that a setting differs the least from."""
    own = [each for each in grid.presets if not each.names or setting.name in each.names]
    return min(own or grid.presets, key=lambda each: len(departed(grid, each, setting)))


def departed(grid: Grid, preset: Preset, setting: Setting | RandomSetting) -> list[str]:
    """The choices of a setting that a preset does not make."""
    return [
        name
        for name, value in setting.choices.items()
        if value != preset.choices.get(name, grid.defaults.get(name))
    ]
