"""Meaning graphs: their model, their formats, what can be asked of them, their metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.lazy import loader

if TYPE_CHECKING:
    from karat.graphs.matching.tuples import Correspondence, match

__all__ = ["Correspondence", "match"]

# A type checker knows the names above, and must refuse all others.
if not TYPE_CHECKING:
    __getattr__ = loader(__name__, {"matching.tuples": "Correspondence match"})


def __dir__() -> list[str]:
    return sorted(__all__)
