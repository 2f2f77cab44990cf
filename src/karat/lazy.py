"""Names of a package that are loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def loader(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a package: `names` are those that each of its modules offers.

    >>> loader("karat", {"errors": "FormatError KaratError"})("KaratError").__name__
    'KaratError'
    """
    homes = {name: module for module, offered in names.items() for name in offered.split()}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(import_module(package), name, value)
        return value

    return load
