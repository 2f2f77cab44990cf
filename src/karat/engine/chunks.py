"""Measures a chunk of pairs: parses its items, or takes their bytes, and counts.

A chunk is measured in the same way wherever that is done, and its result depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

import msgspec
import numpy as np

from karat.core.capabilities import (
    Certifies,
    DetectsNull,
    DiagnosesNull,
    MeasuresBytes,
    MeasuresMapped,
    Splits,
    has,
)
from karat.core.format import Notices
from karat.core.metric import Metric, Split
from karat.core.pairing.pairs import Report
from karat.core.reading.items import Ints, LazyItems, Pair, columns_of_fields, place_of
from karat.core.reading.plan import Chunk, Made, Maker
from karat.core.scores import Array
from karat.errors import FormatError, LimitExceeded, OptionError

_MOST_MAPPINGS = 100_000
"""More would take too much memory for what looking at items may never need."""


class Given(msgspec.Struct):
    """Whether any system item of some pairs, and any gold item, is not empty."""

    pairs: int = 0
    anything: bool = False
    wanted: bool = False
    why: tuple[str, str] = ("", "")
    """Why the first system item is empty, and advice."""
    empty: int = 0
    """How many texts of the system are empty where gold is not."""

    @classmethod
    def of(cls, metric: Metric[Any, Any], pairs: Sequence[Pair]) -> Given:
        is_null = metric.is_null if has(metric, DetectsNull) else is_blank
        anything = any(not is_null(pair.system) for pair in pairs)
        wanted = any(not is_null(pair.gold) for pair in pairs)
        why = ("", "")
        if pairs and not anything and has(metric, DiagnosesNull):
            why = metric.why_null(pairs[0].system)
        return cls(len(pairs), anything, wanted, why)

    def add(self, later: Given) -> None:
        """Adds the facts of later pairs."""
        self.why = self.why if self.pairs else later.why
        self.pairs += later.pairs
        self.anything = self.anything or later.anything
        self.wanted = self.wanted or later.wanted
        self.empty += later.empty


class ChunkResult(msgspec.Struct):
    """The result of a chunk: its pairs and their rows."""

    index: Ints
    place: Ints
    fields: dict[str, list[str]]
    """The fields of the pairs, a column each."""
    rows: Array
    splits: list[Split]
    proofs: list[bytes]
    given: Given
    marks: list[bytes]
    made: Made | None = None
    mappings: dict[int, bytes] = {}
    """The mappings of `Measured`, by the places of gold items."""


def joined(first: ChunkResult, second: ChunkResult) -> ChunkResult:
    """The pairs of two results without splits and proofs, in gold order."""
    index = np.concatenate([first.index, second.index])
    order = np.argsort(index, kind="stable")
    fields = {
        name: list(map((_column(first, name) + _column(second, name)).__getitem__, order.tolist()))
        for name in dict.fromkeys([*first.fields, *second.fields])
    }
    assert first.made is not None
    assert second.made is not None
    first.made.report.add(second.made.report)
    for ours, theirs in zip(first.made.noticed, second.made.noticed, strict=True):
        ours.update(theirs)
    first.given.add(second.given)
    return ChunkResult(
        index[order],
        np.concatenate([first.place, second.place])[order],
        fields,
        np.concatenate([first.rows, second.rows])[order],
        [],
        [],
        first.given,
        [],
        first.made,
        first.mappings,
    )


def _column(result: ChunkResult, name: str) -> list[str]:
    return result.fields.get(name) or [""] * len(result.rows)


def nothing_to_do() -> None:
    """Stands in for the function of a chunk whose result is kept on disk."""


def is_blank(value: Any) -> bool:
    """Whether there is no text: an empty string, or a list without any other."""
    if isinstance(value, str):
        return not value.strip()
    return isinstance(value, (list, tuple)) and all(map(is_blank, value))


def gold_marks(golds: Iterable[Any]) -> list[bytes]:
    """A short mark of the gold of each item, by which equal gold is known."""
    from hashlib import blake2b  # takes its time to load

    encode = msgspec.msgpack.Encoder().encode
    found = []
    for gold in golds:
        try:
            data = encode(gold)
        except TypeError:  # what MessagePack has no form for
            data = repr(gold).encode()
        found.append(blake2b(data, digest_size=8).digest())
    return found


_OF_ITEMS = (FormatError, LimitExceeded)
"""Errors that single items have."""


class Task(msgspec.Struct, frozen=True):
    """What is done with each chunk, in this or another process."""

    metric: Metric[Any, Any]
    facets: Sequence[str]
    certify: bool
    maker: Maker | None = None
    marks_gold: bool = False
    """Whether a mark of each pair's gold is wanted, since no gold file tells what it is."""

    def parse(self, chunk: Chunk, certificates: Mapping[int, bytes]) -> ChunkResult:
        """The result of items that are not parsed yet."""
        try:
            counted = self.count(chunk, certificates)
        except _OF_ITEMS:
            counted = None  # parsed items tell which one it is
        return self._make(chunk, certificates) if counted is None else counted

    def count(self, chunk: Chunk, certificates: Mapping[int, bytes]) -> ChunkResult | None:
        """The result where kernels take the bytes of items; else None."""
        if self.facets or self.certify or certificates:
            return None
        return self._count(chunk) if chunk.present is None else self._count_some(chunk)

    def _make(self, chunk: Chunk, certificates: Mapping[int, bytes]) -> ChunkResult:
        assert self.maker is not None
        made = self.maker.make(chunk)
        pairs, made.pairs = made.pairs, []
        try:
            result = self.do(pairs, certificates)
        except _OF_ITEMS:
            measurable = [pair for pair in pairs if self._is_measurable(pair, chunk, made.report)]
            if len(measurable) == len(pairs):
                raise
            result = self.do(measurable, certificates)
        result.made = made
        result.given.empty = self._empty(pairs, chunk)
        return result

    def _empty(self, pairs: Sequence[Pair], chunk: Chunk) -> int:
        """How many texts of the system are empty; items that it left out are told elsewhere."""
        if has(self.metric, DetectsNull):
            return 0
        absent = () if chunk.present is None else chunk.golds[0].number[~chunk.present].tolist()
        empty = (pair for pair in pairs if is_blank(pair.system) and not is_blank(pair.gold))
        return sum(place_of(pair) not in absent for pair in empty)

    def _is_measurable(self, pair: Pair, chunk: Chunk, report: Report) -> bool:
        """Whether a pair can be measured; else it is reported, with its place."""
        assert self.maker is not None
        try:
            self.metric.measure_many([(pair.system, pair.gold)])
        except _OF_ITEMS as error:
            if error.place is None:
                refs, parser = chunk.golds[0], (self.maker.golds or [self.maker.system])[0]
                at = int(np.flatnonzero(refs.number == place_of(pair))[0])
                if error.side == "system" and chunk.present is None:
                    refs, parser = chunk.system, self.maker.system
                error.place = parser.place(int(refs.number[at]), int(refs.line[at]), pair.id)
            report.broken(error)
            return False
        return True

    def _count_some(self, chunk: Chunk) -> ChunkResult | None:
        """The result where only gold items without a system item are parsed."""
        there, missing = chunk.parts()
        if not len(there.system):
            return None
        counted = self._count(there)
        return None if counted is None else joined(counted, self._make(missing, {}))

    def _count(self, chunk: Chunk) -> ChunkResult | None:
        """The result of items that are not parsed at all, where the metric can do that."""
        maker, metric = self.maker, self.metric
        assert maker is not None
        if not has(metric, MeasuresBytes):
            return None
        raw = maker.raw(chunk) if maker.golds else maker.raw_records(chunk)
        measured = None if raw is None else metric.measure_bytes(raw)
        if measured is None:
            return None
        rows, fields, anything, wanted, golds, found, empty = measured
        place = chunk.golds[0].number
        index = place if chunk.index is None else chunk.index
        if chunk.wanted is not None:
            kept = np.isin(place, list(chunk.wanted))
            rows, place, index = rows[kept], place[kept], index[kept]
            chosen = kept.tolist()
            fields = {name: list(compress(values, chosen)) for name, values in fields.items()}
            found = list(compress(found, chosen))
        gold = chunk.golds[0].items
        if isinstance(gold, LazyItems):
            fields = {**gold.columns(), **fields}
        made = Made([], Report(maker.on_error), [Notices() for _ in range(1 + len(chunk.golds))])
        if not maker.own_pairs:
            made.report.readable = len(rows)
        given = Given(len(rows), anything, wanted, empty=empty)
        first = max(0, _MOST_MAPPINGS - chunk.first)
        mappings = dict(zip(place[:first].tolist(), found[:first], strict=True)) if found else {}
        marks = gold_marks(golds) if self.marks_gold else []
        return ChunkResult(
            index, place, dict(fields), rows, [], [], given, marks, made, mappings
        )  # fmt: skip

    def do(self, pairs: Sequence[Pair], certificates: Mapping[int, bytes]) -> ChunkResult:
        size = self.metric.chunk_size
        rows: list[Array] = []
        splits: list[list[Split]] = []
        proofs: list[bytes] = []
        mappings: dict[int, bytes] = {}
        for first in range(0, len(pairs), size):
            batch = pairs[first : first + size]
            found = self._measured(batch, certificates)
            rows.append(found[0])
            splits.append([_moved(split, first) for split in found[1]])
            proofs += found[2]
            for pair, mapping in zip(batch, found[3], strict=False):
                if place_of(pair) < _MOST_MAPPINGS:
                    mappings[place_of(pair)] = mapping
        return ChunkResult(
            np.array([pair.index for pair in pairs], np.int64),
            np.array([place_of(pair) for pair in pairs], np.int64),
            columns_of_fields([pair.fields for pair in pairs]),
            np.concatenate(rows) if rows else np.empty((0, len(self.metric.columns))),
            [_joined([part[i] for part in splits]) for i in range(len(self.facets))],
            proofs,
            Given.of(self.metric, pairs),
            gold_marks(pair.gold for pair in pairs) if self.marks_gold else [],
            mappings=mappings,
        )

    def _measured(
        self, pairs: Sequence[Pair], certificates: Mapping[int, bytes]
    ) -> tuple[Array, list[Split], list[bytes], Sequence[bytes]]:
        metric = self.metric
        values = [(pair.system, pair.gold) for pair in pairs]
        known = [certificates.get(place_of(pair)) for pair in pairs] if certificates else [None]
        proofs: list[bytes] = []
        mappings: Sequence[bytes] = ()
        if None not in known and has(metric, Certifies):
            rows = metric.check_certified(values, [each for each in known if each is not None])
        elif self.certify and has(metric, Certifies):
            rows, proofs = metric.measure_certified(values)
        elif has(metric, MeasuresMapped):
            rows, mappings = metric.measure_mapped(values)
        else:
            rows = metric.measure_many(values)
        if not self.facets:
            return rows, [], proofs, mappings
        if not has(metric, Splits):
            raise OptionError(f"{metric.name} has no facets to split by", code="K315")
        return rows, [metric.split(facet, values) for facet in self.facets], proofs, mappings


def _moved(split: Split, first: int) -> Split:
    # Values of plug-ins may be numbers.
    return Split([first + pair for pair in split.pairs], list(map(str, split.values)), split.rows)


def _joined(splits: Sequence[Split]) -> Split:
    if len(splits) == 1:
        return splits[0]
    return Split(
        [pair for split in splits for pair in split.pairs],
        [value for split in splits for value in split.values],
        np.array([row for split in splits for row in split.rows]),
    )
