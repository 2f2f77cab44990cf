"""The rows of metrics and formats: those that karat comes with, and those of plug-ins."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from karat.core import catalog
from karat.core.catalog import Row
from karat.core.packages import may_offer
from karat.errors import OptionError

METRICS = "karat.metrics"
FORMATS = "karat.formats"
NOUN = {METRICS: "metric", FORMATS: "format"}
_BUILT_IN = {METRICS: catalog.METRICS, FORMATS: catalog.FORMATS}


@cache
def rows(group: str) -> dict[str, Row]:
    """All entries of a group, plug-ins included; those whose name is taken twice are left out.

    Those of karat itself stay what they are.
    """
    result = {row.name: row for row in _BUILT_IN[group]}
    taken = _names_taken_twice(group)
    result |= {row.name: row for row in _plugins(group) if row.name not in taken}
    return result


def clashes(group: str) -> dict[str, OptionError]:
    """The names that several packages offer, each with the error that its use is."""
    return {
        name: OptionError(
            f"the {NOUN[group]} {name!r} is offered by both {' and '.join(packages)}",
            code="K311",
            advice="uninstall one of the two packages",
        )
        for name, packages in _names_taken_twice(group).items()
    }


def _names_taken_twice(group: str) -> dict[str, list[str]]:
    """The packages of each such name, karat first."""
    packages: dict[str, list[str]] = {}
    for row in (*_BUILT_IN[group], *sorted(_plugins(group), key=lambda row: row.package)):
        packages.setdefault(row.name, []).append(row.package)
    return {name: found for name, found in packages.items() if len(found) > 1}


def _plugins(group: str) -> list[Row]:
    if not may_offer(group):
        return []
    from importlib.metadata import entry_points  # takes its time to load

    found = []
    for point in entry_points(group=group):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"
        found.append(Row(point.name, "plug-in", point.value, f"from {package}", package=package))
    return found


def find_row(group: str, name: str) -> Row | None:
    """The entry of this name; installed packages are searched only for what karat lacks."""
    own = {row.name: row for row in _BUILT_IN[group]}
    return own.get(name) or rows(group).get(name)


def package_of(group: str, cls: type, name: str) -> str:
    """The distribution that a plug-in comes from, and its version: ``name:1.2``.

    Empty for what karat comes with, and for classes that no package offers.
    """
    if cls.__module__.partition(".")[0] == "karat":
        return ""
    try:
        row = find_row(group, name)
        if row is None or row.package == "karat" or load(row) is not cls:
            return ""
    except Exception:  # what does not load is not the class that is in use
        return ""
    name, _, version = row.package.rpartition(" ")
    return f"{name}:{version}"


def own_rows(group: str) -> tuple[Row, ...]:
    """The entries that karat comes with."""
    return _BUILT_IN[group]


def all_rows(group: str) -> Iterator[Row]:
    """All entries, own ones first; plug-ins are looked for only once those are used up."""
    yield from _BUILT_IN[group]
    yield from list(rows(group).values())[len(_BUILT_IN[group]) :]


def load(row: Row | catalog.VerbRow) -> Any:
    """Imports the class that a row names."""
    module, _, attribute = row.target.partition(":")
    return getattr(importlib.import_module(module), attribute)
