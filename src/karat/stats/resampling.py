"""Random sums of rows, drawn by units: items, or clusters of items whose rows are summed first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat import _native, cores
from karat.errors import OptionError, check_choice

Array: TypeAlias = npt.NDArray[np.float64]
Path: TypeAlias = tuple[str, ...]
Summarize: TypeAlias = Callable[[Array], Mapping[Path, Array]]
"""Sums of rows, of any leading shape, as flat scores of that shape."""

ROUNDING = 1e-13
"""Scores closer than this, relative to the largest, differ by rounding only."""

Resampling = Literal["auto", "multinomial", "poisson"]
RESAMPLINGS: tuple[Resampling, ...] = get_args(Resampling)
POISSON_ABOVE = 100_000
"""With more units than that, `auto` draws independent weights. It is a constant: what is drawn
depends on the data alone, not on the machine."""

# Enough trials in a block for a fast matrix product, few enough for the cache.
_BLOCK_CELLS = 1 << 20
_BLOCK_ROWS = 1 << 13
MANY_ROWS = 1 << 16
"""With fewer rows, threads that take turns at numpy's functions wait for each other."""
# So many draws take longer than it takes to start threads.
_MANY_DRAWS = 1 << 21
_MOST_TRIALS = 1 << 31


def chosen_resampling(units: int, asked: Resampling) -> Resampling:
    """The way of resampling for so many units."""
    check_choice("a way of resampling", asked, RESAMPLINGS)
    if asked != "auto":
        return asked
    return "poisson" if units > POISSON_ABOVE else "multinomial"


def bootstrap_sums(
    counts: Array, resamples: int, seed: int, resampling: Resampling = "multinomial"
) -> Array:
    """Sums of as many rows as there are, drawn with replacement: (resamples, columns).

    With `poisson` each row has a weight of its own, drawn from Poisson(1), and the sums are
    brought to the scale of as many rows as there are.
    """
    if chosen_resampling(len(counts), resampling) == "multinomial":
        return _sums(counts, resamples, seed, _native.bootstrap_sums)[:, :-1]
    sums = _sums(counts, resamples, seed, _native.poisson_sums)
    drawn = sums[:, -1:]
    # A resample without any row has no sums to be scaled.
    return np.asarray(sums[:, :-1] * (len(counts) / np.maximum(drawn, 1)))


def coin_sums(counts: Array, trials: int, seed: int) -> Array:
    """Sums of the rows that win a fair toss: (trials, columns)."""
    return _sums(counts, trials, seed, _native.coin_sums)[:, :-1]


def check_trials(trials: int, seed: int = 0) -> None:
    """Raises for a number of resamples or a seed that is out of range."""
    if not 1 <= trials < _MOST_TRIALS:
        limit = "at least 1" if trials < 1 else f"less than {_MOST_TRIALS:,}"
        raise OptionError(f"the number of resamples must be {limit}, got {trials}", code="K302")
    check_seed(seed)


def check_seed(seed: int) -> None:
    """Raises for a seed that is out of range."""
    if not 0 <= seed < 1 << 64:
        raise OptionError(f"a seed is a number from 0 to 2^64 - 1, got {seed}", code="K302")


def _sums(counts: Array, trials: int, seed: int, kernel: Callable[..., Array]) -> Array:
    check_trials(trials, seed)
    counts = np.ascontiguousarray(counts, dtype=np.float64)
    return kernel(counts, trials, seed, threads_for(len(counts), trials))


def threads_for(rows: int, trials: int) -> int:
    """The number of threads that draw so many resamples of so many rows."""
    return cores.usable() if rows * trials >= _MANY_DRAWS else 1


