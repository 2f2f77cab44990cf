"""Layered layout: positions of nodes in layers, and bends of the edges between them.

The method of Sugiyama: break cycles, put each node below those that lead to it,
order each layer so that few edges cross, then move nodes towards their
neighbours.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_GAP = 20.0
_SPACE = 16.0
_SWEEPS = 12
_STEPS = 30
_MANY = 20_000
"""Up to how many places all sweeps and steps are made; above, fewer, so that drawing ends.

It is also the number of bends, so that places do not grow as edges times layers.
"""


@dataclass(slots=True)
class Place:
    """A box, or a point that an edge runs through."""

    rank: int
    width: float
    height: float
    is_bend: bool = False
    x: float = 0.0
    y: float = 0.0
    box: float = 0.0
    """The width of a box whose loops need a wider place; 0 where the two are the same."""


def back_edges(count: int, edges: Sequence[tuple[int, int]], tops: Sequence[int]) -> set[int]:
    """The edges to turn around so that no cycle is left: those that lead back in a walk."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    entered = [0] * count
    for i, (source, target) in enumerate(edges):
        out[source].append((i, target))
        entered[target] += 1
    back: set[int] = set()
    state = [0] * count
    roots = [*tops, *(i for i in range(count) if not entered[i]), *range(count)]
    for root in roots:
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(out[root]))]
        while stack:
            node, following = stack[-1]
            step = next(following, None)
            if step is None:
                state[node] = 2
                stack.pop()
            elif state[step[1]] == 1:
                back.add(step[0])
            elif state[step[1]] == 0:
                state[step[1]] = 1
                stack.append((step[1], iter(out[step[1]])))
    return back


