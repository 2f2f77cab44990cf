"""TOML, by the standard library or, on Python 3.10, by tomli."""

from __future__ import annotations

from typing import Any

from karat.errors import MissingExtra


def loads(text: str) -> dict[str, Any]:
    """The tables of a TOML text; what is none raises a ValueError."""
    try:
        import tomllib
    except ImportError:
        try:
            import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            raise MissingExtra.package("tomli", "toml", "reading TOML on Python 3.10") from None
    return tomllib.loads(text)
