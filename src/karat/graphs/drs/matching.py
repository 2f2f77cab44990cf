"""The best mapping of the variables of two clause-form structures, proven.

A clause joins a box and up to two referents, so its weight does not follow from pairs
of variables. Boxes are few: they are mapped by branch and bound, and
once they are, what is left is a matter of pairs, which the native matcher solves.
Its optimum with the boxes that are still open left out of account is the bound.

A certificate, by which a mapping is checked without a search, holds it, and a proof that no other
is better: the branches over mappings of boxes that were looked into, in their order. A branch is
either left open, so that all ways to map its next box follow, or closed by multipliers which bound
what can match there. Where that does not prove the optimum (there the matcher took branch and
bound itself, or there are too many branches, or the search was ended), there are no branches, and
the pair is matched again to be checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from karat.graphs.drs.clauses import Clause, boxes, is_constant, title
from karat.graphs.matching.certificates import mismatch, numbers_of, packed, unpacked
from karat.graphs.matching.solver import DEFAULT_BUDGET, GraphPair, Kind, check_many, match_many
from karat.graphs.matching.tuples import Tuples, as_pair

_OPEN = "?"
KINDS = (Kind(),)
Chosen: TypeAlias = Mapping[str, str | None]
"""Boxes of gold, and what they map to; None is nothing."""

#: Of the whole budget, what is spent at most to bound a branch, and to look at a mapping of
#: all boxes. Bounds hold however little was spent (docs/matching.md, section 10).
_SHARE_OF_BRANCH, _SHARE_OF_LEAF = 1_000, 50
#: What it takes to prepare a clause, in the matcher's operations.
WORK_OF_CLAUSE = 1_000


@dataclass(frozen=True, slots=True)
class ClauseMatching:
    """The best mapping found, and how many clauses any mapping could match."""

    mapping: dict[str, str]
    matched: list[Clause]
    bound: int
    steps: int

    @property
    def value(self) -> int:
        return len(self.matched)

    @property
    def proven(self) -> bool:
        """No other mapping matches more clauses."""
        return self.value == self.bound


def match_clauses(
    gold: Sequence[Clause],
    system: Sequence[Clause],
    *,
    limit: int = 2_000,
    budget: int = DEFAULT_BUDGET,
) -> ClauseMatching:
    """The mapping of variables under which most clauses agree.

    `limit` is the number of box mappings that are looked into, `budget` the work that is
    spent on all of them; where one of them ends the search, `bound` stays above the value.
    """
    return _Search(gold, system, limit, budget).run()


class ClausePair:
    """Two structures, their boxes, the heaviest of gold first, and their referents."""

    def __init__(self, gold: Sequence[Clause], system: Sequence[Clause]) -> None:
        self.gold, self.system = list(gold), list(system)
        self.kinds = boxes(gold), boxes(system)
        weight = Counter(clause.box for clause in gold)
        self.gold_boxes = sorted(
            (name for name, box in self.kinds[0].items() if box),
            key=lambda name: -weight[name],
        )
        self.system_boxes = [name for name, box in self.kinds[1].items() if box]
        self.referents = [[name for name, box in kinds.items() if not box] for kinds in self.kinds]

    def choices(self, chosen: Chosen) -> list[Chosen]:
        """All ways to map the next box, nothing first, then the system's from the last on."""
        box = self.gold_boxes[len(chosen)]
        used = set(chosen.values())
        partners = [each for each in reversed(self.system_boxes) if each not in used]
        return [{**chosen, box: partner} for partner in (None, *partners)]

    def relaxed(self, chosen: Chosen) -> tuple[GraphPair, int]:
        """The pair of graphs on referents alone, with all boxes that are not chosen the same.

        No mapping that has these choices matches more clauses than the best one of that
        pair, and as many more as the second figure says.
        """
        taken = {partner for partner in chosen.values() if partner is not None}
        gold_names: dict[str, str | None] = {
            box: chosen.get(box, _OPEN) if box in chosen else _OPEN for box in self.gold_boxes
        }
        system_names: dict[str, str | None] = {
            box: box if box in taken else _OPEN for box in self.system_boxes
        }
        gold, gold_joined = _on_referents(self.gold, gold_names, self.referents[0])
        system, system_joined = _on_referents(self.system, system_names, self.referents[1])
        return as_pair(gold, system), (gold_joined & system_joined).total()

    def matched(self, mapping: Mapping[str, str]) -> list[Clause]:
        """The gold clauses that a mapping of all variables carries onto system clauses."""
        theirs = set(self.system)

        def image(name: str) -> str:
            return name if is_constant(name) else mapping.get(name, "")

        return [
            clause
            for clause in self.gold
            if Clause(image(clause.box), clause.name, tuple(map(image, clause.arguments))) in theirs
        ]


