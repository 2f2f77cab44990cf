"""The best mapping of the variables of two clause-form structures, proven.

A clause joins a box and up to two referents, so that pairs of variables are not
enough to tell its worth. Boxes are few: they are mapped by branch and bound, and
once they are, what is left is a matter of pairs, which the native matcher solves.
Its optimum with the boxes that are still open left out of account is the bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from karat.graphs.clauses import Clause, boxes, is_constant
from karat.graphs.matching import GraphPair, Kind, match_many
from karat.graphs.tuples import Tuples, as_pair

_OPEN = "?"
_KINDS = (Kind(),)


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


def match_clauses(
    gold: Sequence[Clause], system: Sequence[Clause], *, limit: int = 2_000
) -> ClauseMatching:
    """The mapping of variables under which most clauses agree.

    `limit` bounds the number of box mappings that are looked into once a first one is
    complete; when it ends the search, `bound` stays above the value.
    """
    return _Search(gold, system, limit).run()


class _Search:
    def __init__(self, gold: Sequence[Clause], system: Sequence[Clause], limit: int) -> None:
        self.gold, self.system = list(gold), list(system)
        self.kinds = boxes(gold), boxes(system)
        weight = Counter(clause.box for clause in gold)
        self.gold_boxes = sorted(
            (name for name, box in self.kinds[0].items() if box),
            key=lambda name: -weight[name],
        )
        self.system_boxes = [name for name, box in self.kinds[1].items() if box]
        self.referents = [[name for name, box in kinds.items() if not box] for kinds in self.kinds]
        self.limit = limit
        self.steps = 0

    def run(self) -> ClauseMatching:
        best = ClauseMatching({}, self._matched({}), 0, 0)
        root, _ = self._bound({})
        left: list[tuple[int, dict[str, str | None]]] = [(root, {})]
        highest, arrived = 0, False
        while left:
            bound, chosen = left.pop()
            if bound <= best.value:
                continue
            if self.steps >= self.limit and arrived:
                highest = max(highest, bound)
                continue
            if len(chosen) == len(self.gold_boxes):
                arrived = True
                mapping = self._whole(chosen)
                matched = self._matched(mapping)
                if len(matched) > best.value:
                    best = ClauseMatching(mapping, matched, 0, 0)
                continue
            left += self._branches(chosen, best.value)
        return ClauseMatching(best.mapping, best.matched, max(highest, best.value), self.steps)

    def _branches(
        self, chosen: Mapping[str, str | None], floor: int
    ) -> list[tuple[int, dict[str, str | None]]]:
        """The choices for the next box that may beat what is known, the best one last."""
        box = self.gold_boxes[len(chosen)]
        used = set(chosen.values())
        found = []
        for partner in (None, *reversed([b for b in self.system_boxes if b not in used])):
            extended = {**chosen, box: partner}
            bound, _ = self._bound(extended)
            self.steps += 1
            if bound > floor:
                found.append((bound, extended))
        found.sort(key=lambda each: each[0])
        return found

    def _bound(self, chosen: Mapping[str, str | None]) -> tuple[int, dict[str, str]]:
        """What can match at most with some boxes mapped, and the referents' mapping for it."""
        pair, joined = self._pair(chosen)
        found = match_many([pair], _KINDS, tie_budget=0)[0]
        mapping = {
            self.referents[0][i]: self.referents[1][j]
            for i, j in enumerate(found.mapping.tolist())
            if j >= 0
        }
        return found.bound + joined, mapping

    def _whole(self, chosen: Mapping[str, str | None]) -> dict[str, str]:
        _, mapping = self._bound(chosen)
        return mapping | {box: partner for box, partner in chosen.items() if partner is not None}

    def _pair(self, chosen: Mapping[str, str | None]) -> tuple[GraphPair, int]:
        taken = {partner for partner in chosen.values() if partner is not None}
        gold_names: dict[str, str | None] = {
            box: chosen.get(box, _OPEN) if box in chosen else _OPEN for box in self.gold_boxes
        }
        system_names: dict[str, str | None] = {
            box: box if box in taken else _OPEN for box in self.system_boxes
        }
        gold, gold_joined = self._tuples(self.gold, gold_names, self.referents[0])
        system, system_joined = self._tuples(self.system, system_names, self.referents[1])
        return as_pair(gold, system), (gold_joined & system_joined).total()

    @staticmethod
    def _tuples(
        clauses: Sequence[Clause], names: Mapping[str, str | None], referents: Sequence[str]
    ) -> tuple[Tuples, Counter[object]]:
        """Clauses on referents, numbered where they become alike, and those without referents."""
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

    def _matched(self, mapping: Mapping[str, str]) -> list[Clause]:
        """The gold clauses that a mapping of all variables carries onto system clauses."""
        theirs = set(self.system)

        def image(name: str) -> str:
            return name if is_constant(name) else mapping.get(name, "")

        return [
            clause
            for clause in self.gold
            if Clause(image(clause.box), clause.name, tuple(map(image, clause.arguments))) in theirs
        ]
