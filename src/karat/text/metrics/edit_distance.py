"""Token-level edit distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import cost, count, main, within
from karat.core.metric import Explanation
from karat.core.reading.strings import Referenced, Strings
from karat.core.repairs import Claim, Target
from karat.core.scores import Array, Scores, ratio
from karat.errors import LimitExceeded
from karat.text.raw_texts import LineMetric
from karat.text.repair import PARTITIONS, TextRepair, WordEdit

MOST_WORDS = 64
"""Of longer texts rapidfuzz may choose other edits than the kernel, so they are left to it."""
_MOST_PAIRS = 25_000_000
"""Two longer texts take too long to be shown edit by edit."""
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

    def _tokens(self, text: str) -> Sequence[str]:
        text = self.one_string(text)
        if self.ignore_case:
            text = text.casefold()
        return text if self.characters else text.split()

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
        return [self._repair(system, gold) for system, gold in pairs]

    def _repair(self, system: str, gold: str) -> TextRepair:
        from rapidfuzz.distance import Levenshtein

        sides = [text if self.characters else text.split() for text in (system, gold)]
        found = Levenshtein.editops(list(self._tokens(gold)), list(self._tokens(system)))
        steps: list[WordEdit] = []
        place = 0
        for edit in found:
            steps += ["keep"] * (edit.dest_pos - place)
            steps.append(_UNDONE[edit.tag])
            place = edit.dest_pos + (edit.tag != "delete")
        steps += ["keep"] * (len(sides[0]) - place)
        changes = dict.fromkeys(map(str, _UNDONE.values()), (("distance", -1.0),))
        between = "" if self.characters else " "
        return TextRepair(system, sides[0], sides[1], steps, changes, between=between)

    tracing = grid_in("karat.text.metrics.grids.words", "edit_distance")

    def explain(self, system: str, gold: str) -> Explanation:
        """The edits that turn the gold into the system's text."""
        edits = edits_between(self._tokens(gold), self._tokens(system))
        return {"distance": len(edits), "edits": edits}

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        systems, golds = self._compared(texts.systems), self._compared(texts.references)
        return _native.edits_explained(
            *systems.columns, *golds.columns, self.characters, MOST_WORDS
        )

    def _compared(self, texts: Strings) -> Strings:
        return texts.lowered(str.casefold) if self.ignore_case else texts


def edits_between(gold: Sequence[str], system: Sequence[str]) -> list[dict[str, Any]]:
    """The fewest insertions, deletions and substitutions, in the order of the text.

    >>> edits_between("a b c".split(), "a x c d".split())[0]
    {'edit': 'replace', 'gold': ['b'], 'system': ['x'], 'position': 1}
    """
    from rapidfuzz.distance import Levenshtein

    return [
        {
            "edit": edit.tag,
            "gold": list(gold[edit.src_pos : edit.src_pos + (edit.tag != "insert")]),
            "system": list(system[edit.dest_pos : edit.dest_pos + (edit.tag != "delete")]),
            "position": edit.src_pos,
        }
        for edit in Levenshtein.editops(list(gold), list(system))
    ]


def are_too_long(gold: Sequence[str], system: Sequence[str]) -> bool:
    """Whether the edits between two texts take too long to be found."""
    return len(gold) * len(system) > _MOST_PAIRS
