"""Pairs of small graphs for the matcher, and the definition of the best mapping: all are tried."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from karat.graphs.matching.solver import GraphPair, Kind, Mode, Side

MODES: tuple[Mode, ...] = ("free", "ordered", "dominated")
KINDS = (Kind(1, rank=1), Kind(2, rank=3), Kind(1, rank=2), Kind(3, rank=4))
PLAIN = (Kind(), Kind(), Kind(), Kind())
Rows = tuple[tuple[int, ...], ...]
Mapping = Sequence[int]


@dataclass(frozen=True)
class Graph:
    nodes: int
    features: Rows = ()
    edges: Rows = ()
    below: Rows = ()

    def side(self) -> Side:
        return Side(self.nodes, self.features, self.edges, self.below)

    def renumbered(self, order: Mapping) -> Graph:
        return Graph(
            self.nodes,
            tuple((order[n], k, v) for n, k, v in self.features),
            tuple((order[s], order[t], k, v) for s, t, k, v in self.edges),
            tuple((order[a], order[b]) for a, b in self.below),
        )


@dataclass(frozen=True)
class Case:
    gold: Graph
    system: Graph
    mode: Mode = "free"

    def pair(self) -> GraphPair:
        return GraphPair(self.gold.side(), self.system.side(), self.mode)


def matched(case: Case, mapping: Mapping, kinds: Sequence[Kind]) -> list[int]:
    """The number of matches of each kind, from the definition."""
    features = {(mapping[n], k, v) for n, k, v in case.gold.features} & set(case.system.features)
    edges = {(mapping[s], mapping[t], k, v) for s, t, k, v in case.gold.edges}
    found = [f[1] for f in features] + [e[2] for e in edges & set(case.system.edges)]
    return [found.count(kind) for kind in range(len(kinds))]


def value(counts: Sequence[int], kinds: Sequence[Kind]) -> int:
    return sum(kind.weight * count for kind, count in zip(kinds, counts, strict=True))


def preference(counts: Sequence[int], kinds: Sequence[Kind]) -> tuple[int, ...]:
    """Value first, then the matches of each rank in turn."""
    ranks = sorted({kind.rank for kind in kinds} - {0})
    by_rank = (
        sum(c for kind, c in zip(kinds, counts, strict=True) if kind.rank == rank) for rank in ranks
    )
    return (value(counts, kinds), *by_rank)


def legal(case: Case, mapping: Mapping) -> bool:
    pairs = [(i, j) for i, j in enumerate(mapping) if j >= 0]
    if len({j for _, j in pairs}) < len(pairs):
        return False
    if case.mode == "ordered":
        return all(a[1] < b[1] for a, b in itertools.pairwise(pairs))
    if case.mode == "dominated":
        gold, system = set(case.gold.below), set(case.system.below)
        gold_inner, system_inner = {u for u, _ in gold}, {u for u, _ in system}
        return all((i in gold_inner) == (j in system_inner) for i, j in pairs) and all(
            (j, m) in system for i, j in pairs for k, m in pairs if i != k and (i, k) in gold
        )
    return True


def all_mappings(case: Case) -> Iterator[list[int]]:
    """Every legal mapping; restrictions of legal mappings are legal, so illegal starts are cut."""

    def extend(mapping: list[int]) -> Iterator[list[int]]:
        if len(mapping) == case.gold.nodes:
            yield mapping
            return
        for j in range(-1, case.system.nodes):
            longer = [*mapping, j]
            if legal(case, longer):
                yield from extend(longer)

    return extend([])


def best_preference(case: Case, kinds: Sequence[Kind]) -> tuple[int, ...]:
    return max(preference(matched(case, m, kinds), kinds) for m in all_mappings(case))


def random_graph(rng: random.Random, nodes: int, labels: int, density: float) -> Graph:
    def node() -> int:
        return rng.randrange(nodes)

    features = [(node(), rng.randrange(2), rng.randrange(labels)) for _ in range(2 * nodes)]
    edges = [
        (node(), node(), rng.randrange(2, 4), rng.randrange(labels))
        for _ in range(round(density * nodes))
    ]
    order = rng.sample(range(nodes), nodes)
    parents = {v: rng.randrange(v) for v in range(1, nodes) if rng.random() < 0.8}
    below = set()
    for v in parents:
        u = v
        while u in parents:
            u = parents[u]
            below.add((order[u], order[v]))
    kept = features[: rng.randint(0, len(features))]
    return Graph(nodes, tuple(kept), tuple(edges), tuple(sorted(below)))


def random_case(rng: random.Random, most: int, mode: Mode | None = None) -> Case:
    labels, density = rng.choice([1, 1, 2, 4]), rng.choice([0.5, 1, 2])
    gold, system = (random_graph(rng, rng.randint(0, most), labels, density) for _ in range(2))
    return Case(gold, system, mode or rng.choice(MODES))


def perturbed(rng: random.Random, graph: Graph, labels: int) -> Graph:
    """A system's idea of the graph: some tuples lost, some changed, nodes renumbered."""

    def noisy(rows: Rows) -> Rows:
        kept = (row for row in rows if rng.random() < 0.85)
        return tuple(
            (*row[:-1], rng.randrange(labels)) if rng.random() < 0.15 else row for row in kept
        )

    noisier = replace(graph, features=noisy(graph.features), edges=noisy(graph.edges))
    return noisier.renumbered(rng.sample(range(graph.nodes), graph.nodes))
