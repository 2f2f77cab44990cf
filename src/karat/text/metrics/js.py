"""Jensen-Shannon divergences between n-grams of a text and of its references."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Annotated, TypeAlias, TypeVar

import msgspec
import numpy as np

from karat.core.marks import cost, main, within
from karat.core.scores import Array, Scores, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.text.model import MeasuredOnce, ReferenceMetric, Text
from karat.text.words.distributions import (
    EqualEvents,
    jensen_shannon,
    listed,
    relative,
    what_diverges,
)
from karat.text.words.lists import smart_stopwords
from karat.text.words.porter import martin_stem

_WORD = re.compile(r"\w+")
_Made = TypeVar("_Made")
Counts: TypeAlias = tuple[Counter[str], Counter[str]]
"""How often there are words, and pairs of neighbours."""


class JensenShannon(MeasuredOnce, ReferenceMetric):
    """Jensen-Shannon divergence of n-gram distributions, as among the features of S3.

    `js-1` compares words that are not stop words, `js-2` pairs of neighbours of
    which at least one is not (Peyrard, Botschen and Gurevych 2017); nats,
    averaged over the references, from 0 (the same shares) to ln 2 (nothing in
    common). Lower is better.

    >>> JensenShannon().score("dogs bark", ["a dog barked"])["js-1"]
    0.0
    """

    name = "js"
    columns = ("items", "js-1", "js-2")

    use_stemmer: Annotated[bool, "compare stems"] = True

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        rows = []
        for own, others in self._of_each(pairs, self._shares):
            found = [[jensen_shannon(own[n], other[n]) for n in (0, 1)] for other in others]
            rows.append([1.0, *(sum(each[n] for each in found) / len(found) for n in (0, 1))])
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def _of_each(
        self, pairs: Sequence[tuple[Text, Sequence[Text]]], make: Callable[[str], _Made]
    ) -> Iterator[tuple[_Made, list[_Made]]]:
        """What is made of each text and of its references, once for equal ones."""
        made = cache(make)
        for system, gold in pairs:
            text, references = self.strings(system, gold)
            yield made(text), [made(reference) for reference in references]

    def _shares(self, text: str) -> list[dict[str, float]]:
        return [relative(counts) for counts in self._counts(text)]

    def _counts(self, text: str) -> Counts:
        stops = smart_stopwords()
        words = _WORD.findall(text.lower())
        content = [word not in stops for word in words]
        stems = [martin_stem(word) for word in words] if self.use_stemmer else words
        pairs = zip(stems, stems[1:], content, content[1:], strict=False)
        return (
            Counter(word for word, kept in zip(stems, content, strict=True) if kept),
            Counter(f"{a} {b}" for a, b, first, second in pairs if first or second),
        )

    def explain_measured(
        self, pairs: Sequence[tuple[Text, Sequence[Text]]], rows: Array
    ) -> list[bytes]:
        """For each reference the n-grams with their shares, and what each adds to the divergence.

        Where one side has none, there is nothing to add up.
        """
        scores = nested_scores(encoded_scores(self, rows))
        return [
            b'{"scores":%b,"references":[%b]}'
            % (found, ",".join(_told(own, other) for other in others).encode())
            for found, (own, others) in zip(scores, self._of_each(pairs, self._counts), strict=True)
        ]

    def summarize(self, totals: Array) -> Scores:
        items, *sums = self.columns_of(totals)
        first, second = (cost(within(ratio(each, items), 0, math.log(2))) for each in sums)
        return {"js-1": first, "js-2": main(second)}


def _told(own: Counts, other: Counts) -> str:
    """The divergences from a reference and the n-grams of both, as JSON."""
    parts = []
    for n, (mine, theirs) in enumerate(zip(own, other, strict=True), 1):
        divergence, found = _diverging(mine, theirs)
        grams = listed(found, _around)
        parts.append(f'"js-{n}":{{"divergence":{_encoded(divergence)},"grams":[{grams}]}}')
    return f"{{{','.join(parts)}}}"


def _diverging(mine: Counter[str], theirs: Counter[str]) -> tuple[float, list[EqualEvents]]:
    if not mine or not theirs:
        return jensen_shannon(mine, theirs), []
    total, other_total = mine.total(), theirs.total()
    return what_diverges(mine, theirs, lambda n: n / total, lambda n: n / other_total)


def _around(each: EqualEvents) -> tuple[str, str]:
    # The characters of words are written in JSON as they are.
    shares = {"system": each.shares[0], "gold": each.shares[1], "adds": each.adds}
    return '{"event":"', f'",{_encoded(shares)[1:]}'


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()
