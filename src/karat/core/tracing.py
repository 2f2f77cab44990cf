"""Settings under which figures of a metric may have been published, as data.

``karat trace`` asks which setting gives a figure. A *setting* is a metric with options, one of its
scores, and a way to aggregate items. A *pass* is one reading and counting of all items; many
settings are summaries of one pass, and none of them counts anything again. Metrics give both as
data: see `Traces` in `karat.core.capabilities`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, overload

import msgspec
import numpy as np

from karat.core.capabilities import Splits, has
from karat.core.marks import Array, find_path
from karat.core.scores import leaves, ratio
from karat.errors import KaratError

if TYPE_CHECKING:
    from karat.core.metric import Metric

Pairs: TypeAlias = Sequence[tuple[Any, Any]]
Value: TypeAlias = str | int | float | bool | None
Part: TypeAlias = Literal["f", "r", "p", ""]
"""F, recall or precision; empty for figures that are none of them."""
Scores: TypeAlias = Mapping[str, tuple[str, Part, str]]
"""Paths of scores, with the names, parts and aggregations of their figures."""
Counted: TypeAlias = Any
"""The counts of a pass: an array with a row for each item, or anything its settings take."""
Changes: TypeAlias = Callable[[Pairs], "Pairs | None"]
RowsOf: TypeAlias = "Callable[[Metric[Any, Any], Pairs], Array]"
"""A function that gives the rows of a metric for all pairs."""


class UnreadPairs(Sequence[tuple[Any, Any]]):
    """The pairs of files, made on demand, since some passes need only their bytes."""

    def __init__(
        self, size: int, make: Callable[[], Pairs], golds: Callable[[], Sequence[Any]],
        rows: Callable[[Metric[Any, Any]], Array | None],
    ) -> None:  # fmt: skip
        self._size = size
        self._make = make
        self.golds = golds
        """Returns the gold of each pair, without making the pairs."""
        self.rows = rows
        """Returns the rows of a metric without making the pairs; None if they are needed."""

    @cached_property
    def _made(self) -> Pairs:
        return self._make()

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> tuple[Any, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> Pairs: ...

    def __getitem__(self, place: int | slice) -> tuple[Any, Any] | Pairs:
        return self._made[place]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._made)


ROUGHLY = "roughly"
"""What a pass is asked for, besides what its settings need, where a sample of items tells whether
a slip leads anywhere near a figure."""
LITTLE_WORK = 100_000
"""A budget that proves the value of nearly all pairs of graphs that have much in common."""
MACRO = "macro"
"""The key of the means of item scores in the JSON of a run."""

_NOT_NAMES = re.compile(r"score|[^0-9a-z+*.]")


def plain_name(name: str) -> str:
    """A name of a figure without case, hyphens, blanks and the word score.

    >>> plain_name("ROUGE-L"), plain_name("chrF++ score")
    ('rougel', 'chrf++')
    """
    return _NOT_NAMES.sub("", name.lower())


class _Optional(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Fields of settings that have defaults."""

    part: Part = ""
    scale: float = 1.0
    """The perfect score: 1 or 100."""
    needs: frozenset[str] = frozenset()
    """What a pass has to count for it, if it can count less than everything."""
    by: str = ""
    """What items or their parts are grouped by, where the figure is a mean over groups."""


class AnySetting(_Optional, frozen=True, eq=False):
    """A figure of a pass: which options and score of a metric give it."""

    metric: Metric[Any, Any]
    """The metric with its options: ``karat evaluate`` with its `repr` prints the figure."""
    score: str
    """The path of the score in the JSON of that: among the scores, else from the top."""
    name: str
    """The name of the figure, one of those in `Grid.names`; the same for all options."""
    choices: Mapping[str, Value]
    """All that settings of this name differ in, the aggregation included, and nothing else: what
    differs from a preset is a departure. Figures of one publication share them."""

    @property
    def aggregation(self) -> str:
        """The choice of how items are aggregated."""
        return str(self.choices.get("aggregation", "corpus"))


class Setting(AnySetting, frozen=True, eq=False):
    """One figure of a pass, and how it is computed from the counts."""

    columns: Callable[[Counted], Array]
    """Additive columns of all items, a row each, from what was counted. Settings that share the
    function share its result."""
    value: Callable[[Array], Array]
    """The figure, from sums of these columns, of any leading shape."""
    percent: bool = True
    """Whether the figure may be printed as a percentage; distances are not."""
    of_items: Callable[[Array, Sequence[str]], float] | None = None
    """The figure from the columns of all items and their ids, where it is no function of their
    sum; `value` is not used then, and slips that leave items out are not tried."""


