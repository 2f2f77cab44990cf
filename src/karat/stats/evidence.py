"""Evidence that gold is wrong, from what several systems say: log odds of votes.

A vote for a value counts more, the more accurate the system is on such parts, and the rarer that
value is among errors on gold's. Systems that make the same errors count as fewer. Before anyone
votes, gold is wrong with the prior's probability, and the truth is then any value by its share;
where systems err at the same parts, each in its own way, parts are hard, and the prior is lower.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from math import log10, prod
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Code: TypeAlias = str | None
_LOW, _HIGH = 0.5, 0.995
_USUAL = 5
"""Among how many values errors are spread where nothing is known."""
_FEW = 2.0
"""How many parts are added to observed and expected numbers, so that few parts say little."""


class Vote(NamedTuple):
    """A part of gold, and what each system says there."""

    item: int
    kind: str
    gold: Code
    values: tuple[Code, ...]
    """The value of each system."""
    says: tuple[bool, ...]
    """Whether each system votes."""
    others: int = 0
    """How many values besides gold's are possible in this item; 0: that does not depend on it."""


class Suspect(NamedTuple):
    """A part that systems agree against."""

    part: int
    value: Code
    systems: tuple[int, ...]
    """The systems with this value."""
    evidence: float
    """Log odds, to the base 10, that this value is right and gold is not."""
    weight: float
    """The number of independent systems with this value."""


