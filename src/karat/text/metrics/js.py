"""Jensen-Shannon divergences between n-grams of a text and of its references."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import msgspec
import numpy as np

from karat.core.marks import cost, main, within
from karat.core.scores import Array, Scores, ratio
from karat.core.scoring import encoded_scores, nested_scores
from karat.text.model import MeasuredOnce, ReferenceMetric, Text
from karat.text.words.distributions import (
    Alike,
    in_order,
    jensen_shannon,
    relative,
    what_diverges,
)
from karat.text.words.lists import smart_stopwords
from karat.text.words.porter import martin_stem

_WORD = re.compile(r"\w+")
Shares: TypeAlias = list[dict[str, float]]
"""The shares of words, and of pairs of neighbours."""


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
        for own, others in self._shares(pairs):
            found = [[jensen_shannon(own[n], other[n]) for n in (0, 1)] for other in others]
            rows.append([1.0, *(sum(each[n] for each in found) / len(found) for n in (0, 1))])
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def _shares(
        self, pairs: Sequence[tuple[Text, Sequence[Text]]]
    ) -> Iterator[tuple[Shares, list[Shares]]]:
        """The shares of n-grams of each text and of its references."""
        known: dict[str, Shares] = {}

        def shares(text: str) -> Shares:
            if text not in known:
                known[text] = [relative(counts) for counts in self._counts(text)]
            return known[text]

        for system, gold in pairs:
            text, references = self.strings(system, gold)
            yield shares(text), [shares(reference) for reference in references]

    def _counts(self, text: str) -> tuple[Counter[str], Counter[str]]:
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
            for found, (own, others) in zip(scores, self._shares(pairs), strict=True)
        ]

    def summarize(self, totals: Array) -> Scores:
        items, *sums = self.columns_of(totals)
        first, second = (cost(within(ratio(each, items), 0, math.log(2))) for each in sums)
        return {"js-1": first, "js-2": main(second)}


def _told(own: Shares, other: Shares) -> str:
    """The divergences from a reference and the n-grams of both, as JSON."""
    parts = []
    for n, (mine, theirs) in enumerate(zip(own, other, strict=True), 1):
        divergence, found = what_diverges(mine, theirs)
        grams = ",".join(in_order(found, _around))
        parts.append(f'"js-{n}":{{"divergence":{_encoded(divergence)},"grams":[{grams}]}}')
    return f"{{{','.join(parts)}}}"


def _around(each: Alike) -> tuple[str, str]:
    # The characters of words are written in JSON as they are.
    shares = {"system": each.mine, "gold": each.theirs, "adds": each.adds}
    return '{"event":"', f'",{_encoded(shares)[1:]}'


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()
