"""Enhanced dependencies against gold, as in the shared tasks of IWPT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from karat.core.capabilities import Looked, ToLookAt
from karat.core.marks import count, main
from karat.core.metric import Counts, Explanation
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import LookedOnce, Shown, ShownPairs, shown_pairs
from karat.errors import FormatError, KaratError, counted
from karat.trees.content import Graph, Labelled, shown_edges
from karat.trees.enhanced import Edge, Nodes, edge_lists
from karat.trees.metrics.ud import DocumentMetric, Given
from karat.trees.model import Tree
from karat.trees.sentence_alignment import Part, share_of

_NAN = float("nan")
_TOLD = ("word", "form", "head", "label")


class Elas(DocumentMetric):
    """Labelled edges of enhanced dependencies that system and gold share (ELAS, EULAS).

    Words are aligned as for `ud`. An edge is right if its dependents and its heads are aligned (or
    both heads are the root) and its labels are equal; EULAS leaves subtypes out. Each edge is
    used once, so a file against itself is always 1. Paths through empty nodes are one edge with
    the labels joined, as the shared task collapses them.

    Bouma et al., IWPT 2021.
    """

    name = "elas"
    columns = ("gold", "system", "correct", "universal", "doubled")

    empty_nodes: Annotated[Nodes, "paths through empty nodes become edges, or are left out"] = (
        "collapse"
    )
    ignore: Annotated[
        tuple[Literal[1, 2, 3, 4, 5, 6], ...],
        "enhancements to leave out: 1 gapping, 2 shared parents, 3 shared dependents, 4 control, "
        "5 relative clauses, 6 case",
    ] = ()
    compat: Annotated[
        Literal["none", "udtools"], "count equal edges more than once, and ignore as that script"
    ] = "none"

    def measure(self, system: Given, gold: Tree) -> Counts:
        compared = self._compared(system, gold)
        ours = compared.gold.edges
        counted: list[Sequence[Edge]] = []
        correct = universal = 0
        for part, side in compared.parts:
            counted += [side.edges[word - 1] for word in part.counted]
            for own, partner in zip(side.edges, part.partners, strict=True):
                if partner:
                    aligned = [_moved(edge, part.partners) for edge in own]
                    theirs = ours[partner - 1]
                    correct += self._common(aligned, theirs)
                    universal += self._common(_universal(aligned), _universal(theirs))
        return (
            sum(map(len, ours)),
            sum(map(len, counted)),
            correct,
            universal,
            sum(len(edges) - len(set(edges)) for edges in (*ours, *counted)),
        )

    def _common(self, system: Sequence[Edge], gold: Sequence[Edge]) -> int:
        if self.compat == "udtools":
            return sum(gold.count(edge) for edge in system)
        if system == gold:  # as nearly always
            return len(gold)
        return (Counter(system) & Counter(gold)).total()

    def summarize(self, totals: Array) -> Scores:
        gold, system, correct, universal, _ = self.columns_of(totals)

        def figures(right: Array) -> dict[str, Any]:
            return {
                "correct": count(right),
                "precision": ratio(right, system, _NAN),
                "recall": ratio(right, gold, _NAN),
                "f": ratio(2 * right, gold + system, _NAN),
            }

        labelled, unlabelled = figures(correct), figures(universal)
        labelled["f"] = main(labelled["f"])
        return {
            "elas": labelled,
            "eulas": unlabelled,
            "gold": count(gold),
            "system": count(system),
        }

    def objection(self, totals: Array) -> KaratError | None:
        if not totals[0]:
            error = FormatError(
                "no word of gold has enhanced dependencies: the ninth column (DEPS) is empty",
                code="K242",
            )
            error.side = "gold"
            return error
        return None

    def caveats(self, totals: Array) -> list[str]:
        doubled = int(totals[4])
        return [f"{counted(doubled, 'edge is', 'edges are')} written twice"] if doubled else []

    def explain(self, system: Given, gold: Tree) -> Explanation:
        """The edges that one side has alone."""
        return self._compared(system, gold).explained()

    def shown(self, system: Given, gold: Tree, explanation: Explanation) -> Shown:
        return self._compared(system, gold).shown(explanation)

    def look_at(self, chunk: ToLookAt) -> Looked:
        return _Look(chunk, self._compared)

    def _compared(self, system: Given, gold: Tree) -> _Compared:
        parts = share_of(system, gold).parts
        return _Compared(self._side(gold), [(part, self._side(part.tree)) for part in parts])

    def _side(self, tree: Tree) -> _Side:
        found = edge_lists(tree, self.empty_nodes, self.ignore, self.compat == "udtools")
        together = [list(Counter(each).elements()) if len(each) > 2 else each for each in found]
        return _Side(tree, together)


class _Look(LookedOnce):
    """Many pairs; the edges of each are read once for all outputs."""

    def __init__(self, chunk: ToLookAt, compared: Callable[[Any, Any], _Compared]) -> None:
        super().__init__(chunk.asked)
        self._pairs = chunk.pairs
        self._compared = compared

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        explanations: list[bytes] = []

        def seen() -> Iterator[Shown]:
            for pair in self._pairs():
                compared = self._compared(*pair)
                explanation = compared.explained()
                if told:
                    explanations.append(msgspec.json.encode(explanation))
                if shown:
                    yield compared.shown(explanation)

        found = shown_pairs(seen())
        return explanations if told else None, found if shown else None


class _Side(NamedTuple):
    """A tree with the edges of each word, equal ones together."""

    tree: Tree
    edges: Sequence[Sequence[Edge]]

    def told(self, word: int, edge: Edge) -> tuple[int, str, str, str]:
        """What an explanation says of an edge: see `_TOLD`."""
        head = self.tree.form(max(edge.head, 0))
        return word, self.tree.form(word), head, ">".join(edge.labels)

    def drawn(self, counted: Collection[int]) -> list[Labelled]:
        """The edges of some words as they are drawn."""
        return [
            (word, edge.head, (told := self.told(word, edge))[-1], told)
            for word, edges in enumerate(self.edges, 1)
            if word in counted
            for edge in edges
        ]


class _Compared(NamedTuple):
    """Gold, and the system's sentences that lie in it, with their edges."""

    gold: _Side
    parts: list[tuple[Part, _Side]]

    def explained(self) -> Explanation:
        ours = self.gold.edges
        complete: set[int] = set()
        matched: dict[int, Counter[Edge]] = {}
        surplus = []
        for part, side in self.parts:
            for word in part.counted:
                partner, own = part.partners[word - 1], side.edges[word - 1]
                aligned = [_moved(edge, part.partners) for edge in own]
                if partner and aligned == ours[partner - 1]:  # as nearly always
                    complete.add(partner)
                    continue
                common = Counter(aligned) & Counter(ours[partner - 1] if partner else ())
                if partner:
                    matched[partner] = matched.get(partner, Counter()) + common
                for edge, other in zip(own, aligned, strict=True):
                    if common[other] > 0:
                        common[other] -= 1
                    else:
                        surplus.append(side.told(word, edge))
        missing = [
            self.gold.told(word, edge)
            for word, edges in enumerate(ours, 1)
            if word not in complete
            for edge in (Counter(edges) - matched.get(word, Counter())).elements()
        ]
        sides = {"missing": missing, "surplus": surplus}
        return {
            name: [dict(zip(_TOLD, each, strict=True)) for each in found]
            for name, found in sides.items()
        }

    def shown(self, explanation: Explanation) -> Shown:
        """Edges of words that count towards other sentences are not drawn."""
        gold = self.gold.tree
        every = range(1, len(gold) + 1)
        systems = [
            Graph(side.tree, side.drawn(frozenset(part.counted)), part.partners)
            for part, side in self.parts
        ]
        return shown_edges(Graph(gold, self.gold.drawn(every), every), systems, explanation)


def _moved(edge: Edge, partners: Sequence[int]) -> Edge:
    """An edge with the gold word of its head; below 0 where that has none."""
    if edge.head < 0:  # from nowhere: not that of gold, either
        return Edge(edge.head - 1, edge.labels)
    return Edge(partners[edge.head - 1] or -edge.head if edge.head else 0, edge.labels)


def _universal(edges: Sequence[Edge]) -> list[Edge]:
    return [edge.universal() for edge in edges]
