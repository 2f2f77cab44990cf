"""Two graphs laid over each other, or two lists of clauses, as the page takes them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from karat.core.metric import Explanation
from karat.core.shown import Arrow, Fault, Form, Kind, Line, Node, Overlay, Shown
from karat.graphs.drs.clauses import Clause, is_constant, title, written
from karat.graphs.pictures.marked import MarkedGraph, Part, Side

LAYER = "clauses"


def shown_clauses(
    system: Sequence[Clause], gold: Sequence[Clause], explanation: Explanation
) -> Shown:
    """The clauses that were compared, each beside the one that it corresponds to.

    A missing and a surplus clause of the same box and referents are one that changed.
    """
    partner: dict[str, str] = dict(explanation["correspondences"])
    lost, new = set(explanation["missing"]), set(explanation["surplus"])
    place = {clause: i for i, clause in enumerate(system)}
    left: dict[tuple[str | None, ...], list[int]] = {}
    for i, clause in enumerate(system):
        if written(clause) in new:
            left.setdefault(_ends(clause), []).append(i)
    marks: list[int] = []
    faults: list[Fault] = []
    for i, clause in enumerate(gold):
        same = left.get(_ends(clause, partner))
        if written(clause) not in lost:
            j = place[_image(clause, partner)]
            marks += [Kind.MATCHED, 0, i, i + 1, j, j + 1]
        elif same:
            j = same.pop(0)
            marks += [Kind.CHANGED, 0, i, i + 1, j, j + 1]
            faults.append(Fault("clauses", Kind.CHANGED, title(clause), title(system[j])))
        else:
            marks += [Kind.MISSING, 0, i, i + 1, -1, -1]
            faults.append(Fault("clauses", Kind.MISSING, title(clause), ""))
    for j in sorted(j for found in left.values() for j in found):
        marks += [Kind.SURPLUS, 0, -1, -1, j, j + 1]
        faults.append(Fault("clauses", Kind.SURPLUS, "", title(system[j])))
    other = [f"{mine} is {theirs}" for mine, theirs in partner.items() if mine != theirs]
    notes = [f"variables of gold in the system's structure: {', '.join(other)}"] if other else []
    return Shown(
        [Form([written(clause) for clause in gold])],
        Form([written(clause) for clause in system]),
        layers={LAYER: marks},
        notes=notes,
        faults=faults,
    )


def _image(clause: Clause, partner: dict[str, str]) -> Clause:
    """A clause of gold with the system's variables."""
    arguments = tuple(partner.get(each, each) for each in clause.arguments)
    return Clause(partner.get(clause.box, ""), clause.name, arguments)


def _ends(clause: Clause, partner: dict[str, str] | None = None) -> tuple[str | None, ...]:
    """Box and referents, of gold's clauses as the system calls them; a sense is none of them."""
    arguments = clause.arguments[1:] if clause.kind == "concepts" else clause.arguments
    if partner is None:
        return clause.box, *arguments
    named = (each if is_constant(each) else partner.get(each) for each in arguments)
    return partner.get(clause.box), *named


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
Marked = tuple[Part, Side]


@dataclass(frozen=True, slots=True)
class Style:
    """Options of a drawing."""

    ids: bool = False
    strings: bool = False
    properties: bool = True


class _Piece(NamedTuple):
    """A text of an overlay, and whether both graphs have it."""

    text: str
    kind: Kind


def shown_overlay(found: MarkedGraph, source: str | None, directed: bool = True) -> Shown:
    """Gold with the marks of a system's graph; what only differs in its name is changed."""
    sheet = Sheet(found, directed=directed)
    return Shown(source=source, overlay=sheet.overlay, faults=sheet.faults)


