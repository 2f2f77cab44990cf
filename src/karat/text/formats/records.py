"""The base of the formats whose items are records with named fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from karat.core.files.opener import Source
from karat.core.format import Format
from karat.core.items import Item
from karat.text.records.layout import Layout
from karat.text.records.schemas import json_items


class RecordFormat(Format):
    """Items are records; the fields that matter are found by their names, or named."""

    kind = "text"
    of_systems = frozenset({"text_field", "system_field"})

    text_field: Annotated[str, "the field with the text of the system, a name or a path"] = ""
    gold_field: Annotated[str, "the field with the references"] = ""
    id_field: Annotated[str, "the field with the id"] = ""
    system_field: Annotated[str, "the field that names the system of each record"] = ""

    @property
    def named_text(self) -> str:
        """The field with the text, where an option of the format names it in another way."""
        return ""

    def layout(self) -> Layout:
        """Where this file has what, to be found out while it is read."""
        return Layout(
            text=self.text_field or self.named_text,
            gold=self.gold_field,
            id=self.id_field,
            system=self.system_field,
            role=self.role,
        )

    def noted(self, items: Iterator[Item], layout: Layout) -> Iterator[Item]:
        """The items; what was chosen and is not obvious is kept for the user."""
        for item in items:
            self.systems_in = layout.system
            yield item
        self.systems_in = layout.system
        self.warnings[:] = layout.warnings

    def json_items(self, source: Source) -> Iterator[Item]:
        """The records of a file of JSON lines."""
        layout = self.layout()
        return self.noted(json_items(source, layout), layout)
