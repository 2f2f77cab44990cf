"""Translation edit rate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from karat.core.metric import Counts
from karat.core.scores import Array, Scores, ratio
from karat.text import sacre
from karat.text.model import ReferenceMetric, Text


class Ter(ReferenceMetric):
    """Translation edit rate (Snover et al. 2006), equal to sacreBLEU.

    Edits, with shifts of phrases, to the closest reference, per word of the
    average reference, times 100. `sent-ter` is the mean of sentence scores.
    Lower is better; above 100 is possible. Without reference words the rate is
    100 if there are edits, else 0.

    >>> Ter().score("a b c", ["a c b"])["ter"]
    33.33333333333333
    """

    name = "ter"
    columns = ("segments", "sentence_ter", "edits", "length")
    headline = "ter"
    scale = 100.0
    totals = frozenset({"edits", "ref_length"})
    lower_is_better = frozenset({"ter", "sent-ter", "edits"})

    def __init__(
        self,
        *,
        normalized: Annotated[bool, "normalise characters and tokenise as tercom does"] = False,
        no_punct: Annotated[bool, "remove punctuation"] = False,
        asian_support: Annotated[bool, "treat CJK characters as words"] = False,
        case_sensitive: Annotated[bool, "keep the case"] = False,
    ) -> None:
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive

    @cached_property
    def _peer(self) -> Any:
        return sacre.peer("TER", **self.options)

    def signature(self) -> str:
        return f"{super().signature()}|{sacre.quoted_signature(self._peer)}"

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        system, gold = self.strings(system, gold)
        edits, length = sacre.segment_statistics(self._peer, system, gold)
        return [1.0, float(_rate(np.array(edits), np.array(length))), edits, length]

    def summarize(self, totals: Array) -> Scores:
        segments, sentences, edits, length = self.columns_of(totals)
        return {
            "ter": _rate(edits, length),
            "sent-ter": ratio(sentences, segments),
            "edits": edits,
            "ref_length": length,
        }


def _rate(edits: Array, length: Array) -> Array:
    return 100 * np.where(length > 0, ratio(edits, length), np.where(edits > 0, 1.0, 0.0))
