"""Pairs for the metrics of graphs."""

from __future__ import annotations

import msgspec

from karat.graphs.model import Anchor, Edge, Graph, Node

TEXT = "The big dogs bark, loudly."


def _node(number: int, label: str, pos: str, start: int, end: int) -> Node:
    return Node(number, label, ("pos", "frame"), (pos, f"{label}:x"), (Anchor(start, end),))


GOLD = Graph(
    "1",
    0,
    "dm",
    input=TEXT,
    tops=(3,),
    nodes=(
        _node(0, "the", "DT", 0, 3),
        _node(1, "big", "JJ", 4, 7),
        _node(2, "dog", "NNS", 8, 12),
        _node(3, "bark", "VBP", 13, 17),
        _node(5, "loudly", "RB", 19, 25),
    ),
    edges=(
        Edge(0, 2, "BV", 0),
        Edge(1, 2, "ARG1", 1),
        Edge(3, 2, "ARG1", 2),
        Edge(5, 3, "ARG1", 3),
    ),
)
RELABELLED = msgspec.structs.replace(
    GOLD, edges=(Edge(0, 2, "ARG1", 0), Edge(3, 2, "ARG2", 1), *GOLD.edges[3:]), tops=(2,)
)
SMALLER = msgspec.structs.replace(GOLD, nodes=GOLD.nodes[2:4], edges=GOLD.edges[2:3])
PAIRS = [(GOLD, GOLD), (RELABELLED, GOLD), (GOLD.emptied(), GOLD), (SMALLER, GOLD), (GOLD, SMALLER)]

EXAMPLES = {
    "sdp": (
        [
            "sdp",
            "sdp(identity='position', normalize=())",
            "sdp(exclude_punctuation=True, undirected=True, labels=('ARG1',), lengths=True)",
            "sdp(compat='mtool', core=('ARG1',))",
        ],
        PAIRS,
        lambda gold: gold,
    ),
}
