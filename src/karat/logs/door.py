"""Scores in memory: those of an item, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.core.reading.doors import Door, Role
from karat.core.reading.items import Item
from karat.logs.model import ItemScores, as_number, known_ranges


class ScoresDoor(Door):
    """A number, or a mapping of names to numbers."""

    accepts = (
        "a number, or a mapping of the names of scores to numbers (None where one is missing); "
        "there is no gold but a string that tells whether two systems had the same input"
    )
    kind = "scores"
    rows_are_items = True

    def item(self, value: Any, role: Role, where: str) -> Item:
        found = self.native(value, role)
        return Item(ItemScores({}, mark=found) if role == "gold" else found)

    def native(self, value: Any, role: Role) -> Any:
        if role == "gold":
            if isinstance(value, (str, ItemScores)):
                return value if isinstance(value, str) else value.mark
            raise self.refuse(value)
        if isinstance(value, ItemScores):
            return value
        if isinstance(value, (int, float)):
            value = {"score": value}
        if not isinstance(value, Mapping) or not value:
            raise self.refuse(value)
        found = {str(name): as_number(each) for name, each in value.items()}
        if any(isinstance(each, str) for each in found.values()):
            raise self.refuse(value)
        return ItemScores(found, known_ranges(found))  # type: ignore[arg-type]