class Sheet:
    """Two graphs laid over each other: the overlay, and errors to count."""

    def __init__(
        self, found: MarkedGraph, *, directed: bool = True, style: Style | None = None
    ) -> None:
        self.found = found
        self.style = style or Style()
        self.faults: list[Fault] = []
        position = {node: i for i, node in enumerate(found.nodes)}
        nodes = [self._node(node, side) for node, side in found.nodes.items()]
        arrows = []
        for part, piece, notes in self._edges():
            lines = [Line(note.text, KINDS[side], "attribute") for note, side in notes]
            source, target = position[part.nodes[0]], position[part.nodes[1]]
            arrows.append(Arrow(source, target, piece.kind, piece.text, lines, directed))
        beside = [Line(part.text, KINDS[side], "beside") for part, side in found.beside()]
        self._count(found.beside())
        said = (position[node] for node in found.words if node in position)
        reading = [i for i in said if any(line.look == "words" for line in nodes[i].lines)]
        self.overlay = Overlay(nodes, arrows, beside, reading)

    def _node(self, node: Hashable, side: Side) -> Node:
        found, style = self.found, self.style
        lines = [Line(f"#{found.names[node]}", 0, "id")] if style.ids else []
        of_look: dict[str, list[Marked]] = {}
        for each in found.of_node(node):
            of_look.setdefault(each[0].look, []).append(each)
        labels = of_look.get("label", ())
        lines += self._lines(labels, "label")
        words = "" if labels and not style.strings else found.words.get(node, "")
        if words:
            lines.append(Line(words, Kind.MATCHED, "words"))
        if "anchor" in of_look:
            anchors = self._lines([each for each in of_look["anchor"] if each[1]], "anchor")
            # The words of a missing node are its missing anchor.
            lines += [] if words and side == "missing" else anchors
        if "property" in of_look:
            properties = self._lines(of_look["property"], "property")
            if style.properties:
                lines += properties
        tops = of_look.get("top", ())
        top = -1
        if tops:
            self._count(tops)
            kinds = {KINDS[each] for _, each in tops}
            top = kinds.pop() if len(kinds) == 1 else Kind.CHANGED
        return Node(KINDS[side], lines, top)

    def _lines(self, parts: Sequence[Marked], look: str) -> list[Line]:
        if len(parts) == 1 and not parts[0][1]:  # as most are
            return [Line(parts[0][0].text, Kind.MATCHED, look)]
        return [Line(text, kind, look) for text, kind in self._joined(parts)]

    def _joined(self, parts: Sequence[Marked]) -> list[_Piece]:
        """The texts of parts of one place; a missing and a surplus one are one that changed."""
        lost = [part for part, side in parts if side == "missing"]
        new = [part for part, side in parts if side == "surplus"]
        result = [_Piece(part.text, Kind.MATCHED) for part, side in parts if not side]
        while lost and new:
            gold, system = lost.pop(0), new.pop(0)
            self.faults.append(Fault(_NOUNS[gold.look], Kind.CHANGED, gold.text, system.text))
            result.append(_changed(gold, system))
        for side, alone in (("missing", lost), ("surplus", new)):
            self._count([(part, side) for part in alone])  # type: ignore[misc]
            result += [_Piece(part.text, KINDS[side]) for part in alone]  # type: ignore[index]
        return result

    def _edges(self) -> Iterable[tuple[Part, _Piece, list[Marked]]]:
        """The edges; a missing and a surplus one between the same nodes are one that changed."""
        edges = list(self.found.edges())
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
                self.faults.append(Fault("edges", Kind.CHANGED, part.text, other.text))
                self._count([*notes, *more])
                yield part, _changed(part, other), [*notes, *more]
            elif side != "surplus" or part.look != "edge":
                self._count([(part, side), *notes])
                yield part, _Piece(part.text, KINDS[side]), notes
        for i, (part, side, notes) in enumerate(edges):
            if side == "surplus" and part.look == "edge" and i not in taken:
                self._count([(part, side), *notes])
                yield part, _Piece(part.text, Kind.SURPLUS), notes

    def _count(self, parts: Iterable[Marked]) -> None:
        for part, side in parts:
            if side:
                gold, system = (part.text, "") if side == "missing" else ("", part.text)
                self.faults.append(Fault(_NOUNS[part.look], KINDS[side], gold, system))


def _changed(gold: Part, system: Part) -> _Piece:
    """What gold and the system have at the same place, in one."""
    return _Piece(f"{gold.text} → {system.text}", Kind.CHANGED)
