"""A text, and what may come with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from karat.core.metric import Metric
from karat.errors import OptionError, PairingError

Text: TypeAlias = str | tuple[str, ...]
"""One string, or the sentences of a text in order."""


class TextRecord(msgspec.Struct, frozen=True):
    """One record of a file that holds more than a text."""

    text: Text | None = None
    references: tuple[Text, ...] | None = None


def joined(text: Text | Sequence[str]) -> str:
    """A text as one string: sentences joined by a blank."""
    return text if isinstance(text, str) else " ".join(text)


def text_of(record: Text | TextRecord) -> Text:
    """The text itself, of a plain or a richer record."""
    if not isinstance(record, TextRecord):
        return record
    if record.text is None:
        raise PairingError("a system record has no text", code="K210")
    return record.text


def references_of(records: Sequence[Text | TextRecord]) -> list[Text]:
    """All references that the gold files give for one item."""
    references: list[Text] = []
    for record in records:
        if not isinstance(record, TextRecord):
            references.append(record)
        elif record.references is not None:
            references.extend(record.references)
        elif record.text is not None:
            references.append(record.text)
    if not references:
        raise PairingError("an item has no reference", code="K211")
    return references


class LineMetric(Metric[str, str]):
    """Base of the metrics that hold one string against one string."""

    kind = "text"

    def of_system(self, record: Any) -> str:
        return joined(text_of(record))

    def of_gold(self, records: Sequence[Any]) -> str:
        references = references_of(records)
        if len(references) != 1:
            raise OptionError(
                f"{self.name} takes one gold text per item, got {len(references)}", code="K309"
            )
        return joined(references[0])


class ReferenceMetric(Metric[str, Sequence[str]]):
    """Base of the metrics that hold one text against any number of references."""

    kind = "text"

    def of_system(self, record: Any) -> str:
        return joined(text_of(record))

    def of_gold(self, records: Sequence[Any]) -> Sequence[str]:
        return [joined(reference) for reference in references_of(records)]

    def check_references(self, gold: Sequence[str]) -> None:
        """Guards against the classic slip: a string where a list of references is meant."""
        if isinstance(gold, str):
            raise OptionError(
                f"{self.name} takes a list of references per item, got the string {gold[:40]!r}",
                code="K317",
                advice="write [reference], with one list per system text",
            )
        if not gold:
            raise PairingError("an item has no reference", code="K211")
