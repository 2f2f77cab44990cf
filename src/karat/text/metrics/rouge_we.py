"""ROUGE-WE: n-grams that mean nearly the same count as shared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from karat.core.files.resources import WordVectors, load_vectors
from karat.core.marks import Score, main
from karat.core.metric import Explanation
from karat.core.options import File, Range
from karat.core.scores import Array, Scores, ratio
from karat.core.scoring import row_scores
from karat.errors import LimitExceeded
from karat.text.model import ReferenceMetric, Text, overlap

_WORD = re.compile(r"\w+")
_MOST_PAIRS = 25_000_000
Gram = tuple[str, ...]


class _Matched(NamedTuple):
    """The n-grams of two texts: equal ones, similar ones with their cosines, and the others."""

    exact: Counter[Gram]
    similar: list[tuple[Gram, Gram, float]]
    missing: list[Gram]
    surplus: list[Gram]

    @property
    def hits(self) -> int:
        return self.exact.total() + len(self.similar)

    def told(self) -> Explanation:
        return {
            "common": self.hits,
            "matched": [{"gram": " ".join(g), "count": n} for g, n in self.exact.items()],
            "similar": [
                {"system": " ".join(ours), "gold": " ".join(theirs), "cosine": cosine}
                for ours, theirs, cosine in self.similar
            ],
            "missing": [" ".join(gram) for gram in self.missing],
            "surplus": [" ".join(gram) for gram in self.surplus],
        }


class RougeWe(ReferenceMetric):
    """ROUGE-WE (Ng and Abrecht 2015): n-grams matched exactly or by their word vectors.

    First equal n-grams match; then each n-gram of the system that is left, in the
    order of the text, takes the reference n-gram that is left and most similar, if
    the cosine of the summed word vectors is at least `threshold`. Each n-gram is used
    up by its match. Several references: hits and sizes are added up. Scores are
    fractions, items are averaged.
    """

    name = "rouge-we"

    vectors: Annotated[str, File(), "a file of word vectors: a word and its numbers per line"]
    max_ngram: Annotated[int, Range(1, 9), "the longest n-grams"] = 2
    threshold: Annotated[float, Range(0, 1), "the least cosine of a match"] = 0.8

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        parts = ("recall", "precision", "f1")
        return ("items", *(f"{name}_{part}" for name in self._names for part in parts))

    @property
    def _names(self) -> list[str]:
        return [f"rouge-we-{n}" for n in range(1, self.max_ngram + 1)]

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        return self._rows(self._compared(pairs))

    def _compared(
        self, pairs: Sequence[tuple[Text, Sequence[Text]]]
    ) -> Iterator[list[tuple[list[_Matched], list[float]]]]:
        """For each pair and size what matches with each reference, and the scores."""
        vectors = load_vectors(self.vectors)
        for system, gold in pairs:
            text, references = self.strings(system, gold)
            found = []
            for n in range(1, self.max_ngram + 1):
                own, others = _grams(text, n), [_grams(each, n) for each in references]
                matched = [self._matched(own, other, vectors) for other in others]
                hits = sum(each.hits for each in matched)
                scores = overlap(hits, sum(map(len, others)), len(own) * len(others))
                found.append((matched, scores))
            yield found

    def _rows(self, compared: Iterable[list[tuple[list[_Matched], list[float]]]]) -> Array:
        rows = [[1.0, *(each for _, own in found for each in own)] for found in compared]
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def _matched(self, own: list[Gram], reference: list[Gram], vectors: WordVectors) -> _Matched:
        exact = Counter(own) & Counter(reference)
        found = _Matched(exact, [], [], [])
        ours, theirs = _without(own, exact), _without(reference, exact)
        if len(ours) * len(theirs) > _MOST_PAIRS:
            raise LimitExceeded("two texts are too long for rouge-we", code="K503")
        known = [vectors.sum_of(gram) for gram in theirs]
        left = [i for i, vector in enumerate(known) if vector is not None]
        table = np.array([known[i] for i in left])
        free = np.ones(len(left), bool)
        for gram in ours:
            vector = vectors.sum_of(gram)
            if vector is not None and free.any():
                cosines = np.where(free, table @ vector, -np.inf)
                best = int(cosines.argmax())
                if cosines[best] >= self.threshold:
                    free[best] = False
                    found.similar.append((gram, theirs[left[best]], float(cosines[best])))
                    continue
            found.surplus.append(gram)
        taken = {left[i] for i in np.flatnonzero(~free).tolist()}
        found.missing.extend(gram for i, gram in enumerate(theirs) if i not in taken)
        return found

    def explain(self, system: Text, gold: Sequence[Text]) -> Explanation:
        """For each reference and size the n-grams that are equal, those that are similar, and
        those of one side alone."""
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> list[Explanation]:
        """The same for many pairs, which are compared once."""
        compared = list(self._compared(pairs))
        return [
            {
                "scores": scores,
                "references": [
                    {str(n): matched[r].told() for n, (matched, _) in enumerate(found, 1)}
                    for r in range(len(found[0][0]))
                ],
            }
            for scores, found in zip(row_scores(self, self._rows(compared)), compared, strict=True)
        ]

    def summarize(self, totals: Array) -> Scores:
        places = iter(range(1, totals.shape[-1]))
        scores: dict[str, dict[str, Array | Score]] = {
            name: {
                part: ratio(totals[..., next(places)], totals[..., 0])
                for part in ("recall", "precision", "f1")
            }
            for name in self._names
        }
        scores["rouge-we-1"]["f1"] = main(scores["rouge-we-1"]["f1"])
        return scores


def _grams(text: str, n: int) -> list[Gram]:
    words = _WORD.findall(text.lower())
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def _without(grams: list[Gram], matched: Counter[Gram]) -> list[Gram]:
    """The n-grams that are left when matched ones are taken away, first ones first."""
    left = Counter(matched)
    result = []
    for gram in grams:
        if left[gram] > 0:
            left[gram] -= 1
        else:
            result.append(gram)
    return result
