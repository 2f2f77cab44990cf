"""Logical forms in memory: their text, parsed forms, entries of a file, JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.core.reading.doors import Door, Role
from karat.core.reading.items import Item, Key
from karat.logic.model import Entry, Form, serialize
from karat.logic.parser import Tree, serialize_varfree

_STRING = frozenset({str})
_FORMS = {"system": ("form", "prediction", "output", "lf"), "gold": ("gold", "form", "lf")}


class LogicDoor(Door):
    """The text of a form, a parsed form, or a record with the text."""

    accepts = "the text of a logical form, a parsed form, or a record with a form"
    kind = "logic"

    def are_items(self, types: frozenset[type]) -> bool:
        return types <= _STRING

    def are_native(self, types: frozenset[type], role: Role) -> bool:
        return types <= _STRING

    def key(self, value: Any, role: Role) -> Key | None:
        if isinstance(value, Entry):
            return (value.id,) if value.id else None
        name = value.get("id") if isinstance(value, Mapping) else None
        known = isinstance(name, (str, int)) and not isinstance(name, bool)
        return (str(name),) if known else None

    def item(self, value: Any, role: Role, where: str) -> Item:
        entry = self.native(value, role)
        return Item(entry, None, 0, {"type": entry.type} if _has_type(entry) else {})

    def native(self, value: Any, role: Role) -> Any:
        if isinstance(value, (str, Entry)):
            return value
        metric: Any = self.metric
        if isinstance(value, Form) and metric.dialect != "varfree":
            return serialize(value, metric.dialect)
        if isinstance(value, Tree) and metric.dialect == "varfree":
            return serialize_varfree(value)
        if isinstance(value, Mapping):
            found = [value[name] for name in _FORMS[role] if isinstance(value.get(name), str)]
            if found:
                sentence, kind = value.get("sentence"), value.get("type")
                return Entry(
                    found[0],
                    sentence=sentence if isinstance(sentence, str) else None,
                    type=kind if isinstance(kind, str) else "",
                )
        raise self.refuse(value)


def _has_type(entry: Any) -> bool:
    return isinstance(entry, Entry) and bool(entry.type)
