"""Many pairs of documents, compared once, for item files and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from karat.core.capabilities import Asked
from karat.records.batch import WAYS

if TYPE_CHECKING:
    from karat.records.metrics.json import Work


class LookedDocuments:
    """Pairs with one gold each."""

    def __init__(self, work: Work, way: str, drop: bool, asked: Asked) -> None:
        self._work = work
        self._way, self._drop, self._asked = WAYS[way], drop, asked
        self._told: list[bytes] | None = None
        self._shown: tuple[Any, ...] | None = None

    def explanations(self) -> list[bytes]:
        if self._told is None:
            self._look(told=True, shown=self._asked.shown and self._shown is None)
        return self._told or []

    def shown(self) -> tuple[Any, ...]:
        if self._shown is None:
            self._look(told=self._asked.told and self._told is None, shown=True)
        return self._shown or ()

    def _look(self, *, told: bool, shown: bool) -> None:
        work, batch = self._work, self._work.batch
        # What could not be read is explained by itself, with the reason.
        failed = work.failed()
        number = np.arange(len(work.systems), dtype=np.int32)
        patterns = [each.encode("utf-8", "surrogatepass") for each in batch.patterns()]
        explanations, pairs = batch.native.look_at(
            np.column_stack([work.first_gold + number, number]), work.gold_texts, work.systems,
            patterns, self._printable(), self._way, self._drop, told, shown,
        )  # fmt: skip
        if told:
            for i in failed:
                explanations[i] = b""
            self._told = explanations
        if shown:
            golds, systems, views, faults, rows, numbers, layers, drawn = pairs
            for i in failed:
                views[i] = b""
            kept = ~np.isin(rows, failed)
            self._shown = (
                golds, systems, views, faults, rows[kept], numbers[kept], layers, drawn,
            )  # fmt: skip

    def _printable(self) -> npt.NDArray[np.uint8] | None:
        """Which characters repr() shows, where there are some that are not ASCII."""
        if not self._work.batch.foreign:
            return None
        table = np.zeros(0x110000, np.uint8)
        known = set("".join(self._work.batch.foreign))
        table[[ord(mark) for mark in known if mark.isprintable()]] = 1
        return table
