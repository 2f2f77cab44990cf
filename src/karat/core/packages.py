"""What is installed beside karat; importlib.metadata knows more, and takes its time to load."""

from __future__ import annotations

import os
import sys
from functools import cache

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