def block_sizes(trials: int, cells: int) -> Iterator[tuple[int, int]]:
    """(first trial, number of trials) of blocks that keep memory bounded."""
    check_trials(trials)
    block = max(1, min(trials, _BLOCK_CELLS // max(1, cells)))
    for first in range(0, trials, block):
        yield first, min(block, trials - first)


def streams(seed: int, count: int) -> list[int]:
    """Seeds of independent random streams, from one seed."""
    check_seed(seed)
    return [int(state) for state in np.random.SeedSequence(seed).generate_state(count, np.uint64)]


#: Turns a seed into another one, whose streams no resampled row is drawn from.
_OTHER_SEED = 0x6A09E667F3BCC908


def uniform_pairs(trials: int, seed: int) -> tuple[Array, Array]:
    """Two numbers between 0 and 1, both left out, for each trial.

    They come from the generator of the kernels (splitmix64) and from streams of their
    own, so that a trial has the same numbers whatever the number of trials is.
    """
    check_trials(trials, seed)
    state = _mixed(np.full(1, seed ^ _OTHER_SEED, np.uint64) + _STEP)
    state = _mixed((state ^ (np.arange(trials, dtype=np.uint64) * _STREAM)) + _STEP)
    first, second = _mixed(state + _STEP), _mixed(state + _STEP + _STEP)
    return _between_0_and_1(first), _between_0_and_1(second)


_STEP, _STREAM = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)


def _mixed(state: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def _between_0_and_1(bits: npt.NDArray[np.uint64]) -> Array:
    return np.asarray(((bits >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)


def in_blocks(summarize: Summarize, rows: Array) -> dict[Path, Array]:
    """The scores of each row by itself, without arrays of that length on the way to them."""
    result: dict[Path, Array] = {}

    def fill(first: int) -> None:
        for path, values in summarize(rows[first : first + _BLOCK_ROWS]).items():
            if path not in result:
                result[path] = np.empty(len(rows))
            result[path][first : first + _BLOCK_ROWS] = values

    fill(0)  # which names the scores, in their order
    rest = range(_BLOCK_ROWS, len(rows), _BLOCK_ROWS)
    threads = cores.usable() if len(rows) >= MANY_ROWS else 1
    cores.together([partial(fill, first) for first in rest], threads)
    return result


def leave_one_out_sums(counts: Array) -> Array:
    """The sum of all other rows, for each row."""
    return np.asarray(counts.sum(axis=0) - counts)


def of_unit_size(values: Array, groups: Clusters | None = None, count: int = 1) -> Array:
    """Values times a power of two, one for each group, so that none is above 1 and some are near.

    Nothing is lost in it, and squares of likelihoods such as 1e-200 do not vanish.
    """
    values = np.asarray(values, float)
    largest = np.zeros(count)
    place = np.zeros(values.shape, np.int64) if groups is None else groups
    np.fmax.at(largest, place, np.abs(values))
    return np.ldexp(values, -np.frexp(largest)[1][place])


Clusters: TypeAlias = npt.NDArray[np.int64]
"""The number of the cluster that each item belongs to: 0, 1, ... in order of first appearance."""

FEW_CLUSTERS = 10
"""With fewer clusters, intervals are wide and tests weak."""


def numbered(values: Sequence[Hashable]) -> Clusters:
    """Equal values as clusters.

    >>> numbered(["b", "a", "b"])
    array([0, 1, 0])
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)


def proper(clusters: Clusters | None) -> Clusters | None:
    """The clusters, unless each is a single item: then items are the units."""
    return None if clusters is None or count(clusters) == len(clusters) else clusters


def count(clusters: Clusters) -> int:
    """The number of clusters."""
    return int(clusters.max()) + 1 if len(clusters) else 0


def summed(rows: Array, clusters: Clusters | None) -> Array:
    """The rows of the units: those of a cluster are added up.

    >>> summed(np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([0, 1, 0]))
    array([[6., 8.],
           [3., 4.]])
    """
    if clusters is None:
        return rows
    result = np.zeros((count(clusters), *rows.shape[1:]))
    np.add.at(result, clusters, rows)
    return result
