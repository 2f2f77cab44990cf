"""Pieces of the matcher against slow twins: incidence, refinement, renumbering, sifting."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat import _native
from karat.graphs.matching.solver import GraphPair, Kind, Side, flat_pairs

KINDS = (Kind(1), Kind(3), Kind(2), Kind(1), Kind(0))  # features: 0, 1, 4; edges: 2, 3
SCALE = 7
Feature = tuple[int, int, int]
Edge = tuple[int, int, int, int]
Cell = tuple[int, int]
Link = tuple[Cell, Cell]


@dataclass(frozen=True)
class Graph:
    nodes: int
    features: tuple[Feature, ...] = ()
    edges: tuple[Edge, ...] = ()

    def keys(self, node: int) -> set[Hashable]:
        """What a node has by itself: features, and loops, which match loops only."""
        own = {(kind, value) for n, kind, value in self.features if n == node}
        return own | {(k, v, "loop") for s, t, k, v in self.edges if s == t == node}

    def halves(self, node: int) -> set[tuple[tuple[int, int, str], int]]:
        """The ends of edges at a node: kind, value and which end, and the node at the other."""
        edges = [each for each in self.edges if each[0] != each[1]]
        leaving = {((k, v, "source"), t) for s, t, k, v in edges if s == node}
        return leaving | {((k, v, "target"), s) for s, t, k, v in edges if t == node}

    def permuted(self, place: Sequence[int]) -> Graph:
        """Node n becomes place[n]."""
        return Graph(
            self.nodes,
            tuple((place[n], k, v) for n, k, v in self.features),
            tuple((place[s], place[t], k, v) for s, t, k, v in self.edges),
        )


def flat(gold: Graph, system: Graph) -> _native.GraphPairs:
    sides = (Side(each.nodes, each.features, each.edges) for each in (gold, system))
    return flat_pairs([GraphPair(*sides)], KINDS)


def graphs(most: int, least: int = 0, values: int = 2) -> st.SearchStrategy[Graph]:
    def of_size(nodes: int) -> st.SearchStrategy[Graph]:
        if not nodes:
            return st.just(Graph(0))
        node, value = st.integers(0, nodes - 1), st.integers(0, values - 1)
        features = st.tuples(node, st.sampled_from((0, 1, 4)), value)
        edges = st.tuples(node, node, st.sampled_from((2, 3)), value)
        return st.builds(
            Graph,
            st.just(nodes),
            st.lists(features, max_size=2 * nodes).map(tuple),
            st.lists(edges, max_size=3 * nodes).map(tuple),
        )

    return st.integers(least, most).flatmap(of_size)


def weight(key: Hashable) -> int:
    return KINDS[key[0]].weight  # type: ignore[index]


def reward(gold: Graph, system: Graph, cell: Cell) -> int:
    return sum(map(weight, gold.keys(cell[0]) & system.keys(cell[1])))


def links(gold: Graph, system: Graph) -> dict[Link, int]:
    """What two pairs of nodes earn together, the lower pair first."""
    found: Counter[Link] = Counter()
    for s, t, k, v in set(gold.edges):
        for a, b, kind, value in set(system.edges):
            if (k, v) == (kind, value) and s != t and a != b and KINDS[k].weight:
                one, other = sorted(((s, a), (t, b)))
                found[one, other] += KINDS[k].weight
    return found


def mappings(gold: Graph, system: Graph) -> Iterable[list[Cell]]:
    for columns in itertools.product(range(-1, system.nodes), repeat=gold.nodes):
        used = [j for j in columns if j >= 0]
        if len(set(used)) == len(used):
            yield [(i, j) for i, j in enumerate(columns) if j >= 0]


def value_of(gold: Graph, system: Graph, cells: Sequence[Cell]) -> int:
    joined = links(gold, system)
    both = itertools.combinations(sorted(cells), 2)
    return sum(reward(gold, system, cell) for cell in cells) + sum(joined.get(p, 0) for p in both)


# -- incidence ----------------------------------------------------------------------


@settings(max_examples=drawn(150), deadline=None)
@given(graphs(4), graphs(4))
def test_incidence(gold: Graph, system: Graph) -> None:
    """Keys that both sides have and that have a weight, and nothing else."""
    sides, feature_weight, half_weight, products = _native.matching_incidence(flat(gold, system))
    both = (gold, system)
    keys = [Counter(key for n in range(g.nodes) for key in g.keys(n)) for g in both]
    ends = [Counter(half[0] for n in range(g.nodes) for half in g.halves(n)) for g in both]
    for side, graph, (features, halves) in zip((0, 1), both, sides, strict=True):
        for node in range(graph.nodes):
            wanted = {key for key in graph.keys(node) if weight(key) and keys[1 - side][key]}
            assert Counter(feature_weight[k] for k in features[node]) == Counter(
                map(weight, wanted)
            )
            assert features[node] == sorted(set(features[node]))
            shared = {half for half in graph.halves(node) if ends[1 - side][half[0]]}
            assert halves[node] == sorted(halves[node])
            assert sorted((half_weight[k], k % 2, other) for k, other in halves[node]) == sorted(
                (weight(key), int(key[2] == "target"), other) for key, other in shared
            )
    for i in range(gold.nodes):
        for j in range(system.nodes):
            ours, theirs = set(sides[0][0][i]), set(sides[1][0][j])
            assert sum(feature_weight[k] for k in ours & theirs) == reward(gold, system, (i, j))
            ours, theirs = (
                {k for k, _ in side[1][n]} for side, n in zip(sides, (i, j), strict=True)
            )
            shared = {h[0] for h in gold.halves(i)} & {h[0] for h in system.halves(j)}
            assert len(ours & theirs) == len(shared)
    assert products == sum(keys[0][key] * keys[1][key] for key in keys[0] if weight(key)) + sum(
        ends[0][key] * ends[1][key] for key in ends[0] if key[2] == "source"
    )


# -- refinement ---------------------------------------------------------------------


@settings(max_examples=drawn(150), deadline=None)
@given(graphs(6, 1), graphs(6, 1))
def test_canonical_orders_hold_each_node_once(gold: Graph, system: Graph) -> None:
    orders = _native.matching_canonical_orders(flat(gold, system))
    for graph, order in zip((gold, system), orders, strict=True):
        assert sorted(order) == list(range(graph.nodes))


def refined(gold: Graph, system: Graph) -> list[tuple[list[Hashable], list[Hashable]]]:
    """The colours of both sides, level by level: a node's keys, then what is around it."""
    keys = [{k for n in range(g.nodes) for k in g.keys(n)} for g in (gold, system)]
    ends = [{h[0] for n in range(g.nodes) for h in g.halves(n)} for g in (gold, system)]
    known, shared = keys[0] & keys[1], ends[0] & ends[1]
    levels: list[tuple[list[Hashable], list[Hashable]]] = []
    distinct = 0
    while len(levels) < 24:
        now: list[list[Hashable]] = []
        for side, graph in enumerate((gold, system)):
            colours: list[Hashable] = []
            for node in range(graph.nodes):
                if not levels:
                    colours.append(frozenset(k for k in graph.keys(node) & known if weight(k)))
                    continue
                before = levels[-1][side]
                around = Counter((key, before[o]) for key, o in graph.halves(node) if key in shared)
                colours.append((before[node], frozenset(around.items())))
            now.append(colours)
        number: dict[Hashable, int] = {}
        for colour in (*now[0], *now[1]):
            number.setdefault(colour, len(number))
        if len(number) <= distinct:
            break
        distinct = len(number)
        levels.append(([number[c] for c in now[0]], [number[c] for c in now[1]]))
    return levels


