"""The search for settings that give figures: candidates, hits, ranges, what is near, a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from karat.core.marks import Array
from karat.core.tracing import AnySetting, Part, Setting, macro_of
from karat.tracing.counting import (
    Block,
    Plan,
    Ranged,
    Standing,
    departed,
    evaluated,
    nearest_preset,
    standings_in,
)
from karat.tracing.figures import Figure, Rounding, Window
from karat.tracing.grids import Traced
from karat.tracing.matching import Row, Span, Table, Wanted, expressions, rows, shown, spans
from karat.tracing.reading import Inputs
from karat.tracing.result import Hit, Near, Range, Trace, Verdict
from karat.tracing.slips import NONE

_SURE, _LIKELY = 0.05, 0.5
_NEAREST = 5
_NOT_OF_GROUPS = ("macro.", "extras.", "by.")
"""How scores begin of which groups have no mean in the JSON of a run."""
_MOST_HITS, _MOST_SAME = 5000, 200


class Search:
    """The values of settings on some data, metric after metric, and what figures say of them."""

    def __init__(
        self, figures: Sequence[Figure], inputs: Inputs, rounding: Rounding, *,
        slips: bool, deep: bool, seed: int,
    ) -> None:  # fmt: skip
        self.figures = figures
        self.inputs = inputs
        self.rounding: Rounding = rounding
        self.slips, self.deep, self.seed = slips, deep, seed
        self.rows: list[Row] = []
        self.spans: list[Span] = []
        self.traced: dict[AnySetting, Traced] = {}
        self.reading: dict[AnySetting, Mapping[str, Any]] = {}
        self.parts: dict[tuple[object, ...], dict[Part, float]] = {}
        self.passes = 0
        self.items = 0

    def add(self, each: Traced, jobs: int) -> None:
        """All passes of a metric."""
        names = [each.meant(figure) or {} for figure in self.figures]
        extra = {name: far for meant in names for name, far in meant.items()}
        passes = each.grid.passes(extra)
        standing = standings_in(each.grid, extra)
        wanted = Wanted(self.figures, names)
        plan = Plan(
            each.grid, standing, wanted.near, wanted.between, self.slips, self.deep, self.seed
        )
        for one in passes:
            for setting in one.all_settings():
                self.traced[setting] = each
                self.reading[setting] = one.reading
        blocks: list[Block] = []
        ranges: list[Ranged] = []
        for found in evaluated(passes, self.inputs, plan, jobs):
            self.passes += 1
            self.items = max(self.items, found.size)
            self._remember(found.blocks)
            blocks += found.blocks
            ranges += found.ranges
            if len(self.figures) == 1:  # else a pass may explain some of the figures
                self._match(blocks, ranges, wanted, standing)
                blocks, ranges = [], []
        self._match(blocks, ranges, wanted, standing)

    def _match(
        self, blocks: Sequence[Block], ranges: Sequence[Ranged], wanted: Wanted,
        standing: Callable[[AnySetting], Standing],
    ) -> None:  # fmt: skip
        self.rows += rows(blocks, wanted, standing)
        self.spans += spans(ranges, wanted, standing)

    def _remember(self, blocks: Sequence[Block]) -> None:
        """F, recall and precision of each setting, to see whether they were rounded on the way."""
        for block in blocks:
            if block.slip == NONE and block.setting.part:
                key = _group(block.setting)
                value = float(block.values[0]) / block.setting.scale
                self.parts.setdefault(key, {})[block.setting.part] = value

    def result(self) -> Trace:
        table = Table(self.rows, self.figures, self.rounding)
        hits, counted = self._hits(table)
        in_range = [
            (each, windows)
            for each in self.spans
            if (windows := self._windows_in(each)) is not None
        ]
        plain = table.plain
        warnings = list(self.inputs.warnings)
        if counted > len(hits):
            warnings.append(f"{counted} classes hit, and the first {len(hits)} are listed")
        return Trace(
            figures=self.figures,
            verdict=verdict(hits, [each for each, _ in in_range]),
            hits=hits,
            ranges=[self._range(each, windows) for each, windows in in_range],
            nearest=self._nearest(table),
            settings=sum(row.slip == NONE for row in self.rows),
            classes=int(table.classes(plain).max(initial=-1)) + 1,
            passes=self.passes,
            items=self.items,
            slips=int((~plain).sum()),
            chance=table.expected(1 << 30, self.seed),
            warnings=warnings,
        )

    # -- hits --------------------------------------------------------------------

    def _hits(self, table: Table) -> tuple[list[Hit], int]:
        """The classes that hit, the most usual first, and how many there are."""
        found: dict[int, list[tuple[int, int, tuple[Window, ...]]]] = {}
        hit = [(windows, *table.hit(windows, which)) for windows, which in table.variants]
        either = np.zeros(len(table.values), bool)
        for _, nearest, cut in hit:
            either |= nearest | cut
        classes = dict(
            zip(np.flatnonzero(either).tolist(), table.classes(either).tolist(), strict=True)
        )
        for windows, nearest, cut in hit:
            for i in np.flatnonzero(nearest | cut).tolist():
                found.setdefault(classes[i], []).append((i, int(cut[i]), windows))
        ranked = []
        for members in found.values():
            further = {i: far for i, far, _ in reversed(members)}
            windows_of = {i: windows for i, _, windows in reversed(members)}
            numbers = np.array(list(further), np.int64)
            order = table.best(numbers, np.array([further[i] for i in further]))
            first = order[0]
            ranked.append((first, further[first], windows_of[first], order))
        ranked.sort(
            key=lambda each: (
                int(table.departures[each[0]]) + each[1],
                int(table.fit[each[0]]) + 1000 * self._unusual_unit(each[2]),
                table.of(each[0]).slip.rank(int(table.number[each[0]])),
                table.of(each[0]).tool,
                self._label(table, each[0]),
            )
        )
        levels: dict[int, float] = {}
        hits = []
        for first, far, windows, order in ranked[:_MOST_HITS]:
            level = int(table.departures[first]) + far
            if level not in levels:
                levels[level] = table.expected(level, self.seed)
            hits.append(self._hit(table, first, far, windows, order, levels[level]))
        return hits, len(ranked)

    def _unusual_unit(self, windows: Sequence[Window]) -> int:
        return sum(
            window not in (figure.windows[0], figure.plain_window)
            for window, figure in zip(windows, self.figures, strict=True)
        )

    def _hit(
        self, table: Table, first: int, cut: int, windows: Sequence[Window],
        order: Sequence[int], expected: float,
    ) -> Hit:  # fmt: skip
        row = table.of(first)
        setting = row.settings[0]
        traced = self.traced[setting]
        preset = nearest_preset(traced.grid, setting)
        flags = [
            preset.flags.get((name, setting.choices[name]))
            for name in departed(traced.grid, preset, setting)
        ]
        command = None
        if preset.command and None not in flags:
            command = " ".join([preset.command, *(flag for flag in flags if flag)])
        labels = dict.fromkeys(self._label(table, i) for i in order[:_MOST_SAME])
        reading, number = self.reading[setting], int(table.number[first])
        runs = [
            self.inputs.command(each, row.slip, number, self.items, reading, setting.by)
            for each in expressions(row.settings)
        ]
        if row.slip.field and any(map(_has_no_groups, row.settings)):
            runs = [None]
        return Hit(
            setting=shown(row.settings),
            score=_one_or_all(_scores(row)),
            aggregation=setting.aggregation,
            value=_one_or_all(table.values[first].tolist()),
            departures=row.departures + cut,
            slip=row.slip.label(number) or None,
            rounding=self._rounding(table.values[first], windows, cut),
            chance=expected,
            same=list(labels)[1:],
            preset=preset.tool,
            command=command,
            unit="percent" if windows[0].percent else "fraction",
            reading=dict(reading),
            run=None if None in runs else " && ".join(map(str, runs)),
        )

    def _rounding(self, values: Array, windows: Sequence[Window], cut: int) -> str:
        """How a value becomes the figure: at once, by cutting digits off, or rounded twice."""
        if not cut:
            return "truncate" if self.rounding == "truncate" else "nearest"
        below = any(v < w.nearest[0] for v, w in zip(values.tolist(), windows, strict=True))
        return "twice" if below else "truncate"

    def _label(self, table: Table, candidate: int) -> str:
        row = table.of(candidate)
        slip = row.slip.label(int(table.number[candidate]))
        scores = ", ".join(_scores(row))
        average = "engine-average " if row.settings[0].aggregation == "engine" else ""
        return f"{slip + ' ' if slip else ''}{average}{shown(row.settings)} :: {scores}"

    # -- ranges and what is near --------------------------------------------------

    def _windows_in(self, span: Span) -> tuple[Window, ...] | None:
        """The windows of the figures in a range, if they lie in it."""
        return next(filter(span.holds, product(*(each.windows for each in self.figures))), None)

    def _range(self, span: Span, windows: Sequence[Window]) -> Range:
        return Range(
            setting=shown(span.settings),
            score=_one_or_all([each.score for each in span.settings]),
            low=_one_or_all(list(span.low)),
            high=_one_or_all(list(span.high)),
            seeds=len(span.seen),
            seeds_equal=span.seeds_that_give(windows),
            departures=span.departures,
        )

    def _nearest(self, table: Table) -> list[Near]:
        """The nearest classes, each by its most usual member."""
        if not len(table.values):
            return []
        return [
            self._near(table, table.best(members)[0], distance)
            for members, distance in table.nearest(_NEAREST)
        ]

    def _near(self, table: Table, i: int, distance: float) -> Near:
        row = table.of(i)
        return Near(
            setting=shown(row.settings),
            score=_one_or_all([each.score for each in row.settings]),
            slip=row.slip.label(int(table.number[i])) or None,
            value=_one_or_all(table.values[i].tolist()),
            distance=distance,
            departures=row.departures,
            reachable=list(self._reachable(row, table.values[i].tolist())),
        )

    def _reachable(self, row: Row, values: Sequence[float]) -> Iterator[str]:
        """What would lead from these values to the figures."""
        windows = [
            figure.windows_of(setting.percent)[0]
            for figure, setting in zip(self.figures, row.settings, strict=True)
        ]
        apart = [abs(v - w.value) - w.unit / 2 for v, w in zip(values, windows, strict=True)]
        if row.slip == NONE and all(map(self._rounded_before, row.settings, windows)):
            yield "P and R rounded before F"
        if all(each <= 1 / max(1, self.items) for each in apart):
            yield "one changed item"
        same = set(map(_group, row.settings))
        if any(
            span.holds(windows) and same & set(map(_group, span.settings)) for span in self.spans
        ):
            yield "a random setting"

    def _rounded_before(self, setting: Setting, window: Window) -> bool:
        """Whether F comes out as printed if precision and recall are rounded first."""
        parts = self.parts.get(_group(setting), {})
        if setting.part != "f" or "p" not in parts or "r" not in parts:
            return False
        p, r = (round(parts[part] / window.unit) * window.unit for part in ("p", "r"))
        f = 2 * p * r / (p + r) if p + r else 0.0
        return window.nearest[0] <= f <= window.nearest[1]


def _scores(row: Row) -> list[str]:
    """Where the JSON of a run has the figures."""
    field = row.slip.field
    return [
        macro_of(field, each.score) if field and not _has_no_groups(each) else each.score
        for each in row.settings
    ]


def _has_no_groups(setting: AnySetting) -> bool:
    return setting.score.startswith(_NOT_OF_GROUPS)


def _group(setting: AnySetting) -> tuple[object, ...]:
    choices = {k: v for k, v in setting.choices.items() if k != "aggregation"}
    return (type(setting.metric), setting.name, *sorted(choices.items()))


def _one_or_all(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def verdict(hits: Sequence[Hit], ranges: Sequence[Span]) -> Verdict:
    """What the hits say, the most usual first."""
    closest = min((each.departures for each in ranges), default=None)
    if closest is not None and (not hits or hits[0].departures > closest):
        # A usual random setting explains it as well as an unusual one that is not random.
        return "range"
    believable = [each for each in hits if each.chance <= _LIKELY]
    if not believable:
        return "unidentified" if closest is None else "range"
    first = believable[0]
    alone = len(hits) == 1 or hits[1].departures > hits[0].departures
    if alone and first is hits[0]:
        # Where a random setting may as well give the figure, it cannot be told from that. Slips are
        # many, and a tool that is not known is likelier than some of them.
        is_only = (closest is None or closest > first.departures) and first.slip is None
        return "identified" if first.chance <= _SURE and is_only else "likely"
    return "ambiguous"
