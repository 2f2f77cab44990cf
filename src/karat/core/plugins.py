"""The rows of metrics, formats and commands: karat's own, and those of plug-ins."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from karat.core import catalog
from karat.core.catalog import Row
from karat.errors import OptionError

METRICS = "karat.metrics"
FORMATS = "karat.formats"
COMMANDS = "karat.commands"
NOUN = {METRICS: "metric", FORMATS: "format", COMMANDS: "command"}
# Commands of karat itself are the command line's to know.
_BUILT_IN: dict[str, tuple[Row, ...]] = {
    METRICS: catalog.METRICS,
    FORMATS: catalog.FORMATS,
    COMMANDS: (),
}


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
    """All entries, built-in ones first; plug-ins are searched for only after those."""
    yield from _BUILT_IN[group]
    yield from list(rows(group).values())[len(_BUILT_IN[group]) :]


def load(row: Row | catalog.VerbRow) -> Any:
    """Imports the class that a row names."""
    module, _, attribute = row.target.partition(":")
    return getattr(importlib.import_module(module), attribute)


_FOLDERS = (".dist-info", ".egg-info")


@cache
def _metadata(paths: tuple[str, ...]) -> list[str] | None:
    """The folders on these paths that describe installed packages.

    None where there may be more of them, since packages may lie in archives, too.
    """
    found = []
    for path in dict.fromkeys(paths):
        folder = path or "."
        if os.path.isfile(folder):  # noqa: PTH113 - pathlib takes its time to load
            return None
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError:
            continue
        found += [
            os.path.join(folder, name)  # noqa: PTH118
            for name in names
            if name.lower().endswith(_FOLDERS)
        ]
    return found


def may_offer(group: str) -> bool:
    """Whether an installed package may have entry points of this group.

    A look at the files that declare them: where none names the group, nothing has to be loaded.
    """
    declared = _declared(tuple(sys.path))
    return declared is None or f"[{group}]".encode() in declared


@cache
def _declared(paths: tuple[str, ...]) -> bytes | None:
    """All declarations of entry points."""
    folders = _metadata(paths)
    if folders is None:
        return None
    return b"\n".join(_content(folder, "entry_points.txt") for folder in folders)


def version_of(package: str) -> str:
    """The version of an installed package, whose name is one word; empty where there is none."""
    named = [
        folder
        for folder in _metadata(tuple(sys.path)) or ()
        if os.path.basename(folder).lower().partition("-")[0] == package  # noqa: PTH119
    ]
    for folder in named:
        for file in ("METADATA", "PKG-INFO"):
            head = _content(folder, file).partition(b"\n\n")[0]
            for line in head.splitlines():
                if line.lower().startswith(b"version:"):
                    return line.partition(b":")[2].strip().decode()
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _content(folder: str, file: str) -> bytes:
    try:
        with open(os.path.join(folder, file), "rb", 0) as stream:  # noqa: PTH118, PTH123
            return stream.read()
    except OSError:
        return b""
