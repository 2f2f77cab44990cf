"""Chunks of files as texts, without making a value of each item."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from karat.core.capabilities import Measured
from karat.core.raw import RawChunk, RawItems
from karat.core.scores import Array
from karat.core.strings import Referenced, Strings


def measured_references(chunk: RawChunk, rows: Callable[[Referenced], Array]) -> Measured | None:
    """The rows of texts with the references of all gold files."""
    texts = _texts(chunk)
    if texts is None:
        return None
    system, *golds = texts
    bounds = np.arange(0, len(system) * len(golds) + 1, len(golds))
    references = Strings.interleaved(golds)
    return Measured(
        rows(Referenced(system, references, bounds)), {}, system.any_text(), references.any_text()
    )


def measured_pairs(chunk: RawChunk, rows: Callable[[Strings, Strings], Array]) -> Measured | None:
    """The rows of texts with one gold text each."""
    if len(chunk.golds) > 1 or (texts := _texts(chunk)) is None:
        return None
    system, gold = texts
    return Measured(rows(system, gold), {}, system.any_text(), gold.any_text())


def _texts(chunk: RawChunk) -> Sequence[Strings] | None:
    """The texts of all files; None where a file has to be parsed."""
    found = [texts for items in (chunk.system, *chunk.golds) if (texts := _of_file(items))]
    return found if len(found) == 1 + len(chunk.golds) else None


def _of_file(items: RawItems) -> Strings | None:
    if items.format.name == "lines":
        return Strings(items.data, items.begin, items.end)
    return None