class Spread(msgspec.Struct, frozen=True):
    """The range of the values of a random setting."""

    low: float
    high: float
    seen: Sequence[float] = ()
    """The values of some seeds, where there are such; all of them in the unit of the setting."""


class RandomSetting(AnySetting, frozen=True, eq=False):
    """A setting whose figure depends on random numbers: it has a range."""

    spread: Callable[[Counted, Pairs, int], Spread]
    """The range, from what was counted, the pairs, and a seed."""
    limits: Callable[[Counted, Pairs, int], tuple[float, float]] | None = None
    """Bounds of the range that are cheaper to compute; for figures outside of them, the range
    itself is not computed."""


class Pass(msgspec.Struct, frozen=True, eq=False):
    """One reading and counting of all items, and the settings that can be computed from it."""

    reader: Metric[Any, Any]
    """The metric for which files are read and items are paired. Those of equal readers and
    `reading` are parsed once."""
    count: Callable[[Pairs, frozenset[str]], Counted]
    """Counts what the settings need of all pairs."""
    settings: Sequence[Setting]
    random: Sequence[RandomSetting] = ()
    reading: Mapping[str, Value] = msgspec.field(default_factory=dict)
    """Options of the file format."""
    applies: Callable[[Pairs], bool] | None = None
    """Whether it applies to these items; a tokenizer of Chinese applies to Chinese texts only."""
    prepare: Changes | None = None
    """Normalises items before they are counted: a pass with the same `counts_as` whose items come
    out equal to those of an earlier pass is not counted again."""
    counts_as: object = None
    """A key that is equal for passes which count equal items in the same way."""
    swapped: Callable[[Counted], Counted] | None = None
    """What would be counted with gold and system swapped, where no recount is needed: it may give
    None."""
    is_slow: bool = False
    """Whether counting some of the items may take long: fewer are tried first."""

    def all_settings(self) -> list[AnySetting]:
        """All settings, with a figure or with a range."""
        return [*self.settings, *self.random]


class Preset(msgspec.Struct, frozen=True):
    """The choices of another tool, or of a usual call of karat."""

    tool: str
    choices: Mapping[str, Value] = msgspec.field(default_factory=dict)
    """The choices that differ from the defaults of the grid."""
    command: str = ""
    """The command line of the tool."""
    flags: Mapping[tuple[str, Value], str] = msgspec.field(default_factory=dict)
    """The flags that change a choice, by choice and value."""
    names: frozenset[str] = frozenset()
    """The figures that it gives; empty: all."""


class Grid(msgspec.Struct, frozen=True):
    """All settings of a metric that its figures may have been published under."""

    names: Mapping[str, Mapping[str, int]]
    """What figures are called (as `plain_name` has it), and the names of the settings that may be
    meant, the likeliest first, each with the departures that it takes to call them so. The empty
    name is that of figures without one."""
    defaults: Mapping[str, Value]
    """The choices that presets do not set."""
    presets: Sequence[Preset]
    passes: Callable[[Collection[str]], Sequence[Pass]]
    """The passes with the settings of these names; a pass without settings may be left out."""
    slips: Mapping[str, Changes] = msgspec.field(default_factory=dict)
    """Mistakes in handling files that this family has besides the general ones: what each makes of
    the pairs; None, or the same pairs, where it changes nothing."""

    def all_names(self) -> list[str]:
        """The names of all settings."""
        return list(dict.fromkeys(name for names in self.names.values() for name in names))


def summarized(metric: Metric[Any, Any], score: str) -> Callable[[Array], Array]:
    """The function that gives a score of a metric from sums of its own rows."""
    path, summary = _path(metric, score), _summary(metric)

    def value(totals: Array) -> Array:
        return summary(totals)[path]

    return value


_Made = TypeVar("_Made")
_Measures = TypeVar("_Measures", bound="Metric[Any, Any]")


class Latest(Generic[_Made]):
    """A cache for the last two totals: many settings ask for the same ones.

    Two, since settings are compared on two sets of items.
    """

    def __init__(self, make: Callable[[Array], _Made]) -> None:
        self._make = make
        self._last: tuple[tuple[Array, _Made], ...] = ()

    def __call__(self, totals: Array) -> _Made:
        last = self._last  # which another thread may replace
        for known, made in last:
            if known is totals:
                return made
        made = self._make(totals)
        self._last = ((totals, made), *last[:1])
        return made


