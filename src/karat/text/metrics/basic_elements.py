"""Basic elements: head, modifier and relation, shared with references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

from karat.core.marks import main, percent
from karat.core.metric import Counts, Explanation
from karat.core.scores import Array, Scores, ratio
from karat.errors import FormatError
from karat.text.model import SentenceMetric, Text, overlap, sentences

Element = tuple[str, ...]
_PARTS = {"hmr": (0, 1, 2), "hm": (0, 1), "hr": (0, 2), "mr": (1, 2), "h": (0,)}


class BasicElements(SentenceMetric):
    """Basic elements (Hovy et al. 2006) that a text shares with its references.

    A text is a list of elements, or one per line, each written
    ``head|modifier|relation`` by whatever parser made them; an element without
    modifier is ``head||``. `match` says which parts must agree (without regard to case).
    Each element counts as often as both sides have it; several references are added up.
    Scores are percentages, items are averaged.

    >>> BasicElements(match="hm").score(["bark|dog|subj"], [["bark|dog|s"]])
    {'be': {'recall': 100.0, 'precision': 100.0, 'f1': 100.0}}
    """

    name = "basic-elements"
    columns = ("items", "recall", "precision", "f1")

    match: Annotated[Literal["hmr", "hm", "hr", "mr", "h"], "the parts that must agree"] = "hmr"

    def measure(self, system: Text, gold: Sequence[Text]) -> Counts:
        self.check_texts(gold)
        own, references = self._elements(system), [self._elements(text) for text in gold]
        hits = sum((own & reference).total() for reference in references)
        size = sum(reference.total() for reference in references)
        return [1.0, *overlap(hits, size, own.total() * len(references))]

    def _elements(self, text: Text) -> Counter[Element]:
        parts = _PARTS[self.match]
        lines = (line for unit in sentences(text) for line in unit.split("\n") if line.strip())
        return Counter(tuple(_split(line)[part] for part in parts) for line in lines)

    def summarize(self, totals: Array) -> Scores:
        items, *sums = self.columns_of(totals)
        recall, precision, f1 = (percent(ratio(total, items)) for total in sums)
        return {"be": {"recall": recall, "precision": precision, "f1": main(f1)}}

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """The elements in common with each reference, missing and surplus."""
        self.check_texts(gold)
        own = self._elements(system)
        result = []
        for text in gold:
            other = self._elements(text)
            result.append(
                {
                    "matched": ["|".join(element) for element in (own & other).elements()],
                    "missing": ["|".join(element) for element in (other - own).elements()],
                    "surplus": ["|".join(element) for element in (own - other).elements()],
                }
            )
        return {"references": result}


def _split(line: str) -> list[str]:
    parts = [part.strip().lower() for part in line.split("|")]
    if len(parts) != 3 or not parts[0]:
        raise FormatError(
            f"{line[:60]!r} is not a basic element: expected head|modifier|relation", code="K107"
        )
    return parts
