"""Distributions of words: divergences between two, and topic words against a background."""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from typing import NamedTuple, TypeAlias

from karat.errors import FormatError, Place

Distribution: TypeAlias = Mapping[str, float]
_TOPICAL = 10.0


def relative(counts: Counter[str]) -> dict[str, float]:
    """Counts as shares of their sum."""
    total = counts.total()
    return {event: count / total for event, count in counts.items()}


def kullback_leibler(p: Distribution, q: Distribution) -> float:
    """The divergence of p from q in nats; q must allow what p allows."""
    return math.fsum(share * math.log(share / q[event]) for event, share in p.items() if share)


def jensen_shannon(p: Distribution, q: Distribution) -> float:
    """The mean divergence of p and q from their mean, in nats: 0 to ln 2.

    Where only one of them has events, they have nothing in common: ln 2.

    >>> round(jensen_shannon({"a": 1.0}, {"a": 0.5, "b": 0.5}), 6)
    0.215762
    """
    if not p and not q:
        return 0.0
    if not p or not q:
        return math.log(2)
    middle = {event: (p.get(event, 0.0) + q.get(event, 0.0)) / 2 for event in {**p, **q}}
    return (kullback_leibler(p, middle) + kullback_leibler(q, middle)) / 2


class EqualEvents(NamedTuple):
    """Events with the same counts on both sides, their shares, and what each adds."""

    adds: float
    shares: tuple[float, float]
    counts: tuple[int, int]
    events: list[str]
    """In the order of their names."""


Share: TypeAlias = Callable[[int], float]
"""The share of an event that was counted so often."""


def what_diverges(
    own: Counter[str], other: Counter[str], own_share: Share, other_share: Share
) -> tuple[float, list[EqualEvents]]:
    """The Jensen-Shannon divergence of what was counted, and what events add to it.

    >>> whole, found = what_diverges(Counter("a"), Counter("ab"), float, lambda n: n / 2)
    >>> [round(whole, 6), *(each.events for each in found)]
    [0.215762, ['a'], ['b']]
    """
    names = sorted({**own, **other})
    both = zip(map(own.get, names, repeat(0)), map(other.get, names, repeat(0)), strict=True)
    events: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for counts, name in zip(both, names, strict=True):
        events[counts].append(name)
    mine: list[float] = []
    theirs: list[float] = []
    found = []
    for counts, alike in events.items():
        p, q = shares = own_share(counts[0]), other_share(counts[1])
        middle = (p + q) / 2
        first = p * math.log(p / middle) if p else 0.0
        second = q * math.log(q / middle) if q else 0.0
        mine += [first] * len(alike)
        theirs += [second] * len(alike)
        found.append(EqualEvents(first / 2 + second / 2, shares, counts, alike))
    return (math.fsum(mine) + math.fsum(theirs)) / 2, found


def listed(
    found: Iterable[EqualEvents],
    around: Callable[[EqualEvents], tuple[str, str]],
    most: int = sys.maxsize,
) -> str:
    """The events that add most, equal ones by name, each with the text around it."""
    by_adds: defaultdict[float, list[EqualEvents]] = defaultdict(list)
    for each in found:
        by_adds[each.adds].append(each)
    parts: list[str] = []
    for adds in sorted(by_adds, reverse=True):
        same = by_adds[adds]
        texts = [around(each) for each in same]
        if len(same) == 1:  # as mostly: their names are in order
            ((before, after),), names = texts, same[0].events[:most]
            parts.append(f"{before}{f'{after},{before}'.join(names)}{after}")
            most -= len(names)
        else:
            shown = sorted((name, i) for i, each in enumerate(same) for name in each.events)[:most]
            parts += [f"{texts[i][0]}{name}{texts[i][1]}" for name, i in shown]
            most -= len(shown)
        if not most:
            break
    return ",".join(parts)


class Background:
    """Word counts and document frequencies of a corpus."""

    def __init__(self, documents: Iterable[Counter[str]], name: str) -> None:
        self.counts: Counter[str] = Counter()
        self.having: Counter[str] = Counter()
        self.documents = 0
        for document in documents:
            self.documents += 1
            self.counts.update(document)
            self.having.update(document.keys())
        self.total = self.counts.total()
        if not self.total:
            raise FormatError("the background has no words", code="K178", place=Place(name))

    def idf(self, word: str) -> float:
        """ln(documents / documents with the word); ln(documents) for an unknown one."""
        return math.log(self.documents / max(1, self.having[word]))

    def topic_words(self, counts: Counter[str]) -> set[str]:
        """Words whose log-likelihood ratio against the corpus is above 10, in base 10."""
        total = counts.total()
        return {
            word
            for word, count in counts.items()
            if likelihood_ratio(count, total, self.counts[word], self.total) > _TOPICAL
        }

    def features(self, own: Counter[str], source: Counter[str]) -> list[float]:
        """Cosine of all words, share of topic tokens, share of topic words found, their cosine."""
        topics = self.topic_words(source)
        topical = Counter({word: source[word] for word in topics})
        tokens = sum(own[word] for word in topics)
        return [
            self._cosine(own, source),
            tokens / own.total() if own else 0.0,
            sum(word in own for word in topics) / len(topics) if topics else 0.0,
            self._cosine(own, topical),
        ]

    def _cosine(self, a: Counter[str], b: Counter[str]) -> float:
        """The cosine of counts times inverse document frequencies."""
        mine, other = (
            {word: count * self.idf(word) for word, count in each.items()} for each in (a, b)
        )
        product = math.fsum(value * other.get(word, 0.0) for word, value in mine.items())
        lengths = [math.sqrt(math.fsum(v * v for v in each.values())) for each in (mine, other)]
        return min(1.0, product / (lengths[0] * lengths[1])) if all(lengths) else 0.0


def likelihood_ratio(k1: int, n1: int, k2: int, n2: int) -> float:
    """-2 log10 of the ratio of likelihoods: one rate for both corpora, or one for each.

    >>> likelihood_ratio(5, 100, 50, 1000)
    0.0
    >>> round(likelihood_ratio(10, 100, 5, 1000), 4)
    13.3199
    """

    def log_likelihood(k: int, n: int, rate: float) -> float:
        hits = k * math.log10(rate) if k else 0.0
        return hits + ((n - k) * math.log10(1 - rate) if n > k else 0.0)

    common = (k1 + k2) / (n1 + n2)
    apart = log_likelihood(k1, n1, k1 / n1) + log_likelihood(k2, n2, k2 / n2)
    together = log_likelihood(k1, n1, common) + log_likelihood(k2, n2, common)
    return max(0.0, 2 * (apart - together))
