"""Bipartite matching with preferences, disjoint sets (union-find), cycles and what is below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

_Thing = TypeVar("_Thing", bound=Hashable)


class Groups(Generic[_Thing]):
    """Disjoint sets that can be joined; each is known by its leader.

    >>> groups = Groups("abc")
    >>> groups.join("a", "b")
    >>> groups.leader("a") == groups.leader("b") != groups.leader("c")
    True
    """

    def __init__(self, things: Iterable[_Thing] = ()) -> None:
        self._above = {thing: thing for thing in things}

    def leader(self, thing: _Thing) -> _Thing:
        above = self._above
        above.setdefault(thing, thing)
        while above[thing] != thing:
            above[thing] = thing = above[above[thing]]
        return thing

    def join(self, thing: _Thing, other: _Thing) -> None:
        """Joins two groups; the leader of the first leads both."""
        self._above[self.leader(other)] = self.leader(thing)


def has_cycle(things: Iterable[_Thing], links: Iterable[tuple[_Thing, _Thing]]) -> bool:
    """Whether something is left when things that nothing leads to are taken away repeatedly.

    >>> has_cycle("abc", ["ab", "bc"]), has_cycle("abc", ["ab", "ba"])
    (False, True)
    """
    waiting = dict.fromkeys(things, 0)
    leading: dict[_Thing, list[_Thing]] = defaultdict(list)
    for source, target in links:
        leading[source].append(target)
        waiting[target] += 1
    free = [thing for thing, number in waiting.items() if not number]
    for thing in free:
        for target in leading.get(thing, ()):
            waiting[target] -= 1
            if not waiting[target]:
                free.append(target)
    return len(free) < len(waiting)


def gathered(children: Sequence[Sequence[int]], own: Sequence[int]) -> list[int]:
    """The bits of each node and of all nodes below it, along cycles too.

    Nodes that lead to each other (strongly connected components) have the same; they are found
    in one walk, by the path-based algorithm.

    >>> gathered([[1], [2], [1], []], [1, 2, 4, 8])
    [7, 6, 6, 8]
    """
    result = list(own)
    number = [0] * len(result)
    seen = 0
    is_done = [False] * len(result)
    left: list[int] = []  # nodes whose component is not complete
    firsts: list[int] = []  # those that may be the first of their components
    for start in range(len(result)):
        path = [] if number[start] else [(start, iter(children[start]))]
        while path:
            node, rest = path[-1]
            if not number[node]:
                number[node] = seen = seen + 1
                left.append(node)
                firsts.append(node)
            child = next(rest, None)
            if child is None:
                path.pop()
                if firsts[-1] == node:
                    firsts.pop()
                    members = []
                    while not is_done[node]:
                        members.append(left.pop())
                        is_done[members[-1]] = True
                        result[node] |= result[members[-1]]
                    for each in members:
                        result[each] = result[node]
                if path:
                    result[path[-1][0]] |= result[node]
            elif not number[child]:
                path.append((child, iter(children[child])))
            elif is_done[child]:
                result[node] |= result[child]
            else:
                while number[firsts[-1]] > number[child]:
                    firsts.pop()
    return result


def candidates(ours: Sequence[list[Hashable]], theirs: Sequence[list[Hashable]]) -> list[list[int]]:
    """For each item on the left, the places of items on the right that share a key with it.

    >>> candidates([["a"], ["b", "c"]], [["c"], ["b"]])
    [[], [1, 0]]
    """
    found: dict[Hashable, list[int]] = defaultdict(list)
    for j, keys in enumerate(theirs):
        for key in keys:
            found[key].append(j)
    if not found:
        return [[] for _ in ours]
    return [list(dict.fromkeys([j for key in keys for j in found.get(key, ())])) for keys in ours]


def assigned(
    preferred: Sequence[Sequence[int]], others: Sequence[Sequence[int]]
) -> list[int | None]:
    """A maximum matching: a partner for as many items as possible, preferred partners first.

    >>> assigned([[0], []], [[1], [0]])
    [1, 0]
    >>> assigned([[0], []], [[], [0]])
    [0, None]
    """
    partner: list[int | None] = [None] * len(preferred)
    holder: dict[int, int] = {}

    def both(i: int) -> Sequence[int]:
        return [*preferred[i], *others[i]]

    ways: tuple[Callable[[int], Sequence[int]], ...] = (preferred.__getitem__, both)
    for choices in ways:
        for i in range(len(preferred)):
            if partner[i] is None:
                _augment(i, choices, partner, holder)
    return partner


def _augment(
    start: int,
    choices: Callable[[int], Sequence[int]],
    partner: list[int | None],
    holder: dict[int, int],
) -> None:
    """Looks for a free partner along a path of exchanges, breadth first, and takes it."""
    came_from: dict[int, int] = {}
    waiting = [start]
    for i in waiting:
        for j in choices(i):
            if j in came_from:
                continue
            came_from[j] = i
            if j in holder:
                waiting.append(holder[j])
                continue
            at: int | None = j
            while at is not None:
                one = came_from[at]
                before = partner[one]
                partner[one], holder[at] = at, one
                at = before
            return
