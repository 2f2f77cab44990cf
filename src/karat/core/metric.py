"""Base class of metrics: a pair becomes a row of additive counts, a sum of rows becomes scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np

from karat.arguments import checks_arguments
from karat.core import signature
from karat.core.capabilities import Explanation as Explanation
from karat.core.capabilities import Split as Split
from karat.core.marks import Array, Description
from karat.core.options import Declared, declared
from karat.core.reading.doors import native_pairs
from karat.core.scores import MetricsDict, Scores
from karat.core.scoring import (
    check_list,
    check_sizes,
    measured_rows,
    row_scores,
    total_scores,
    values_of,
)
from karat.errors import PairingError
from karat.version import VERSION

System = TypeVar("System")
Gold = TypeVar("Gold")
Counts: TypeAlias = Sequence[float]
_GONE = frozenset(
    ("headline", "lower_is_better", "ranges", "ranked_by", "scale", "scales", "totals", "unbounded")
)
"""Class attributes of metrics in karat 0.1: they would have no effect, so they are refused."""


class Metric(Declared, Generic[System, Gold]):
    """Base class of metrics: a subclass writes `measure` (or `measure_many`) and `summarize`.

    A metric is a value: it compares, hashes, pickles, and its `repr` parses back. Its options
    are its annotated fields. What else it may be able to do is in `karat.core.capabilities`.
    """

    kind: ClassVar[str]
    """The kind of items that it compares, which decides the formats that it can read."""
    columns: ClassVar[Sequence[str]]
    """The names of the counts in a row; a property where options decide them."""
    releases_gil: ClassVar[bool] = False
    """Whether `measure_many` spends its time outside the GIL, so that threads help."""
    chunk_size: ClassVar[int] = 256
    """How many pairs `measure_many` is given at once; a chunk should take less than a second."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        own = vars(cls).keys() - vars(cls).get("__annotations__", {}).keys()
        if gone := sorted(own & _GONE):
            raise TypeError(
                f"{cls.__name__} has the attribute {gone[0]}: say what a score is in summarize, "
                "with main, count, cost, percent, out_of, within or tiebreak"
            )

    def measure(self, system: System, gold: Gold) -> Counts:
        """One pair as a row of counts. Pure: no clock, no globals, no randomness."""
        if type(self).measure_many is Metric.measure_many:
            raise TypeError(f"{type(self).__name__} has neither measure nor measure_many")
        (row,) = self.measure_many([(system, gold)])
        return [float(count) for count in row]

    def measure_many(self, pairs: Sequence[tuple[System, Gold]]) -> Array:
        """A chunk of pairs as rows; override it where one native call does them all."""
        rows = [self.measure(system, gold) for system, gold in pairs]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.columns))

    def summarize(self, totals: Array) -> Scores:
        """Sums of rows, of any leading shape, as scores of that shape.

        `main`, `count`, `cost` and the like say what a score is.
        """
        raise TypeError(f"{type(self).__name__} has no summarize method")

    @cached_property
    def about(self) -> Description:
        """Properties of its scores: the headline, scales, ranges, counts and costs."""
        with np.errstate(all="ignore"):
            return Description(self.summarize(np.zeros(len(self.columns))), self.name)

    def row(self, **counts: float) -> Counts:
        """A row with these counts, and 0 in the other columns."""
        unknown = counts.keys() - set(self.columns)
        if unknown:
            raise TypeError(f"{self.name} has no columns {sorted(unknown)}")
        return [float(counts.get(column, 0)) for column in self.columns]

    def columns_of(self, totals: Array) -> list[Array]:
        """The columns of an array of totals, in declared order."""
        return [totals[..., i] for i in range(len(self.columns))]

    def by_column(self, totals: Array) -> dict[str, Array]:
        """The columns of an array of totals by their names."""
        return dict(zip(self.columns, self.columns_of(totals), strict=True))

    def signature(self) -> str:
        """Everything about the metric that decides the numbers, in one line.

        The signature of an evaluation goes on with how its files were read.
        """
        from karat.core.plugins import METRICS, package_of

        parts = [repr(self), f"karat:{VERSION}", package_of(METRICS, type(self), self.name)]
        known = declared(type(self))
        parts += [f"{k}:{v}" for k, v in signature.digests(known, self.options).items()]
        return "|".join(filter(None, parts))

    # -- items in memory: all follows from `measure_many` and `summarize` ----------------------

    def score(self, system: System, gold: Gold) -> MetricsDict:
        """The scores of one pair."""
        return self.score_all([system], [gold])[0]

    def score_all(self, systems: Sequence[System], golds: Sequence[Gold]) -> list[MetricsDict]:
        """The scores of each pair, in order."""
        return row_scores(self, measured_rows(self, systems, golds))

    def score_batch(
        self, systems: Sequence[System], golds: Sequence[Gold], score: str | None = None
    ) -> Array:
        """One score of each pair as an array: the headline, or the score that is named.

        For loops that score many items, such as rewards in training: nothing is made for each
        item but its number. Undefined scores are NaN, and no warnings are given.
        """
        check_sizes(systems, golds, "system items")
        if not len(systems):
            return np.zeros(0)
        rows = self.measure_many(native_pairs(self, systems, golds))
        return values_of(self, self.about.path_of(score), rows)

    def score_multi(self, systems: Sequence[System], gold: Gold) -> list[MetricsDict]:
        """The scores of many system items against one gold item."""
        check_list(systems, "system")
        return self.score_all(systems, [gold] * len(systems))

    def score_multi_all(
        self, systems: Sequence[Sequence[System]], golds: Sequence[Gold]
    ) -> list[list[MetricsDict]]:
        """The scores of groups of system items, each group against its own gold item."""
        check_sizes(systems, golds, "groups of system items")
        for group in systems:
            check_list(group, "system")
        flat = self.score_all(
            [system for group in systems for system in group],
            [gold for group, gold in zip(systems, golds, strict=True) for _ in group],
        )
        scores = iter(flat)
        return [[next(scores) for _ in group] for group in systems]

    def evaluate(
        self, systems: Sequence[System], golds: Sequence[Gold]
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """The scores of the whole, and of each pair."""
        check_sizes(systems, golds, "system items")
        if not len(systems):
            raise PairingError(f"{self.name} cannot evaluate an empty list", code="K203")
        rows = measured_rows(self, systems, golds)
        return total_scores(self, rows.sum(axis=0)), row_scores(self, rows)

    @checks_arguments
    def measure_arrow(
        self, table: Any, *, system: str = "system", gold: str = "gold", id: str = "id"
    ) -> Any:
        """The counts of each row of an Arrow table, as a table: `karat.summarize` adds them up.

        `system` and `gold` name the columns of texts, or of other items in a notation or as values
        of JSON; several references are a list. The result has the id, all other columns, and a
        column of each count. Rows do not depend on each other, so that any part of a table may be
        measured anywhere. A record batch, a data frame or whatever else gives an Arrow table will
        do as well.
        """
        # Tables are measured on top of metrics, so this is found by its name when it is wanted.
        door = import_module("karat.core.arrow")
        return door.measure_table(self, table, system=system, gold=gold, id=id)
