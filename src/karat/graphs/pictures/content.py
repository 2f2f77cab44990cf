"""Two graphs laid over each other as the page takes them: topology, marks, and errors to count."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from karat.core.shown import Arrow, Fault, Kind, Line, Node, Overlay, Shown
from karat.graphs.pictures.marked import MarkedGraph, Part, Side

KINDS: dict[Side, Kind] = {"": Kind.MATCHED, "missing": Kind.MISSING, "surplus": Kind.SURPLUS}
_NOUNS = {
    "label": "labels",
    "edge": "edges",
    "property": "properties",
    "anchor": "anchors",
    "attribute": "attributes",
    "top": "tops",
    "beside": "parts",
}
_SHOWN_IN_BOX = ("label", "anchor", "property")
Marked = tuple[Part, Side]


def shown_overlay(found: MarkedGraph, source: str | None, directed: bool = True) -> Shown:
    """Gold with the marks of a system's graph; what only differs in its name is changed."""
    faults: list[Fault] = []
    position = {node: i for i, node in enumerate(found.nodes)}
    nodes = [_node(found, node, side, faults) for node, side in found.nodes.items()]
    arrows = [
        Arrow(
            position[part.nodes[0]], position[part.nodes[1]], kind, text,
            [Line(note.text, KINDS[side], "attribute") for note, side in notes], directed,
        )
        for part, kind, text, notes in _edges(found, faults)
    ]  # fmt: skip
    beside = [Line(part.text, KINDS[side], "beside") for part, side in found.beside()]
    _count(faults, found.beside())
    return Shown(source=source, overlay=Overlay(nodes, arrows, beside), faults=faults)


def _node(found: MarkedGraph, node: Hashable, side: Side, faults: list[Fault]) -> Node:
    lines: list[Line] = []
    own: dict[str, list[Marked]] = {}
    for each in found.of_node(node):
        own.setdefault(each[0].look, []).append(each)
    for look in _SHOWN_IN_BOX:
        if look in own:
            lines += [Line(text, kind, look) for text, kind in _joined(own[look], faults)]
    if "label" not in own and (words := found.words.get(node, "")):
        lines.insert(0, Line(words, Kind.MATCHED, "words"))
    tops = own.get("top")
    top = -1
    if tops:
        _count(faults, tops)
        kinds = {KINDS[each] for _, each in tops}
        top = kinds.pop() if len(kinds) == 1 else Kind.CHANGED
    return Node(KINDS[side], lines, top)


def _joined(parts: Sequence[Marked], faults: list[Fault]) -> list[tuple[str, Kind]]:
    """The texts of parts of the same place; a missing and a surplus one are one that changed."""
    if len(parts) == 1 and not parts[0][1]:
        return [(parts[0][0].text, Kind.MATCHED)]
    lost = [part for part, side in parts if side == "missing"]
    new = [part for part, side in parts if side == "surplus"]
    result = [(part.text, Kind.MATCHED) for part, side in parts if not side]
    while lost and new:
        gold, system = lost.pop(0), new.pop(0)
        faults.append(Fault(_NOUNS[gold.look], Kind.CHANGED, gold.text, system.text))
        result.append((f"{gold.text} → {system.text}", Kind.CHANGED))
    _count(faults, [*((part, "missing") for part in lost), *((part, "surplus") for part in new)])
    return [
        *result,
        *((part.text, Kind.MISSING) for part in lost),
        *((part.text, Kind.SURPLUS) for part in new),
    ]


def _edges(
    found: MarkedGraph, faults: list[Fault]
) -> Iterable[tuple[Part, Kind, str, list[Marked]]]:
    """The edges; a missing and a surplus one between the same nodes are one that changed."""
    edges = list(found.edges())
    new: dict[tuple[Hashable, ...], list[int]] = {}
    for i, (part, side, _) in enumerate(edges):
        if side == "surplus" and part.look == "edge":
            new.setdefault(part.nodes, []).append(i)
    taken: set[int] = set()
    for part, side, notes in edges:
        if side == "missing" and part.look == "edge" and new.get(part.nodes):
            i = new[part.nodes].pop(0)
            taken.add(i)
            other, _, more = edges[i]
            faults.append(Fault("edges", Kind.CHANGED, part.text, other.text))
            _count(faults, [*notes, *more])
            yield part, Kind.CHANGED, f"{part.text} → {other.text}", [*notes, *more]
        elif side != "surplus" or part.look != "edge":
            _count(faults, [(part, side), *notes])
            yield part, KINDS[side], part.text, notes
    for i, (part, side, notes) in enumerate(edges):
        if side == "surplus" and part.look == "edge" and i not in taken:
            _count(faults, [(part, side), *notes])
            yield part, KINDS[side], part.text, notes


def _count(faults: list[Fault], parts: Iterable[Marked]) -> None:
    for part, side in parts:
        if side:
            gold, system = (part.text, "") if side == "missing" else ("", part.text)
            faults.append(Fault(_NOUNS[part.look], KINDS[side], gold, system))
