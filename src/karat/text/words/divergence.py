"""Distributions of words or n-grams and how far two of them are apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TypeAlias

Distribution: TypeAlias = Mapping[Hashable, float]


def relative(counts: Counter[Hashable]) -> dict[Hashable, float]:
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
