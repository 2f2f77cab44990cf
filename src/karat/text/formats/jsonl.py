"""JSON lines with texts and references, in the schemas that are in use."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.files.opener import Source
from karat.core.items import Item
from karat.text.formats.records import RecordFormat


class JsonLines(RecordFormat):
    """One JSON object per line.

    The text is under `summary`, `text`, `hypothesis`, `prediction`, `output`, `response` or
    another usual name; references under `references` or `reference` (also `gold`,
    `target`, `ground_truth`); source documents under `documents` or `document`; the id under
    `id` or `instance_id`; who made the text under `summarizer_id`, `system`, `model` or the like.
    Where several fields may be meant, the options say which one. A text is a string, a list
    of sentences, or an object with a `text`. An object with `scus` is a pyramid or an
    annotation. `questions` is a list of questions with their answers, or such a list for each
    reference. Other fields with strings can be used for breakdowns.
    """

    name = "jsonl"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("{")

    def read(self, source: Source) -> Iterator[Item]:
        return self.json_items(source)
