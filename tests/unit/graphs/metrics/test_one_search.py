"""Texts in PENMAN notation and graphs are the same problem, and are searched alike."""

from __future__ import annotations

import random

import pytest

from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.model import Edge, Graph, Node

Tree = list[tuple[str, int, str]]
"""For each node its concept, its parent and the role between them."""


def tree(rng: random.Random, size: int) -> Tree:
    return [
        (f"c{rng.randrange(4)}", rng.randrange(max(1, i)), f"ARG{rng.randrange(3)}")
        for i in range(size)
    ]


def perturbed(rng: random.Random, nodes: Tree) -> Tree:
    fresh = tree(rng, len(nodes))
    return [new if rng.random() < 0.2 else old for old, new in zip(nodes, fresh, strict=True)]


def as_text(nodes: Tree) -> str:
    children: dict[int, list[int]] = {}
    for i, (_, parent, _) in enumerate(nodes):
        if i:
            children.setdefault(parent, []).append(i)

    def written(i: int) -> str:
        inner = "".join(f" :{nodes[k][2]} {written(k)}" for k in children.get(i, ()))
        return f"(v{i} / {nodes[i][0]}{inner})"

    return written(0)


def as_graph(nodes: Tree) -> Graph:
    return Graph(
        "1",
        2,
        "amr",
        tops=(0,),
        nodes=tuple(Node(i, concept) for i, (concept, _, _) in enumerate(nodes)),
        edges=tuple(Edge(parent, i, role) for i, (_, parent, role) in enumerate(nodes) if i),
    )


@pytest.mark.parametrize("size", [12, 60, 120])
def test_smatch_of_texts_and_mrp_of_graphs_match_as_much(size: int) -> None:
    rng = random.Random(size)
    for _ in range(4):
        gold = tree(rng, size)
        system = perturbed(rng, gold)
        text = Smatch().score(as_text(system), as_text(gold))
        graph = Mrp(normalize=()).score(as_graph(system), as_graph(gold))
        assert (text["g"], text["s"]) == (graph["all"]["g"], graph["all"]["s"])
        assert text["c"] == graph["all"]["c"] == text["bound"]["c"]
        assert text["exact"] == graph["exact"] == 1
