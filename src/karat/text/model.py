"""Texts, records of texts, and the base classes of text metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from karat.core.capabilities import Explanation
from karat.core.metric import Metric
from karat.core.reading.doors import shown
from karat.core.reading.items import Key
from karat.core.reading.strings import decoded_json
from karat.core.scores import Array
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import OptionError, PairingError
from karat.text.pyramid import Annotation, Pyramid
from karat.text.questions import QuestionSet

Text: TypeAlias = str | Sequence[str]
"""One string, or the sentences of a text in order."""
Held: TypeAlias = Literal["references", "documents", "nothing"]
"""What a text is compared with."""
System = TypeVar("System")
_T = TypeVar("_T")
_ONLY_STRINGS = frozenset({str})


class TextRecord(msgspec.Struct, frozen=True):
    """One record of a file that holds more than a text."""

    text: Text | None = None
    references: tuple[Text, ...] | None = None
    documents: tuple[Text, ...] | None = None
    pyramid: Pyramid | None = None
    annotation: Annotation | None = None
    questions: tuple[QuestionSet, ...] | None = None
    key: Key | None = None
    """What it is paired by, where it was read by itself."""

    def with_key(self, key: Key) -> TextRecord:
        """The same record, paired by a key."""
        return msgspec.structs.replace(self, key=key)

    def system_value(self) -> str:
        """The text as one string."""
        return joined(text_of(self))

    def gold_values(self) -> list[str]:
        """The references, or the text of a record without any, as strings."""
        own = () if self.text is None else (self.text,)
        return [joined(each) for each in (own if self.references is None else self.references)]

    def holds_gold(self) -> bool:
        """Whether it comes with references, so that it can be scored without a gold file."""
        return self.references is not None

    def has_other_gold(self, golds: Sequence[Any]) -> bool:
        """Whether it comes with references, of which none is among those of gold."""
        given = [each for each in golds if not isinstance(each, TextRecord) or each.references]
        if not self.references or not given:
            return False
        return {*map(joined, _held(given, "references"))}.isdisjoint(map(joined, self.references))


def joined(text: Text) -> str:
    """A text as one string: sentences joined by a blank.

    >>> joined(["A dog.", "It barks."])
    'A dog. It barks.'
    """
    return text if isinstance(text, str) else " ".join(sentences(text))


def sentences(text: Text) -> Sequence[str]:
    """The units of a text: the strings of a list, or the whole string."""
    if isinstance(text, str):
        return (text,)
    if isinstance(text, (list, tuple)) and (
        {*map(type, text)} <= _ONLY_STRINGS or all(isinstance(each, str) for each in text)
    ):
        return text
    raise OptionError(
        f"a text must be a string or a list of sentences, got {shown(text)}", code="K317"
    )


def text_of(record: Text | TextRecord) -> Text:
    """The text itself, of a plain or a richer record."""
    if not isinstance(record, TextRecord):
        return record
    if record.text is not None:
        return record.text
    if record.annotation is not None:
        return record.annotation.summary
    raise PairingError("a system record has no text", code="K210")


def _held(records: Sequence[Text | TextRecord], held: Held) -> list[Text]:
    """All references or documents that the gold files give for one item."""
    found: list[Text] = []
    for record in records:
        if not isinstance(record, TextRecord):
            found.append(record)
        elif (own := getattr(record, held)) is not None:
            found.extend(own)
        elif held == "references" and record.text is not None:
            found.append(record.text)
    if not found:
        code = "K211" if held == "references" else "K213"
        raise PairingError(f"there is no {held[:-1]}", code=code)
    return found


class TextsMetric(Metric[System, Sequence[Text]], Generic[System]):
    """Base class of metrics that compare something with a list of texts."""

    kind = "text"

    @property
    def held_against(self) -> Held:
        """What an item is compared with."""
        return "references"

    def check_texts(self, gold: Sequence[Text]) -> None:
        """Raises where a string is given for a list of texts, or an empty list."""
        if isinstance(gold, str):
            raise OptionError(
                f"{self.name} takes a list of {self.held_against} per item, "
                f"got the string {gold[:40]!r}",
                code="K317",
                advice=f"write [{self.held_against[:-1]}], with one list per system text",
            )
        if not gold:
            raise PairingError(f"there is no {self.held_against[:-1]}", code="K211")

    def jackknife(self, gold: Sequence[Text]) -> list[Sequence[Text]] | None:
        return leave_one_out(gold) if self.held_against == "references" else None


class MeasuredOnce(ABC):
    """For metrics that explain pairs as JSON, with the scores of rows that are measured."""

    @abstractmethod
    def measure_many(self, pairs: Sequence[tuple[Any, Any]]) -> Array:
        """The rows of pairs."""

    @abstractmethod
    def told(self, pairs: Sequence[tuple[Any, Any]]) -> Iterator[str]:
        """What explanations say of each pair besides its scores: members of a JSON object."""

    def explain_measured(self, pairs: Sequence[tuple[Any, Any]], rows: Array) -> list[bytes]:
        """The explanations of pairs as JSON."""
        metric: Any = self
        scores = nested_scores(encoded_scores(metric, rows))
        return [
            b'{"scores":%b,%b}' % (own, told.encode("utf-8", "surrogatepass"))
            for own, told in zip(scores, self.told(pairs), strict=True)
        ]

    def explain(self, system: Any, gold: Any) -> Explanation:
        """What `explain_measured` tells of a pair."""
        pairs = [(system, gold)]
        return decoded_json(self.explain_measured(pairs, self.measure_many(pairs))[0])


class SentenceMetric(TextsMetric[Text]):
    """Base class of metrics that take the parts of records as they are: sentences as lists."""

    def of_system(self, record: Any) -> Text:
        return text_of(record)

    def of_gold(self, records: Sequence[Any]) -> Sequence[Text]:
        return [] if self.held_against == "nothing" else _held(records, self.held_against)

    def holds_gold(self, record: Any) -> bool:
        held = self.held_against
        is_there = isinstance(record, TextRecord) and getattr(record, held, None) is not None
        return held == "nothing" or is_there

    def has_other_gold(self, record: Any, golds: Sequence[Any]) -> bool:
        is_record = self.held_against == "references" and isinstance(record, TextRecord)
        return is_record and record.has_other_gold(golds)


class DocumentMetric(SentenceMetric):
    """Base class of metrics that compare one text with its source documents."""

    held_against = "documents"


class ReferenceMetric(TextsMetric[Text]):
    """Base class of metrics that compare one text with any number of references.

    Sentence boundaries do not matter: lists are joined.
    """

    def strings(self, system: Text, gold: Sequence[Text]) -> tuple[str, list[str]]:
        """One pair as plain strings."""
        self.check_texts(gold)
        return joined(system), [joined(reference) for reference in gold]


def overlap(hits: int, gold: int, system: int) -> list[float]:
    """Recall, precision and F1 of counts; 0 where there is nothing.

    >>> overlap(1, 2, 4)
    [0.5, 0.25, 0.3333333333333333]
    """
    recall = hits / gold if gold else 0.0
    precision = hits / system if system else 0.0
    total = recall + precision
    return [recall, precision, 2 * recall * precision / total if total else 0.0]


def leave_one_out(references: Sequence[_T]) -> list[Sequence[_T]]:
    """All sets of references with one of them left out, order kept; none for a single one."""
    if len(references) < 2:
        return []
    return [[*references[:i], *references[i + 1 :]] for i in range(len(references))]
