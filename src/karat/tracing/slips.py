"""Slips: mistakes in handling files that give another figure with the same setting.

Those that leave items out need no recount, since rows add up; the others change the pairs, and
are counted again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat.core.capabilities import DetectsNull, has
from karat.core.marks import Array
from karat.core.metric import Metric
from karat.core.tracing import Changes, Grid, Pairs, UnreadPairs

SWAPPED = "swapped"
GROUPS = "mean-by="
"""What slips are called that take the mean over groups in place of items, before the field."""
GROUPS_LEFT_OUT = 12
"""How many groups of items there are, each left out once, to see how far a figure varies."""
Truths = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


class Slip(NamedTuple):
    """What went wrong; `number` says how many items are left, or which one is lost."""

    kind: str
    by_number: bool = False

    def label(self, number: int) -> str:
        return self.kind.format(number) if self.by_number else self.kind

    @property
    def field(self) -> str:
        """What items are grouped by; empty where they are not."""
        return self.kind.removeprefix(GROUPS) if self.kind.startswith(GROUPS) else ""

    def rank(self, number: int) -> int:
        """Which of the slips are likelier: those of which there are few, then round numbers."""
        if not self.by_number:
            return 0
        return 1 if number % 100 == 0 else 2 if number % 10 == 0 else 3


NONE = Slip("")
ONE = np.zeros(1, np.int64)
"""The numbers of a slip that has none."""
FIRST = Slip("first={}", True)
WITHOUT = Slip("without={}", True)
LOST = Slip("last-lost")
SYSTEMS = Slip("mean-by-system")


class Items:
    """The pairs of some files, and what slips need to know of them."""

    def __init__(
        self, reader: Metric[Any, Any], pairs: Pairs, ids: Sequence[str],
        groups: dict[str, Sequence[str]], systems: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.reader = reader
        self.pairs = pairs
        self.ids = ids
        self.groups = groups
        """The values of the fields by which items are grouped."""
        self.systems = systems
        """Whose output each item is, where a file holds several."""
        self._chosen: dict[tuple[int, ...], Items] = {}

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def first_of_equals(self) -> Truths:
        """Which items are left when doubles are removed."""
        pairs = self.pairs
        kept = np.ones(len(pairs), bool)
        # Where one side is like no other, there is no need to look at the other side.
        unread = isinstance(pairs, UnreadPairs)
        one = _numbers(pairs.golds() if isinstance(pairs, UnreadPairs) else (s for s, _ in pairs))
        again = np.flatnonzero(np.bincount(one)[one] > 1)
        other = _numbers(pairs[i][0 if unread else 1] for i in again.tolist())
        both = one[again] * (len(again) + 1) + other
        kept[again] = False
        kept[again[np.unique(both, return_index=True)[1]]] = True
        return kept

    @cached_property
    def not_empty(self) -> Truths:
        """Which items are left when those without output are skipped."""
        if isinstance(self.pairs, UnreadPairs):  # whose readers know no empty output
            return np.ones(len(self.pairs), bool)
        reader = self.reader
        is_null = reader.is_null if has(reader, DetectsNull) else _is_blank
        return np.array([not is_null(system) for system, _ in self.pairs], bool)

    def only(self, places: tuple[int, ...]) -> Items:
        """Some of the items, the same object for the same places."""
        if places not in self._chosen:
            pairs = [self.pairs[i] for i in places]
            self._chosen[places] = Items(self.reader, pairs, [self.ids[i] for i in places], {})
        return self._chosen[places]

    def changed(self, change: Changes) -> Items | None:
        """The items with other pairs; None where nothing changes, or it does not apply."""
        pairs = change(self.pairs)
        if pairs is None or not len(pairs):
            return None
        if len(pairs) != len(self.pairs):
            return Items(self.reader, pairs, self.ids[: len(pairs)], {})
        return Items(self.reader, pairs, self.ids, self.groups, self.systems)


def _is_blank(system: Any) -> bool:
    if isinstance(system, str):
        return not system.strip()
    return isinstance(system, (list, tuple)) and all(map(_is_blank, system))


def _numbers(values: Iterable[Any]) -> Numbers:
    """Equal values have the same number."""
    numbers: dict[Hashable, int] = {}
    found = []
    for each in values:
        try:
            found.append(numbers.setdefault(each, len(numbers)))
        except TypeError:  # which has no hash
            found.append(numbers.setdefault(_key(each), len(numbers)))
    return np.array(found, np.int64)


def _key(value: Any) -> Hashable:
    if isinstance(value, (list, tuple)):
        return tuple(map(_key, value))
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value  # type: ignore[no-any-return]


# -- that change the pairs ----------------------------------------------------------------------


def changes_of(grid: Grid) -> dict[str, Changes]:
    """The slips that are counted again."""
    general: dict[str, Changes] = {
        SWAPPED: lambda pairs: [(gold, system) for system, gold in pairs],
        "system-shifted": lambda pairs: [(after[0], pair[1]) for pair, after in pairwise(pairs)],
        "gold-shifted": lambda pairs: [(pair[0], after[1]) for pair, after in pairwise(pairs)],
    }
    return {**general, **grid.slips}


# -- that leave items out -----------------------------------------------------------------------


class Sums:
    """Sums of columns that settings share, so that what is made of them can be shared as well."""

    def __init__(self, columns: Array) -> None:
        self._columns = columns
        self._of_kept: dict[Slip, Array] = {}

    @cached_property
    def all(self) -> Array:
        return np.asarray(self._columns.sum(axis=0))

    @cached_property
    def first(self) -> Array:
        """Those of the first row, of the first two, up to all but the last."""
        return np.cumsum(self._columns[:-1], axis=0)

    @cached_property
    def without(self) -> Array:
        """Those without one row, but for the last."""
        return np.asarray(self.all - self._columns[:-1])

    @cached_property
    def without_groups(self) -> Array:
        """Those of all rows, and those without each of some groups of rows."""
        even = len(self._columns) // GROUPS_LEFT_OUT * GROUPS_LEFT_OUT
        shape = -1, GROUPS_LEFT_OUT, self._columns.shape[1]
        groups = self._columns[:even].reshape(shape).sum(axis=0)
        groups[: len(self._columns) - even] += self._columns[even:]
        return np.concatenate([self.all[None], self.all - groups])

    def of_kept(self, slip: Slip, kept: Truths) -> Array:
        """Those of the rows that a slip keeps."""
        if slip not in self._of_kept:
            self._of_kept[slip] = np.asarray(self._columns[kept].sum(axis=0))
        return self._of_kept[slip]


Summed = tuple[Slip, Numbers, Array]
"""A slip with its numbers, and the figures that they give."""


def summed(items: Items, deep: bool) -> Iterator[Callable[[Additive], list[Summed]]]:
    """What each slip makes of a setting, from its additive columns.

    Slip after slip, since the same sums are wanted by many settings, but no sums are kept for long.
    """
    count = len(items)
    if count > 1:
        yield _first
    if deep and count > 2:
        yield lambda one: [(WITHOUT, np.arange(1, count), one.value(one.sums.without))]
    for slip, kept in _kept(items):
        yield partial(_of_kept, slip, kept)
    groups = {Slip(GROUPS + name): values for name, values in items.groups.items()}
    for slip, names in (groups | ({SYSTEMS: items.systems} if items.systems else {})).items():
        yield partial(_of_groups, slip, names)


class Additive(NamedTuple):
    """The columns of a setting, their sums, and the figure that sums give."""

    columns: Array
    sums: Sums
    value: Callable[[Array], Array]


def _first(one: Additive) -> list[Summed]:
    first = one.value(one.sums.first)
    return [(FIRST, np.arange(1, len(first)), first[:-1]), (LOST, ONE, first[-1:])]


def _of_kept(slip: Slip, kept: Truths, one: Additive) -> list[Summed]:
    return [(slip, ONE, np.atleast_1d(one.value(one.sums.of_kept(slip, kept))))]


def _of_groups(slip: Slip, names: Sequence[str], one: Additive) -> list[Summed]:
    return [(slip, ONE, _mean_of_groups(one.columns, one.value, names))]


def of_all(
    columns: Array, value: Callable[[Array, Sequence[str]], float], items: Items
) -> Iterator[Summed]:
    """The same for figures that are no function of a sum."""
    for slip, kept in _kept(items):
        ids = [name for name, there in zip(items.ids, kept.tolist(), strict=True) if there]
        yield slip, ONE, np.array([value(columns[kept], ids)])


def _kept(items: Items) -> Iterator[tuple[Slip, Truths]]:
    for name, kept in (
        ("no-duplicates", items.first_of_equals),
        ("no-empty", items.not_empty),
    ):
        if kept.any() and not kept.all():
            yield Slip(name), kept


def _mean_of_groups(columns: Array, value: Callable[[Array], Array], names: Sequence[str]) -> Array:
    _, numbers = np.unique(np.asarray(names), return_inverse=True)
    sums = np.zeros((int(numbers.max()) + 1, columns.shape[1]))
    np.add.at(sums, numbers, columns)
    return np.array([np.nanmean(value(sums))])
