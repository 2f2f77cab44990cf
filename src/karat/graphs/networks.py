"""Graphs to and from networkx, for those who have it."""

from __future__ import annotations

from typing import Any

import msgspec

from karat.errors import MissingExtra
from karat.graphs.model import Edge, Graph, Node

_PARTS = ("nodes", "edges", "tokens")


def to_networkx(graph: Graph) -> Any:
    """A MultiDiGraph: nodes by id, edges by edge id, all fields as attributes."""
    try:
        import networkx
    except ImportError:
        raise MissingExtra.package("networkx", "networkx", "the conversion to networkx") from None
    result = networkx.MultiDiGraph(
        **{name: getattr(graph, name) for name in graph.__struct_fields__ if name not in _PARTS}
    )
    for node in graph.nodes:
        fields = msgspec.structs.asdict(node)
        result.add_node(fields.pop("id"), **fields)
    for number, edge in enumerate(graph.edges):
        fields = msgspec.structs.asdict(edge)
        key = fields.pop("id")
        result.add_edge(
            fields.pop("source"), fields.pop("target"), number if key is None else key, **fields
        )
    return result


def from_networkx(network: Any) -> Graph:
    """The graph that `to_networkx` made this from; unknown attributes are left out."""
    nodes = tuple(Node(id=name, **_known(Node, data)) for name, data in network.nodes(data=True))
    edges = tuple(
        Edge(source=source, target=target, id=key, **_known(Edge, data))
        for source, target, key, data in network.edges(keys=True, data=True)
    )
    ordered = tuple(sorted(edges, key=lambda edge: -1 if edge.id is None else edge.id))
    return Graph(nodes=nodes, edges=ordered, **_known(Graph, network.graph))


def _known(cls: type[msgspec.Struct], data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name in cls.__struct_fields__}
