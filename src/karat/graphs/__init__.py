"""Meaning graphs: their model, their formats, what can be asked of them, their metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.graphs.correspondence import Correspondence, match

__all__ = ["Correspondence", "match"]


def __getattr__(name: str) -> Any:
    """Loads the matcher when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'karat.graphs' has no attribute {name!r}")
    from karat.graphs import correspondence

    return getattr(correspondence, name)
