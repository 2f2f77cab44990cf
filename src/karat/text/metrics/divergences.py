"""Divergences between distributions of words: of references (JS), of documents (SIMetrix)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Annotated, TypeAlias, TypeVar

import msgspec
import numpy as np

from karat.core.files.opener import Source
from karat.core.marks import cost, main, within
from karat.core.options import File
from karat.core.scores import Array, Scores, ratio
from karat.text.model import DocumentMetric, MeasuredOnce, ReferenceMetric, Text, sentences
from karat.text.words.distributions import (
    Background,
    EqualEvents,
    Share,
    jensen_shannon,
    kullback_leibler,
    listed,
    relative,
    what_diverges,
)
from karat.text.words.english import martin_stem, smart_stopwords

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

    def told(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Iterator[str]:
        """For each reference the n-grams with their shares, and what each adds to the divergence.

        Where one side has none, there is nothing to add up.
        """
        for own, others in self._of_each(pairs, self._counts):
            yield f'"references":[{",".join(_diverging(own, other) for other in others)}]'

    def summarize(self, totals: Array) -> Scores:
        items, *sums = self.columns_of(totals)
        first, second = (cost(within(ratio(each, items), 0, math.log(2))) for each in sums)
        return {"js-1": first, "js-2": main(second)}


def _diverging(own: Counts, other: Counts) -> str:
    """The divergences from a reference and the n-grams of both, as JSON."""
    parts = []
    for n, (mine, theirs) in enumerate(zip(own, other, strict=True), 1):
        divergence, grams = jensen_shannon(mine, theirs), ""
        if mine and theirs:
            divergence, found = what_diverges(mine, theirs, _share(mine), _share(theirs))
            grams = listed(found, _around)
        parts.append(f'"js-{n}":{{"divergence":{_encoded(divergence)},"grams":[{grams}]}}')
    return f"{{{','.join(parts)}}}"


def _share(counts: Counter[str]) -> Share:
    total = counts.total()
    return lambda count: count / total


def _around(each: EqualEvents) -> tuple[str, str]:
    # The characters of words are written in JSON as they are.
    shares = {"system": each.shares[0], "gold": each.shares[1], "adds": each.adds}
    return '{"event":"', f'",{_encoded(shares)[1:]}'


def _encoded(value: object) -> str:
    return msgspec.json.encode(value).decode()


_GAMMA, _BINS = 0.005, 1.5
_MOST_SHOWN = 50
_TOKEN = re.compile("[A-Za-z0-9]+")
_DIVERGENCES = (
    "KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD", "unigramProb",
    "multinomialProb",
)  # fmt: skip
_FEATURES = ("cosineAllWords", "percentTopicTokens", "fractionTopicWords", "topicWordOverlap")


class Simetrix(MeasuredOnce, DocumentMetric):
    """SIMetrix (Louis and Nenkova 2013): divergences between a summary and its documents.

    Lower divergences and higher probabilities are better: a good summary has the
    words of its input in their proportions. `KLInputSummary` and
    `KLSummaryInput` are Kullback-Leibler divergences of smoothed distributions,
    `unsmoothedJSD` and `smoothedJSD` Jensen-Shannon divergences (nats),
    `unigramProb` and `multinomialProb` the base-10 logarithms of the probability
    of the summary's words under the input's distribution. An input without words
    gives no score.

    With `background`, a file with one document per line, there are four more, all
    better when higher. Topic words are words of the input whose log-likelihood
    ratio against the background (Dunning 1993, base 10) is above 10:
    `percentTopicTokens` is their share in the summary's words, `fractionTopicWords`
    the share of topic words that occur in the summary, `topicWordOverlap` the cosine of the
    input's topic words and the summary, `cosineAllWords` that of all words, with
    counts times inverse document frequencies. The signature holds the file's checksum.

    >>> scores = Simetrix().score("Dogs bark.", [["A dog barked.", "Another dog slept."]])
    >>> round(scores["smoothedJSD"], 6)
    0.101325
    """

    name = "simetrix"

    use_stemmer: Annotated[bool, "compare stems"] = True
    remove_stopwords: Annotated[bool, "leave out the words of the SMART list"] = True
    background: Annotated[
        str | None, File(), "a file of documents, one per line, for topic words and cosines"
    ] = None

    @property
    def columns(self) -> Sequence[str]:  # type: ignore[override]
        return ("scored", *_DIVERGENCES, *(_FEATURES if self.background else ()))

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Array:
        background = None
        if self.background is not None:
            digest = Source(self.background).digest()
            background = _background(
                self.background, digest, self.use_stemmer, self.remove_stopwords
            )
        rows = []
        for own, source in self._words(pairs):
            row = _row(own, source)
            if background is not None:
                row += background.features(own, source)
            rows.append(row)
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def _words(
        self, pairs: Sequence[tuple[Text, Sequence[Text]]]
    ) -> Iterator[tuple[Counter[str], Counter[str]]]:
        """The words of each summary and of its documents."""
        inputs: dict[tuple[str, ...], Counter[str]] = {}
        for system, documents in pairs:
            self.check_texts(documents)
            key = tuple(unit for document in documents for unit in sentences(document))
            if key not in inputs:
                inputs[key] = _words(key, self.use_stemmer, self.remove_stopwords)
            own = _words(sentences(system), self.use_stemmer, self.remove_stopwords)
            yield own, inputs[key]

    def told(self, pairs: Sequence[tuple[Text, Sequence[Text]]]) -> Iterator[str]:
        """The words of the summary and of its documents, and what each adds to `smoothedJSD`.

        Of many words those that add most are listed, the others put together.
        """
        for own, source in self._words(pairs):
            yield _told(own, source)

    def summarize(self, totals: Array) -> Scores:
        scored, *sums = self.columns_of(totals)
        mean = {
            name: ratio(total, scored, empty=math.nan)
            for name, total in zip(self.columns[1:], sums, strict=True)
        }
        most = math.log(2)
        return {
            **mean,
            "KLInputSummary": cost(within(mean["KLInputSummary"])),
            "KLSummaryInput": cost(within(mean["KLSummaryInput"])),
            "unsmoothedJSD": cost(within(mean["unsmoothedJSD"], 0, most)),
            "smoothedJSD": main(cost(within(mean["smoothedJSD"], 0, most))),
            "unigramProb": within(mean["unigramProb"]),
            "multinomialProb": within(mean["multinomialProb"]),
        }


def _row(own: Counter[str], source: Counter[str]) -> list[float]:
    if not source:
        return [0.0] * (1 + len(_DIVERGENCES))
    mine, theirs = _smoothed(own, source)
    size = source.total()
    likelihood = math.fsum(
        count * math.log10(source[word] / size) for word, count in own.items() if source[word]
    )
    arrangements = math.lgamma(own.total() + 1) - math.fsum(
        math.lgamma(count + 1) for count in own.values()
    )
    return [
        1.0,
        kullback_leibler(theirs, mine),
        kullback_leibler(mine, theirs),
        jensen_shannon(relative(own), relative(source)),
        jensen_shannon(mine, theirs),
        likelihood,
        likelihood + arrangements / math.log(10),
    ]


def _told(own: Counter[str], source: Counter[str]) -> str:
    """How many words both have, and what each adds to their divergence, as members of JSON."""
    told = f'"words":{_encoded({"summary": own.total(), "documents": source.total()})}'
    if not source:
        return told
    _, found = what_diverges(own, source, _smooth(own, source), _smooth(source, source))

    def around(each: EqualEvents) -> tuple[str, str]:
        shares = {"system": each.shares[0], "gold": each.shares[1], "adds": each.adds}
        counts = {"summary_count": each.counts[0], "documents_count": each.counts[1]}
        # The characters of words are written in JSON as they are.
        return f'{_encoded(shares)[:-1]},"word":"', f'",{_encoded(counts)[1:]}'

    lines = listed(found, around, _MOST_SHOWN)
    adds = sorted((each.adds for each in found for _ in each.events), reverse=True)[_MOST_SHOWN:]
    others = _encoded({"words": len(adds), "adds": math.fsum(adds)})
    return f'{told},"smoothedJSD":[{lines}],"others":{others}'


def _smooth(counts: Counter[str], source: Counter[str]) -> Share:
    """The share of a word that was counted so often; none is 0."""
    total = counts.total() + _GAMMA * _BINS * len(source)
    return lambda count: (count + _GAMMA) / total


def _smoothed(own: Counter[str], source: Counter[str]) -> list[dict[str, float]]:
    """The shares of all words in both."""
    words = {**own, **source}
    result = []
    for counts in (own, source):
        share = _smooth(counts, source)
        shares = {count: share(count) for count in {0, *counts.values()}}
        result.append({word: shares[counts.get(word, 0)] for word in words})
    return result


def _words(units: Sequence[str], stemmed: bool, without_stops: bool) -> Counter[str]:
    tokens = (token for unit in units for token in _TOKEN.findall(unit.lower()))
    if without_stops:
        stops = smart_stopwords()
        tokens = (token for token in tokens if token not in stops)
    return Counter(map(martin_stem, tokens) if stemmed else tokens)


@lru_cache(maxsize=4)
def _background(path: str, _digest: str, stemmed: bool, without_stops: bool) -> Background:
    """The corpus of a file, read once."""
    source = Source(path)
    documents = (_words([line], stemmed, without_stops) for _, line in source.lines())
    return Background(documents, source.name)
