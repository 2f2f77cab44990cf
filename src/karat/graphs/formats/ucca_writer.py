"""Graphs as UCCA passages in XML."""

from __future__ import annotations

from karat.graphs.errors import cannot_hold
from karat.graphs.model import Anchor, Edge, Graph, is_false


def passage(graph: Graph) -> str:
    """The passage with one unit per node; terminals are the distinct anchors."""
    if graph.input is None and graph.is_anchored:
        raise cannot_hold(graph, "UCCA", "it has anchors but no input")
    anchors = sorted({anchor for node in graph.nodes for anchor in node.anchors})
    if graph.input and not anchors:
        raise cannot_hold(graph, "UCCA", "nothing in it is anchored, and its input would be lost")
    terminal = {anchor: i for i, anchor in enumerate(anchors, 1)}
    marks = {
        anchor
        for edge in graph.edges
        if (edge.label or "").upper() == "U"
        for anchor in graph.node_of[edge.target].anchors
    }
    lines = [
        f'<root passageID={_attribute(graph.id)} annotationID="0">',
        "  <attributes />",
        '  <layer layerID="0">',
        "    <attributes />",
    ]
    for anchor, number in terminal.items():
        form = _attribute((graph.input or "")[anchor.start : anchor.end])
        lines += [
            f'    <node ID="0.{number}" type="{"Punctuation" if anchor in marks else "Word"}">',
            f'      <attributes text={form} paragraph="1" paragraph_position="{number}" />',
            "    </node>",
        ]
    lines += ["  </layer>", '  <layer layerID="1">', "    <attributes />"]
    units = _numbered(graph)
    for node, number in units.items():
        lines += _unit(graph, node, number, units, terminal)
    return "\n".join([*lines, "  </layer>", "</root>"])


def _numbered(graph: Graph) -> dict[int, int]:
    """The units breadth first from those without primary parents, tops before others."""
    roots = [
        node.id for node in graph.nodes if all(edge.is_remote for edge in graph.incoming[node.id])
    ]
    queue = [*graph.tops, *(root for root in roots if root not in graph.tops)]
    units: dict[int, int] = {}
    # A cycle has no root: whatever is not reached begins anew.
    for start in (*queue, *(node.id for node in graph.nodes)):
        if start in units:
            continue
        level = [start]
        while level:
            following = []
            for node in level:
                if node not in units:
                    units[node] = len(units) + 1
                    following += sorted(
                        {edge.target for edge in graph.outgoing[node] if not edge.is_remote}
                    )
            level = following
    return units


def _unit(
    graph: Graph, node: int, number: int, units: dict[int, int], terminal: dict[Anchor, int]
) -> list[str]:
    implicit = graph.node_of[node].property("implicit")
    shown = ' implicit="True"' if implicit is not None and not is_false(implicit) else ""
    lines = [f'    <node ID="1.{number}" type="FN">', f"      <attributes{shown} />"]
    for anchor in graph.node_of[node].anchors:
        lines += _edge(f"0.{terminal[anchor]}", ["Terminal"], False)
    children: dict[tuple[bool, int], list[Edge]] = {}
    for edge in graph.outgoing[node]:
        children.setdefault((edge.is_remote, edge.target), []).append(edge)
    for (remote, target), edges in sorted(
        children.items(), key=lambda item: (units[item[0][1]], item[0][0])
    ):
        tags = sorted(edge.label or "" for edge in edges)
        lines += _edge(f"1.{units[target]}", tags, remote)
    return [*lines, "    </node>"]


def _edge(target: str, tags: list[str], remote: bool) -> list[str]:
    return [
        f'      <edge toID="{target}" type={_attribute(tags[0])}>',
        f"        <attributes{' remote=' + chr(34) + 'True' + chr(34) if remote else ''} />",
        *(f"        <category tag={_attribute(tag)} />" for tag in tags),
        "      </edge>",
    ]


def _attribute(text: str) -> str:
    """A value in quotes, with what XML needs escaped."""
    from xml.sax.saxutils import quoteattr  # loads much that only writing needs

    return quoteattr(text)
