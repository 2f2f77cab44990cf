"""Enhanced dependencies against gold, as in the shared tasks of IWPT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec

from karat.core.capabilities import Looked, ToLookAt
from karat.core.marks import count, main
from karat.core.metric import Counts, Explanation
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import Arc, Kind, LookedOnce, Shown, ShownPairs, shown_pairs
from karat.errors import FormatError, KaratError, counted
from karat.trees.content import Between, shown_edges
from karat.trees.enhanced import Edge, Nodes, edge_lists
from karat.trees.metrics.ud import DocumentMetric, Given
from karat.trees.model import Tree
from karat.trees.sentence_alignment import Part, share_of

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

    def measure(self, system: Given, gold: Tree) -> Counts:
        compared = self._compared(system, gold)
        ours = compared.gold.edges
        counted: list[Sequence[Edge]] = []
        correct = universal = 0
        for each in compared.parts:
            counted += [each.side.edges[word - 1] for word in each.part.counted]
            for aligned, partner in zip(each.aligned, each.part.partners, strict=True):
                if not partner:
                    continue
                theirs = ours[partner - 1]
                if aligned == theirs and self.compat == "none":  # as nearly always
                    correct += len(theirs)
                    universal += len(theirs)
                else:
                    correct += self._common(aligned, theirs)
                    universal += self._common(_universal(aligned), _universal(theirs))
        return (
            sum(map(len, ours)),
            sum(map(len, counted)),
            correct,
            universal,
            sum(len(edges) - len(set(edges)) for edges in (*ours, *counted) if len(edges) > 1),
        )

    def _common(self, system: Sequence[Edge], gold: Sequence[Edge]) -> int:
        if self.compat == "udtools":
            return sum(gold.count(edge) for edge in system)
        return _in_common(system, gold).total()

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
        return [f"{counted(doubled, 'edge is', 'edges are')} written twice"] if doubled else []

    def explain(self, system: Given, gold: Tree) -> Explanation:
        """The edges that one side has alone."""
        return self._compared(system, gold).explained()

    def shown(self, system: Given, gold: Tree, explanation: Explanation) -> Shown:
        return self._compared(system, gold).shown()

    def look_at(self, chunk: ToLookAt) -> Looked:
        return _Look(chunk, self._compared)

    def _compared(self, system: Given, gold: Tree) -> _Compared:
        parts = [_Part.of(part, self._side(part.tree)) for part in share_of(system, gold).parts]
        return _Compared(self._side(gold), parts)

    def _side(self, tree: Tree) -> _Side:
        found = edge_lists(tree, self.empty_nodes, self.ignore, self.compat == "udtools")
        together = [tuple(Counter(each).elements()) if len(each) > 2 else each for each in found]
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
                if told:
                    explanations.append(msgspec.json.encode(compared.explained()))
                if shown:
                    yield compared.shown()

        found = shown_pairs(seen())
        return explanations if told else None, found if shown else None


_Edges: TypeAlias = Sequence[tuple[Edge, ...]]
"""The edges of each word."""
_Alone: TypeAlias = dict[int, list[bool]]
"""Words with edges that the other side lacks, and which of its edges they are."""


class _Side(NamedTuple):
    """A tree with the edges of each word, equal ones together."""

    tree: Tree
    edges: _Edges

    def told(self, alone: _Alone) -> list[dict[str, Any]]:
        """What an explanation says of edges."""
        form = self.tree.form
        return [
            {
                "word": word,
                "form": form(word),
                "head": form(max(edge.head, 0)),
                "label": ">".join(edge.labels),
            }
            for word, which in alone.items()
            for edge in compress(self.edges[word - 1], which)
        ]

    def drawn(self, words: Iterable[int], alone: _Alone, kind: Kind, first: int) -> list[Arc]:
        """The edges of some words as they are drawn; the tree stands from the word `first` on."""
        arcs = []
        for word in words:
            which = alone.get(word)
            for i, (head, labels) in enumerate(self.edges[word - 1]):
                own = kind if which and which[i] else Kind.MATCHED
                source = head - 1 + first if head > 0 else -1
                arcs.append(Arc(source, word - 1 + first, ">".join(labels), own))
        return arcs


class _Part(NamedTuple):
    """A system sentence with its edges."""

    part: Part
    side: _Side
    aligned: _Edges
    """The edges with heads among the words of gold; below 0 where a head has no partner."""

    @classmethod
    def of(cls, part: Part, side: _Side) -> _Part:
        same_words = part.partners == part.counted  # that is, 1 to n, as nearly always
        if same_words and all(edge.head >= 0 for edges in side.edges for edge in edges):
            return cls(part, side, side.edges)
        aligned = [tuple(_moved(edge, part.partners) for edge in own) for own in side.edges]
        return cls(part, side, aligned)


class _Compared:
    """Gold, and the system's sentences that lie in it, with their edges."""

    def __init__(self, gold: _Side, parts: list[_Part]) -> None:
        self.gold = gold
        self.parts = parts

    @cached_property
    def alone(self) -> tuple[_Alone, list[_Alone]]:
        """The edges of gold, and those of each part, that the other side lacks."""
        theirs = self.gold.edges
        complete: set[int] = set()
        matched: dict[int, Counter[Edge]] = {}
        surplus: list[_Alone] = []
        for part, _, aligned in self.parts:
            counted = frozenset(part.counted)
            own: _Alone = {}
            for word, (edges, partner) in enumerate(zip(aligned, part.partners, strict=True), 1):
                if partner and edges == theirs[partner - 1]:
                    complete.add(partner)
                    continue
                common = _in_common(edges, theirs[partner - 1]) if partner else Counter()
                if common:
                    matched[partner] = matched.get(partner, Counter()) + common
                if word in counted:
                    own[word] = _beyond(edges, common)
            surplus.append(own)
        missing = {
            word: _beyond(edges, matched.get(word, Counter()))
            for word, edges in enumerate(theirs, 1)
            if word not in complete
        }
        return missing, surplus

    def explained(self) -> Explanation:
        missing, surplus = self.alone
        parts = zip(self.parts, surplus, strict=True)
        return {
            "missing": self.gold.told(missing),
            "surplus": [each for (_, side, _), own in parts for each in side.told(own)],
        }

    def shown(self) -> Shown:
        """Edges of words that count towards other sentences are not drawn."""
        missing, surplus = self.alone
        arcs: list[Arc] = []
        words = 0
        new: list[Between] = []
        for (part, side, aligned), own in zip(self.parts, surplus, strict=True):
            arcs += side.drawn(part.counted, own, Kind.SURPLUS, words)
            words += len(side.tree)
            partners = [partner or -word for word, partner in enumerate(part.partners, 1)]
            new += _between(aligned, own, partners)
        gold, edges = self.gold
        every = range(1, len(gold) + 1)
        return shown_edges(
            (gold, self.gold.drawn(every, missing, Kind.MISSING, 0)),
            ([each.side.tree for each in self.parts], arcs),
            _between(edges, missing, every),
            new,
        )


