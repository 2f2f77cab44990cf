"""Values of settings against figures: what hits, what is nearest, and how sure one can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from karat.core.marks import Array
from karat.core.metric import Metric
from karat.core.tracing import AnySetting, Part, RandomSetting, Setting, Value
from karat.tracing import chance
from karat.tracing.chance import Truths
from karat.tracing.counting import Block, Ranged, Standing
from karat.tracing.figures import Figure, Rounding, Window
from karat.tracing.slips import NONE, Numbers, Slip

SLIP_DEPARTURES = 2
_ERRORS = 6
"""What is further away than so many standard errors is out of reach."""
TOGETHER = " + "
"""Between metrics that have a score each."""
_ALIKE = 1e-6
"""Distances that differ by less are equal."""
_PART = "part"
"""The choice between F, recall and precision, where a figure leaves it open."""
_PARTS: dict[Part, int] = {"f": 0, "": 0, "r": 1, "p": 2}


class Row(NamedTuple):
    """Settings that explain one figure each, with a slip, and the values that its numbers give."""

    settings: tuple[Setting, ...]
    slip: Slip
    numbers: Numbers
    values: Array
    """Numbers x figures, as fractions where they may be printed in percent."""
    departures: int
    fit: int
    """The place of the names among those that the figures may mean; the smaller the likelier."""
    tool: int
    """The place of the nearest preset; the smaller the more usual."""


class Wanted(NamedTuple):
    """The figures, and for each the names of settings that it may mean, the likeliest first."""

    figures: Sequence[Figure]
    names: Sequence[Mapping[str, int]]

    def fits(self, place: int, setting: AnySetting) -> bool:
        part = self.figures[place].part
        return setting.name in self.names[place] and (not part or setting.part in (part, ""))

    def choices(self, place: int, setting: AnySetting) -> dict[str, Value]:
        """What a setting chooses: figures that do not say so are all F, all recall or all precision
        besides."""
        free = setting.part and not self.figures[place].part
        return {**setting.choices, _PART: setting.part} if free else dict(setting.choices)

    def near(self, setting: Setting, value: float, error: float) -> bool:
        """Whether a value, known up to a standard error, may count for a figure or its chance."""
        scale = setting.scale if setting.percent else 1.0
        return any(
            abs(value / scale - window.value) <= window.reach + _ERRORS * error / scale
            for i, figure in enumerate(self.figures)
            if self.fits(i, setting)
            for window in figure.windows_of(setting.percent)
        )

    def between(self, setting: RandomSetting, low: float, high: float) -> bool:
        """Whether one of the figures may lie between two values of a setting."""
        low, high = low / setting.scale, high / setting.scale
        return any(
            _overlaps(window, low, high)
            for i, figure in enumerate(self.figures)
            if self.fits(i, setting)
            for window in figure.windows
        )

    def fit(self, settings: Sequence[AnySetting]) -> int:
        """How far the settings are from what the names mean first."""
        ranks = [
            list(names).index(setting.name)
            for names, setting in zip(self.names, settings, strict=True)
        ]
        parts = [
            0 if figure.part else _PARTS[setting.part]
            for figure, setting in zip(self.figures, settings, strict=True)
        ]
        return max(parts) * 100 + max(ranks)


_Valued = TypeVar("_Valued", Block, Ranged)
_Chosen: TypeAlias = tuple[dict[str, Value], tuple[Any, ...]]
"""What settings choose together, and these, one for each figure."""


def _together(
    found: Iterable[_Valued], key: Callable[[_Valued], object], wanted: Wanted
) -> Iterator[tuple[_Valued, ...]]:
    """What may explain all figures, one for each: of the same choices, all F or all recall."""
    groups: dict[object, list[_Valued]] = {}
    for each in found:
        groups.setdefault(key(each), []).append(each)
    for group in groups.values():
        chosen: list[_Chosen] = [({}, ())]
        for i in range(len(wanted.figures)):
            fitting = [
                (wanted.choices(i, each.setting), each)
                for each in group
                if wanted.fits(i, each.setting)
            ]
            chosen = list(_agreeing(chosen, fitting))
        for _, one in chosen:
            yield one


def _agreeing(
    chosen: Sequence[_Chosen], further: Sequence[tuple[dict[str, Value], Any]]
) -> Iterator[_Chosen]:
    """Those of one more figure beside what was chosen: a choice that one of them does not have,
    such as where sentences end in ROUGE-1, is free."""
    index: dict[object, dict[object, list[tuple[dict[str, Value], Any]]]] = {}
    kinds = {tuple(choices): None for choices, _ in further}
    for before, members in chosen:
        for names in kinds:
            shared = [name for name in names if name in before]
            key = names, *shared
            if key not in index:
                index[key] = {}
                for one in further:
                    if tuple(one[0]) == names:
                        index[key].setdefault(tuple(one[0][name] for name in shared), []).append(
                            one
                        )
            for choices, value in index[key].get(tuple(before[name] for name in shared), ()):
                yield {**before, **choices}, (*members, value)


def rows(
    blocks: Iterable[Block], wanted: Wanted, standing: Callable[[Setting], Standing]
) -> Iterator[Row]:
    """The settings that may explain all figures: same choices, same slip."""
    for chosen in _together(blocks, lambda block: (block.slip, len(block.numbers)), wanted):
        settings = tuple(block.setting for block in chosen)
        values = np.stack(
            [block.values / (block.setting.scale if block.setting.percent else 1.0)
             for block in chosen], axis=1,
        )  # fmt: skip
        slip = chosen[0].slip
        far, tool = map(max, zip(*map(standing, settings), strict=True))
        far += SLIP_DEPARTURES if slip != NONE else 0
        yield Row(settings, slip, chosen[0].numbers, values, far, wanted.fit(settings), tool)


@lru_cache(maxsize=1 << 14)
def expressions(settings: tuple[AnySetting, ...]) -> tuple[str, ...]:
    """What ``karat evaluate`` runs: the metric that has the scores of all settings; each of them by
    itself where scores have one name, as those of BLEU-1 and BLEU-4."""
    first = settings[0].metric
    scores = {setting.score: setting.metric for setting in settings}
    if any(scores[setting.score] != setting.metric for setting in settings):
        return tuple(dict.fromkeys(_expression(setting.metric) for setting in settings))
    options: dict[str, Any] = {}
    for setting in settings:
        options |= setting.metric.changed_options()
    return (_expression(type(first)(**options) if len(settings) > 1 else first),)


def shown(settings: tuple[AnySetting, ...]) -> str:
    """The same in one line."""
    return TOGETHER.join(expressions(settings))


def _expression(metric: Metric[Any, Any]) -> str:
    return repr(metric).removesuffix("()")


@lru_cache(maxsize=1 << 14)
def _metric(setting: AnySetting) -> str:
    return repr(setting.metric)


class Table:
    """All candidates: a value for each setting, slip and number, in one array."""

    def __init__(self, found: Sequence[Row], figures: Sequence[Figure], rounding: Rounding) -> None:
        self.rows = found
        self.figures = figures
        self.rounding: Rounding = rounding
        sizes = [len(row.values) for row in found]
        size = len(figures)
        self.values = (
            np.concatenate([row.values for row in found]) if found else np.empty((0, size))
        )
        # Every item may make a candidate of each setting, so that small numbers are held as such.
        self.row = np.repeat(np.arange(len(found), dtype=np.int32), sizes)
        self.number = np.concatenate(
            [np.empty(0, np.int32), *(row.numbers.astype(np.int32) for row in found)]
        )
        self.departures = np.repeat(np.array([row.departures for row in found], np.int16), sizes)
        self.fit = np.repeat(np.array([row.fit for row in found], np.int16), sizes)
        self._near: dict[Window, tuple[Array, npt.NDArray[np.int16]]] = {}
        defined = np.isfinite(self.values).all(axis=1)
        if not defined.all():
            for name in ("values", "row", "number", "departures", "fit"):
                setattr(self, name, getattr(self, name)[defined])

    def classes(self, which: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Numbers of the classes of some candidates: those of equal values are one."""
        return chance.classes(self.values[which])

    @cached_property
    def plain(self) -> Truths:
        """Which candidates are settings without slips."""
        return np.array([row.slip == NONE for row in self.rows], bool)[self.row]

    @cached_property
    def variants(self) -> list[tuple[tuple[Window, ...], Truths]]:
        """The windows that figures leave, one for each, and which candidates they are for."""
        found: dict[tuple[Window, ...], list[bool]] = {}
        for i, row in enumerate(self.rows):
            windows = [
                figure.windows_of(setting.percent)
                for figure, setting in zip(self.figures, row.settings, strict=True)
            ]
            for one in product(*windows):
                found.setdefault(one, [False] * len(self.rows))[i] = True
        return [(windows, np.array(which, bool)[self.row]) for windows, which in found.items()]

    def hit(self, windows: Sequence[Window], which: Truths) -> tuple[Truths, Truths]:
        """Candidates that round to the figures, and those from which they are cut off."""
        nearest, cut = which.copy(), which.copy()
        for i, window in enumerate(windows):
            values = self.values[:, i]
            low, high = window.nearest
            nearest &= (values >= low) & (values <= high)
            low, high = window.truncated if self.rounding == "truncate" else window.further
            cut &= (values >= low) & (values < high)
        if self.rounding == "nearest":
            return nearest, np.zeros_like(cut)
        if self.rounding == "truncate":
            return cut, np.zeros_like(cut)
        return nearest, cut & ~nearest

    def expected(self, level: int, seed: int) -> float:
        """The accidental hits to expect among candidates of at most so many departures."""
        found = 0.0
        for windows, which in self.variants:
            if len(windows) == 1:
                values, departures = self._around(windows[0], which)
                found += chance.expected(
                    values[departures <= level], windows[0], self.rounding,
                    values[departures < level],
                )  # fmt: skip
            else:
                chosen = which & (self.departures <= level)
                hits = self.hit(windows, which)[0][chosen]
                found += chance.expected_together(self.values[chosen], windows, hits, seed)
        return found

    def _around(self, window: Window, which: Truths) -> tuple[Array, npt.NDArray[np.int16]]:
        """The values of some candidates around a figure, few of many, and their departures."""
        if window not in self._near:
            values = self.values[:, 0]
            low, high = window.value - window.reach, window.value + window.reach
            near = np.flatnonzero((values >= low) & (values <= high) & which)
            self._near[window] = values[near], self.departures[near]
        return self._near[window]

    def distances(self) -> Array:
        """How far each candidate is from the figures, in units of their last digits."""
        result = np.full(len(self.values), np.inf)
        for windows, which in self.variants:
            furthest = np.zeros(len(self.values))
            for i, window in enumerate(windows):
                apart = self.values[:, i] - window.value
                np.divide(np.abs(apart, out=apart), window.unit, out=apart)
                np.maximum(furthest, apart, out=furthest)
            np.minimum(result, furthest, out=result, where=which)
        return result

    def nearest(self, count: int) -> list[tuple[Numbers, float]]:
        """The members of the nearest classes that are as near as it gets, and their distances."""
        distances = self.distances()
        size = 16 * count
        while True:
            # Most candidates are far away, and need not be put in order.
            few = np.arange(len(distances))
            if size < len(few):
                edge = np.partition(distances, size)[size]
                few = np.flatnonzero(distances <= edge + _ALIKE)
            classes = self.classes(few)
            order = np.argsort(distances[few], kind="stable")
            _, first = np.unique(classes[order], return_index=True)
            if len(first) > count or len(few) == len(distances):
                break
            size *= 8
        found = []
        for place in order[np.sort(first)[:count]].tolist():
            distance = float(distances[few[place]])
            near = (classes == classes[place]) & (distances[few] <= distance + _ALIKE)
            found.append((few[near], distance))
        return found

    def best(self, members: npt.NDArray[np.int64], further: Numbers | None = None) -> list[int]:
        """Candidates from the most to the least usual one, each row once."""
        more = np.zeros(len(members), np.int64) if further is None else further
        order = sorted(
            range(len(members)),
            key=lambda i: (
                int(self.departures[members[i]] + more[i]),
                int(self.fit[members[i]]),
                *self._likely(int(members[i])),
            ),
        )
        return [int(members[i]) for i in order]

    def of(self, candidate: int) -> Row:
        """The settings and the slip of a candidate."""
        return self.rows[int(self.row[candidate])]

    def _likely(self, candidate: int) -> tuple[int, int, int, str, int]:
        row, number = self.of(candidate), int(self.number[candidate])
        name = _metric(row.settings[0])
        return row.slip.rank(number), row.tool, len(name), name, number


