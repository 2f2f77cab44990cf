"""A table of all scores of all outputs, from which correlations are computed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from karat.errors import FormatError, OptionError, Place, counted, did_you_mean, quote_some
from karat.meta.records import Record, flat_by_top, read_records, record_of
from karat.stats.correlation import Ints
from karat.stats.resampling import Array

Who = Literal["all", "peer", "reference"]
_ABSENT = float("nan")
_MOST_WARNINGS = 5


@dataclass(frozen=True, slots=True)
class Matrices:
    """The scores of some names as matrices, systems × inputs, with the same absent cells."""

    names: tuple[str, ...]
    values: tuple[Array, ...]
    systems: tuple[str, ...]
    inputs: tuple[str, ...]
    dropped: int
    """Records of the asked type that lack one of the names."""
    warnings: tuple[str, ...] = ()

    def turned(self, lower_is_better: Sequence[str]) -> Matrices:
        """A copy with the signs of scores changed that are better when lower."""
        unknown = [name for name in lower_is_better if name not in self.names]
        if unknown:
            raise OptionError(
                f"{quote_some(unknown)} cannot be lower-is-better: they are not compared",
                code="K383",
            )
        values = tuple(
            -matrix if name in lower_is_better else matrix
            for name, matrix in zip(self.names, self.values, strict=True)
        )
        return replace(self, values=values)

    def constant(self, count: int | None = None) -> list[str]:
        """A warning for each of the first scores, or all, that is the same for all outputs."""
        return [
            f"{name} is the same everywhere: nothing correlates with it"
            for name, scores in zip(self.names[:count], self.values, strict=False)
            if np.nanmin(scores) == np.nanmax(scores)
        ]


class ScoreTable:
    """Scores by name, for every (input, system) that was read.

    Records of one output are merged: names at the top of a later record replace
    those of an earlier one, with a warning where they differ.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self._inputs: dict[str, int] = {}
        self._systems: dict[str, int] = {}
        self._cells: dict[int, int] = {}
        self._types: list[str] = []
        self._columns: dict[str, array[float]] = {}
        self._under: dict[str, set[str]] = {}
        self._replaced = 0

    @classmethod
    def read(cls, paths: Iterable[str]) -> ScoreTable:
        """All records of all files, in order."""
        return cls._filled(found for path in paths for found in read_records(path))

    @classmethod
    def of(cls, records: Iterable[Record | Mapping[str, Any]]) -> ScoreTable:
        """A table of records in memory, which are left as they are.

        A mapping is a record as files of scores hold them.
        """
        return cls._filled(
            (each, None)
            if isinstance(each, Record)
            else (record_of(each, place := Place(f"records[{number}]")), place)
            for number, each in enumerate(records)
        )

    @classmethod
    def _filled(cls, records: Iterable[tuple[Record, Place | None]]) -> ScoreTable:
        table = cls()
        for record, place in records:
            table.add(record, place)
        if table._replaced > _MOST_WARNINGS:
            table.warnings.append(
                f"in all, {counted(table._replaced, 'value')} replaced by different ones"
            )
        return table

    @property
    def names(self) -> list[str]:
        """The flat names of all scores, in order of first appearance."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(self._types)

    def add(self, record: Record, place: Place | None = None) -> None:
        """Takes one record in."""
        row = self._row(record, place)
        for top, new in flat_by_top(record.metrics, place).items():
            known = self._under.setdefault(top, set())
            # Names under one at the top that was there before are all replaced.
            for name in known:
                old = self._columns[name]
                if row < len(old) and old[row] == old[row]:
                    if new.get(name) != old[row]:
                        self._replace(name, record, place)
                    old[row] = _ABSENT
            for name, value in new.items():
                if name not in known:
                    self._begin(name, top, place)
                column = self._columns[name]
                if len(column) <= row:
                    column.extend([_ABSENT] * (row + 1 - len(column)))
                column[row] = value

    def _begin(self, name: str, top: str, place: Place | None) -> None:
        """A new column, which must belong to one name at the top."""
        if name in self._columns:
            raise FormatError(
                f"{name!r} is a part of {top!r} here, and not in another record",
                code="K149",
                place=place,
                advice="rename one of the two",
            )
        self._under[top].add(name)
        self._columns[name] = array("d")

    def _row(self, record: Record, place: Place | None) -> int:
        system = self._systems.setdefault(record.summarizer_id, len(self._systems))
        column = self._inputs.setdefault(record.instance_id, len(self._inputs))
        key = system << 32 | column
        row = self._cells.get(key)
        if row is None:
            row = self._cells[key] = len(self._types)
            self._types.append(record.summarizer_type)
        elif self._types[row] != record.summarizer_type:
            raise FormatError(
                f"the summarizer {record.summarizer_id!r} of {record.instance_id!r} is "
                f"a {record.summarizer_type} here and a {self._types[row]} before",
                code="K153",
                place=place,
                advice="the files must agree on summarizer_type",
            )
        return row

    def _replace(self, name: str, record: Record, place: Place | None) -> None:
        self._replaced += 1
        if self._replaced <= _MOST_WARNINGS:
            where = f"{place}: " if place else ""
            self.warnings.append(
                f"{where}{name!r} of {record.summarizer_id!r} on {record.instance_id!r} "
                "replaces a different value"
            )

    def expand(self, patterns: Sequence[str]) -> list[str]:
        """The names that are given exactly, or that match a pattern with ``*``."""
        found: dict[str, None] = {}
        for pattern in patterns:
            if pattern in self._columns or "*" not in pattern:
                self._column(pattern)
                found[pattern] = None
                continue
            fitting = [name for name in self._columns if fnmatchcase(name, pattern)]
            if not fitting:
                raise self._unknown(pattern)
            found.update(dict.fromkeys(fitting))
        return list(found)

    def _column(self, name: str) -> array[float]:
        if name not in self._columns:
            raise self._unknown(name)
        return self._columns[name]

    def _unknown(self, name: str) -> OptionError:
        known = list(self._columns)
        shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        return OptionError(
            f"there is no score {name!r} in the files{did_you_mean(name, known)}",
            code="K306",
            advice=f"scores: {shown or 'none'}",
        )

    def matrices(self, names: Sequence[str], who: Who = "peer") -> Matrices:
        """The scores of the outputs that have all these names."""
        size = len(self._types)
        columns = []
        for name in names:
            values = np.full(size, np.nan)
            found = np.frombuffer(self._column(name), np.float64)
            values[: len(found)] = found
            columns.append(values)
        types = np.array(self._types)
        asked = np.ones(size, bool) if who == "all" else types == who
        complete = asked & ~np.any(np.isnan(columns), axis=0)
        if not complete.any():
            raise OptionError(
                f"no record{'' if who == 'all' else f' of the type {who!r}'} has "
                + " and ".join(repr(name) for name in names),
                code="K382",
                advice="jackknifed names end in _jk; humans have no others"
                if who != "peer"
                else "records are merged by instance_id and summarizer_id: compare those",
            )
        keys = np.fromiter(self._cells, np.int64, size)[complete]
        # Two numbers, one key: see `_row`.
        rows, systems = _sorted_places(keys >> 32, list(self._systems))
        cells, inputs = _sorted_places(keys & 0xFFFFFFFF, list(self._inputs))
        matrices = []
        for values in columns:
            matrix = np.full((len(systems), len(inputs)), np.nan)
            matrix[rows, cells] = values[complete]
            matrices.append(matrix)
        humans_lost = who == "all" and bool(np.any(asked & ~complete & (types == "reference")))
        return Matrices(
            tuple(names),
            tuple(matrices),
            tuple(systems),
            tuple(inputs),
            int(asked.sum() - complete.sum()),
            self._lack_of_humans(names) if humans_lost else (),
        )

    def _lack_of_humans(self, names: Sequence[str]) -> tuple[str, ...]:
        types = np.array(self._types) == "reference"
        lacking = []
        for name in names:
            column = np.frombuffer(self._columns[name], np.float64)
            if not np.any(types[: len(column)] & ~np.isnan(column)):
                lacking.append(name)
        return tuple(
            f"no human has {name!r}, so that humans are left out: use a name that "
            "ends in _jk or has _jk_ in it"
            for name in lacking
        )


def _sorted_places(numbers: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """The place of each number among the names in use, in the order of strings."""
    used, inverse = np.unique(numbers, return_inverse=True)
    own = [names[int(i)] for i in used]
    order = sorted(range(len(own)), key=own.__getitem__)
    place = np.empty(len(own), np.int64)
    place[order] = np.arange(len(own))
    return place[inverse.reshape(-1)], [own[i] for i in order]
