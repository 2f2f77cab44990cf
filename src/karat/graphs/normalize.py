"""Normalisation before comparison: anchors, edges, case, attributes.

Each step may be taken alone, and taking any of them twice is taking it once.
``compat="mtool"`` does what mtool did, where published figures depend on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from msgspec.structs import replace

from karat.graphs.model import Anchor, Edge, Graph, Node, Value, is_false

Step: TypeAlias = Literal["anchors", "case", "edges", "attributes"]
Compat: TypeAlias = Literal["mtool"]
ALL: tuple[Step, ...] = get_args(Step)

PUNCTUATION = frozenset(".?!;,:“\"”‘'’()[]{} \t\n\f")
"""Characters that do not count at the ends of an anchor."""
BLANK = frozenset(" \t\n\f")
_DEFAULTS_TO_FALSE = frozenset(("remote", "effective", "member"))
_NEVER_INVERTED = frozenset(("consist-of", "subset-of"))


def normalize(graph: Graph, steps: Collection[Step] = ALL, compat: Compat | None = None) -> Graph:
    """The graph as metrics see it."""
    if not steps:
        return graph
    nodes: Iterable[Node] = graph.nodes
    if "anchors" in steps:
        text = graph.input
        nodes = [_with_anchors(node, text, compat) if node.anchors else node for node in nodes]
    if "case" in steps:
        nodes = [_lower_node(node) for node in nodes]
    edges = normal_edges(graph.edges, graph.framework, steps, compat)
    return replace(graph, nodes=tuple(nodes), edges=edges)


def normal_edges(
    edges: Iterable[Edge], framework: str | None, steps: Collection[Step],
    compat: Compat | None = None,
) -> tuple[Edge, ...]:  # fmt: skip
    """Edges of a graph, which the steps edges, case and attributes change."""
    if "edges" in steps:
        # Elsewhere only those that say so are turned around.
        all_of_them = compat is not None or framework == "amr"
        edges = [
            turned(edge, framework, compat) if all_of_them or edge.normal is not None else edge
            for edge in edges
        ]
    if "case" in steps:
        edges = [_lower_edge(edge) for edge in edges]
    if "attributes" in steps:
        edges = [_without_defaults(edge, compat) if edge.attributes else edge for edge in edges]
    return tuple(edges)


# -- anchors ------------------------------------------------------------------


def normal_anchors(
    anchors: Sequence[Anchor], text: str | None, compat: Compat | None = None
) -> tuple[Anchor, ...]:
    """Maximal stretches in order, without punctuation and blanks at their ends.

    Stretches that touch, overlap or have only blanks between them are one. What
    consists of punctuation alone keeps it, so that the node stays anchored; its
    set of positions is empty. Empty spans are no anchors. In mtool, blanks part
    stretches, and what consists of punctuation becomes an empty span.
    """
    if len(anchors) == 1 and text is not None and compat is None:
        # Most have one, which begins and ends with what counts.
        start, end = anchors[0].start, anchors[0].end
        if 0 <= start < end <= len(text) and not (
            text[start] in PUNCTUATION or text[end - 1] in PUNCTUATION
        ):
            return tuple(anchors)
    runs: list[list[int]] = []
    ordered = sorted(anchors) if len(anchors) > 1 else anchors
    for start, end in [(anchor.start, anchor.end) for anchor in ordered]:
        if end <= start:
            continue
        if runs and (
            start <= runs[-1][1]
            or (
                compat is None
                and text is not None
                and not text[runs[-1][1] : start].strip(" \t\n\f")
            )
        ):
            runs[-1][1] = max(runs[-1][1], end)
        else:
            runs.append([start, end])
    if text is None:
        return tuple(Anchor(start, end) for start, end in runs)
    result = []
    for start, end in runs:
        first, last = stripped(start, end, text, PUNCTUATION)
        if first == last and compat is None:
            first, last = stripped(start, end, text, BLANK)
            if first == last:
                first, last = start, end
        result.append(Anchor(first, last))
    return tuple(result)


def stripped(start: int, end: int, text: str, marks: frozenset[str]) -> tuple[int, int]:
    """A span within the text, without marks at its ends."""
    if 0 <= start < end <= len(text) and text[start] not in marks and text[end - 1] not in marks:
        return start, end
    end = min(end, len(text))
    start = min(max(start, 0), end)
    while start < end and text[start] in marks:
        start += 1
    while start < end and text[end - 1] in marks:
        end -= 1
    return start, end


def _with_anchors(node: Node, text: str | None, compat: Compat | None) -> Node:
    anchors = normal_anchors(node.anchors, text, compat)
    if anchors == node.anchors:
        return node
    return replace(node, anchors=anchors)


def spans(anchors: Iterable[Anchor]) -> tuple[tuple[int, int], ...]:
    """Anchors as plain pairs, as they are."""
    return tuple((anchor.start, anchor.end) for anchor in anchors)


# -- edges --------------------------------------------------------------------


@lru_cache(maxsize=4096)
def uninverted(label: str, compat: Compat | None = None) -> str | None:
    """The label of an AMR edge once it is turned around, or None where it is not inverted.

    >>> uninverted("ARG0-of"), uninverted("mod"), uninverted("prep-out-of")
    ('ARG0', 'domain', None)
    >>> uninverted("consist-of"), uninverted("consist-of", compat="mtool")
    (None, 'consist')
    """
    known = label if compat else label.lower()
    if known == "mod":
        return "domain"
    if known.endswith("-of-of"):
        return label[:-3]
    if known.endswith("-of") and not known.startswith("prep-"):
        return None if compat is None and known in _NEVER_INVERTED else label[:-3]
    return None


def turned(edge: Edge, framework: str | None, compat: Compat | None = None) -> Edge:
    """The edge in its normal direction.

    One that states its `normal` label is turned whatever the framework; a label
    is taken for inverted only in AMR. In mtool that was done to all frameworks,
    and once only.
    """
    source, target, label, normal = edge.source, edge.target, edge.label, edge.normal
    if normal is None and label is not None and (compat or framework == "amr"):
        normal = uninverted(label, compat)
    if normal is None:
        return edge
    while normal is not None:
        source, target, label = target, source, normal or None
        normal = uninverted(label) if label and compat is None and framework == "amr" else None
    return replace(edge, source=source, target=target, label=label, normal=None)


# -- case and attributes ------------------------------------------------------


def lowered(value: Value) -> str:
    """A value as a lower-case string; JSON's words for truth values.

    >>> lowered("Past"), lowered(3), lowered(True)
    ('past', '3', 'true')
    """
    return str(value).lower()


def _lower_node(node: Node) -> Node:
    label = node.label
    if not node.properties and not node.values and (label is None or label == label.lower()):
        return node
    label = None if label is None else label.lower()
    return replace(
        node,
        label=label,
        properties=tuple([name.lower() for name in node.properties]),
        values=tuple([lowered(value) for value in node.values]),
    )


def _lower_edge(edge: Edge) -> Edge:
    label = None if edge.label is None else edge.label.lower()
    normal = None if edge.normal is None else edge.normal.lower()
    if label == edge.label and normal == edge.normal and not edge.attributes and not edge.values:
        return edge
    return replace(
        edge,
        label=label,
        normal=normal,
        attributes=tuple([name.lower() for name in edge.attributes]),
        values=tuple([lowered(value) for value in edge.values]),
    )


def _without_defaults(edge: Edge, compat: Compat | None) -> Edge:
    kept = [
        (name, value)
        for name, value in zip(edge.attributes, edge.values, strict=False)
        if not _is_default(name, value, compat)
    ]
    names, values = tuple(zip(*kept, strict=True)) or ((), ())
    return replace(edge, attributes=names, values=values)


def _is_default(name: str, value: Value, compat: Compat | None) -> bool:
    if compat:
        return name in _DEFAULTS_TO_FALSE and value == "false"
    return name.lower() in _DEFAULTS_TO_FALSE and is_false(value)