class Seeds:
    """The first mapping, from the words that describe it."""

    def __init__(self, gold: Graph, system: Graph) -> None:
        self.graphs = gold, system
        self.levels = refined(gold, system)
        self.partner: dict[int, int] = {}
        self.pairs: list[int] = []

    def run(self) -> list[int]:
        for level in reversed(self.levels):
            self.grow(level, self.pairs)
            self.grow(level, self.lone(level))
        for level in reversed(self.levels):
            self.all_of(level)
        self.grow(None, self.pairs)
        return [self.partner.get(i, -1) for i in range(self.graphs[0].nodes)]

    def free(self, side: int) -> list[int]:
        taken = self.partner.keys() if side == 0 else self.partner.values()
        return [n for n in range(self.graphs[side].nodes) if n not in taken]

    def pair(self, i: int, j: int) -> int:
        self.partner[i] = j
        self.pairs.append(i)
        return i

    def lone(self, level: tuple[list[Hashable], list[Hashable]]) -> list[int]:
        """Pairs nodes that alone have a colour on either side."""
        counts = [Counter(level[side][n] for n in self.free(side)) for side in (0, 1)]
        alone = {c for c, count in counts[0].items() if count == 1 == counts[1][c]}
        theirs = {level[1][j]: j for j in self.free(1) if level[1][j] in alone}
        return [self.pair(i, theirs[level[0][i]]) for i in self.free(0) if level[0][i] in alone]

    def all_of(self, level: tuple[list[Hashable], list[Hashable]]) -> None:
        """Pairs the first nodes of a colour, and goes on only after growing from them."""
        for i in self.free(0):
            same = [j for j in self.free(1) if level[1][j] == level[0][i]]
            if i not in self.partner and same:
                self.grow(level, [self.pair(i, same[0])])

    def grow(
        self, level: tuple[list[Hashable], list[Hashable]] | None, starts: Sequence[int]
    ) -> None:
        """Pairs unpaired nodes at the other ends of like edges of paired nodes, by colour."""
        waiting = list(starts)
        for i in waiting:
            gold, system = (
                graph.halves(node)
                for graph, node in zip(self.graphs, (i, self.partner[i]), strict=True)
            )
            for key in sorted({h[0] for h in gold} & {h[0] for h in system}):
                sides: list[dict[Hashable, list[int]]] = [{}, {}]
                for side, halves in enumerate((gold, system)):
                    free = self.free(side)
                    for other in sorted(o for k, o in halves if k == key and o in free):
                        colour = level[side][other] if level else None
                        sides[side].setdefault(colour, []).append(other)
                new = [
                    (a, b)
                    for colour, ours in sides[0].items()
                    for a, b in zip(ours, sides[1].get(colour, ()), strict=False)
                ]
                waiting += [self.pair(*each) for each in sorted(new)]


