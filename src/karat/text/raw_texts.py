"""Base classes of metrics whose kernels take texts, from the bytes of files or from values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from karat._native import FrequentErrors
from karat.core.capabilities import Explanation, Measured
from karat.core.metric import Metric
from karat.core.reading.doors import shown
from karat.core.reading.raw import Lists, RawChunk, RawItems
from karat.core.reading.strings import Offsets, Referenced, Strings, as_text, decoded_json, utf16
from karat.core.scores import Array
from karat.errors import LimitExceeded, OptionError
from karat.text.formats.lines import Lines
from karat.text.model import ReferenceMetric, Text

if TYPE_CHECKING:
    from karat.text.records.columns import RecordTexts


class TextKernel(ABC):
    """Base class of metrics whose kernels take texts with their references.

    Items of files are not parsed where they are plain strings.
    """

    releases_gil: ClassVar[bool] = True
    chunk_size: ClassVar[int] = 4096
    one_reference: ClassVar[bool] = False
    """Whether each text has exactly one reference."""

    @abstractmethod
    def rows(self, texts: Referenced) -> Array:
        """The counts of texts with their references."""

    @abstractmethod
    def texts_of_pairs(self, pairs: Sequence[tuple[Any, Any]]) -> Referenced:
        """The texts of parsed values, with their references."""

    def measure_many(self, pairs: Sequence[tuple[Any, Any]]) -> Array:
        return self.rows(self.texts_of_pairs(pairs))

    def texts_of(self, chunk: RawChunk) -> Referenced | None:
        found = self._both_sides(chunk, with_fields=False)
        return None if found is None else found.texts

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        found = self._both_sides(chunk, with_fields=True)
        if found is None or chunk.golds:
            return None if found is None else _measured(self, found)
        if self.one_reference:
            golds: Sequence[Any] = found.texts.references.decoded()
        else:
            golds = [references for _, references in found.texts.pairs()]
        return _measured(self, found)._replace(golds=golds)

    @abstractmethod
    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The explanations of texts as JSON, for files about many items; empty where one is too
        long."""

    def layers_of_texts(self, texts: Referenced) -> list[bytes] | None:
        return None

    def explain_fully(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The same with all that matches, where files about many items hold less."""
        return self.explain_texts(texts, rows)

    def explain(self, system: Any, gold: Any) -> Explanation:
        """What `explain_fully` tells of a pair."""
        texts = self.texts_of_pairs([(system, gold)])
        (found,) = self.explain_fully(texts, self.rows(texts))
        if not found:
            raise LimitExceeded("the texts are too long to be explained", code="K503")
        return decoded_json(found)

    def _both_sides(self, chunk: RawChunk, *, with_fields: bool) -> _Sides | None:
        """The texts of a chunk with the references of all gold files; None where they have to be
        parsed."""
        if not chunk.golds:
            return self._sides_of_records(chunk.system)
        system = _side(chunk.system, is_gold=False, with_fields=False)
        golds = [
            _side(items, is_gold=True, with_fields=with_fields and number == 0)
            for number, items in enumerate(chunk.golds)
        ]
        sides = [side for side in golds if side is not None]
        if system is None or len(sides) < len(golds):
            return None
        references, bounds, fields = sides[0]
        if len(sides) > 1:
            if not all(side.is_single for side in sides):
                return None
            references = Strings.interleaved([side.texts for side in sides])
            bounds = np.arange(0, len(references) + 1, len(sides))
        return self._fitting(_Sides(Referenced(system.texts, references, bounds), fields))

    def _sides_of_records(self, items: RawItems) -> _Sides | None:
        """The same of records that hold their own references."""
        found = _record_texts(items, with_fields=True)
        if found is None or found.texts is None or found.references is None:
            return None
        texts = Referenced(found.texts, found.references, found.bounds)
        return self._fitting(_Sides(texts, found.fields))

    def _fitting(self, found: _Sides) -> _Sides | None:
        if self.one_reference and not (found.texts.sizes == 1).all():
            return None
        return found


class StringMetric(TextKernel, ReferenceMetric, ABC):
    """Base class of such metrics for which sentence boundaries do not matter."""

    def texts_of_pairs(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Referenced:
        return Referenced.of([self.strings(system, gold) for system, gold in pairs])


class LineMetric(TextKernel, Metric[str, str], ABC):
    """Base class of such metrics that compare one string with one string."""

    kind = "text"
    one_reference = True

    def texts_of_pairs(self, pairs: Sequence[tuple[str, str]]) -> Referenced:
        one = self.one_string
        return Referenced.of([(one(system), [one(gold)]) for system, gold in pairs])

    def one_string(self, text: str) -> str:
        """The text if it is a string; a list is refused, as it may be sentences or references."""
        if isinstance(text, str):
            return text
        raise OptionError(
            f"{self.name} takes one string on each side, got {shown(text)}",
            code="K317",
            advice="join sentences with a blank; give each reference a pair of its own",
        )


class ListedGrams(ABC):
    """For metrics whose explanations list n-grams, order by order."""

    @abstractmethod
    def explain_texts(
        self,
        texts: Referenced,
        rows: Array,
        *,
        matched: bool = False,
        errors: FrequentErrors | None = None,
    ) -> list[bytes]:
        """N-grams that are missing or surplus, which are counted among `errors`; with `matched`
        also those that match."""

    def explain_and_count(
        self, texts: Referenced, rows: Array, errors: FrequentErrors
    ) -> list[bytes]:
        return self.explain_texts(texts, rows, errors=errors)

    def explain_fully(self, texts: Referenced, rows: Array) -> list[bytes]:
        return self.explain_texts(texts, rows, matched=True)


class MarkedTexts(ABC):
    """For metrics that mark texts in a kernel, also single ones."""

    @abstractmethod
    def layers_of_texts(self, texts: Referenced) -> list[bytes]:
        """For each text the marks of its layers, as members of a JSON object."""

    def layers(
        self, system: Text, gold: Sequence[Text], explanation: Explanation
    ) -> dict[str, list[int]]:
        if not explanation:
            return {}
        pair = as_text(system) or "", [as_text(each) or "" for each in gold]
        return decoded_json(b"{%b}" % self.layers_of_texts(Referenced.of([pair]))[0])


def places(text: str, tokens: Iterable[str]) -> list[tuple[int, int]] | None:
    """Where tokens stand in a text, in order, whatever their case; None where one is not there.

    >>> places("The dog, the Cat", ["the", "dog", "cat"])
    [(0, 3), (4, 7), (13, 16)]
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters have a longer lower case
        lower = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    units = utf16(text)
    found, at = [], 0
    for token in tokens:
        begin = lower.find(token.lower(), at)
        if begin < 0:
            return None
        at = begin + len(token)
        found.append((begin, at) if units is None else (units[begin], units[at]))
    return found


class _Sides(NamedTuple):
    texts: Referenced
    fields: Mapping[str, list[str]]


class _Side(NamedTuple):
    """One side of the pairs of a chunk: a text or more for each."""

    texts: Strings
    bounds: Offsets
    fields: Mapping[str, list[str]]

    @property
    def is_single(self) -> bool:
        """Whether each item has one text."""
        return len(self.texts) == len(self.bounds) - 1 and bool((np.diff(self.bounds) == 1).all())


def _measured(metric: TextKernel, found: _Sides) -> Measured:
    texts = found.texts
    empty, nothing = texts.systems.blank(), texts.references.blank()
    bounds = texts.bounds
    missed = sum(not nothing[bounds[i] : bounds[i + 1]].all() for i in np.flatnonzero(empty))
    some = not empty.all(), not nothing.all()
    return Measured(metric.rows(texts), found.fields, *some, empty=missed)


def _record_texts(items: RawItems, *, with_fields: bool) -> RecordTexts | None:
    from karat.text.formats.records import JsonLines  # files of lines do without
    from karat.text.records.columns import Records, record_texts

    if type(items.format) is not JsonLines:
        return None
    records = Records(items.data, items.begin, items.end)
    return record_texts(records, items.refs.state, with_fields=with_fields)


def _side(items: RawItems, *, is_gold: bool, with_fields: bool) -> _Side | None:
    if type(items.format) is Lines:
        return _Side(Strings(items.data, items.begin, items.end), np.arange(len(items) + 1), {})
    if type(items.format) is Lists and items.bounds is not None and is_gold:
        return _Side(Strings(items.data, items.begin, items.end), items.bounds, {})
    found = _record_texts(items, with_fields=with_fields)
    if found is None:
        return None
    if found.references is None:
        texts = found.texts
        return None if texts is None else _Side(texts, np.arange(len(texts) + 1), found.fields)
    # A system's own references are compared with those of gold, where both are given.
    return _Side(found.references, found.bounds, found.fields) if is_gold else None
