"""Results of earlier commands, read back from their JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.core.files.opener import Source
from karat.errors import FormatError, Place, shell
from karat.meta.correlating import FIELDS


def read_tests(path: str) -> dict[str, Any]:
    """A result of `karat significance`, its p-values checked."""
    document = _json(path, "significance")
    if not isinstance(document, dict) or "test_method" not in document:
        raise _unfit(path, "this is no result of karat significance", "K154", "significance")
    for field in FIELDS.values():
        level = document.get(field, {})
        if not isinstance(level, dict) or not all(
            isinstance(one, dict) and _is_p(one.get("pvalue", ())) for one in level.values()
        ):
            raise _unfit(path, f"$.{field} holds no p-values", "K154", "significance")
    return document


def _is_p(value: Any) -> bool:
    return value is None or (_is_number(value) and 0 <= value <= 1)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_correlations(path: str) -> list[dict[str, Any]]:
    """The results of `karat correlate`, one or several in a file."""
    document = _json(path, "correlate")
    documents = document if isinstance(document, list) else [document]
    for each in documents:
        if not isinstance(each, dict) or "metric1" not in each or not _has_levels(each):
            raise _unfit(path, "this is no result of karat correlate", "K157", "correlate")
    return documents


def _has_levels(document: dict[str, Any]) -> bool:
    levels = [document.get(field, {}) for field in FIELDS.values()]
    return all(isinstance(level, dict) for level in levels) and all(
        number is None or _is_number(number)
        for level in levels
        for one in level.values()
        if isinstance(one, dict)
        for number in one.values()
    )


def _json(path: str, command: str) -> Any:
    source = Source(path)
    try:
        return msgspec.json.decode(source.content())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unfit(source.name, f"this is not JSON: {error}", "K147", command) from None


def _unfit(path: str, message: str, code: str, command: str) -> FormatError:
    return FormatError(
        message,
        code=code,
        place=Place(path),
        advice="write it with " + shell(command, "json", "PATH"),
    )