def _on_referents(
    clauses: Sequence[Clause], names: Mapping[str, str | None], referents: Sequence[str]
) -> tuple[Tuples, Counter[object]]:
    """Clauses on referents, numbered where they become equal, and those without referents."""
    place = {name: i for i, name in enumerate(referents)}
    result = Tuples(list(referents))
    alike: Counter[object] = Counter()
    joined: Counter[object] = Counter()
    for clause in clauses:
        box = names[clause.box]
        shape: list[str | None] = []
        ends: list[int] = []
        for argument in clause.arguments:
            if is_constant(argument):
                shape.append(argument)
            elif argument in names:
                shape.append(names[argument] and f"box {names[argument]}")
            else:
                shape.append("referent")
                ends.append(place[argument])
        if box is None or None in shape:
            continue
        key = (box, clause.name, *shape)
        if not ends:
            joined[key] += 1
            continue
        copy = (*ends, key)
        alike[copy] += 1
        if len(ends) == 1:
            result.features.append((ends[0], 0, (key, alike[copy])))
        else:
            result.links.append((ends[0], ends[1], 0, (key, alike[copy])))
    return result, joined


class _Search(ClausePair):
    def __init__(
        self, gold: Sequence[Clause], system: Sequence[Clause], limit: int, budget: int
    ) -> None:
        super().__init__(gold, system)
        self.limit = limit
        self.budget = budget
        self.steps = 0
        self.work = 0
        self.best = ClauseMatching({}, self.matched({}), 0, 0)

    def run(self) -> ClauseMatching:
        self._arrive(self._guess())
        root, _ = self._bound({}, _SHARE_OF_BRANCH)
        left: list[tuple[int, Chosen]] = [(root, {})]
        highest = 0
        while left:
            bound, chosen = left.pop()
            if bound <= self.best.value:
                continue
            if self.steps >= self.limit or self.work >= self.budget:
                highest = max(highest, bound)
            elif len(chosen) == len(self.gold_boxes):
                highest = max(highest, min(bound, self._arrive(chosen)))
            elif (branches := self._branches(chosen)) is None:
                highest = max(highest, bound)
            else:
                left += branches
        best = self.best
        return ClauseMatching(best.mapping, best.matched, max(highest, best.value), self.steps)

    def _guess(self) -> Chosen:
        """A first mapping of boxes: the best one if each two variables of a clause count."""
        gold, system = (
            _by_twos(clauses, kinds)
            for clauses, kinds in zip((self.gold, self.system), self.kinds, strict=True)
        )
        budget = self.budget // _SHARE_OF_LEAF
        found = match_many([as_pair(gold, system)], KINDS, tie_budget=0, budget=budget)[0]
        self.work += found.work
        partner = {gold.nodes[i]: system.nodes[j] for i, j in found.pairs}
        known = set(self.system_boxes)
        chosen = {box: partner.get(box) for box in self.gold_boxes}
        return {box: other if other in known else None for box, other in chosen.items()}

    def _arrive(self, chosen: Chosen) -> int:
        """Evaluates a mapping of all boxes; its bound if that is above its value, else 0."""
        bound, referents = self._bound(chosen, _SHARE_OF_LEAF)
        mapping = referents | {box: other for box, other in chosen.items() if other is not None}
        matched = self.matched(mapping)
        if len(matched) > self.best.value:
            self.best = ClauseMatching(mapping, matched, 0, 0)
        return bound if bound > len(matched) else 0

    def _branches(self, chosen: Chosen) -> list[tuple[int, Chosen]] | None:
        """The choices for the next box that may beat what is known, the best one last.

        None if they are so many, or so large, that a quarter of the budget more is spent on them.
        """
        found: list[tuple[int, Chosen]] = []
        for extended in self.choices(chosen):
            if self.work >= self.budget + self.budget // 4:
                return None
            bound, _ = self._bound(extended, _SHARE_OF_BRANCH)
            self.steps += 1
            if bound > self.best.value:
                found.append((bound, extended))
        found.sort(key=lambda each: each[0])
        return found

    def _bound(self, chosen: Chosen, share: int) -> tuple[int, dict[str, str]]:
        """An upper bound with some boxes mapped, and the referents' mapping for it."""
        pair, joined = self.relaxed(chosen)
        found = match_many([pair], KINDS, tie_budget=0, budget=self.budget // share)[0]
        self.work += found.work + WORK_OF_CLAUSE * (len(self.gold) + len(self.system))
        mapping = {self.referents[0][i]: self.referents[1][j] for i, j in found.pairs}
        return found.bound + joined, mapping


def _by_twos(clauses: Sequence[Clause], kinds: Mapping[str, bool]) -> Tuples:
    """Boxes and referents, joined by what a clause says of each two of them."""
    place = {name: i for i, name in enumerate(kinds)}
    result = Tuples(list(kinds))
    for clause in clauses:
        terms = (clause.box, *clause.arguments)
        shape = tuple(each if is_constant(each) else kinds[each] for each in terms)
        free = [i for i, each in enumerate(terms) if not is_constant(each)]
        for i, j in combinations(free, 2):
            ends = place[terms[i]], place[terms[j]]
            result.links.append((*ends, 0, (clause.name, shape, i, j)))
    return result


# -- certificates ---------------------------------------------------------------------------------

_MOST_BRANCHES = 2_000


class ClauseCertificate(msgspec.Struct, frozen=True, array_like=True):
    """The mapping of variables, and the branches in order: None is open, else multipliers."""

    mapping: dict[str, str]
    branches: list[bytes | None]


def issue_certificate(
    gold: Sequence[Clause],
    system: Sequence[Clause],
    found: ClauseMatching,
    budget: int = DEFAULT_BUDGET,
) -> bytes:
    """The certificate of a matching."""
    branches = _proof(ClausePair(gold, system), found.value, budget) if found.proven else []
    return packed(ClauseCertificate(found.mapping, branches))


def verify_certificate(
    gold: Sequence[Clause],
    system: Sequence[Clause],
    proof: bytes,
    search: Callable[[], ClauseMatching],
) -> ClauseMatching:
    """The matching that a certificate proves; one that does not fit is an error.

    `search` finds the best matching where the certificate has no branches, or where another
    mapping of the same value could match clauses of other kinds.
    """
    opened = unpacked(proof, ClauseCertificate)
    pair = ClausePair(gold, system)
    _check_mapping(pair, opened.mapping)
    matched = pair.matched(opened.mapping)
    if opened.branches and _bound(pair, opened.branches) > len(matched):
        raise mismatch("its branches do not prove its mapping the best one")
    found = ClauseMatching(opened.mapping, matched, len(matched), 0)
    if opened.branches and _titles(matched) == _titles(gold) & _titles(system):
        return found  # no mapping matches more of any kind
    again = search()
    if again.value != len(matched):
        raise mismatch("its mapping is not the best one that is found")
    if _titles(again.matched) != _titles(matched):
        raise mismatch("its mapping is not the one that the search prefers")
    return ClauseMatching(opened.mapping, matched, again.bound, 0)


def _titles(clauses: Sequence[Clause]) -> Counter[str]:
    return Counter(map(title, clauses))


def _check_mapping(pair: ClausePair, mapping: dict[str, str]) -> None:
    ours, theirs = pair.kinds
    if len(set(mapping.values())) < len(mapping):
        raise mismatch("its mapping is not one-to-one")
    for name, partner in mapping.items():
        if name not in ours or partner not in theirs or ours[name] != theirs[partner]:
            raise mismatch("its mapping is of other structures")


def _proof(pair: ClausePair, value: int, budget: int) -> list[bytes | None]:
    """Branches that are all closed at this value, or none."""
    result: list[bytes | None] = []
    left: list[Chosen] = [{}]
    size = len(pair.gold) + len(pair.system)
    most = min(_MOST_BRANCHES, budget // (WORK_OF_CLAUSE * max(size, 1)))
    while left:
        chosen = left.pop()
        relaxed, joined = pair.relaxed(chosen)
        numbers = match_many([relaxed], KINDS, tie_budget=0, budget=budget // 50)[0].certificate
        if _bounds([relaxed], [numbers])[0] + joined <= value:
            result.append(numbers.astype("<i8").tobytes())
        elif len(chosen) == len(pair.gold_boxes) or len(result) >= most:
            return []
        else:
            result.append(None)
            left += pair.choices(chosen)
    return result


def _bound(pair: ClausePair, branches: Sequence[bytes | None]) -> int:
    """The upper bound on all mappings that these branches prove."""
    left: list[Chosen] = [{}]
    relaxed: list[GraphPair] = []
    joined: list[int] = []
    numbers: list[npt.NDArray[np.int64]] = []
    for branch in branches:
        if not left:
            raise mismatch("it has more branches than there are mappings of boxes")
        chosen = left.pop()
        if branch is not None:
            graphs, constant = pair.relaxed(chosen)
            relaxed.append(graphs)
            joined.append(constant)
            numbers.append(numbers_of(branch, 8))
        elif len(chosen) == len(pair.gold_boxes):
            raise mismatch("it leaves a mapping of all boxes open")
        else:
            left += pair.choices(chosen)
    if left:
        raise mismatch("it leaves branches out")
    return int(np.max(_bounds(relaxed, numbers) + np.array(joined)))


def _bounds(
    pairs: Sequence[GraphPair], numbers: Sequence[npt.NDArray[np.int64]]
) -> npt.NDArray[np.int64]:
    nowhere = [np.full(pair.gold.nodes, -1) for pair in pairs]
    verdicts = check_many(pairs, KINDS, nowhere, numbers)
    if not verdicts.valid.all():
        raise mismatch("its multipliers break the rules")
    return verdicts.bound