class Evidence:
    """Evidence from votes: suspect parts, accuracies of systems, and their shared errors."""

    def __init__(self, votes: Sequence[Vote], systems: int, prior: float = 0.01) -> None:
        self.votes = votes
        self.prior = prior
        self.groups = _copies(votes, systems)
        """For each system the first one that says the same everywhere."""
        self.firsts = sorted(set(self.groups))
        # Each for all items (None) and for every single one, so that this can be left out.
        self._right: Counter[tuple[int | None, str, int]] = Counter()
        self._all: Counter[tuple[int | None, str, int]] = Counter()
        self._errors: Counter[tuple[int | None, str, Code]] = Counter()
        self._confused: Counter[tuple[int | None, str, Code, Code]] = Counter()
        self._count(systems)
        self.shared = self._shared(systems)
        """The share of errors of system s that t shares, beyond chance."""
        self.weights = self._weights(systems)
        """How many independent systems each one counts as."""

    def _count(self, systems: int) -> None:
        for vote in self.votes:
            kind, gold = vote.kind, vote.gold
            for s in range(systems):
                if not vote.says[s]:
                    continue
                value = vote.values[s]
                for item in (None, vote.item):
                    self._all[item, kind, s] += 1
                    if value == gold:
                        self._right[item, kind, s] += 1
                    elif self.groups[s] == s:
                        self._errors[item, kind, gold] += 1
                        self._confused[item, kind, gold, value] += 1

    def accuracy(self, system: int, kind: str, without: int | None = None) -> float:
        """The share of parts of a kind that a system has as gold, in all other items."""
        right, every = self._right[None, kind, system], self._all[None, kind, system]
        if without is not None:
            right -= self._right[without, kind, system]
            every -= self._all[without, kind, system]
        return (right + 1) / (every + 2)

    def _usual(self, vote: Vote, value: Code) -> float:
        """The share of a value among errors on gold's, in all other items.

        Values that stand for places in the item have nothing in common with those elsewhere; the
        fewer places there are, the more often systems agree by chance.
        """
        if vote.others:
            return 1 / min(vote.others, _USUAL)
        kind, gold, item = vote.kind, vote.gold, vote.item
        errors = self._errors[None, kind, gold] - self._errors[item, kind, gold]
        same = self._confused[None, kind, gold, value] - self._confused[item, kind, gold, value]
        return (same + 1) / (errors + _USUAL)

    def _shared(self, systems: int) -> npt.NDArray[np.float64]:
        """How often errors are shared. With more than two systems, a part on which all agree
        against gold is a suspect, and does not count as a shared error."""
        errors = np.zeros(systems)
        same = np.zeros((systems, systems))
        chance = np.zeros((systems, systems))
        firsts = self.firsts
        for vote in self.votes:
            wrong = [s for s in firsts if vote.says[s] and vote.values[s] != vote.gold]
            if not wrong:
                continue
            alike = len({vote.values[s] for s in wrong}) == 1
            if alike and len(wrong) == len(firsts) > 2:
                continue
            for s in wrong:
                errors[s] += 1
                for t in firsts:
                    if t == s or not vote.says[t]:
                        continue
                    same[s, t] += vote.values[t] == vote.values[s]
                    chance[s, t] += (1 - self.accuracy(t, vote.kind)) / _USUAL
        size = np.maximum(errors, 1)[:, None]
        rate, usual = same / size, chance / size
        beyond = np.where(usual < 1, (rate - usual) / np.where(usual < 1, 1 - usual, 1), 0)
        groups = np.array(self.groups)
        found: npt.NDArray[np.float64] = np.maximum(beyond, 0)[np.ix_(groups, groups)]
        found[groups[:, None] == groups] = 1
        return found

    def _weights(self, systems: int) -> npt.NDArray[np.float64]:
        sizes = Counter(self.groups)
        return np.array(
            [
                1
                / (1 + sum(self.shared[first, t] for t in self.firsts if t != first))
                / sizes[first]
                for first in self.groups
            ]
        )

    @cached_property
    def crowding(self) -> dict[str, float]:
        """For each kind of part, how many times more often than by chance several systems err at
        the same part, each in its own way; at least 1.

        Errors that agree are not looked at: those may be gold's.
        """
        return {kind: self._crowded(kind) for kind in {vote.kind for vote in self.votes}}

    def _crowded(self, kind: str) -> float:
        firsts = self.firsts
        numbers = np.ones(1)  # the distribution of the number of systems that err
        for s in firsts:
            accuracy = self.accuracy(s, kind)
            numbers = np.convolve(numbers, [accuracy, 1 - accuracy])
        parts, seen = 0, Counter[int]()
        for vote in self.votes:
            if vote.kind != kind or not all(vote.says[s] for s in firsts):
                continue
            parts += 1
            wrong = [value for s in firsts if (value := vote.values[s]) != vote.gold]
            seen[len(wrong)] += len(set(wrong)) == len(wrong)
        alike = self._alike(kind)
        found = 1.0
        for size in range(2, len(firsts) + 1):
            differ = prod(max(0.0, 1 - other * alike) for other in range(size))
            expected = parts * float(numbers[size]) * differ
            found = max(found, (seen[size] + _FEW) / (expected + _FEW))
        return found

    def _alike(self, kind: str) -> float:
        """The chance that two errors on the same value of gold agree."""
        same, every = (
            sum(n * (n - 1) for key, n in counts.items() if key[:2] == (None, kind))
            for counts in (self._confused, self._errors)
        )
        return same / every if every else 1 / _USUAL

    def suspects(self) -> list[Suspect]:
        """The best other value of each part that some systems say, the strongest first.

        Of equal ones, those that more systems say come first, then those that gold has first.
        """
        found = []
        for number, vote in enumerate(self.votes):
            best = self._best(number, vote)
            if best is not None:
                found.append(best)
        return sorted(found, key=lambda each: (-each.evidence, -len(each.systems)))

    def flagged(self) -> list[Suspect]:
        """The suspects with positive evidence from more than one independent system."""
        return [each for each in self.suspects() if each.evidence > 0 and each.weight > 1]

    def _best(self, number: int, vote: Vote) -> Suspect | None:
        sides: dict[Code, list[int]] = defaultdict(list)
        for s, says in enumerate(vote.says):
            if says:
                sides[vote.values[s]].append(s)
        against = 0.0
        odds = {}
        for s in (each for side in sides.values() for each in side):
            accuracy = self.accuracy(s, vote.kind, vote.item)
            if accuracy >= _LOW:  # a system that is mostly wrong does not vote
                accuracy = min(accuracy, _HIGH)
                odds[s] = accuracy / (1 - accuracy)
        for s in sides.pop(vote.gold, ()):
            if s in odds:
                against += self.weights[s] * log10(odds[s])
        best: Suspect | None = None
        for value, side in sides.items():
            voters = tuple(s for s in side if s in odds)
            if not voters:
                continue
            usual = self._usual(vote, value)
            # Gold may be wrong in many ways, and errs as others do: this value has its share of
            # the prior. Without that, two systems that share a rare error outweigh gold and a
            # third one. Of two alone, the errors of gold are among those they share already.
            share = usual if len(self.firsts) > 2 else 1.0
            doubt = log10((1 - self.prior) / (self.prior * share) * self.crowding[vote.kind])
            told = sum(self.weights[s] * log10(odds[s] / usual) for s in voters)
            evidence = told - against - doubt
            weight = float(sum(self.weights[s] for s in voters))
            this = Suspect(number, value, voters, float(evidence), weight)
            if best is None or (this.evidence, len(voters)) > (best.evidence, len(best.systems)):
                best = this
        return best


def _copies(votes: Sequence[Vote], systems: int) -> list[int]:
    """For each system the first one that says the same of every part."""
    first = list(range(systems))
    columns = [tuple((vote.says[s], vote.values[s]) for vote in votes) for s in range(systems)]
    for s in range(systems):
        for t in range(s):
            if first[t] == t and columns[s] == columns[t]:
                first[s] = t
                break
    return first
