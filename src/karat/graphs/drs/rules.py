"""Discourse representation graphs: conditions, and which nodes are what."""

from __future__ import annotations

from typing import Literal, TypeAlias

from karat.graphs.model import Graph

MEMBER = "∈"

CONDITIONS: dict[str, str] = {
    "EQU": "=",
    "NEQ": "≠",
    "APX": "≈",
    "LES": "<",
    "LEQ": "≤",
    "TPR": "≺",
    "TAB": "⋈",
    "SXN": "«",
    "SXP": "»",
    "SXY": "≖",
    "SZN": "\\",
    "SZP": "/",
    "STI": "⊍",
    "STO": "⊍",
    "SY1": "∥",
    "SY2": "⚮",
}
"""The operators between referents, and the symbols that label them."""

OPERATORS: dict[str, str] = {symbol: name for name, symbol in reversed(CONDITIONS.items())}
"""The operator of each symbol; the first where two have the same."""

Kind: TypeAlias = Literal["box", "node", "role", "condition"]


def kinds(graph: Graph) -> dict[int, Kind]:
    """The kind of each node, told from the structure.

    Boxes have no label, are members of no box, and are tops, have members, or are reached by
    a discourse relation; roles (in upper case) and conditions have one unlabelled edge that
    leads to them and one that leads on.
    """
    result: dict[int, Kind] = {}
    tops = frozenset(graph.tops)
    for node in graph.nodes:
        entering, leaving = graph.incoming[node.id], graph.outgoing[node.id]
        bare_in = [edge for edge in entering if edge.label is None]
        bare_out = [edge for edge in leaving if edge.label is None]
        if node.label is not None:
            named = node.label in OPERATORS or node.label[:1].isupper()
            if named and len(bare_in) == len(bare_out) == len(leaving) == 1:
                result[node.id] = "condition" if node.label in OPERATORS else "role"
            else:
                result[node.id] = "node"
            continue
        is_member = any(edge.label == MEMBER for edge in entering)
        is_box = not is_member and (
            node.id in tops
            or any(edge.label == MEMBER for edge in leaving)
            or any(
                edge.label is not None and edge.label != MEMBER and edge.label.isupper()
                for edge in entering
            )
        )
        result[node.id] = "box" if is_box else "node"
    return result
