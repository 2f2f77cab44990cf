"""The values of all settings on some files: each pass is counted once, nothing else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from karat.core.marks import Array
from karat.core.tracing import (
    ROUGHLY,
    AnySetting,
    Counted,
    Grid,
    Pass,
    Preset,
    RandomSetting,
    Setting,
    Spread,
)
from karat.errors import KaratError, MissingExtra
from karat.tracing import slips
from karat.tracing.reading import Inputs
from karat.tracing.slips import NONE, Items, Numbers, Slip

_T = TypeVar("_T")
_R = TypeVar("_R")
_MOST_WITH_SLIPS = 1
"""Slips are tried for settings with at most so many departures."""
_SAMPLES = {96: 288, 768: 2304}
"""How many items tell whether a slip is worth counting, of so many at least."""
_FEW = {12: 24, 36: 72}
"""How many are tried before, where counting them takes its time."""


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
    standing: Callable[[AnySetting], Standing]
    near: Callable[[Setting, float, float], bool]
    """Whether a value of a setting, known up to an error, may be near to a figure."""
    between: Callable[[RandomSetting, float, float], bool]
    """Whether a figure may lie between two values of a setting."""
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

    def do(task: tuple[Pass, Items]) -> Found | MissingExtra:
        try:
            return _Work(*task, plan, shared, changed).do()
        except MissingExtra as error:  # other passes need no such package
            return error

    missing: dict[str, MissingExtra] = {}
    made = 0
    for found in _done(do, work, jobs):
        if isinstance(found, MissingExtra):
            missing.setdefault(found.message, found)
        else:
            made += 1
            yield found
    if missing and not made:
        raise next(iter(missing.values()))
    inputs.warnings += [
        f"some settings are not tried: {error.message}; {error.advice}"
        for error in missing.values()
    ]


def _done(do: Callable[[_T], _R], work: Sequence[_T], jobs: int) -> Iterator[_R]:
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
        self.samples: dict[str, _Made] = {}
        self.needs = frozenset[str]().union(*(each.needs for each in one.all_settings()))

    def do(self) -> Found:
        with np.errstate(all="ignore"):
            counted = self._count(self.items, "")
            likely = [
                each
                for each in self.one.settings
                if self.plan.standing(each).departures <= _MOST_WITH_SLIPS
            ]
            made = _Made(counted, [*self.one.settings[:1], *likely, *_sharing(self.one.settings)])
            blocks = list(self._blocks(made, self.items, self.one.settings, NONE))
            if self.plan.slips and likely:
                blocks += self._left_out(made, likely)
                blocks += self._recounted(made, likely)
            ranges = [
                Ranged(each, each.spread(counted, self.items.pairs, self.plan.seed))
                for each in self.one.random
                if self._in_reach(each, counted)
            ]
        return Found(blocks, ranges, len(self.items))

    def _in_reach(self, setting: RandomSetting, counted: Counted) -> bool:
        """Whether the range of a setting may hold a figure."""
        if setting.limits is None:
            return True
        limits = setting.limits(counted, self.items.pairs, self.plan.seed)
        return self.plan.between(setting, *limits)

    def _count(self, items: Items, slip: str, *extra: str) -> Counted:
        one = self.one
        pairs = items.pairs
        needs = self.needs.union(extra)
        if one.prepare is None:
            return one.count(pairs, needs)
        prepared = one.prepare(pairs)
        pairs = pairs if prepared is None else prepared
        known = self.shared.setdefault((one.counts_as, slip, needs), [])
        for earlier, counted in list(known):
            if earlier.pairs is pairs or earlier.pairs == pairs:
                return counted
        counted = one.count(pairs, needs)
        known.append((Items(items.reader, pairs, items.ids, {}), counted))
        return counted

    def _blocks(
        self, made: _Made, items: Items, settings: Sequence[Setting], slip: Slip
    ) -> Iterator[Block]:
        """The value of each setting on all items."""
        for setting in settings:
            columns, sums = made.of(setting)
            if setting.of_items is not None:
                value = np.array([setting.of_items(columns, items.ids)])
            else:
                value = np.atleast_1d(setting.value(sums.all))
            yield Block(setting, slip, slips.ONE, value)

    def _left_out(self, made: _Made, likely: Sequence[Setting]) -> Iterator[Block]:
        found: dict[Setting, list[slips.Summed]] = {setting: [] for setting in likely}
        additive: dict[Setting, slips.Additive] = {}
        for setting in likely:
            columns, sums = made.of(setting)
            if setting.of_items is None:
                additive[setting] = slips.Additive(columns, sums, setting.value)
            else:
                found[setting] += slips.of_all(columns, setting.of_items, self.items)
        for slip in slips.summed(self.items, self.plan.deep):
            for setting, one in additive.items():
                found[setting] += slip(one)
        for setting, blocks in found.items():
            for each in blocks:
                yield Block(setting, *each)

    def _recounted(self, made: _Made, likely: Sequence[Setting]) -> Iterator[Block]:
        for name, change in slips.changes_of(self.plan.grid).items():
            other = None
            if name == slips.SWAPPED and self.one.swapped is not None:
                other = self.one.swapped(made.counted)
            items = self.items
            if other is None:
                changed = self._changed(name, change)
                if changed is None:
                    continue
                items = changed
                try:
                    if not self._may_be_near(made, items, name, likely):
                        continue
                    other = self._count(items, name)
                except KaratError:  # with this slip there would have been no figure
                    continue
            yield from self._blocks(_Made(other, likely), items, likely, Slip(name))

    def _may_be_near(self, made: _Made, items: Items, name: str, likely: Sequence[Setting]) -> bool:
        """Whether a slip leads anywhere near a figure, judged by what it changes in a sample."""
        for size, least in ({**_FEW, **_SAMPLES} if self.one.is_slow else _SAMPLES).items():
            if len(items) < least:
                break
            # Files that are shifted have one pair less, and the same sample.
            last = min(len(items), len(self.items) - 1)
            places = tuple(np.linspace(0, last - 1, size).astype(np.int64).tolist())
            key = f"{size} of {last}"
            if key not in self.samples:
                self.samples[key] = _Made(self._counted_of(made.counted, places, key), likely)
            usual = self.samples[key]
            other = _Made(self._count(items.only(places), f"{key} {name}", ROUGHLY), likely)
            # The items in the sample are no guess of the whole, which they are a part of.
            unknown = float(np.sqrt(1 - size / last))
            if not any(self._is_near(each, made, usual, other, unknown) for each in likely):
                return False
        return True

    def _counted_of(self, counted: Counted, places: tuple[int, ...], key: str) -> Counted:
        """What was counted of some items: their rows, unless it is something else than rows."""
        if isinstance(counted, np.ndarray):
            return counted[list(places)]
        return self._count(self.items.only(places), key, ROUGHLY)

    def _is_near(
        self, setting: Setting, made: _Made, usual: _Made, other: _Made, unknown: float
    ) -> bool:
        change, error = _difference(setting, usual.of(setting)[1], other.of(setting)[1])
        error *= unknown
        value = float(setting.value(made.of(setting)[1].all)) + change
        return not np.isfinite(value + error) or self.plan.near(setting, value, error)

    def _changed(self, name: str, change: Any) -> Items | None:
        key = id(self.items), name
        if key not in self.changed:
            self.changed[key] = self.items.changed(change)
        return self.changed[key]


def _sharing(settings: Sequence[Setting]) -> list[Setting]:
    """Settings whose columns are those of others, too."""
    numbers = Counter(setting.columns for setting in settings)
    return [setting for setting in settings if numbers[setting.columns] > 1]


class _Made:
    """Columns of what was counted and their sums: those of settings that are `kept` are made once,
    others, of which there may be many, are not held."""

    def __init__(self, counted: Counted, kept: Sequence[Setting]) -> None:
        self.counted = counted
        self._kept = {setting.columns for setting in kept}
        self._columns: dict[object, Array] = {}
        self._sums: dict[int, slips.Sums] = {}

    def of(self, setting: Setting) -> tuple[Array, slips.Sums]:
        columns = self._columns.get(setting.columns)
        if columns is None:
            columns = np.asarray(setting.columns(self.counted), np.float64)
            if setting.columns in self._kept:
                self._columns[setting.columns] = columns
        sums = self._sums.get(id(columns))
        if sums is None:
            sums = slips.Sums(columns)
            if setting.columns in self._kept:
                self._sums[id(columns)] = sums
        return columns, sums


def _difference(setting: Setting, usual: slips.Sums, other: slips.Sums) -> tuple[float, float]:
    """What changes in the figure from some items to others, and the standard error of that."""
    change, *without = setting.value(other.without_groups) - setting.value(usual.without_groups)
    return float(change), float(np.std(without) * np.sqrt(slips.GROUPS_LEFT_OUT - 1))


class Standing(NamedTuple):
    """How usual a setting is."""

    departures: int
    """The number of choices by which it differs from the nearest preset, and those that it takes
    to call its figure by a name."""
    place: int
    """That of the nearest preset: tools that are in wider use come first."""


def standings_in(grid: Grid, names: Mapping[str, int]) -> Callable[[AnySetting], Standing]:
    """How usual the settings of a grid are."""
    known: dict[tuple[Any, ...], Standing] = {}

    def standing(setting: AnySetting) -> Standing:
        key = (setting.name, *sorted(setting.choices.items()))
        if key not in known:
            preset = nearest_preset(grid, setting)
            size = len(departed(grid, preset, setting)) + names.get(setting.name, 0)
            known[key] = Standing(size, grid.presets.index(preset))
        return known[key]

    return standing


def nearest_preset(grid: Grid, setting: AnySetting) -> Preset:
    """The preset that a setting differs the least from."""
    own = [each for each in grid.presets if not each.names or setting.name in each.names]
    return min(own or grid.presets, key=lambda each: len(departed(grid, each, setting)))


def departed(grid: Grid, preset: Preset, setting: AnySetting) -> list[str]:
    """The choices of a setting that a preset does not make."""
    return [
        name
        for name, value in setting.choices.items()
        if value != preset.choices.get(name, grid.defaults.get(name))
    ]
