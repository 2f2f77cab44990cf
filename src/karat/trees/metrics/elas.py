"""Enhanced dependencies against gold, as in the shared tasks of IWPT; empty nodes are resolved."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec

from karat import _native
from karat.core.capabilities import LazyPairs, Measured
from karat.core.format import block_text
from karat.core.marks import count, main
from karat.core.metric import Explanation
from karat.core.reading.raw import RawChunk
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import Shown, only_shown
from karat.errors import FormatError, KaratError, Place, counted
from karat.trees.formats.conll import CONLL_WIDTH, lines, side_of_texts
from karat.trees.metrics.ud import Aligned, DocumentMetric, Given, sides_of
from karat.trees.model import Tree, TreeError
from karat.trees.pairing import share_of

Nodes: TypeAlias = Literal["collapse", "drop"]

_NAN = float("nan")
_AT_START = re.compile(rb"[0-9]+\.")
_EMPTY_NODE = re.compile(rb"\n[0-9]+\.")


class Elas(DocumentMetric):
    """Labelled edges of enhanced dependencies that system and gold share (ELAS, EULAS).

    Words are aligned as for `ud`. An edge is right if its dependents and its heads are aligned (or
    both heads are the root) and its labels are equal; EULAS leaves subtypes out. Each edge is
    used once, so a file against itself is always 1. Paths through empty nodes are one edge with
    the labels joined, as the shared task collapses them.

    Bouma et al., IWPT 2021.
    """

    name = "elas"
    releases_gil = True
    chunk_size = 1024
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

    def measure_many(self, pairs: Sequence[tuple[Given, Tree]]) -> Array:
        return self._look(pairs).rows()[:, : len(self.columns)]

    def measure_bytes(self, chunk: RawChunk) -> Measured | None:
        """The same counts, from the bytes of files whose edges are all between words."""
        found = self._look_at_bytes(chunk)
        if found is None:
            return None
        rows = found.rows()
        sizes = rows[:, len(self.columns)].astype(int)
        return Measured(rows[:, : len(self.columns)], {"length": list(map(str, sizes.tolist()))})

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
        (told,) = self._look([(system, gold)]).explanations()
        explanation: Explanation = msgspec.json.decode(told)
        return explanation

    def shown(self, system: Given, gold: Tree, explanation: Explanation) -> Shown:
        return only_shown(self._look([(system, gold)]).shown())

    def look_at(self, chunk: LazyPairs) -> _native.EnhancedLook:
        raw = chunk.raw()
        found = self._look_at_bytes(raw) if raw is not None else None
        return found or self._look(chunk.pairs())

    def _look_at_bytes(self, chunk: RawChunk) -> _native.EnhancedLook | None:
        sides = None if self.ignore else sides_of(chunk)
        if sides is None or any(_has_empty_nodes(data) for data, *_ in sides):
            return None
        return _native.look_at_enhanced(*sides, self.compat == "udtools")

    def _look(self, pairs: Sequence[tuple[Given, Tree]]) -> _native.EnhancedLook:
        aligned = Aligned([(share_of(system, gold), gold) for system, gold in pairs])
        trees = aligned.trees, aligned.golds
        ours, theirs = (side_of_texts([self._text(tree) for tree in side]) for side in trees)
        words = aligned.partners, aligned.homes
        try:
            return _native.look_at_enhanced_aligned(
                ours, theirs, *words, self.compat == "udtools", bool(self.ignore)
            )
        except ValueError:
            for tree in chain(*trees):
                self._edges(tree)  # says what is wrong
            raise

    def _text(self, tree: Tree) -> bytes:
        """The lines of a tree with the edges to compare; see `look_at_enhanced_aligned`."""
        if tree.width == CONLL_WIDTH and not self.ignore and not _has_empty_nodes(tree.text):
            return tree.text
        rows = tree.rows()
        words = (row for row in rows if "-" not in row[0])
        for row, edges in zip(words, self._edges(tree), strict=True):
            named = (f"{'-' if head < 0 else head}:{'>'.join(labels)}" for head, labels in edges)
            row[8] = "|".join(named) or "_"
        return lines(rows)

    def _edges(self, tree: Tree) -> list[list[Edge]]:
        return edge_lists(tree, self.empty_nodes, self.ignore, self.compat == "udtools")


def _has_empty_nodes(data: bytes) -> bool:
    return bool(_AT_START.match(data) or _EMPTY_NODE.search(data))


# -- the edges of the column DEPS -----------------------------------------------------------------

_PLACE = 8
_MOST_WAYS = 64
"""So many ways of a word through empty nodes are followed, and so many nodes on each."""
_CASE = frozenset(("obl", "nmod", "conj", "advcl"))
_EXTENSIONS = frozenset(("pass", "relcl", "xsubj"))
"""Relations whose subtype may be a case or a preposition, and subtypes that are none."""


NOWHERE = -1_000_000_000
"""The head of an edge that equals no other edge; see `edge_lists`."""


class Edge(NamedTuple):
    """A head, 0 for the root, and the labels on the way from it."""

    head: int
    labels: tuple[str, ...]

    def universal(self) -> Edge:
        """The same without subtypes."""
        return Edge(self.head, tuple(label.partition(":")[0] for label in self.labels))


def edge_lists(
    tree: Tree, nodes: Nodes, ignore: Collection[int] = (), as_udtools: bool = False
) -> list[list[Edge]]:
    """The edges of each word, as they are written.

    Those through empty nodes become one edge with the labels of the way (`collapse`) or are left
    out (`drop`). What is ignored is the enhancements of the shared task, by number; `as_udtools`
    leaves out what that script does, slips and all.
    """
    without = _without_as_udtools if as_udtools else _without
    column, empty = _deps(tree)
    found: list[list[Edge]] = []
    for word, cell in enumerate(column, 1):
        edges: list[Edge] = []
        try:
            for head, label in _cells(cell):
                if "." not in head:
                    edges.append(Edge(_head(tree, head), tuple(label.split(">"))))
                elif nodes == "collapse":
                    edges += _through(tree, head, label, empty)
        except ValueError as wrong:
            raise _error(wrong, tree.place(word)) from None
        found.append(edges)
    if not ignore:
        return found
    return [without(tree, word, edges, ignore) for word, edges in enumerate(found, 1)]


def _deps(tree: Tree) -> tuple[Sequence[str], dict[str, list[tuple[str, str]]]]:
    """The cells of all words, and the edges of empty nodes by their ids."""
    if not tree.text or tree.width != 10:
        return tree.columns.get("deps") or ("_",) * len(tree), {}
    words, empty = [], {}
    for number, line in enumerate(block_text(tree.text).split("\n"), tree.line):
        name, *cells = line.split("\t")
        if "-" in name:
            continue
        if "." in name:
            try:
                empty[name] = _cells(cells[_PLACE - 1])
            except ValueError as wrong:
                raise _error(wrong, Place(tree.file, number, item=tree.name)) from None
        else:
            words.append(cells[_PLACE - 1])
    return words, empty


def _error(wrong: ValueError, place: Place) -> TreeError:
    message = f"the enhanced dependencies (DEPS) are wrong: {wrong}"
    return TreeError(message, code="K136", place=place)


def _cells(cell: str) -> list[tuple[str, str]]:
    """Heads and labels; what is wrong with them is a ValueError."""
    if cell == "_":
        return []
    result = []
    for each in cell.split("|"):
        head, colon, label = each.partition(":")
        if not colon or not label:
            raise ValueError(f"{each!r} is not HEAD:LABEL")
        result.append((head, label))
    return result


def _head(tree: Tree, text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    if not is_number or int(text) > len(tree):
        raise ValueError(f"there is no word {text[:40]!r} in a sentence of {len(tree)}")
    return int(text)


def _through(
    tree: Tree, head: str, label: str, empty: dict[str, list[tuple[str, str]]]
) -> list[Edge]:
    """The edges of a word that come from words through empty nodes; cycles are not followed."""
    found: list[Edge] = []
    waiting: list[tuple[str, tuple[str, ...], frozenset[str]]] = [
        (head, tuple(label.split(">")), frozenset())
    ]
    while waiting:
        node, labels, seen = waiting.pop(0)
        if "." not in node:
            found.append(Edge(_head(tree, node), labels))
        elif node not in empty:
            raise ValueError(f"there is no node {node!r}")
        elif node not in seen:
            waiting += (
                (above, (*upper.split(">"), *labels), seen | {node}) for above, upper in empty[node]
            )
        if max(len(found) + len(waiting), len(seen)) > _MOST_WAYS:
            raise ValueError("there are too many ways through empty nodes")
    return found


def _without(tree: Tree, word: int, edges: list[Edge], ignore: Collection[int]) -> list[Edge]:
    labels = tree.deprels or ("_",) * len(tree)
    head, label = tree.heads[word - 1], labels[word - 1]
    own = Edge(head, (label,))
    if 1 in ignore:  # gapping: the basic edge in place of paths
        plain = [edge if len(edge.labels) == 1 else own for edge in edges]
        edges = list(dict.fromkeys(plain))
    if 2 in ignore:  # shared parents of conjuncts
        conjuncts = [e for e in edges if len(e.labels) == 1 and e.labels[0].startswith("conj")]
        edges = conjuncts[-1:] or edges
    if 3 in ignore:  # shared dependents of conjuncts
        basic = {e.labels for e in edges if e.head == head}
        edges = [e for e in edges if e.head == head or e.labels not in basic]
    if 4 in ignore:  # subjects of controlled verbs
        edges = [
            e
            for e in edges
            if not (
                e.head
                and labels[e.head - 1] == "xcomp"
                and any(each.startswith("nsubj") for each in e.labels)
            )
        ]
    if 5 in ignore:  # external arguments of relative clauses
        edges = [own if e.labels[0] == "ref" else e for e in edges]
        edges = [
            e
            for e in edges
            if not (
                e.head and labels[e.head - 1].startswith("acl") and tree.heads[e.head - 1] == word
            )
        ]
    if 6 in ignore:  # case information in labels
        edges = [Edge(e.head, tuple(map(_without_case, e.labels))) for e in edges]
    return edges


def _without_as_udtools(
    tree: Tree, word: int, edges: list[Edge], ignore: Collection[int]
) -> list[Edge]:
    """What udtools keeps.

    Basic labels have no subtypes there. A basic edge from the root comes from nowhere and equals
    none; 3 compares words with numbers, and does nothing; 5 takes a word's number for one less.
    """
    labels = [label.partition(":")[0] for label in tree.deprels or ("_",) * len(tree)]
    own = Edge(tree.heads[word - 1] or NOWHERE, (labels[word - 1],))
    if 1 in ignore:
        kept: list[Edge] = []
        for edge in edges:
            if len(edge.labels) > 1:
                kept.append(own)  # though it may be there
            elif edge not in kept:
                kept.append(edge)
        edges = kept
    if 2 in ignore:
        edges = _without(tree, word, edges, (2,))
    if 4 in ignore:
        edges = [
            edge
            for edge in edges
            if edge.head <= 0
            or labels[edge.head - 1] != "xcomp"
            or not any(label.startswith("nsubj") for label in edge.labels)
        ]
    if 5 in ignore:
        edges = [
            own if edge.labels[0] == "ref" else edge
            for edge in edges
            if edge.labels[0] == "ref"
            or edge.head <= 0
            or not labels[edge.head - 1].startswith("acl")
            or tree.heads[edge.head - 1] != word - 1
        ]
    return _without(tree, word, edges, (6,)) if 6 in ignore else edges


def _without_case(label: str) -> str:
    parts = label.split(":")
    if parts[0] in _CASE and len(parts) == 2 and parts[1] not in _EXTENSIONS:
        return parts[0]
    return label