@settings(max_examples=drawn(250), deadline=None)
@given(graphs(6), graphs(6))
def test_seeds(gold: Graph, system: Graph) -> None:
    assert _native.matching_seeds(flat(gold, system)) == Seeds(gold, system).run()


@settings(max_examples=drawn(200), deadline=None)
@given(graphs(6), st.randoms(use_true_random=False))
def test_seeds_of_a_graph_and_itself(gold: Graph, random: object) -> None:
    """A graph with other numbers: where colours tell all nodes apart, its seeds match all of it."""
    place = random.sample(range(gold.nodes), gold.nodes)  # type: ignore[attr-defined]
    system = gold.permuted(place)
    levels = refined(gold, system)
    assume(gold.nodes and len(set(levels[-1][0])) == gold.nodes)
    assert _native.matching_seeds(flat(gold, system)) == place


# -- renumbering --------------------------------------------------------------------


@settings(max_examples=drawn(150), deadline=None)
@given(graphs(4), graphs(4), st.randoms(use_true_random=False))
def test_renumbering(gold: Graph, system: Graph, random: object) -> None:
    draw: Callable[[Sequence[int], int], list[int]] = random.sample  # type: ignore[attr-defined]
    orders = [draw(range(g.nodes), g.nodes) for g in (gold, system)]
    places = [[order.index(n) for n in range(len(order))] for order in orders]
    ours, theirs = (g.permuted(place) for g, place in zip((gold, system), places, strict=True))
    cells = [(i, j) for i in range(gold.nodes) for j in range(system.nodes)]
    chosen = sorted(c for c in cells if random.random() < 0.8)  # type: ignore[attr-defined]
    mapping = [random.choice(range(-1, system.nodes)) for _ in range(gold.nodes)]  # type: ignore[attr-defined]
    inner = {link: w for link, w in links(ours, theirs).items() if set(link) <= set(chosen)}
    halves = {link: random.randint(0, w * SCALE) for link, w in inner.items()}  # type: ignore[attr-defined]
    tables, back, codes, multipliers = _native.matching_renumbered(
        flat(gold, system), *orders, mapping, [i * system.nodes + j for i, j in chosen],
        [halves[link] for link in sorted(halves)], SCALE,
    )  # fmt: skip
    assert [list(map(tuple, table)) for table in tables] == [
        list(ours.features), list(ours.edges), list(theirs.features), list(theirs.edges),
    ]  # fmt: skip
    for i, j in enumerate(mapping):
        assert back[orders[0][i]] == (-1 if j < 0 else orders[1][j])

    def original(cell: Cell) -> Cell:
        return orders[0][cell[0]], orders[1][cell[1]]

    assert codes == [i * system.nodes + j for i, j in map(original, chosen)]
    expected = {}
    for (one, other), half in halves.items():
        a, b = original(one), original(other)
        lower = half if a < b else inner[one, other] * SCALE - half
        expected[min(a, b), max(a, b)] = lower
    assert multipliers == [expected[link] for link in sorted(expected)]


