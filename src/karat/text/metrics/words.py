"""Texts compared word by word: edit distance, exact match, and answers to questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import msgspec
import numpy as np

from karat import _native
from karat.core.capabilities import grid_in
from karat.core.marks import cost, count, main, within
from karat.core.reading.strings import Columns, Referenced, Strings, decoded_json
from karat.core.repairs import Claim, Target
from karat.core.scores import Array, Scores, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.errors import LimitExceeded
from karat.text.raw_texts import LineMetric, StringMetric
from karat.text.repair import PARTITIONS, TextRepair, WordEdit
from karat.text.words.unicode import WORD_CHARACTERS

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


class Exact(LineMetric):
    """Share of items whose system output equals the gold, token by token.

    Tokens are separated by white space, so spacing never matters; two empty
    texts are equal.

    >>> Exact().score("the  dog", "the dog")
    {'accuracy': 1.0}
    """

    name = "exact"
    columns = ("items", "correct")

    ignore_case: Annotated[bool, "compare without regard to case"] = False

    def rows(self, texts: Referenced) -> Array:
        systems, golds = self._compared(texts.systems), self._compared(texts.references)
        correct = _native.same_words(*systems, *golds)
        return np.column_stack([np.ones(len(correct)), correct.astype(np.float64)])

    def _compared(self, texts: Strings) -> Columns:
        return (texts.lowered(str.casefold) if self.ignore_case else texts).columns

    tracing = grid_in("karat.text.metrics.grids.words", "exact")

    def summarize(self, totals: Array) -> Scores:
        items, correct = self.columns_of(totals)
        return {"accuracy": ratio(correct, items)}

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """Whether the tokens are equal, the first that is not, and the edits between them, unless
        they are very long."""
        systems, golds = self._compared(texts.systems), self._compared(texts.references)
        return _native.same_words_explained(*systems, *golds, MOST_CELLS)


class Squad(StringMetric):
    """Exact match and F1 of answers (Rajpurkar et al. 2016), the bookkeeping of QA metrics.

    An item is the answer to one question, its references are the accepted answers; the
    best one counts. An empty answer says that there is none: it is right where an accepted
    answer is empty too. `em` and `f1` are means over questions, `is_answered` is the share
    of answers that are not empty.

    >>> Squad().score("the Eiffel tower", ["Eiffel Tower in Paris"])
    {'em': 0.0, 'f1': 0.6666666666666666, 'is_answered': 1.0}
    """

    name = "squad"
    tool_line = '{{"exact_match": {em}, "f1": {f1}}}'
    columns = ("questions", "em", "f1", "answered")

    def rows(self, texts: Referenced) -> Array:
        """The counts of answers with those that are accepted."""
        texts = texts.lowered()
        own, em, f1 = self._compared(texts)
        best_em, best_f1 = (np.maximum.reduceat(each, texts.starts) for each in (em, f1))
        answered = own[texts.starts] > 0
        return np.column_stack([np.ones(len(best_em)), best_em, best_f1, answered]).astype(
            np.float64
        )

    def _compared(self, texts: Referenced) -> tuple[Array, Array, Array]:
        """For each accepted answer the words of the answer, exact match, and F1."""
        table = WORD_CHARACTERS.for_texts(texts.systems, texts.references)
        own, gold, common, same = _native.answer_counts(*texts.columns, table).T
        f1 = np.where(own * gold > 0, 2 * common / np.maximum(own + gold, 1), same)
        return own, same, f1

    def explain_texts(self, texts: Referenced, rows: Array) -> list[bytes]:
        """The words of the answer and of each accepted one, as they are compared."""
        texts = texts.lowered()
        _, em, f1 = self._compared(texts)
        figures = [
            b'"em":%b,"f1":%b' % (msgspec.json.encode(each), msgspec.json.encode(other))
            for each, other in zip(em.astype(np.float64).tolist(), f1.tolist(), strict=True)
        ]
        table = WORD_CHARACTERS.for_texts(texts.systems, texts.references)
        scores = nested_scores(encoded_scores(self, rows))
        return _native.answers_explained(*texts.columns, table, scores, figures)

    tracing = grid_in("karat.text.metrics.grids.words", "squad")

    def summarize(self, totals: Array) -> Scores:
        questions, em, f1, answered = self.columns_of(totals)
        return {
            "em": ratio(em, questions),
            "f1": main(ratio(f1, questions)),
            "is_answered": ratio(answered, questions),
        }
