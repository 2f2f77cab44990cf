"""A batch of items as unique texts and unique pairs of texts.

The work for a text or a pair is shared by all items that have it: systems with
the same references, and sets of references with one left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int32]
Offsets: TypeAlias = npt.NDArray[np.int64]
Key = TypeVar("Key", bound=Hashable)


class TextPairs:
    """Pairs of numbered texts, a system's and a reference, and which of them belong to an item."""

    def __init__(self, systems: Ints, pairs: Ints, members: Offsets, bounds: Offsets) -> None:
        self.systems = systems
        """The system's text of each item."""
        self.pairs = pairs
        """The system's text and the reference of each pair."""
        self.members = members
        """For each item the numbers of its pairs, one item after the other."""
        self.bounds = bounds

    @classmethod
    def in_order(cls, bounds: Offsets) -> TextPairs:
        """Pairs of n system texts with the references that follow them: those of text i are
        n + bounds[i] to n + bounds[i + 1]."""
        items, count = len(bounds) - 1, int(bounds[-1])
        systems, members = np.arange(items, dtype=np.int32), np.arange(count)
        pairs = np.column_stack([np.repeat(systems, np.diff(bounds)), items + members])
        return cls(systems, pairs.astype(np.int32), members, bounds)

    @property
    def starts(self) -> Offsets:
        """The index of the first member of each item."""
        return self.bounds[:-1]

    @property
    def sizes(self) -> Offsets:
        """The number of references of each item."""
        return np.diff(self.bounds)

    @property
    def references(self) -> Ints:
        """For each item the numbers of its references, one item after the other."""
        return np.ascontiguousarray(self.pairs[self.members, 1])


class UniquePairs(TextPairs, Generic[Key]):
    """Numbers for texts and for pairs of a system's text and a reference."""

    def __init__(self, items: Sequence[tuple[Key, Sequence[Key]]]) -> None:
        numbers: dict[Key, int] = {}
        pairs: dict[tuple[int, int], int] = {}
        systems: list[int] = []
        members: list[int] = []
        bounds = [0]
        for system, references in items:
            own = numbers.setdefault(system, len(numbers))
            systems.append(own)
            for reference in references:
                other = numbers.setdefault(reference, len(numbers))
                members.append(pairs.setdefault((own, other), len(pairs)))
            bounds.append(len(members))
        self.texts: list[Key] = list(numbers)
        super().__init__(
            np.array(systems, np.int32),
            np.array(list(pairs), np.int32).reshape(len(pairs), 2),
            np.array(members, np.int64),
            np.array(bounds, np.int64),
        )


class Grouped(Protocol):
    """Items that have some members each, one item after the other."""

    @property
    def starts(self) -> Offsets: ...

    @property
    def sizes(self) -> Offsets: ...


def first_best(keys: npt.NDArray[np.float64], unique: Grouped) -> Offsets:
    """For each item (and column), the place among members of the first of the largest keys."""
    best = np.maximum.reduceat(keys, unique.starts, axis=0)
    places = np.arange(len(keys)).reshape(-1, *[1] * (keys.ndim - 1))
    candidates = np.where(keys == np.repeat(best, unique.sizes, axis=0), places, len(keys))
    return np.asarray(np.minimum.reduceat(candidates, unique.starts, axis=0), np.int64)