# -- sifting ------------------------------------------------------------------------


def best_neighbours(parts: Sequence[tuple[Cell, int]]) -> int:
    """The most that links of one candidate earn whose other ends exclude each other nowhere."""
    best = 0
    for size in range(len(parts) + 1):
        for some in itertools.combinations(parts, size):
            rows, columns = ({cell[end] for cell, _ in some} for end in (0, 1))
            if len(rows) == len(columns) == size:
                best = max(best, sum(half for _, half in some))
    return best


def outside(gold: Graph, system: Graph, core: set[Cell], cell: Cell) -> int:
    """No less than what a candidate earns that is not in the core."""
    total = SCALE * reward(gold, system, cell)
    ours, theirs = gold.halves(cell[0]), system.halves(cell[1])
    for key in {h[0] for h in ours} & {h[0] for h in theirs}:
        a, b = ([o for k, o in halves if k == key] for halves in (ours, theirs))
        whole = weight(key) * SCALE
        rows = sum(any((i, j) in core for j in b) for i in a)
        columns = sum(any((i, j) in core for i in a) for j in b)
        pairs = min(len(a), len(b))
        wholes = min(pairs, rows, columns)
        total += wholes * whole + (pairs - wholes) * (whole - whole // 2)
    return total


@settings(max_examples=drawn(150), deadline=None)
@given(graphs(3, 1), graphs(3, 1), st.randoms(use_true_random=False))
def test_sifting(gold: Graph, system: Graph, random: object) -> None:
    """Any core, multipliers and prices: the bound holds, and what a good mapping has survives."""
    pairs = flat(gold, system)
    cells = [(i, j) for i in range(gold.nodes) for j in range(system.nodes)]
    core = sorted(c for c in cells if random.random() < 0.6)  # type: ignore[attr-defined]
    codes = [i * system.nodes + j for i, j in core]
    joined = {link: w for link, w in links(gold, system).items() if set(link) <= set(core)}
    rewards, slots = _native.matching_core(pairs, codes)
    assert rewards == [reward(gold, system, cell) for cell in core]
    expected = [(core.index(a), core.index(b), w) for (a, b), w in joined.items()]
    assert sorted(slots) == sorted([*expected, *((b, a, w) for a, b, w in expected)])

    halves = {link: random.randint(0, w * SCALE) for link, w in joined.items()}  # type: ignore[attr-defined]
    column = [random.randint(0, 5 * SCALE) for _ in range(system.nodes)]  # type: ignore[attr-defined]
    values = [(value_of(gold, system, each), each) for each in mappings(gold, system)]
    best = max(value for value, _ in values)
    bound, rows, violating, survivors = _native.matching_priced_core(
        pairs, codes, [halves[link] for link in sorted(halves)], column, best * SCALE, SCALE
    )
    assert bound >= best * SCALE
    assert bound == sum(rows) + sum(column)
    for i in range(gold.nodes):
        own = 0
        for cell in (c for c in core if c[0] == i):
            parts = [(b, halves[a, b]) for a, b in halves if a == cell]
            parts += [(a, joined[a, b] * SCALE - halves[a, b]) for a, b in halves if b == cell]
            profit = rewards[core.index(cell)] * SCALE + best_neighbours(parts)
            own = max(own, profit - column[cell[1]])
        others = [c for c in cells if c[0] == i and c not in core]
        excess = {c: outside(gold, system, set(core), c) - column[c[1]] - own for c in others}
        assert rows[i] == own + max([0, *excess.values()])
        assert {v for v in violating if v // system.nodes == i} == {
            i * system.nodes + j for (_, j), much in excess.items() if much > 0
        }
    kept = set(survivors)
    for value, each in values:
        if value == best:
            joint = links(gold, system)
            for cell in each:
                earns = reward(gold, system, cell) or any(
                    joint.get((min(cell, o), max(cell, o))) for o in each if o != cell
                )
                assert not earns or cell[0] * system.nodes + cell[1] in kept
