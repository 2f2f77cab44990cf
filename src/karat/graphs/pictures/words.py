"""Two bilexical graphs over the same words: gold's arcs above them, the system's below."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from karat.core.shown import Arc, Arcs, Kind, Word
from karat.graphs.model import Graph
from karat.graphs.pictures.content import KINDS, Style
from karat.graphs.pictures.layout import bilexical_words, is_bilexical
from karat.graphs.pictures.marked import Look, MarkedGraph, Part, Side


class OverWords(NamedTuple):
    """Both graphs as words with arcs."""

    gold: Arcs
    system: Arcs


_NOTES: tuple[Look, ...] = ("label", "anchor", "property")


def over_words(found: MarkedGraph, system: object, gold: object) -> OverWords | None:
    """Bilexical graphs over their words; None where the graphs are others, or cannot be so drawn.

    That is where edges have attributes, or nodes do not stand for words.
    """
    if not (isinstance(gold, Graph) and isinstance(system, Graph) and is_bilexical(gold)):
        return None
    if found.beside() or any(notes for _, _, notes in found.edges()):
        return None
    known, words = bilexical_words(gold, Style())
    places = {node.id: node.id for graph in (system, gold) for node in graph.nodes} | known
    position = {node: places.get(found.names.get(node)) for node in found.nodes}  # type: ignore[call-overload]
    used = {node for part, _ in found.parts for node in part.nodes}
    if any(not _stands(position.get(node), len(words)) for node in used):
        return None
    drawing = _Drawing(found, position, [(word.form, list(word.below)) for word in words])
    return OverWords(drawing.side("missing"), drawing.side("surplus"))


def _stands(place: int | None, words: int) -> bool:
    return place is not None and 0 <= place < words


class _Drawing:
    def __init__(
        self,
        found: MarkedGraph,
        position: dict[Hashable, int | None],
        words: list[tuple[str, list[str]]],
    ) -> None:
        self.found = found
        self.position = position
        self.words = words

    def side(self, own: Side) -> Arcs:
        """The words and arcs of one side: what both have, and what it has alone."""
        arcs: list[Arc] = []
        for part, side, source, target in self._lines():
            if side in ("", own):
                other = bool(side) and self._has_partner(part, side)
                kind = Kind.CHANGED if other else KINDS[side]
                arcs.append(Arc(source, target, part.text, kind))
        notes = self._notes(own)
        nodes = {
            self.position[node]: side for node, side in self.found.nodes.items() if side == own
        }
        return Arcs(
            [
                Word(form, below, KINDS[nodes.get(i, "")], notes.get(i, ""))
                for i, (form, below) in enumerate(self.words)
            ],
            arcs,
        )

    def _lines(self) -> Iterable[tuple[Part, Side, int, int]]:
        """Edges, and tops as arcs from above."""
        for node in self.found.nodes:
            for part, side in self.found.of(node, "top"):
                yield part, side, -1, self._place(node)
        for part, side, _ in self.found.edges():
            yield part, side, self._place(part.nodes[0]), self._place(part.nodes[1])

    def _place(self, node: Hashable) -> int:
        place = self.position[node]
        assert place is not None
        return place

    def _has_partner(self, part: Part, side: Side) -> bool:
        """Whether the other side has an edge of another label between the same words."""
        return part.look == "edge" and any(
            other.nodes == part.nodes and theirs not in ("", side)
            for other, theirs, _ in self.found.edges()
        )

    def _notes(self, own: Side) -> dict[int, str]:
        """What differs at words besides arcs: labels, properties, anchors."""
        texts: dict[int, list[str]] = {}
        for node in self.found.nodes:
            place = self.position[node]
            for part, side in self.found.of(node, *_NOTES):
                if side == own and place is not None:
                    texts.setdefault(place, []).append(part.text)
        return {place: ", ".join(each) for place, each in texts.items()}
