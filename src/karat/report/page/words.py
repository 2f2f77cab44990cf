"""Which words of texts differ: missing, surplus, changed, and moved to another place."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.strings import Referenced
from karat.core.shown import Fault, Kind
from karat.text.words.character_kinds import WORD_CHARACTERS

LAYER = "what differs"
PART = "words"
MOST_WORDS = 3000
"""Longer texts are not compared word by word."""
Numbers = npt.NDArray[np.int32]


class WordDifferences:
    """Compares texts with their references, and gives each difference a number."""

    def __init__(self) -> None:
        self._native = _native.WordMarks()

    def marks(self, texts: Referenced) -> tuple[list[bytes], Numbers, Numbers]:
        """Marks of each text against the closest of its references, as JSON.

        Besides, for each difference that is counted, the text that has it and its number. A word
        that stands at another place is moved, not missing and surplus.
        """
        known = None
        if not (texts.systems.data.isascii() and texts.references.data.isascii()):
            known = WORD_CHARACTERS.for_texts(texts.systems, texts.references)
        return self._native.compare(*texts.columns, known, MOST_WORDS)

    def fault(self, number: int) -> Fault:
        """The difference with this number."""
        kind, gold, system = self._native.fault(number)
        return Fault(PART, Kind(kind), gold, system)


def word_marks(system: str, golds: Sequence[str]) -> tuple[list[int], list[Fault]]:
    """The marks of one text, and what differs."""
    differences = WordDifferences()
    (marks,), _, numbers = differences.marks(Referenced.of([(system, golds)]))
    return msgspec.json.decode(marks), [differences.fault(each) for each in numbers.tolist()]
