"""Scores of ROUGE from counts: rounding, several references, and the engine's own average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from karat import _native, cores
from karat.core.scores import Array, ratio
from karat.text.unique_pairs import Offsets, TextPairs, first_best

RESAMPLES = 1000
_LOW, _HIGH = 25, 974
_MANY = 2000  # items, whose resamples take longer than it takes to start threads

Rule = Literal["micro", "mean", "best-recall", "best-f", "best-parts"]


def round_5(values: Array) -> Array:
    """Rounded to 5 decimals as printf does: the exact binary value decides.

    >>> round_5(np.array([1 / 3, 2 / 3]))
    array([0.33333, 0.66667])
    """
    scaled = values * 1e5
    whole = np.rint(scaled)
    result = np.asarray(whole / 1e5)
    # Where scaling could have moved a value across the middle, the decimal way decides.
    close = np.abs(np.abs(scaled - whole) - 0.5) < 1e-6
    if close.any():
        result[close] = [round(value, 5) for value in values[close].tolist()]
    return result


def percent(rounded: Array) -> Array:
    """Figures of five decimals as percentages, without the dust of binary products."""
    return np.asarray(np.rint(rounded * 1e5) / 1e3)


@dataclass(frozen=True, eq=False)
class Combination:
    """Scores of items, as an array of items x measures x (recall, precision, f)."""

    rule: Rule
    _: KW_ONLY
    rounded: bool
    exponents: Array
    """What the quotient of each measure is raised to: 1, or 1 / weight."""
    beta: float = 1.0
    """How much more recall counts than precision in F."""
    added: float = 0.0
    """What a tool adds to the denominator of F, so as not to divide by 0."""

    def __call__(self, counts: Array, unique: TextPairs, keys: Array) -> Array:
        """`counts` and `keys` (what the best recall is judged by) are per pair and measure."""
        members, starts = unique.members, unique.starts
        if self.rule == "micro":
            return self.scores(np.add.reduceat(counts[members], starts, axis=0))
        if self.rule == "mean":
            sums = np.add.reduceat(self.scores(counts)[members], starts, axis=0)
            return np.asarray(sums / unique.sizes[:, None, None])
        if self.rule == "best-parts":  # the best recall and the best precision, whichever's
            best_of = np.maximum.reduceat(self.scores(counts)[members], starts, axis=0)
            return self._with_f(best_of[..., 0], best_of[..., 1])
        if self.rule == "best-f":
            keys = self.scores(counts)[..., 2]
        best = first_best(keys[members], unique)
        chosen = counts[members[best], np.arange(counts.shape[1])]
        return self.scores(chosen)

    def scores(self, counts: Array) -> Array:
        """Recall, precision and F of hits, gold sizes and system sizes."""
        hits, gold, system = counts[..., 0], counts[..., 1], counts[..., 2]
        recall = self._round(ratio(hits, gold) ** self.exponents)
        precision = self._round(ratio(hits, system) ** self.exponents)
        return self._with_f(recall, precision)

    def _with_f(self, recall: Array, precision: Array) -> Array:
        if self.rounded:
            f = self._round(ratio(precision * recall, 0.5 * precision + 0.5 * recall))
        else:
            weight = self.beta**2
            below = recall + weight * precision + self.added
            f = ratio((1 + weight) * precision * recall, below)
        return np.stack([recall, precision, f], axis=-1)

    def _round(self, values: Array) -> Array:
        return round_5(values) if self.rounded else values


def in_order(count: int) -> list[str]:
    """Ids that sort as strings in the order of the items."""
    return [f"{i:012d}" for i in range(count)]


def engine_average(ids: Sequence[str], scores: Array) -> tuple[Array, Array, Array]:
    """Average, lower and upper bound of each column of scores, to be rounded to 5 decimals.

    ROUGE-1.5.5 draws 1000 resamples with Perl's own random numbers; its average is the mean
    of the resamples' means, not the mean of the items. It sorts items as strings, and
    what is drawn depends on that order.
    """
    return average_of_ordered(np.ascontiguousarray(scores[engine_order(ids)], np.float64))


def engine_order(ids: Sequence[str]) -> list[int]:
    """The order in which the engine has items."""
    names = [(each + ".").encode("utf-8", "replace") for each in ids]
    return sorted(range(len(ids)), key=names.__getitem__)


def average_of_ordered(ordered: Array) -> tuple[Array, Array, Array]:
    """The same of scores that are in the engine's order."""
    threads = cores.usable() if len(ordered) >= _MANY else 1
    if len(ordered) >= _MANY:
        # Rows are counted as they are drawn, then added in the order of the table, which reads it
        # from one end to the other. The engine adds them as they are drawn: sums of n numbers in
        # two orders differ by less than 2 n times the precision.
        sums = _native.perl_bootstrap_sums(ordered, RESAMPLES, threads)[:, :-1]
        found = _middle(sums / len(ordered))
        apart = 4 * len(ordered) * np.finfo(float).eps * max(1.0, float(np.abs(ordered).max()))
        if all(_rounds_alike(each, apart) for each in found):
            return found
    return _middle(_native.perl_bootstrap_means(ordered, RESAMPLES, threads))


def draws(count: int) -> Offsets:
    """How often the engine draws each of so many items in all its resamples."""
    return _native.perl_draws(count, RESAMPLES)


def averages_alone(ordered: Array, drawn: Offsets) -> Array:
    """The averages of scores in the engine's order, to be rounded to 5 decimals, without bounds.

    The mean of the means of resamples is that of all items that are drawn, so that it takes no
    resample to find it; up to the last digits, which count only where they decide how to round.
    """
    average = np.asarray(drawn @ ordered / (len(ordered) * RESAMPLES))
    largest = max(1.0, float(np.abs(ordered).max()))
    apart = 4 * (len(ordered) + RESAMPLES) * np.finfo(float).eps * largest
    return average if _rounds_alike(average, apart) else average_of_ordered(ordered)[0]


def _middle(means: Array) -> tuple[Array, Array, Array]:
    """The average of the resamples' means, and the ends of their middle 95 %."""
    table = np.sort(means, axis=0)
    # The engine adds up one by one, smallest first; numpy's own sum would go another way.
    average = np.cumsum(table, axis=0)[-1] / RESAMPLES
    return average, table[_LOW], table[_HIGH]


def _rounds_alike(values: Array, apart: float) -> bool:
    """Whether numbers that are so far apart from these are the same, to 5 decimals.

    >>> _rounds_alike(np.array([0.123454]), 1e-7), _rounds_alike(np.array([0.1234550001]), 1e-7)
    (True, False)
    """
    scaled = values * 1e5
    to_middle = np.abs(np.abs(scaled - np.rint(scaled)) - 0.5)
    return bool((to_middle > 1e5 * apart + 1e-6).all())
