"""Chunks of files as texts, without making a value of each item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from karat.core.capabilities import Measured
from karat.core.reading.raw import Lists, RawChunk, RawItems
from karat.core.reading.strings import Offsets, Referenced, Strings
from karat.core.scores import Array
from karat.text.formats.lines import Lines
from karat.text.formats.records import JsonLines
from karat.text.model import ReferenceMetric, Text
from karat.text.records.columns import Records, record_texts

RowsOfReferenced = Callable[[Referenced], Array]
RowsOfPairs = Callable[[Strings, Strings], Array]


class _Side(NamedTuple):
    """One side of the pairs of a chunk: a text or more for each."""

    texts: Strings
    bounds: Offsets
    fields: Mapping[str, list[str]]

    @property
    def is_single(self) -> bool:
        """Whether each item has one text."""
        return len(self.texts) == len(self.bounds) - 1 and bool((np.diff(self.bounds) == 1).all())


class RowsFromBytes(ABC):
    """For metrics whose kernels take texts with their references: items are never parsed."""

    @abstractmethod
    def rows(self, texts: Referenced) -> Array:
        """The counts of texts with their references."""

    def texts_of(self, chunk: RawChunk) -> Referenced | None:
        return lines_of(chunk)

    def layers_of_texts(self, texts: Referenced) -> list[bytes] | None:
        return None

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        return measured_references(chunk, self.rows)


class RowsOfStrings(RowsFromBytes, ReferenceMetric, ABC):
    """Base class of such metrics for which sentence boundaries do not matter."""

    releases_gil = True
    chunk_size = 4096

    def texts_of(self, chunk: RawChunk) -> Referenced | None:
        return strings_of(chunk)

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        return self.rows(Referenced.of([self.strings(system, gold) for system, gold in pairs]))


def measured_references(chunk: RawChunk, rows: RowsOfReferenced) -> Measured | None:
    """The rows of texts with the references of all gold files, or with their own."""
    sides = _both(chunk)
    if sides is None:
        return None
    system, gold = sides
    found = rows(Referenced(system.texts, gold.texts, gold.bounds))
    if chunk.golds:
        return _measured(system, gold, found)
    texts, bounds = gold.texts.decoded(), pairwise(gold.bounds.tolist())
    return _measured(system, gold, found, [texts[first:last] for first, last in bounds])


def strings_of(chunk: RawChunk) -> Referenced | None:
    """The texts of a chunk with their references, where all items are plain strings."""
    sides = _both(chunk, with_fields=False)
    return None if sides is None else Referenced(sides[0].texts, sides[1].texts, sides[1].bounds)


def _both(chunk: RawChunk, *, with_fields: bool = True) -> tuple[_Side, _Side] | None:
    """The texts and all their references; None where a file has to be parsed."""
    if not chunk.golds:
        return _sides_of_records(chunk.system)
    found = [_side(chunk.system, is_gold=False, with_fields=False)]
    for number, items in enumerate(chunk.golds):
        found.append(_side(items, is_gold=True, with_fields=with_fields and number == 0))
    sides = [side for side in found if side is not None]
    if len(sides) < len(found) or (gold := _together(sides[1:])) is None:
        return None
    return sides[0], gold


def _together(golds: Sequence[_Side]) -> _Side | None:
    """The references of all gold files; None where one of several has more than one for an item."""
    if len(golds) == 1:
        return golds[0]
    if not all(each.is_single for each in golds):
        return None
    together = Strings.interleaved([each.texts for each in golds])
    return _Side(together, np.arange(0, len(together) + 1, len(golds)), golds[0].fields)


def lines_of(chunk: RawChunk) -> Referenced | None:
    """The texts of a chunk with their references, where all files are of lines."""
    if not all(type(items.format) is Lines for items in (chunk.system, *chunk.golds)):
        return None
    system, *golds = (
        Strings(items.data, items.begin, items.end) for items in (chunk.system, *chunk.golds)
    )
    together = Strings.interleaved(golds) if len(golds) > 1 else golds[0]
    return Referenced(system, together, np.arange(0, len(together) + 1, len(golds)))


def measured_pairs(chunk: RawChunk, rows: RowsOfPairs) -> Measured | None:
    """The rows of texts with one gold text each."""
    sides = _both(chunk)
    if sides is None or not sides[1].is_single:
        return None
    system, gold = sides
    golds = () if chunk.golds else gold.texts.decoded()
    return _measured(system, gold, rows(system.texts, gold.texts), golds)


def _measured(system: _Side, gold: _Side, rows: Array, golds: Sequence[Any] = ()) -> Measured:
    return Measured(rows, gold.fields, system.texts.any_text(), gold.texts.any_text(), golds)


def _side(items: RawItems, *, is_gold: bool, with_fields: bool) -> _Side | None:
    if type(items.format) is Lines:
        return _Side(Strings(items.data, items.begin, items.end), _one_each(len(items)), {})
    if type(items.format) is Lists and items.bounds is not None and is_gold:
        return _Side(Strings(items.data, items.begin, items.end), items.bounds, {})
    if type(items.format) is not JsonLines:
        return None
    found = record_texts(
        Records(items.data, items.begin, items.end), items.refs.state, with_fields=with_fields
    )
    if found is None:
        return None
    if found.references is None:
        texts = found.texts
        return None if texts is None else _Side(texts, _one_each(len(texts)), found.fields)
    # A system's own references are compared with those of gold, where both are given.
    return _Side(found.references, found.bounds, found.fields) if is_gold else None


def _sides_of_records(items: RawItems) -> tuple[_Side, _Side] | None:
    if type(items.format) is not JsonLines:
        return None
    records = Records(items.data, items.begin, items.end)
    found = record_texts(records, items.refs.state, with_fields=True)
    if found is None or found.texts is None or found.references is None:
        return None
    system = _Side(found.texts, _one_each(len(records)), {})
    return system, _Side(found.references, found.bounds, found.fields)


def _one_each(count: int) -> Offsets:
    return np.arange(count + 1)
