"""Many pairs of documents, compared once, for item files and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from karat.core.capabilities import Asked
from karat.core.shown import LookedOnce, ShownPairs
from karat.records.batch import WAYS

if TYPE_CHECKING:
    from karat.records.metrics.json import Work


class LookedDocuments(LookedOnce):
    """Pairs with one gold each."""

    def __init__(self, work: Work, way: str, drop: bool, asked: Asked) -> None:
        super().__init__(asked)
        self._work = work
        self._way, self._drop = WAYS[way], drop

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        work, batch = self._work, self._work.batch
        # What could not be read is explained by itself, with the reason.
        failed = work.failed()
        number = np.arange(len(work.systems), dtype=np.int32)
        patterns = [each.encode("utf-8", "surrogatepass") for each in batch.patterns()]
        explanations, pairs = batch.native.look_at(
            np.column_stack([work.first_gold + number, number]), work.gold_texts, work.systems,
            patterns, self._printable(), self._way, self._drop, told, shown,
        )  # fmt: skip
        for i in failed if told else ():
            explanations[i] = b""
        if not shown:
            return explanations, None
        found = ShownPairs(*pairs)
        views = list(found.views)
        for i in failed:
            views[i] = b""
        kept = ~np.isin(found.fault_rows, failed)
        return explanations, found._replace(
            views=views, fault_rows=found.fault_rows[kept], fault_numbers=found.fault_numbers[kept]
        )

    def _printable(self) -> npt.NDArray[np.uint8] | None:
        """Which characters repr() shows, where there are some that are not ASCII."""
        if not self._work.batch.foreign:
            return None
        table = np.zeros(0x110000, np.uint8)
        known = set("".join(self._work.batch.foreign))
        table[[ord(mark) for mark in known if mark.isprintable()]] = 1
        return table
