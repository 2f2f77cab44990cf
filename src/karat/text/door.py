"""Texts in memory: strings, lists of sentences or references, records, JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.pairing.sides import Sides
from karat.core.reading.doors import Door, Role
from karat.core.reading.items import Item, Key
from karat.errors import FormatError, OptionError
from karat.text.model import Text, TextRecord, TextsMetric
from karat.text.pyramid import Annotation, Pyramid
from karat.text.questions import Question, QuestionSet, question_sets
from karat.text.raw_texts import LineMetric
from karat.text.records.layout import Layout
from karat.text.records.schemas import UnfitError, item_of

_STRING = frozenset({str})


class TextDoor(Door):
    """A string; a list of sentences for the system, of references for gold; or a record."""

    accepts = (
        "a string, a list of strings (sentences of the system, references of gold), or a record "
        "with named fields, like a line of JSON"
    )
    kind = "text"

    def __init__(self, metric: Any, format: Any = None) -> None:
        super().__init__(metric, format)
        self._layouts: dict[Role, Layout] = {}
        self._sides = Sides(metric)
        self._texts = isinstance(metric, TextsMetric)
        self._known = self._texts or isinstance(metric, LineMetric)

    @property
    def lists_are_references(self) -> bool:
        return not self._texts or self.metric.held_against == "references"  # type: ignore[attr-defined]

    def are_items(self, types: frozenset[type]) -> bool:
        return types <= _STRING

    def are_native(self, types: frozenset[type], role: Role) -> bool:
        return types <= _STRING and (role == "system" or not self._texts)

    def key(self, value: Any, role: Role) -> Key | None:
        if isinstance(value, TextRecord):
            return value.key
        if type(value) is str or not isinstance(value, Mapping):
            return None
        return self._record(value, role, "").key

    def item(self, value: Any, role: Role, where: str) -> Item:
        if type(value) is str:
            return Item(value)
        if isinstance(value, Mapping):
            return self._record(value, role, where)
        return Item(self._value(value, role))

    def _record(self, value: Mapping[str, Any], role: Role, where: str) -> Item:
        if role not in self._layouts:
            options = self.format.options if self.format is not None else {}
            self._layouts[role] = Layout(
                text=options.get("text_field", "") if role == "system" else "",
                gold=options.get("gold_field", ""),
                id=options.get("id_field", ""),
                system=options.get("system_field", "") if role == "system" else "",
                role=role,
            )
        try:
            return item_of(dict(value), where, 0, self._layouts[role])
        except UnfitError as unfit:
            raise FormatError(str(unfit), code="K111", advice=unfit.advice) from None

    def _value(self, value: Any, role: Role) -> Any:
        """What is no string and no mapping, as a reader would give it."""
        if isinstance(value, (str, TextRecord)):
            return value
        if isinstance(value, Pyramid):
            return TextRecord(pyramid=value)
        if isinstance(value, Annotation):
            return TextRecord(value.summary, annotation=value)
        if not isinstance(value, Sequence) or isinstance(value, bytes):
            raise self.refuse(value)
        if role == "gold" and _of_questions(value):
            return TextRecord(questions=self._questions(value))
        if role == "system":
            return TextRecord(text=tuple(self._strings(value, value)))
        texts: tuple[Text, ...] = tuple(
            each if isinstance(each, str) else tuple(self._strings(each, value)) for each in value
        )
        if self._texts and self.metric.held_against == "documents":  # type: ignore[attr-defined]
            return TextRecord(documents=texts)
        return TextRecord(references=texts)

    def _questions(self, value: Any) -> tuple[QuestionSet, ...]:
        try:
            return question_sets(list(value), "questions")
        except OptionError as problem:
            raise FormatError(problem.message, code="K111") from None

    def _strings(self, value: Any, whole: Any) -> Sequence[str]:
        if isinstance(value, Sequence) and all(isinstance(each, str) for each in value):
            return value
        raise self.refuse(whole)

    def native(self, value: Any, role: Role) -> Any:
        if isinstance(value, (TextRecord, Mapping)):
            record = self.item(value, role, role).value
            return self._sides.system(record) if role == "system" else self._sides.gold([record])
        if role == "gold" and isinstance(value, str) and self._texts:
            return [value]
        if role == "gold" and isinstance(self.metric, LineMetric) and _is_only_one(value):
            return value[0]
        if self._known and (
            isinstance(value, bytes) or not isinstance(value, (str, Sequence)) or value is None
        ):
            raise self.refuse(value)
        return value


def _of_questions(value: Sequence[Any]) -> bool:
    """Whether this is a list of questions, or of such lists."""
    inner = [
        each for part in value for each in (part if isinstance(part, (list, tuple)) else [part])
    ]
    return bool(inner) and all(isinstance(each, (Mapping, Question)) for each in inner)


def _is_only_one(value: Any) -> bool:
    """Whether this is a list of one reference."""
    return isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], str)
