"""Selects items of files, in the same way for every format and metric.

What is measured is chosen on the side of gold; the system's items follow, by id or by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import numpy as np

from karat.core.files.opener import Source
from karat.core.options import Declared, File, Range, declared
from karat.core.reading.items import Item, Key, Refs, Rows
from karat.errors import FormatError, did_you_mean


class Selection(Declared):
    """Which items to keep: by framework or a list of ids; then by id, position or number."""

    name = "selection"

    framework: Annotated[tuple[str, ...], "keep only graphs of these frameworks"] = ()
    filter: Annotated[str, File(), "a file whose first column lists the ids to keep"] = ""
    id: Annotated[tuple[str, ...], "keep only the items with these ids"] = ()
    i: Annotated[int | None, Range(0), "keep only the item at this position, from 0"] = None
    n: Annotated[int | None, Range(0), "keep only the first N items"] = None
    unique: Annotated[bool, "keep only the first of items with the same key"] = False

    def __post_init__(self) -> None:
        self.frameworks = frozenset(self.framework)
        self.ids = frozenset(self.id)
        self.position = None if self.ids else self.i
        self.first = None if self.ids or self.i is not None else self.n
        self.warnings: list[str] = []
        """Warnings about options that contradict each other."""
        self.outcome = ""
        """Why nothing was selected; empty if something was."""
        if self.ids and self.i is not None:
            self.warnings.append("i is ignored, since id is given")
        if self.n is not None and self.first is None:
            self.warnings.append(f"n is ignored, since {'id' if self.ids else 'i'} is given")

    def __bool__(self) -> bool:
        """Whether anything may be left out."""
        few = self.position is not None or self.first is not None
        return bool(few or self.frameworks or self.filter or self.ids or self.unique)

    def choose(self, items: Iterable[Item]) -> Iterator[Item]:
        """The selected items; reading stops when no more can follow."""
        if not self:
            yield from items
            return
        chooser = _Chooser(self)
        for item in items:
            if chooser.takes(item.key, item.fields, item.error):
                yield item
            if chooser.is_done:
                return
        chooser.finish()

    def rows(self, refs: Refs) -> Rows:
        """The positions of the items to keep."""
        if not self:
            return slice(None)
        chooser = _Chooser(self)
        found = []
        for row in range(len(refs)):
            fields = refs.fields[row] if refs.fields else {}
            if chooser.takes(refs.key(row), fields, refs.errors.get(row)):
                found.append(row)
            if chooser.is_done:
                break
        else:
            chooser.finish()
        return np.array(found, np.int64)

    def without_doubles(self, refs: Refs) -> Refs:
        """The system's items, the first of each key only where that is wanted."""
        return refs.take(Selection(unique=True).rows(refs)) if self.unique else refs


class _Chooser:
    """One pass over the items of a file."""

    def __init__(self, selection: Selection) -> None:
        self.wanted = selection
        self.listed = listed_ids(selection.filter) if selection.filter else None
        self.position = -1
        self.seen: set[Key] = set()
        self.names: list[str] = []
        self.is_empty = True
        self.has_ids = False
        self.has_frameworks = False
        self.is_done = selection.first == 0

    def takes(self, key: Key | None, fields: Mapping[str, str], error: FormatError | None) -> bool:
        wanted = self.wanted
        if self.is_done:
            return False
        self.names.append(str(key and key[0]))
        if wanted.frameworks and not self._is_of_framework(key, fields, error):
            return False
        if key is not None:
            self.has_ids = True
            if self.listed is not None and key[0] not in self.listed:
                return False
        elif self.listed is not None and error is None:
            return False
        self.position += 1
        self.is_done = self.position + 1 == wanted.first or self.position == wanted.position
        if wanted.position is not None and self.position != wanted.position:
            return False
        if wanted.ids and (key is None or key[0] not in wanted.ids):
            return False
        if wanted.unique and key is not None:
            if key in self.seen:
                return False
            self.seen.add(key)
        self.is_empty = False
        return True

    def _is_of_framework(
        self, key: Key | None, fields: Mapping[str, str], error: FormatError | None
    ) -> bool:
        """An invalid graph may be of any framework; a valid one without a framework is of none."""
        self.has_frameworks = self.has_frameworks or "framework" in fields
        if error is not None:
            return key is None or len(key) < 2 or key[1] is None or key[1] in self.wanted.frameworks
        return fields.get("framework") in self.wanted.frameworks

    def finish(self) -> None:
        if self.is_empty and self.names:
            what = f"none of its {len(self.names)} items is chosen{self._unknown()}"
            self.wanted.outcome = what

    def _unknown(self) -> str:
        """What the items lack, or the first of the wanted ids that none has, with a suggestion."""
        if self.wanted.frameworks and not self.has_frameworks:
            return ": they have no framework"
        if (self.wanted.ids or self.listed is not None) and not self.has_ids:
            return ": they have no ids (``i`` and ``n`` choose by position)"
        for name in sorted(self.wanted.ids.difference(self.names)):
            return f": there is no id {name!r}{did_you_mean(name, self.names)}"
        return ""


def listed_ids(path: str) -> frozenset[str]:
    """The ids in a file: the first tab-separated column of each line."""
    return frozenset(
        line.partition("\t")[0].strip() for _, line in Source(path).lines() if line.strip()
    )


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a selection, and the others, which are a format's."""
    known = declared(Selection)
    return (
        {name: value for name, value in options.items() if name in known},
        {name: value for name, value in options.items() if name not in known},
    )
