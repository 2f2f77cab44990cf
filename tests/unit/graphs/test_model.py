"""Graphs to networkx and back."""

from __future__ import annotations

import pytest

from karat.graphs.formats.mrp import decode
from karat.graphs.model import from_networkx


def test_there_and_back() -> None:
    pytest.importorskip("networkx")
    graph, _ = decode(
        '{"id":"1","flavor":1,"input":"a b","tops":[3],"nodes":[{"id":3,"label":"x","properties":'
        '["p"],"values":[1],"anchors":[{"from":0,"to":1}]},{"id":1}],"edges":[{"source":3,'
        '"target":1,"label":"A"},{"source":3,"target":1,"label":"B","attributes":["remote"],'
        '"values":[true]},{"source":1,"target":1}]}'
    )
    network = graph.to_networkx()
    assert network.nodes[3]["label"] == "x"
    assert network.number_of_edges(3, 1) == 2
    assert from_networkx(network) == graph
