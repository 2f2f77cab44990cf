"""JSON in the files of data sets: whole documents, or an object on each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from karat.core.files.opener import Source
from karat.errors import FormatError, Place


def json_value(data: bytes | str, place: Place) -> Any:
    """What JSON says."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {error}", code="K147", place=place) from None


def json_object(line: bytes | str, place: Place) -> dict[str, Any]:
    """The object on a line."""
    value = json_value(line, place)
    if not isinstance(value, dict):
        raise FormatError("expected a JSON object", code="K147", place=place)
    return value


def json_lines(path: str) -> Iterator[tuple[dict[str, Any], Place]]:
    """The objects of a file, one a line, and where each stands."""
    source = Source(path)
    for number, line in source.lines():
        if line.strip():
            place = Place(source.name, number)
            yield json_object(line, place), place


def inner_lines(file: str, data: bytes) -> Iterator[tuple[dict[str, Any], Place]]:
    """The objects of a file in an archive; only a line feed ends a line, as JSON has others."""
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if line.strip():
            place = Place(file, number)
            yield json_object(line, place), place


def need(record: Mapping[str, Any], name: str, kind: type, place: Place) -> Any:
    """A field that a record must have."""
    value = record.get(name)
    if not isinstance(value, kind):
        raise FormatError(
            f"$.{name} must be a {kind.__name__}" + ("; there is none" if value is None else ""),
            code="K163",
            place=place,
        )
    return value
