"""The base class of formats of item scores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, cast

import msgspec

from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.core.format import Format
from karat.core.reading.items import Item
from karat.errors import FormatError, OptionError, Place
from karat.logs.model import ItemScores, Range, as_field, as_number, as_prose

_NOT_JSON = (ValueError, *NOT_JSON)


class ScoreFormat(Format):
    """Base class of the formats that hold scores of items."""

    kind = "scores"

    group_field: Annotated[
        tuple[str, ...], "fields that group items and are not scores, though they hold numbers"
    ] = ()

    system_name = ""
    """The system that the file says it is about, once it is read."""
    systems = cast("tuple[str, ...]", ())
    """All systems that it holds, where it may hold several."""

    def item(
        self,
        place: Place,
        id: str | None,
        values: Mapping[str, Any],
        *,
        fields: Mapping[str, Any] | None = None,
        known: Mapping[str, Range] | None = None,
        mark: str = "",
        texts: tuple[Any, Any, Any] = ("", "", ""),
    ) -> Item:
        """An item; what is no number makes it one that cannot be read.

        `texts` are its prompt, the expected answer and the output.
        """
        found: dict[str, float | None] = {}
        error = None
        for name, value in values.items():
            number = as_number(value)
            if isinstance(number, str):
                error = error or not_a_number(name, value, place)
            else:
                found[name] = number
        prompt, expected, output = texts
        told = as_prose(prompt, last=True), as_prose(expected), as_prose(output)
        named = {name: as_field(value) for name, value in (fields or {}).items()}
        return Item(
            None if error else ItemScores(found, known or {}, mark, told),
            None if id is None else (id,),
            place.line,
            {name: text for name, text in named.items() if text is not None},
            error,
        )

    def leave_out(self, names: Iterable[str]) -> None:
        """Warns that scores which are lists are left out."""
        if found := ", ".join(names):
            self.warnings.append(f"left out, since their values are lists: {found}")

    def only(self, chosen: str, systems: Iterable[str], file: str) -> str:
        """The system that is meant: the chosen one, or the only one that there is."""
        known = list(dict.fromkeys(systems))
        self.systems = tuple(known)
        if chosen and chosen not in known:
            raise OptionError(f"{file} has no system {chosen!r}: {', '.join(known)}", code="K326")
        if not chosen and len(known) > 1:
            raise OptionError(
                f"{file} holds the scores of {len(known)} systems: {', '.join(known)}",
                code="K326",
                advice=f"say which one with ``only_system='{known[0]}'``",
            )
        self.system_name = chosen or (known[0] if known else "")
        return self.system_name


def not_a_number(name: str, value: Any, place: Place) -> FormatError:
    """The error that a score is a text, or infinite."""
    shown = repr(value) if len(repr(value)) <= 40 else f"{repr(value)[:37]}..."
    return FormatError(f"{name!r} is {shown}, expected a finite number", code="K196", place=place)


def decoded(data: str | bytes, place: Place, kind: Any = Any) -> Any:
    """Decodes JSON, also with NaN and Infinity, which Python tools write."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise unfit(f"this is not what is expected here: {error}", place) from None
    except _NOT_JSON as error:
        try:
            return msgspec.convert(json.loads(data), type=kind)
        except msgspec.ValidationError as other:
            raise unfit(f"this is not what is expected here: {other}", place) from None
        except _NOT_JSON:
            raise unfit(f"this is not JSON: {error}", place) from None


def whole(source: Source) -> bytes:
    """The content of a file that is one JSON value."""
    return source.content(PLAIN_LIMIT)


def check_version(found: Any, newest: int, place: Place) -> None:
    """Raises where a log says that it is of a version newer than this reader."""
    if found is not None and found not in range(1, newest + 1):
        raise FormatError(
            f"the log is of version {found!r}; known are versions 1 to {newest}",
            code="K197",
            place=place,
            advice="write the scores as CSV, or use a version of karat that knows it",
        )


def unfit(message: str, place: Place) -> FormatError:
    """The error that a log is not as its tool writes it."""
    return FormatError(message, code="K197", place=place)
