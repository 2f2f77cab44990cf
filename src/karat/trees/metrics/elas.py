"""Enhanced dependencies against gold, as in the shared tasks of IWPT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec

from karat.core.capabilities import Looked, ToLookAt
from karat.core.marks import count, main
from karat.core.metric import Counts, Explanation
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import LookedOnce, Shown, ShownPairs, shown_pairs
from karat.errors import FormatError, KaratError
from karat.trees.enhanced import Edge, Nodes, edge_lists, edges_of
from karat.trees.metrics.ud import DocumentMetric, Given
from karat.trees.model import Tree
from karat.trees.sentence_alignment import Part, share_of

if TYPE_CHECKING:
    from karat.trees.content import Labelled

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
        share = share_of(system, gold)
        ours = self._edges(gold)
        theirs = [self._edges(part.tree) for part in share.parts]
        counted = [
            edges[word - 1]
            for part, edges in zip(share.parts, theirs, strict=True)
            for word in part.counted
        ]
        correct = universal = 0
        for part, edges in zip(share.parts, theirs, strict=True):
            for own, partner in zip(edges, part.partners, strict=True):
                if not partner:
                    continue
                aligned = _aligned(own, part.partners)
                correct += self._common(aligned, ours[partner - 1])
                universal += self._common(_universal(aligned), _universal(ours[partner - 1]))
        return (
            sum(each.total() for each in ours),
            sum(each.total() for each in counted),
            correct,
            universal,
            sum(each.total() - len(each) for each in (*ours, *counted)),
        )

    def _edges(self, tree: Tree) -> list[Counter[Edge]]:
        return edges_of(tree, self.empty_nodes, self.ignore, self.compat == "udtools")

    def _common(self, system: Counter[Edge], gold: Counter[Edge]) -> int:
        if self.compat == "udtools":
            return sum(times * gold[edge] for edge, times in system.items())
        return (system & gold).total()

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
            return FormatError(
                "no word of gold has enhanced dependencies: the ninth column (DEPS) is empty",
                code="K242",
            )
        return None

    def caveats(self, totals: Array) -> list[str]:
        doubled = int(totals[4])
        return [f"{doubled} edges are written twice"] if doubled else []

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
        options = self.empty_nodes, self.ignore, self.compat == "udtools"
        return _Side(tree, edge_lists(tree, *options))


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


class _Side:
    """A tree with its edges, and the columns that are told of, each read once."""

    def __init__(self, tree: Tree, edges: Sequence[Sequence[Edge]]) -> None:
        self.tree = tree
        self.edges = [list(_together(each)) if len(each) > 1 else each for each in edges]
        """The edges of each word, equal ones together."""
        self.forms: Sequence[str] = tree.forms or tuple(map(str, range(1, len(tree) + 1)))

    def told(self, word: int, edge: Edge) -> tuple[int, str, str, str]:
        """What an explanation says of an edge: see `_TOLD`."""
        head = self.forms[edge.head - 1] if edge.head > 0 else "ROOT"
        return word, self.forms[word - 1], head, ">".join(edge.labels)

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
        from karat.trees.content import shown_edges

        gold = self.gold.tree
        systems = [(side.tree, side.drawn(frozenset(part.counted))) for part, side in self.parts]
        everything = range(1, len(gold) + 1)
        return shown_edges((gold, self.gold.drawn(everything)), systems, explanation)


def _aligned(edges: Counter[Edge], partners: Sequence[int]) -> Counter[Edge]:
    """Edges with the gold words of their heads; -1 where a head has none."""
    result: Counter[Edge] = Counter()
    for edge, times in edges.items():
        result[_moved(edge, partners)] += times
    return result


def _moved(edge: Edge, partners: Sequence[int]) -> Edge:
    if edge.head < 0:  # from nowhere: not that of gold, either
        return Edge(edge.head - 1, edge.labels)
    return Edge(partners[edge.head - 1] or -edge.head if edge.head else 0, edge.labels)


def _together(edges: Sequence[Edge]) -> Iterator[Edge]:
    """Edges with equal ones after the first of them."""
    return Counter(edges).elements()


def _universal(edges: Counter[Edge]) -> Counter[Edge]:
    result: Counter[Edge] = Counter()
    for edge, times in edges.items():
        result[edge.universal()] += times
    return result