class Span(NamedTuple):
    """Random settings that may explain all figures."""

    settings: tuple[RandomSetting, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    seen: Sequence[tuple[float, ...]]
    """The values of each seed."""
    departures: int

    def holds(self, windows: Sequence[Window]) -> bool:
        """Whether figures lie in the range."""
        return all(map(_overlaps, windows, self.low, self.high))

    def seeds_that_give(self, windows: Sequence[Window]) -> int:
        """How many of the seeds gave the figures."""
        return sum(all(map(_overlaps, windows, values, values)) for values in self.seen)


def _overlaps(window: Window, low: float, high: float) -> bool:
    """Whether some value between two others rounds to a figure."""
    return window.nearest[0] <= high and low <= window.nearest[1]


def spans(
    ranges: Sequence[Ranged], wanted: Wanted, standing: Callable[[RandomSetting], Standing]
) -> Iterator[Span]:
    """The random settings that may explain all figures."""
    for chosen in _together(ranges, lambda _: None, wanted):
        settings = tuple(each.setting for each in chosen)
        scaled = [(each.spread, each.setting.scale) for each in chosen]
        yield Span(
            settings,
            tuple(spread.low / scale for spread, scale in scaled),
            tuple(spread.high / scale for spread, scale in scaled),
            list(zip(*([v / scale for v in spread.seen] for spread, scale in scaled), strict=True)),
            max(standing(each).departures for each in settings),
        )
