"""Enhanced dependencies: the edges of the column DEPS, with empty nodes resolved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple, TypeAlias

from karat.core.format import block_text
from karat.errors import Place
from karat.trees.model import Tree, TreeError

Nodes: TypeAlias = Literal["collapse", "drop"]
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
