"""How the results of chunks become an evaluation, and whether that says anything.

Zeros because nothing could be read, or nothing matches, are an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from karat.core.capabilities import Objects, Pools, allows_empty, has
from karat.core.metric import Metric, Split
from karat.core.pairing.pairs import WRONG_FORMAT, Report
from karat.core.reading.items import Ints, Key, Named, Refs
from karat.core.reading.streams import FilePairs
from karat.core.runs.evaluation import Evaluation, Parts
from karat.core.scores import Array
from karat.engine.chunks import ChunkResult, Given
from karat.errors import FormatError, PairingError, Place


class Gathering:
    """Collects the results of chunks, one after the other, into an evaluation."""

    def __init__(self, metric: Metric[Any, Any], facets: Sequence[str], pairs: int = 0) -> None:
        self.metric, self.facets = metric, facets
        self.size = 0
        self._table = np.empty((pairs, len(metric.columns)))
        self._order: list[Ints] = []
        self._places: list[Ints] = []
        self._ids: list[str] = []
        self._keys: list[Key] = []
        self._groups: dict[str, list[str]] = {}
        self._known: dict[str, str] = {}
        self._sizes: list[int] = []
        self._splits: list[list[Split]] = []
        self._proofs: dict[int, bytes] = {}
        self.mappings: dict[int, bytes] = {}
        """The mappings of the first pairs; those of later pairs are searched again on demand."""
        self._marks: list[bytes] = []

    def add(self, result: ChunkResult, names: Iterable[tuple[str, Key]] = ()) -> None:
        """Adds the next chunk; `names` are those of its items, unless gold names them."""
        count = len(result.rows)
        if self.size + count > len(self._table):
            grown = np.empty((max(self.size + count, 2 * self.size), len(self.metric.columns)))
            grown[: self.size] = self._table[: self.size]
            self._table = grown
        self._table[self.size : self.size + count] = result.rows
        self._add_fields(result.fields, count)
        self.size += count
        for name, key in names:
            self._ids.append(name)
            self._keys.append(key)
        self._order.append(result.index)
        self._places.append(result.place)
        if result.proofs:
            self._proofs |= zip(result.place.tolist(), result.proofs, strict=False)
        self.mappings |= result.mappings
        self._marks += result.marks
        self._sizes.append(count)
        self._splits.append(result.splits)

    def _add_fields(self, fields: dict[str, list[str]], count: int) -> None:
        known = self._known
        for name, values in fields.items():
            # Most values come again and again: one string is enough for all of them.
            self._groups.setdefault(name, [""] * self.size).extend(
                map(known.setdefault, values, values)
            )
        for column in self._groups.values():
            column.extend([""] * (self.size + count - len(column)))

    def evaluation(self, gold: Refs | None = None) -> Evaluation:
        """The evaluation, in gold order; the names of items are those in `gold`, if given."""
        order = np.concatenate(self._order) if self._order else np.empty(0, np.int64)
        places = np.concatenate(self._places) if self._places else np.empty(0, np.int64)
        table = self._table[: self.size]
        ids, keys, groups, marks = self._ids, self._keys, self._groups, self._marks
        keep: Sequence[int] = range(self.size)
        if np.any(np.diff(order) <= 0):
            # Back into gold order; a place that comes twice holds what came last.
            last = {index: position for position, index in enumerate(order.tolist())}
            keep = [last[index] for index in sorted(last)]
            table, places = table[keep], places[keep]
            groups = {name: [values[i] for i in keep] for name, values in groups.items()}
            marks = [marks[i] for i in keep] if marks else marks
            if gold is None:
                ids, keys = [ids[i] for i in keep], [keys[i] for i in keep]
        chosen = set(places.tolist()) if self._proofs else set()
        return Evaluation(
            self.metric,
            ids if gold is None else Named(gold.keys, places),
            table,
            groups=groups,
            parts={
                facet: self._parts(facet, [split[i] for split in self._splits], keep)
                for i, facet in enumerate(self.facets)
            },
            certificates={place: p for place, p in self._proofs.items() if place in chosen},
            keys=keys if gold is None else None,
            places=places.tolist() if gold is None else None,
            gold_marks=marks,
        )

    def _parts(self, facet: str, splits: Sequence[Split], keep: Sequence[int]) -> Parts:
        """The rows of all chunks, with the places of their items in the end."""
        place = {position: i for i, position in enumerate(keep)}
        before = 0
        found: list[tuple[int, str, Array]] = []
        for split, size in zip(splits, self._sizes, strict=True):
            for pair, value, row in zip(split.pairs, split.values, split.rows, strict=True):
                if before + pair in place:
                    found.append((place[before + pair], value, row))
            before += size
        found.sort(key=lambda each: each[0])
        items = [item for item, _, _ in found]
        values: Sequence[str] = [value for _, value, _ in found]
        counts = np.array([row for _, _, row in found])
        counts = counts.reshape(len(found), len(self.metric.columns))
        if has(self.metric, Pools):
            pooled = self.metric.pooled(facet, values, counts)
            if pooled != values:
                return _merged(items, pooled, counts)
        return Parts(items, list(values), counts)


def _merged(items: Sequence[int], values: Sequence[str], counts: Array) -> Parts:
    """Rows of the same item and value as one, in the order of the first."""
    places: dict[tuple[int, str], int] = {}
    owner = [places.setdefault(each, len(places)) for each in zip(items, values, strict=True)]
    rows = np.zeros((len(places), counts.shape[1]))
    np.add.at(rows, owner, counts)
    return Parts([item for item, _ in places], [value for _, value in places], rows)


def check_result(evaluation: Evaluation, pairs: FilePairs, given: Given) -> None:
    """Raises where the figures say nothing about the system: nothing was read, or counted."""
    metric, report = evaluation.metric, pairs.report
    if (unread := report.none_readable()) is not None:
        raise unread
    if not given.pairs:
        if allows_empty(metric):
            return
        raise PairingError(
            f"no item is left to measure: {report.skipped} could not be read", code="K203"
        )
    objection = metric.objection(evaluation.totals) if has(metric, Objects) else None
    objection = objection or _nothing_counted(evaluation)
    if objection is not None:
        if isinstance(objection, FormatError):
            stream = pairs.golds[0] if objection.side == "gold" and pairs.golds else pairs.system
            objection.place = objection.place or Place(stream.source.name)
        raise objection
    if not given.wanted and not given.anything:
        report.warn("all items of gold and of the system are empty")
    elif not given.wanted and pairs.golds:
        report.warn("all items of gold are empty, and those of the system are not")
    if given.wanted and not given.anything:
        why, advice = given.why
        count = len(evaluation)
        raise PairingError(
            (f"all {count} system items are" if count > 1 else "the only system item is")
            + (f" unreadable: {why}" if why else " empty"),
            code="K241",
            place=Place(pairs.system.source.name),
            advice=advice or WRONG_FORMAT,
        )
    if given.empty:
        what = "output of the system is" if given.empty == 1 else "outputs of the system are"
        report.warn(f"{given.empty} {what} empty, and counted as such")


def _nothing_counted(evaluation: Evaluation) -> PairingError | None:
    """The error where neither gold nor the system has anything that the metric counts."""
    sums: dict[str, list[float]] = {"g": [], "s": []}
    for name, total in zip(evaluation.metric.columns, evaluation.totals, strict=True):
        sums.get(name.rpartition(".")[2], []).append(float(total))
    if not sums["g"] or not sums["s"] or any(map(any, sums.values())):
        return None
    return PairingError(
        f"{evaluation.metric!r} finds nothing to count, neither in gold nor in what the system "
        "gave",
        code="K242",
        advice="check the options that choose what is counted, and the formats of the files",
    )


def many_unreadable(report: Report) -> list[str]:
    """How many items could not be read, where that is more than one."""
    count, all_items = report.unreadable, report.unreadable + report.readable
    return [f"{count} of {all_items} system items could not be read"] if count > 1 else []
