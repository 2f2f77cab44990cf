"""The effect of classes of edits on the counts of a run, alone and together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.core.metric import Metric
from karat.core.repairs import Changes, Edit, Target
from karat.core.scores import Array, leaves
from karat.stats.choosing import best_changes, greedy_changes, paired_gains

Average: TypeAlias = Literal["micro", "macro"]
"""The score of all counts, or the mean of the items' scores."""
Ints: TypeAlias = npt.NDArray[np.int64]


class Figures(NamedTuple):
    """A score, and precision and recall where it has them."""

    p: float | None
    r: float | None
    f: float

    def less(self, other: Figures) -> Figures:
        """The differences."""
        p, r = (
            None if a is None or b is None else a - b
            for a, b in ((self.p, other.p), (self.r, other.r))
        )
        return Figures(p, r, self.f - other.f)

    def to_dict(self) -> dict[str, float | None]:
        """For JSON, which has no number for what is undefined."""
        return {
            name: None if value is None or np.isnan(value) else value
            for name, value in self._asdict().items()
        }


class Score(NamedTuple):
    """The score that repairs are to improve."""

    metric: Metric[Any, Any]
    name: str
    target: Target
    average: Average = "micro"

    @property
    def sign(self) -> int:
        """-1 where lower is better."""
        return -1 if self.name in self.metric.about.lower_is_better else 1

    @property
    def exact_plan(self) -> bool:
        """Whether the best set of classes can be found, and not only a good one."""
        return self.average == "micro" and not self.target.whole

    def _values(self, counts: Array, names: Sequence[str]) -> list[Array]:
        found = dict(leaves(self.metric.summarize(counts)))
        return [np.asarray(found[self.metric.about.path_of(name)], np.float64) for name in names]

    def figures(self, counts: Array) -> Figures:
        """The score of items."""
        rows = counts.sum(axis=0) if self.average == "micro" else counts
        names = self.target.precision, self.target.recall, self.name
        values = iter(self._values(rows, [name for name in names if name]))
        p, r, f = (self._mean(next(values)) if name else None for name in names)
        return Figures(p, r, np.nan if f is None else f)

    def _mean(self, values: Array) -> float:
        defined = values[~np.isnan(values)] if values.ndim else values
        return float(defined.mean()) if defined.size else float("nan")

    def quotients(self, counts: Array) -> Array:
        """For each item two numbers, whose sums over items make the score."""
        if self.average == "macro":
            (values,) = self._values(counts, [self.name])
            defined = ~np.isnan(values)
            return np.column_stack([np.where(defined, values, 0), defined.astype(float)])
        columns = list(self.metric.columns)
        return np.column_stack(
            [
                sum(weight * counts[:, columns.index(name)] for name, weight in part.items())
                for part in (self.target.top, self.target.bottom)
            ]
        )


class ClassOfEdits(NamedTuple):
    """The edits of one class: which items have some, how many, what they add to columns."""

    name: str
    edits: int
    items: Ints
    sizes: Ints
    changes: Array


