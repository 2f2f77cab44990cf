"""The layout of a file's records: the fields of the text, the gold, the id and the system.

They are chosen once for a file. Where several fields may be meant, the user has to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karat.core.reading.fields import (
    GOLDS,
    IDS,
    MISSING,
    REFERENCES,
    SYSTEMS,
    TEXTS,
    json_text,
    listed,
    value_at,
)

DOCUMENTS = ("documents", "document")
QUESTIONS = "questions"
_GOLD_NAMES, _SYSTEM_NAMES = frozenset(REFERENCES), frozenset(SYSTEMS)
_OTHERWISE = {*IDS, *TEXTS, *REFERENCES, *DOCUMENTS, QUESTIONS}


class AmbiguousFields(Exception):
    """Records in which more than one field may be what is wanted."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


class Layout:
    """The fields of one file: those that the user named, else those that its records have.

    `role` is what the file is read for, ``system`` or ``gold``; other names stand for neither.
    """

    def __init__(
        self,
        *,
        text: str = "",
        gold: str = "",
        id: str = "",
        system: str = "",
        role: str = "",
        groups: Sequence[str] = (),
        null_is_empty: bool = False,
    ) -> None:
        self.role = role
        self.text = self._named_text = text
        self.gold = self._named_gold = gold
        self.id = self._named_id = id
        self.system = self._named_system = system
        self.groups = tuple(groups)
        """Fields for breakdowns that the user named, which may lie within others."""
        self.null_is_empty = null_is_empty
        self.warnings: list[str] = []
        self._gold_is_text: bool | None = None

    def text_of(self, record: Mapping[str, Any]) -> tuple[str, Any] | None:
        """The field of the text and its value; None where there is none."""
        if self._named_text:
            return self._named_text, value_at(record, self._named_text)
        if self.role == "gold" and self._named_gold:
            return None
        found = [name for name in TEXTS if name in record]
        if len(found) > 1 or (found and self.text not in ("", found[0])):
            raise _ambiguous("the text", found, self.text, self._option_of_texts(), record)
        if found:
            self.text = found[0]
        return (self.text, record.get(self.text)) if self.text else None

    def _option_of_texts(self) -> str:
        return "gold_field" if self.role == "gold" else "text_field"

    def gold_of(self, record: Mapping[str, Any]) -> tuple[str, Any] | None:
        """The field of the references and its value; None where the file has no such field."""
        if self._named_gold:
            return self._named_gold, value_at(record, self._named_gold)
        groups: list[tuple[str, ...]] = []
        if not _GOLD_NAMES.isdisjoint(record):
            groups = [group for group in GOLDS if any(name in record for name in group)]
        names = [name for group in groups for name in group if record.get(name) is not None]
        if len(groups) > 1 or len(names) > 1 or (groups and self.gold not in ("", groups[0][0])):
            found = [name for group in groups for name in group if name in record]
            raise _ambiguous("the reference", found, self.gold, "gold_field", record)
        if groups:
            self.gold = groups[0][0]
        self._check_constant(bool(groups), record)
        if not self.gold:
            return None
        name = names[0] if names else self.gold
        return name, record.get(name)

    def _check_constant(self, has_gold: bool, record: Mapping[str, Any]) -> None:
        """In a file of gold, references and texts of their own must not take turns."""
        if self.role != "gold":
            return
        if self._gold_is_text is None:
            self._gold_is_text = not has_gold
        elif self._gold_is_text and has_gold:
            raise _ambiguous("the reference", [self.gold], self.text, "gold_field", record)

    def id_of(self, record: Mapping[str, Any]) -> tuple[str, Any] | None:
        """The field of the id and its value; None where there is none."""
        found = [name for name in IDS if record.get(name) is not None]
        if not self.id and found:
            self.id = found[0]
        if not self.id:
            return None
        if not self._named_id and len(found) > 1 and record[found[0]] != record[found[1]]:
            self._warn(f"ids are those of {self.id!r}, not of {_but(found, self.id)}: ``id_field``")
        value = value_at(record, self.id)
        return None if value is MISSING or value is None else (self.id, value)

    def system_of(self, record: Mapping[str, Any]) -> str | None:
        """The system that made the text, where the record names it."""
        if not self.system and _SYSTEM_NAMES.isdisjoint(record):
            return None
        if not self.system:
            taken = {_top(self.text), _top(self.gold), _top(self.id)}
            found = [name for name in SYSTEMS if name not in taken and _is_name(record.get(name))]
            self.system = found[0] if found else ""
        if not self.system:
            return None
        value = value_at(record, self.system)
        return str(value) if _is_name(value) else None

    @property
    def names_gold(self) -> bool:
        """Whether the user named the field of the references."""
        return bool(self._named_gold)

    def named_keys(self) -> list[str]:
        """The fields of id and system, where the user named them."""
        return [path for path in (self._named_id, self._named_system) if path]

    def fields_of(self, record: Mapping[str, Any]) -> dict[str, str]:
        """Fields for breakdowns: all others that hold a string, a number or a boolean."""
        fields = {
            name: value if isinstance(value, str) else json_text(value)
            for name in self.other_fields(record)
            if isinstance(value := record[name], (str, int, float))
        }
        for path in self.groups:
            value = value_at(record, path)
            if isinstance(value, (str, int, float)):
                fields[path] = value if isinstance(value, str) else json_text(value)
        if (system := self.system_of(record)) is not None:
            fields[self.system] = system
        return fields

    def other_fields(self, names: Iterable[str]) -> list[str]:
        """Those of the fields of a record that are not known to hold something else."""
        used = (_top(self.text), _top(self.gold), _top(self.id))
        return [name for name in names if name not in _OTHERWISE and name not in used]

    def _warn(self, message: str) -> None:
        if message not in self.warnings:
            self.warnings.append(message)


def _top(path: str) -> str:
    return path.partition(".")[0]


def _but(names: Iterable[str], one: str) -> str:
    return listed(name for name in names if name != one)


def _is_name(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def _ambiguous(
    what: str, found: list[str], chosen: str, option: str, record: Mapping[str, Any]
) -> AmbiguousFields:
    if len(found) > 1:
        message = f"{what} may be any of {listed(found)}"
    else:
        message = f"{what} was in {chosen!r} before, and is in {found[0]!r} here"
    return AmbiguousFields(
        f"{message}; fields: {listed(record)}",
        f"say which one with ``{option}='NAME'`` (a path like choices.0.text is allowed)",
    )