def _in_common(system: Sequence[Edge], gold: Sequence[Edge]) -> Counter[Edge]:
    if len(system) == len(gold) == 1:
        return Counter(system) if system == gold else Counter()
    return Counter(system) & Counter(gold)


def _beyond(edges: Sequence[Edge], common: Counter[Edge]) -> list[bool]:
    """Which edges there are more of than the two sides have in common."""
    if not common:
        return [True] * len(edges)
    left = common.copy()
    which = []
    for edge in edges:
        left[edge] -= 1
        which.append(left[edge] < 0)
    return which


def _between(edges: _Edges, alone: _Alone, partners: Sequence[int]) -> Iterator[Between]:
    """Edges of one side alone between words of gold."""
    for word, which in alone.items():
        for edge in compress(edges[word - 1], which):
            yield partners[word - 1], edge.head, ">".join(edge.labels)


def _moved(edge: Edge, partners: Sequence[int]) -> Edge:
    """An edge with the gold word of its head; below 0 where that has none."""
    if edge.head < 0:  # from nowhere: not that of gold, either
        return Edge(edge.head - 1, edge.labels)
    return Edge(partners[edge.head - 1] or -edge.head if edge.head else 0, edge.labels)


def _universal(edges: Sequence[Edge]) -> list[Edge]:
    return [edge.universal() for edge in edges]
