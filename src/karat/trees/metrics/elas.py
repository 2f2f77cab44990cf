"""Enhanced dependencies against gold, as in the shared tasks of IWPT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal

from karat.core.marks import count, main
from karat.core.metric import Counts, Explanation
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import Shown
from karat.errors import FormatError, KaratError
from karat.trees.enhanced import Edge, Nodes, edges_of
from karat.trees.metrics.ud import DocumentMetric
from karat.trees.model import Tree
from karat.trees.sentence_alignment import Share, share_of

_NAN = float("nan")


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

    def measure(self, system: Share | Tree | Sequence[Tree], gold: Tree) -> Counts:
        share = _share(system, gold)
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

    def explain(self, system: Share | Tree | Sequence[Tree], gold: Tree) -> Explanation:
        """The edges that one side has alone."""
        share = _share(system, gold)
        ours = self._edges(gold)
        matched: list[Counter[Edge]] = [Counter() for _ in ours]
        surplus = []
        for part in share.parts:
            edges = self._edges(part.tree)
            for word in part.counted:
                partner = part.partners[word - 1]
                aligned = _aligned(edges[word - 1], part.partners)
                common = aligned & ours[partner - 1] if partner else Counter[Edge]()
                if partner:
                    matched[partner - 1] += common
                for own, other in zip(edges[word - 1].elements(), aligned.elements(), strict=True):
                    if common[other] > 0:
                        common[other] -= 1
                    else:
                        surplus.append(_told(part.tree, word, own))
        missing = [
            _told(gold, word, edge)
            for word, edges in enumerate(ours, 1)
            for edge in (edges - matched[word - 1]).elements()
        ]
        return {"missing": missing, "surplus": surplus}

    def shown(
        self, system: Share | Tree | Sequence[Tree], gold: Tree, explanation: Explanation
    ) -> Shown:
        from karat.trees.content import shown_edges

        return shown_edges(*self._sides(system, gold), explanation)

    def _sides(
        self, system: Share | Tree | Sequence[Tree], gold: Tree
    ) -> tuple[tuple[Tree, list[_Edge]], list[tuple[Tree, list[_Edge]]]]:
        """The edges of gold and of the parts of the system's sentences that lie in it."""
        share = _share(system, gold)
        systems = [
            (part.tree, self._told_edges(part.tree, frozenset(part.counted)))
            for part in share.parts
        ]
        everything = frozenset(range(1, len(gold) + 1))
        return (gold, self._told_edges(gold, everything)), systems

    def _told_edges(self, tree: Tree, counted: Collection[int]) -> list[_Edge]:
        """The edges of a tree as they are drawn; those of other sentences are not."""
        return [
            (word, edge.head, ">".join(edge.labels), _told(tree, word, edge))
            for word, edges in enumerate(self._edges(tree), 1)
            if word in counted
            for edge in edges.elements()
        ]


_Edge = tuple[int, int, str, dict[str, Any]]


def _share(system: Share | Tree | Sequence[Tree], gold: Tree) -> Share:
    if isinstance(system, Tree):
        system = [system]
    return system if isinstance(system, Share) else share_of(system, gold)


def _aligned(edges: Counter[Edge], partners: Sequence[int]) -> Counter[Edge]:
    """Edges with the gold words of their heads; -1 where a head has none."""
    result: Counter[Edge] = Counter()
    for edge, times in edges.items():
        if edge.head < 0:  # from nowhere: not that of gold, either
            head = edge.head - 1
        else:
            head = partners[edge.head - 1] or -edge.head if edge.head else 0
        result[Edge(head, edge.labels)] += times
    return result


def _universal(edges: Counter[Edge]) -> Counter[Edge]:
    result: Counter[Edge] = Counter()
    for edge, times in edges.items():
        result[edge.universal()] += times
    return result


def _told(tree: Tree, word: int, edge: Edge) -> dict[str, Any]:
    return {
        "word": word,
        "form": tree.form(word),
        "head": tree.form(edge.head),
        "label": ">".join(edge.labels),
    }
