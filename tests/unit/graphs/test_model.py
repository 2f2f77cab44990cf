"""Graphs of networkx and penman, and what they have that no graph of karat's has."""

from __future__ import annotations

from typing import Any

import networkx
import penman
import pytest

from karat.core.assigning import gathered
from karat.errors import FormatError, OptionError
from karat.graphs.anchoring import in_order
from karat.graphs.formats.mrp import decode
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.model import from_networkx


def test_there_and_back() -> None:
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


ODD: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({}, {"properties": {"a": 1}}, {}),
    ({}, {"values": 3}, {}),
    ({}, {"anchors": [(0, 1)]}, {}),
    ({}, {}, {"attributes": 5}),
    ({}, {}, {"normal": 3}),
    ({"tops": 3}, {}, {}),
    ({"tops": [[1]]}, {}, {}),
    ({"tops": [7]}, {}, {}),
    ({"flavor": "x"}, {}, {}),
    ({"language": [1]}, {}, {}),
]


@pytest.mark.parametrize(("graph", "node", "edge"), ODD)
def test_attributes_of_networkx_that_no_graph_has(
    graph: dict[str, Any], node: dict[str, Any], edge: dict[str, Any]
) -> None:
    network = networkx.DiGraph(**graph)
    network.add_node(0, **node)
    network.add_edge(0, 1, **edge)
    with pytest.raises(OptionError, match="K317"):
        from_networkx(network)


def test_a_graph_of_penman_that_is_not_connected() -> None:
    apart = penman.Graph([("a", ":instance", "x"), ("b", ":instance", "y")])
    with pytest.raises(FormatError, match="K146: penman cannot write this graph"):
        Smatch().score(apart, "(a / x)")
    with pytest.raises(FormatError, match="K146: this is no JSON value"):
        Smatch().score({"id": object()}, "(a / x)")


def test_what_edges_lead_to_is_gathered_along_cycles() -> None:
    """By a walk from each node, on all graphs of three nodes."""
    pairs = [(a, b) for a in range(3) for b in range(3)]
    for choice in range(1 << len(pairs)):
        children: list[list[int]] = [[], [], []]
        for i, (a, b) in enumerate(pairs):
            if choice >> i & 1:
                children[a].append(b)
        for start, bits in enumerate(gathered(children, [1, 2, 4])):
            reached = {start}
            waiting = [start]
            while waiting:
                new = set(children[waiting.pop()]) - reached
                reached |= new
                waiting += new
            assert bits == sum(1 << node for node in reached)


def test_forms_are_found_where_they_stand_however_they_are_spelt() -> None:
    found = in_order('“a" b "', ['"', "a", '"', "b", '"'])
    assert [(each.start, each.end) for each in found] == [(0, 1), (1, 2), (2, 3), (4, 5), (6, 7)]
