"""BLEU as nltk computes it: another count of short sentences, and its seven ways of smoothing.

A sentence that is too short for an order counts there as one n-gram that does not match, and no
order is left out. The methods are those of Chen and Cherry (2014), as the package has them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from karat.core.scores import Array, quotient
from karat.text.metrics.sacrebleu_base import exp, log

Truths = npt.NDArray[np.bool_]
EPSILON, ALPHA, K = 0.1, 5.0, 5.0
NEXT = 5
"""The order that methods 5 and 7 look at besides, whatever the longest n-grams are."""


def at_least_one(totals: Array) -> Array:
    """The numbers of n-grams of each sentence, as nltk counts them."""
    return np.maximum(totals, 1.0)


def score(stats: Array, method: int, orders: int, *, sentence: bool) -> tuple[Array, Array]:
    """BLEU out of 100 and the brevity penalty, of sums of any leading shape.

    `stats` are lengths, matches and numbers of n-grams of orders 1, 2, ..., and both for order 5.
    Method 6 needs the numbers as they are, which only single sentences tell; for sums, those that
    are counted as one each are among them.
    """
    length, gold = stats[..., 0], stats[..., 1]
    hits = [stats[..., 2 + i] for i in range(orders)]
    sizes = [stats[..., 2 + orders + i] for i in range(orders)]
    penalty = np.where(length > gold, 1.0, exp(1 - quotient(gold, length)))
    penalty = np.where(length > 0, penalty, 0.0)
    found = [quotient(hit, size) for hit, size in zip(hits, sizes, strict=True)]
    if method in (4, 7):
        found = _geometric(found, hits, sizes, K / log(np.maximum(length, 2.0)), length > 1)
    if method == 0:
        found = [np.where(hit > 0, each, np.finfo(float).tiny)
                 for hit, each in zip(hits, found, strict=True)]  # fmt: skip
    elif method == 1:
        found = [np.where(hit > 0, each, quotient(EPSILON, size))
                 for hit, size, each in zip(hits, sizes, found, strict=True)]  # fmt: skip
    elif method == 2:
        found[1:] = [(hit + 1) / (size + 1)
                     for hit, size in zip(hits[1:], sizes[1:], strict=True)]  # fmt: skip
    elif method == 3:
        found = _geometric(found, hits, sizes, np.ones(length.shape), np.ones(length.shape, bool))
    elif method in (5, 7):
        found = _averaged(found, quotient(stats[..., -2], stats[..., -1]))
    elif method == 6:
        found = _interpolated(found, hits, sizes, length if sentence else None)
    logs = sum(np.where(each > 0, log(each), 0.0) for each in found) / orders
    value = np.where(hits[0] > 0, 100 * penalty * exp(np.asarray(logs)), 0.0)
    return value, penalty


def _geometric(
    found: list[Array], hits: list[Array], sizes: list[Array], divisor: Array, where: Truths
) -> list[Array]:
    """1/2, 1/4, ... in place of orders without match, divided by something."""
    power = np.ones(hits[0].shape)
    result = []
    for hit, size, each in zip(hits, sizes, found, strict=True):
        missed = where & (hit == 0)
        result.append(np.where(missed, quotient(1.0, 2**power * divisor * size), each))
        power = power + missed
    return result


def _averaged(found: list[Array], following: Array) -> list[Array]:
    """The mean of each order with its neighbours, of which the lower one is averaged already."""
    before = found[0] + 1
    result = []
    for each, after in zip(found, [*found[1:], following], strict=True):
        before = (before + each + after) / 3
        result.append(before)
    return result


def _interpolated(
    found: list[Array], hits: list[Array], sizes: list[Array], length: Array | None
) -> list[Array]:
    """Orders from 3 on, interpolated with what the two before let expect."""
    result = list(found)
    for i in range(2, len(found)):
        size = sizes[i] if length is None else np.maximum(length - i, 0.0)
        prior = quotient(result[i - 1] ** 2, result[i - 2])
        result[i] = (hits[i] + ALPHA * prior) / (size + ALPHA)
    return result
