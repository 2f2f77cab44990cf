"""What readers give: a value, who it is, and where it stood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from karat.errors import FormatError

Key: TypeAlias = tuple[str | None, ...]
_NO_FIELDS: Mapping[str, str] = {}


class Item(msgspec.Struct, frozen=True, gc=False):
    """One thing that was read.

    `key` begins with the id; further parts (framework, language) make it unique,
    and a part that is None agrees with any. Without key, items meet by position.
    An item that could not be read has the error in place of a value, so that
    what comes after it keeps its position.
    """

    value: Any
    key: Key | None = None
    line: int = 0
    fields: Mapping[str, str] = _NO_FIELDS
    error: FormatError | None = None


class Pair(msgspec.Struct, frozen=True, gc=False):
    """A system item and its gold item; `index` is the place in the gold order."""

    index: int
    id: str
    fields: Mapping[str, str]
    system: Any
    gold: Any