class Once:
    """A cache of counts by the identity of pairs."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, int], tuple[Pairs, Counted]] = {}

    def of(self, key: object, pairs: Pairs, count: Callable[[], Counted]) -> Counted:
        """The result of `count`, which is called once for each key and pairs."""
        place = key, id(pairs)
        if place not in self._known:
            # The pairs are kept, so that no others can have their identity.
            self._known[place] = pairs, count()
        return self._known[place][1]


@lru_cache(maxsize=512)
def _summary(metric: Metric[Any, Any]) -> Latest[dict[tuple[str, ...], Array]]:
    return Latest(lambda totals: dict(leaves(metric.summarize(totals))))


def own_settings(
    metric: Metric[Any, Any],
    scores: Mapping[str, tuple[str, Part, str]],
    choices: Mapping[str, Value],
) -> list[Setting]:
    """The settings of a metric whose rows are what was counted.

    `scores` are the paths of the scores with the names, parts and aggregations of their figures.
    """
    return [
        Setting(
            metric, score, name, {**choices, "aggregation": aggregation}, as_they_are,
            summarized(metric, score), _is_share(metric, score), part=part,
            scale=_scale(metric, score),
        )
        for score, (name, part, aggregation) in scores.items()
    ]  # fmt: skip


def averaged(metric: Metric[Any, Any], score: str) -> Callable[[Array], Array]:
    """The columns of a mean over items: the score of each alone, and whether it has one."""
    value = summarized(metric, score)

    def columns(rows: Array) -> Array:
        values = value(rows)
        defined = ~np.isnan(values)
        return side_by_side(defined, np.where(defined, values, 0.0))

    return columns


def side_by_side(*columns: Array | float) -> Array:
    """Columns of all items, each in one piece: that is how they are summed.

    A number is the same for all items.
    """
    size = next(len(column) for column in columns if isinstance(column, np.ndarray))
    result = np.empty((len(columns), size))
    for row, column in zip(result, columns, strict=True):
        row[:] = column
    return result.T


def mean(totals: Array) -> Array:
    """The value of such columns."""
    return ratio(totals[..., 1], totals[..., 0], np.nan)


def mean_settings(found: Sequence[Setting]) -> list[Setting]:
    """The same figures as means of the scores of items."""
    return [
        msgspec.structs.replace(
            each, score=f"{MACRO}.{each.score}", columns=averaged(each.metric, each.score),
            value=mean, choices={**each.choices, "aggregation": "mean"},
        )
        for each in found
    ]  # fmt: skip


def pass_of_groups(
    metric: Metric[Any, Any], facet: str, scores: Scores, choices: Mapping[str, Value]
) -> Pass:
    """The means of scores over the groups of a facet, as ``karat evaluate --by`` prints them."""
    assert has(metric, Splits)
    split = metric.split

    def count(pairs: Pairs, _: frozenset[str]) -> Array:
        items, groups, rows = split(facet, pairs)
        names, numbers = np.unique(np.asarray(groups, str), return_inverse=True)
        found = np.zeros((len(pairs), len(names), len(metric.columns)))
        np.add.at(found, (np.asarray(items, np.int64), numbers), rows)
        return found.reshape(len(pairs), -1)

    def value(score: str, totals: Array) -> Array:
        of_group = summarized(metric, score)(
            totals.reshape(*totals.shape[:-1], -1, len(metric.columns))
        )
        defined = ~np.isnan(of_group)
        return ratio(np.where(defined, of_group, 0.0).sum(-1), defined.sum(-1), np.nan)

    settings = [
        Setting(
            metric, macro_of(facet, score), name, {**choices, "aggregation": aggregation},
            as_they_are, partial(value, score), part=part, scale=_scale(metric, score), by=facet,
        )
        for score, (name, part, aggregation) in scores.items()
    ]  # fmt: skip
    return Pass(metric, count, settings, counts_as=(metric, facet))


def macro_of(field: str, score: str) -> str:
    """Where the JSON of a run has the mean of a score over groups.

    >>> macro_of("type", "f")
    'by.type.macro.f'
    """
    return f"by.{field}.{MACRO}.{score}"


def three(name: str, prefix: str = "", aggregation: str = "corpus") -> Scores:
    """F, recall and precision of a score that has them, for `passes_of`."""
    parts: tuple[Part, ...] = ("f", "r", "p")
    return {f"{prefix}{part}": (name, part, aggregation) for part in parts}


def passes_of(
    metrics: Iterable[tuple[Metric[Any, Any], Mapping[str, Value]]],
    scores: Scores,
    names: Collection[str],
    *,
    means: bool = True,
    tries: bool = False,
    reader: Metric[Any, Any] | None = None,
    rows: RowsOf | None = None,
    swaps: bool = False,
    is_slow: bool = False,
) -> list[Pass]:
    """A pass for each of some metrics with their choices: the settings of these names.

    With `means`, also those of means over items. With `tries`, a metric that cannot measure the
    items has nothing to say of them, such as one that wants the words of gold. Where all of them
    read files like one `reader`, they are read once. `rows` gives the rows of a metric, where they
    can be had with less work than by measuring each pair. With `swaps`, what two sides have in
    common is the same from either side.
    """
    found = []
    for metric, choices in metrics:
        settings = [each for each in own_settings(metric, scores, choices) if each.name in names]
        if settings:
            settings += mean_settings(settings) if means else []
            one = own_pass(metric, settings, reader, rows or measured)
            if tries:
                trial = _Trial(metric, rows or measured)
                one = msgspec.structs.replace(one, applies=trial.succeeds, count=trial.count)
            if swaps:
                one = msgspec.structs.replace(one, swapped=partial(swapped_rows, metric))
            found.append(msgspec.structs.replace(one, is_slow=is_slow))
    return found


class _Trial:
    """Measures items once, to see whether the metric can, and keeps the rows."""

    def __init__(self, metric: Metric[Any, Any], rows: RowsOf) -> None:
        self.metric = metric
        self._rows = rows
        self._done: tuple[Pairs, Array] | None = None

    def succeeds(self, pairs: Pairs) -> bool:
        try:
            self._done = pairs, self._rows(self.metric, pairs)
        except KaratError:
            return False
        return True

    def count(self, pairs: Pairs, needs: frozenset[str]) -> Array:
        if self._done is not None and self._done[0] is pairs:
            return self._done[1]
        return self._rows(self.metric, pairs)


def own_pass(
    metric: Metric[Any, Any], settings: Sequence[Setting], reader: Metric[Any, Any] | None = None,
    rows: RowsOf | None = None,
) -> Pass:  # fmt: skip
    """The pass of a metric whose rows are what is counted."""

    def count(pairs: Pairs, needs: frozenset[str]) -> Array:
        return (rows or measured)(roughly(metric) if ROUGHLY in needs else metric, pairs)

    return Pass(reader or metric, count, settings, counts_as=metric)


def roughly(metric: _Measures) -> _Measures:
    """The metric with little work for each pair, where an option says how much that is."""
    if "budget" not in metric.options:
        return metric
    return type(metric)(**{**metric.changed_options(), "budget": LITTLE_WORK})


def measured(metric: Metric[Any, Any], pairs: Pairs) -> Array:
    """The rows of all pairs: what a pass counts whose settings are scores of the metric itself."""
    rows = pairs.rows(metric) if isinstance(pairs, UnreadPairs) else None
    if rows is not None:
        return rows
    size = metric.chunk_size
    parts = [metric.measure_many(pairs[i : i + size]) for i in range(0, len(pairs), size)]
    return np.concatenate(parts)


def rows_again(
    metric: Metric[Any, Any], usual: Array, pairs: Pairs, which: Sequence[int],
    rows_of: RowsOf | None = None,
) -> Array:  # fmt: skip
    """The rows of a metric that differ from those of another one for some pairs alone."""
    if not which:
        return usual
    rows = usual.copy()
    rows[which] = (rows_of or measured)(metric, [pairs[i] for i in which])
    return rows


def swapped_rows(metric: Metric[Any, Any], rows: Array) -> Array:
    """The rows with gold and system changed over: what they have in common stays."""
    columns = list(metric.columns)
    order = [
        columns.index(name[:-2] + {".g": ".s", ".s": ".g"}[name[-2:]])
        if name.endswith((".g", ".s"))
        else i
        for i, name in enumerate(columns)
    ]
    return rows[:, order]


def _scale(metric: Metric[Any, Any], score: str) -> float:
    return metric.about.scale_of(_path(metric, score))


def _is_share(metric: Metric[Any, Any], score: str) -> bool:
    """Whether a score may be shown in percent: what has no upper end is a distance."""
    mark = metric.about.marks[_path(metric, score)]
    return not mark.count and mark.high is None


@lru_cache(maxsize=512)
def _paths(metric: Metric[Any, Any]) -> dict[str, tuple[str, ...]]:
    return {".".join(path): path for path in metric.about.marks}


def _path(metric: Metric[Any, Any], score: str) -> tuple[str, ...]:
    known = _paths(metric)
    return known[score] if score in known else find_path(known.values(), score)


def as_they_are(counted: Counted) -> Array:
    """The columns of a setting that are all that was counted."""
    return counted  # type: ignore[no-any-return]