def ranks_of(count: int, down: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each node: below all that lead to it, roots just above what they lead to."""
    out: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for source, target in down:
        out[source].append(target)
        waiting[target] += 1
    ranks = [0] * count
    is_root = [not number for number in waiting]
    queue = [i for i in range(count) if not waiting[i]]
    order = []
    while queue:
        node = queue.pop()
        order.append(node)
        for target in out[node]:
            ranks[target] = max(ranks[target], ranks[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                queue.append(target)
    for node in order:
        if is_root[node] and out[node]:
            ranks[node] = min(ranks[target] for target in out[node]) - 1
    lowest = min(ranks)
    return [rank - lowest for rank in ranks]


def bent(spans: Sequence[int]) -> set[int]:
    """The edges that bend in each layer that they pass: the shortest, as many as bends allow.

    Others bend below their first and above their last node only, and may run over boxes.
    """
    if sum(spans) <= _MANY:
        return set(range(len(spans)))
    found: set[int] = set()
    left = _MANY
    for i in sorted(range(len(spans)), key=spans.__getitem__):
        left -= spans[i]
        if left < 0 and spans[i] > 2:
            break
        found.add(i)
    return found


def ordered(
    places: Sequence[Place], links: Sequence[tuple[int, int]], reading: Sequence[int] = ()
) -> list[list[int]]:
    """Each layer in an order with few crossings: the barycentre method, best of several sweeps.

    Where most that nothing is below are words, in order of `reading`, all stand in their order.
    """
    layers: list[list[int]] = [[] for _ in range(max(place.rank for place in places) + 1)]
    above: list[list[int]] = [[] for _ in places]
    below: list[list[int]] = [[] for _ in places]
    for source, target in links:
        below[source].append(target)
        above[target].append(source)
    # A walk from the roots puts what belongs together side by side.
    seen: set[int] = set()
    for root in [i for i in range(len(places)) if not above[i]]:
        stack = [root]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            layers[places[node].rank].append(node)
            stack += reversed(below[node])
    middles = _middles(places, above, below, reading)
    if middles:
        standing: dict[int, int] = {}
        for layer in layers:
            # Of edges to one place, that from the left is on the left.
            layer.sort(key=lambda n: (middles[n], _mean([standing[each] for each in above[n]], 0)))
            standing.update((node, i) for i, node in enumerate(layer))
        return layers
    best, fewest = [list(layer) for layer in layers], _crossings(layers, below)
    for sweep in range(_effort(_SWEEPS, len(places))):
        downward = sweep % 2 == 0
        neighbours = above if downward else below
        numbers = range(1, len(layers)) if downward else range(len(layers) - 2, -1, -1)
        for number in numbers:
            other = layers[number - 1 if downward else number + 1]
            position = {node: i for i, node in enumerate(other)}
            here = {node: i for i, node in enumerate(layers[number])}
            layers[number].sort(
                key=lambda node: _mean(
                    [position[n] for n in neighbours[node] if n in position], here[node]
                )
            )
        crossings = _crossings(layers, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _middles(
    places: Sequence[Place],
    above: Sequence[Sequence[int]],
    below: Sequence[Sequence[int]],
    reading: Sequence[int],
) -> list[float]:
    """Where each place stands in the text: by its words, or in the middle of those below it.

    Nothing where most that nothing is below are no words.
    """
    if 2 * sum(not below[node] for node in reading) < max(1, sum(not each for each in below)):
        return []
    middles = {node: float(i) for i, node in enumerate(reading)}
    order = sorted(range(len(places)), key=lambda i: places[i].rank)
    # What has no words below stands where that above it does.
    for nodes, neighbours in ((reversed(order), below), (iter(order), above)):
        for node in nodes:
            known = [middles[each] for each in neighbours[node] if each in middles]
            if node not in middles and known:
                middles[node] = _mean(known, 0)
    return [middles.get(node, 0.0) for node in range(len(places))]


def _effort(most: int, places: int) -> int:
    return most if places <= _MANY else max(2, most * _MANY // places)


def _mean(values: Sequence[float], fallback: float) -> float:
    return sum(values) / len(values) if values else float(fallback)


def _crossings(layers: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """The number of crossings between neighbouring layers: inversions of the ends of edges."""
    total = 0
    for upper, lower in pairwise(layers):
        position = {node: i for i, node in enumerate(lower)}
        before: list[int] = []
        for node in upper:
            ends = [position[n] for n in below[node] if n in position]
            total += sum(len(before) - bisect_right(before, end) for end in ends)
            for end in ends:
                insort(before, end)
    return total


def place_across(
    places: Sequence[Place], links: Sequence[tuple[int, int]], layers: Sequence[Sequence[int]]
) -> None:
    """Moves each place towards the middle of its neighbours as far as the others let it."""
    around: list[list[int]] = [[] for _ in places]
    for source, target in links:
        around[source].append(target)
        around[target].append(source)
    for layer in layers:
        right = 0.0
        for node in layer:
            places[node].x = right + places[node].width / 2
            right += places[node].width + _GAP
    for step in range(_effort(_STEPS, len(places))):
        order = layers if step % 2 == 0 else list(reversed(layers))
        for layer in order:
            wanted = [_mean([places[n].x for n in around[node]], places[node].x) for node in layer]
            _settle(places, layer, wanted)
    left = min(place.x - place.width / 2 for place in places)
    for place in places:
        place.x += 12 - left


def _settle(places: Sequence[Place], layer: Sequence[int], wanted: Sequence[float]) -> None:
    """Positions in order and apart, as near to the wanted ones as can be (least squares).

    Places that would overlap form a block which stands at the mean of what its
    members want.
    """
    # First member, its place, the sum of the places that members want it at, how many, their width.
    blocks: list[tuple[int, float, float, int, float]] = []
    offsets = [0.0] * len(layer)
    for i in range(len(layer)):
        blocks.append((i, wanted[i], wanted[i], 1, 0.0))
        while len(blocks) > 1:
            begin, position, total, count, wide = blocks[-2]
            later, later_position, later_total, later_count, later_wide = blocks[-1]
            shift = wide + _GAP
            shift += (places[layer[later - 1]].width + places[layer[later]].width) / 2
            if later_position >= position + shift:
                break
            total += later_total - shift * later_count
            count += later_count
            blocks[-2:] = [(begin, total / count, total, count, shift + later_wide)]
    for begin, position, _, count, _ in blocks:
        for i in range(begin, begin + count):
            if i > begin:
                step = _GAP + (places[layer[i - 1]].width + places[layer[i]].width) / 2
                offsets[i] = offsets[i - 1] + step
            places[layer[i]].x = position + offsets[i]


def place_down(places: Sequence[Place], layers: Sequence[Sequence[int]]) -> float:
    y = 12.0
    for layer in layers:
        tall = max((places[node].height for node in layer), default=0.0)
        for node in layer:
            places[node].y = y + tall / 2
            if places[node].is_bend:
                places[node].height = tall
        y += tall + _SPACE
    return y - _SPACE + 12
