"""Means of item scores that were made elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np

from karat.core.capabilities import Explanation
from karat.core.marks import Array, Score, cost, count, main, out_of, within
from karat.core.metric import Counts, Metric
from karat.core.pairing.pairs import Report
from karat.core.scores import Scores as NamedScores
from karat.core.scores import ratio, unknown_score
from karat.core.shown import Raw, Shown, Text
from karat.errors import FormatError, KaratError, OptionError, part_of
from karat.logs.model import ItemScores, Range


class Scores(Metric[ItemScores, str]):
    """Means of the scores that another tool gave to each item, with intervals and tests.

    Reads logs of lm-evaluation-harness, inspect_ai, promptfoo, lighteval and COMET, and tables
    of scores (CSV, TSV, JSON lines, Parquet). There is no gold. Missing scores are left out and
    counted. All scores of a file are taken unless some are named.

    >>> metric = Scores(names=("acc",), range=("0:1",))
    >>> metric.score(ItemScores({"acc": 0.5}), "")
    {'acc': 0.5, 'items': 1}
    """

    name = "scores"
    kind = "scores"
    flag_synonyms: ClassVar[Mapping[str, str]] = {"score": "names"}

    names: Annotated[tuple[str, ...], "the scores to take; all if not given"] = ()
    range: Annotated[
        tuple[str, ...],
        "the range of scores: LO:HI for all, NAME=LO:HI for one; needed unless all are 0 or 1, or "
        "the tool defines it",
    ] = ()
    lower: Annotated[tuple[str, ...], "the scores that are better when lower"] = ()

    def __post_init__(self) -> None:
        self._ranges = dict(map(_range, self.range))
        for name in (*self.lower, *(each for each in self._ranges if each)):
            if self.names and name not in self.names:
                raise unknown_score(name, self.names)

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return self._columns

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        return ("items", *(f"{name}|{what}" for name in self.names for what in ("n", "sum")))

    def range_of(self, name: str) -> Range | None:
        """The range of a score, if known."""
        return self._ranges.get(name, self._ranges.get(""))

    def measure(self, system: ItemScores, gold: str) -> Counts:
        row = [1.0]
        for name in self.names:
            value = system.values.get(name)
            row += [0.0, 0.0] if value is None else [1.0, value]
        return row

    def summarize(self, totals: Array) -> NamedScores:
        result: dict[str, Array | Score] = {}
        for i, name in enumerate(self.names):
            mean: Array | Score = ratio(totals[..., 2 + 2 * i], totals[..., 1 + 2 * i], math.nan)
            low, high = self.range_of(name) or (-math.inf, math.inf)
            if high == 100:
                mean = out_of(mean, 100)
            mean = within(mean, low, high)
            mean = cost(mean) if name in self.lower else mean
            result[name] = main(mean) if i == 0 else mean
        return {**result, "items": count(totals[..., 0])}

    # -- files --------------------------------------------------------------------------------

    def holds_gold(self, record: Any) -> bool:
        return True

    def of_system(self, record: ItemScores) -> ItemScores:
        return record

    def of_gold(self, records: Sequence[ItemScores]) -> str:
        """What tells whether two systems were given the same item."""
        return records[0].mark

    def completed(self, records: Sequence[ItemScores], report: Report) -> Scores:
        """The metric with the names and ranges of the scores that a file holds."""
        found = dict.fromkeys(name for record in records for name in record.values)
        for name in (*self.names, *self.lower, *(each for each in self._ranges if each)):
            if name not in found:
                raise unknown_score(name, found)
        names = self.names or tuple(found)
        known = records[0].known if records else {}
        ranges: dict[str, Range] = {}
        for name in names:
            values = np.array(
                [v for r in records if (v := r.values.get(name)) is not None], np.float64
            )
            declared = self.range_of(name) or known.get(name)
            if declared is None and len(values) and np.isin(values, (0.0, 1.0)).all():
                declared = (0.0, 1.0)
            if declared is not None:
                ranges[name] = declared
                outside = int(np.sum((values < declared[0]) | (values > declared[1])))
                if outside:
                    lie = "value lies" if outside == 1 else "values lie"
                    report.warn(
                        f"{outside} {lie} outside the range of {name!r}, {_shown(declared)}"
                    )
            if len(values) > 1 and values.min() == values.max():
                report.warn(f"all items have the same {name!r}: {values[0]:g}")
        return Scores(
            names=names,
            range=tuple(f"{name}={_shown(ends)}" for name, ends in ranges.items()),
            lower=self.lower,
        )

    def chosen(self, names: Sequence[str], ranges: Sequence[str]) -> tuple[Scores, list[int]]:
        """The metric with some of its scores, with these ranges, and the columns that it has."""
        kept = [i for i, name in enumerate(self.names) if name in names]
        columns = [0, *(column for i in kept for column in (1 + 2 * i, 2 + 2 * i))]
        same = tuple(self.names[i] for i in kept)
        result = Scores(
            names=same,
            range=tuple(text for text in ranges if _range(text)[0] in same),
            lower=tuple(name for name in self.lower if name in same),
        )
        return result, columns

    # -- guarding results ---------------------------------------------------------------------

    def objection(self, totals: Array) -> KaratError | None:
        items = int(totals[0])
        for i, name in enumerate(self.names):
            missing = items - int(totals[1 + 2 * i])
            if 2 * missing > items:
                return FormatError(
                    part_of(missing, items, "item") + f" no {name!r}: more than half",
                    code="K199",
                    advice="choose other scores with ``names``",
                )
        return None

    def caveats(self, totals: Array) -> list[str]:
        items, result = int(totals[0]), []
        for i, name in enumerate(self.names):
            missing = items - int(totals[1 + 2 * i])
            if missing:
                which = f" {name!r}" if len(self.names) > 1 else ""
                result.append(part_of(missing, items, "item") + f" no score{which}")
        return result

    def explain(self, system: ItemScores, gold: str) -> Explanation:
        return {"scores": {name: system.values.get(name) for name in self.names}}

    def shown(self, system: ItemScores, gold: str, explanation: Explanation) -> Shown:
        """The texts that the log has, and the scores; the mark of an item is a hash."""
        known = ((name, system.values.get(name)) for name in self.names or system.values)
        lines = [f"{name} {'–' if value is None else f'{value:g}'}" for name, value in known]
        prompt, expected, output = system.texts
        return Shown(
            golds=[Text(expected)] if expected else [],
            system=Text(output) if output else Raw("\n".join(lines)),
            source=prompt or None,
            notes=lines if output and len(lines) > 1 else [],
        )


def _range(text: str) -> tuple[str, Range]:
    """The name of a score, or nothing for all, and where it lies.

    >>> _range("acc=0:1"), _range("-1:1")
    (('acc', (0.0, 1.0)), ('', (-1.0, 1.0)))
    """
    name, _, ends = text.rpartition("=")
    low, colon, high = ends.partition(":")
    try:
        result = float(low), float(high)
    except ValueError:
        colon, result = "", (0.0, 0.0)
    if not colon or not math.isfinite(result[1] - result[0]) or result[0] >= result[1]:
        raise OptionError(
            f"a range is LO:HI or NAME=LO:HI, with LO below HI; got {text!r}", code="K302"
        )
    return name, result


def _shown(ends: Range) -> str:
    return ":".join(str(int(end)) if end.is_integer() else repr(end) for end in ends)
