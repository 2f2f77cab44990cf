"""Token-level edit distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import cost, count, main, within
from karat.core.reading.strings import Referenced, Strings, decoded_json
from karat.core.repairs import Claim, Target
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded
from karat.text.raw_texts import LineMetric
from karat.text.repair import PARTITIONS, TextRepair, WordEdit

MOST_CELLS = 250_000_000
"""Two longer texts take too much memory to be shown edit by edit."""
_UNDONE: dict[str, WordEdit] = {"replace": "substitute", "insert": "delete", "delete": "insert"}
"""What undoes an edit that makes the system's text of gold."""


class EditDistance(LineMetric):
    """Levenshtein distance between system and gold tokens; every edit costs 1.

    `total` is the sum over items, `mean` its mean per item, `normalized` the
    total per gold token (the word error rate; above 1 where the system is much
    longer), `mean_normalized` the mean of each item's distance divided by the
    longer of its two sides (0 to 1; 0 where both are empty).

    >>> EditDistance().score("a b c", "a x c d")
    {'total': 2, 'mean': 2.0, 'normalized': 0.5, 'mean_normalized': 0.5}
    """

    name = "edit-distance"
    columns = ("items", "distance", "gold_tokens", "normalized")

    ignore_case: Annotated[bool, "compare without regard to case"] = False
    characters: Annotated[bool, "edit characters instead of tokens"] = False

    def rows(self, texts: Referenced) -> Array:
        systems, golds = self._compared(texts.systems), self._compared(texts.references)
        counts = _native.edit_counts(*systems.columns, *golds.columns, self.characters)
        distance, ours, theirs = counts.astype(np.float64).T
        if (distance < 0).any():
            raise LimitExceeded(
                "two texts are too long for their edit distance to be found",
                code="K503",
                advice="score sentences rather than whole documents",
            )
        return np.column_stack(
            [np.ones(len(counts)), distance, theirs, ratio(distance, np.maximum(ours, theirs))]
        )

    def summarize(self, totals: Array) -> Scores:
        items, distance, gold_tokens, normalized = self.columns_of(totals)
        return {
            "total": cost(count(distance)),
            "mean": cost(within(ratio(distance, items), 0)),
            "normalized": main(cost(ratio(distance, gold_tokens))),
            "mean_normalized": cost(ratio(normalized, items)),
        }

    # -- repairing -------------------------------------------------------------

    partitions = PARTITIONS
    repair_claim: ClassVar[Claim] = "equal"

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        return {
            "normalized": Target({"distance": 1}, {"gold_tokens": 1}),
            "mean": Target({"distance": 1}, {"items": 1}),
        }

    @property
    def unrepairable(self) -> str:
        if self.ignore_case and self.characters:
            return "without regard to case a character may be two"
        return ""

    def repairs(self, pairs: Sequence[tuple[str, str]]) -> list[TextRepair]:
        found = self._edits(self.texts_of_pairs(pairs))
        return [self._repair(*pair, told) for pair, told in zip(pairs, found, strict=True)]

    def _repair(self, system: str, gold: str, told: bytes) -> TextRepair:
        if not told:
            raise LimitExceeded("the texts are too long to be repaired", code="K503")
        ours, theirs = (text if self.characters else text.split() for text in (system, gold))
        steps: list[WordEdit] = []
        place = 0
        for edit in decoded_json(told)["edits"]:
            steps += ["keep"] * (edit["position"] - place)
            steps.append(_UNDONE[edit["edit"]])
            place = edit["position"] + len(edit["gold"])
        steps += ["keep"] * (len(theirs) - place)
        changes = dict.fromkeys(map(str, _UNDONE.values()), (("distance", -1.0),))
        between = "" if self.characters else " "
        return TextRepair(system, ours, theirs, steps, changes, between=between)

    tracing = grid_in("karat.text.metrics.grids.words", "edit_distance")

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The edits that turn the gold into the system's text; of very long texts their number."""
        distances = rows[:, 1].astype(int).tolist()
        return [
            told or b'{"distance":%d}' % distance
            for told, distance in zip(self._edits(texts), distances, strict=True)
        ]

    def _edits(self, texts: Referenced) -> list[bytes]:
        systems, golds = self._compared(texts.systems), self._compared(texts.references)
        return _native.edits_explained(
            *systems.columns, *golds.columns, self.characters, MOST_CELLS
        )

    def _compared(self, texts: Strings) -> Strings:
        return texts.lowered(str.casefold) if self.ignore_case else texts