class Effects:
    """Classes of edits on the items of a run, and the scores without some of them."""

    def __init__(
        self,
        score: Score,
        counts: Array,
        columns: Sequence[int],
        classes: Sequence[ClassOfEdits],
        left: Ints,
    ) -> None:
        self.score = score
        self.counts = counts
        self.columns = list(columns)
        """The columns that edits change."""
        self.classes = list(classes)
        self.left = left
        """How many edits each item has."""
        self.place = {each.name: i for i, each in enumerate(classes)}

    @classmethod
    def of(
        cls,
        score: Score,
        counts: Array,
        edits: Mapping[int, Sequence[Edit]],
        classes_of: Callable[[int], Sequence[str]],
    ) -> Effects:
        """From the edits of items, by their positions, and the classes of these."""
        left = np.zeros(len(counts), np.int64)
        names: dict[str, tuple[list[int], list[int]]] = {}
        number: dict[Changes, int] = {}  # there are many edits, and few ways to change rows
        for item, found in edits.items():
            left[item] = len(found)
            for edit, name in zip(found, classes_of(item), strict=True):
                items, ways = names.setdefault(name, ([], []))
                items.append(item)
                ways.append(number.setdefault(edit.changes, len(number)))
        every = list(score.metric.columns)
        changed = {name for changes in number for name, _ in changes}
        columns = [i for i, name in enumerate(every) if name in changed]
        place = {every[i]: j for j, i in enumerate(columns)}
        rows = np.zeros((len(number), len(columns)))
        for row, changes in zip(rows, number, strict=True):
            for column, change in changes:
                row[place[column]] += change
        classes = []
        for name, (items, ways) in sorted(names.items()):
            own, at, sizes = np.unique(items, return_inverse=True, return_counts=True)
            sums = np.zeros((len(own), len(columns)))
            np.add.at(sums, at, rows[ways])
            classes.append(ClassOfEdits(name, len(items), own, sizes, sums))
        return cls(score, counts, columns, classes, left)

    def taken(self, items: Ints) -> Effects:
        """The effects on some of the items."""
        place = np.full(len(self.counts), -1, np.int64)
        place[items] = np.arange(len(items))
        classes = []
        for each in self.classes:
            kept = place[each.items] >= 0
            classes.append(
                ClassOfEdits(
                    each.name,
                    int(each.sizes[kept].sum()),
                    place[each.items[kept]],
                    each.sizes[kept],
                    each.changes[kept],
                )
            )
        return Effects(self.score, self.counts[items], self.columns, classes, self.left[items])

    # -- scores ----------------------------------------------------------------------------------

    @cached_property
    def before(self) -> Figures:
        return self.score.figures(self.counts)

    def after(self, chosen: Iterable[int]) -> Array:
        """The counts of all items without the edits of some classes."""
        counts = self.counts.copy()
        made = np.zeros(len(counts), np.int64)
        for number in chosen:
            each = self.classes[number]
            counts[each.items[:, None], np.array(self.columns, np.int64)] += each.changes
            made[each.items] += each.sizes
        if self.score.target.whole:
            (column,) = self.score.target.top
            done = (made > 0) & (made == self.left)
            counts[done, list(self.score.metric.columns).index(column)] = 1
        return counts

    def figures(self, chosen: Sequence[int]) -> Figures:
        """The score without the edits of some classes."""
        score = self.score
        if score.exact_plan:
            totals = self.counts.sum(axis=0)
            for number in chosen:
                totals[self.columns] += self._sums[number]
            return score.figures(totals[None])
        return score.figures(self.after(chosen))

    @cached_property
    def _sums(self) -> list[Array]:
        return [np.asarray(each.changes.sum(axis=0)) for each in self.classes]

    def gain(self, number: int) -> float:
        """The gain of a class alone; higher is better, also for costs."""
        return self.score.sign * (self.figures([number]).f - self.before.f)

    # -- choosing --------------------------------------------------------------------------------

    def best(self, most: int) -> list[tuple[list[int], float]]:
        """For one class, two, up to so many: the best set, or where that is hard a good one."""
        most = min(most, len(self.classes))
        if not self.score.exact_plan:
            sign = self.score.sign

            def value(chosen: Sequence[int]) -> float:
                return sign * self.figures(chosen).f

            found = greedy_changes(len(self.classes), value, most)
            return [(chosen, sign * reached) for chosen, reached in found]
        sign = self.score.sign
        pairs = self.score.quotients(self.counts).sum(axis=0)
        table = []
        for sums in self._sums:
            row = np.zeros((1, self.counts.shape[1]))
            row[0, self.columns] = sums
            top, bottom = self.score.quotients(row)[0]
            table.append((sign * float(top), float(bottom)))
        result = []
        for size in range(1, most + 1):
            chosen, _ = best_changes(sign * float(pairs[0]), float(pairs[1]), table, size)
            result.append((chosen, self.figures(chosen).f))
        return result

    def intervals(
        self, numbers: Sequence[int], resampled: Callable[[Array], Array], level: float
    ) -> list[tuple[float, float] | None]:
        """Intervals of what classes change, from items drawn together."""
        before = self.score.quotients(self.counts)
        after = [self.score.quotients(self.after([number])) for number in numbers]
        return paired_gains(before, after, resampled, level)


def gains_of_edits(
    score: Score, counts: Array, edits: Mapping[int, Sequence[Edit]]
) -> Iterator[tuple[int, list[float]]]:
    """For each item with edits, what each of these alone changes in the score."""
    columns = {name: i for i, name in enumerate(score.metric.columns)}
    top, bottom = score.quotients(counts).sum(axis=0).tolist()

    def gain(changes: Changes, before: Array, alone: bool = False) -> float:
        after = before.copy()
        for name, change in changes:
            after[columns[name]] += change
        if score.target.whole:
            (column,) = score.target.top
            after[columns[column]] = max(after[columns[column]], float(alone))
        old, new = score.quotients(np.stack([before, after])).tolist()
        more, below = new[0] - old[0], new[1] - old[1]
        defined = bottom and bottom + below
        return (top + more) / (bottom + below) - top / bottom if defined else 0.0

    nothing = np.zeros(len(columns))
    known: dict[Changes, float] = {}  # there are many edits, and few ways to change sums
    for i, found in edits.items():
        if score.exact_plan:
            for changes in {edit.changes for edit in found} - known.keys():
                known[changes] = gain(changes, nothing)
            gains = [known[edit.changes] for edit in found]
        else:
            gains = [gain(edit.changes, counts[i], len(found) == 1) for edit in found]
        if gains:
            yield i, gains
