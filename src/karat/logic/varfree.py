"""Variable-free forms: trees, stored flat so that depth needs no recursion."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from karat import _native
from karat.logic.model import Flaw, Form, same_items, serialize
from karat.logic.parser import LONG, encoded, flaw_at, form_of

Triple = tuple[str, str, str]


class Tree(msgspec.Struct, frozen=True, gc=False):
    """Nodes in the order of the text: each label, with the node above it and its role there.

    A definite noun's label begins with ``* ``; the root has parent -1 and no role.
    A primitive that is written as a lambda form is `form`, without nodes.
    """

    labels: tuple[str, ...] = ()
    parents: tuple[int, ...] = ()
    roles: tuple[str, ...] = ()
    form: Form | None = None

    def triples(self) -> list[Triple]:
        """(parent label, role, child label) of every edge."""
        return [
            (self.labels[parent], role, label)
            for label, parent, role in zip(self.labels, self.parents, self.roles, strict=True)
            if parent >= 0
        ]


def parse_varfree(text: str) -> Tree:
    """Parses a variable-free form; a FormatError says where it is ill-formed.

    >>> parse_varfree("eat ( agent = * dog , theme = cake )").triples()
    [('eat', 'agent', '* dog'), ('eat', 'theme', 'cake')]
    """
    tree = try_parse_varfree(text)
    if isinstance(tree, Flaw):
        raise tree.error()
    return tree


def try_parse_varfree(text: str) -> Tree | Flaw:
    """The tree, or the flaw of an ill-formed text; recent results are cached."""
    return (_parse if len(text) < LONG else _parse.__wrapped__)(text)


@lru_cache(maxsize=4096)
def _parse(text: str) -> Tree | Flaw:
    data = encoded(text)
    flaw, nodes, form = _native.read_tree(data)
    if flaw is not None:
        return flaw_at(text, data, *flaw)
    if nodes is None:
        return Tree(form=form_of(form))
    labels, parents, roles = map(tuple, nodes)
    return Tree(labels, parents, roles)


def serialize_varfree(tree: Tree) -> str:
    """The canonical text of a tree: one blank between any two terminals."""
    if tree.form is not None:
        return serialize(tree.form)
    out: list[str] = []
    open_nodes: list[int] = []
    for node, (label, parent, role) in enumerate(
        zip(tree.labels, tree.parents, tree.roles, strict=True)
    ):
        if parent >= 0:
            closed = 0
            while open_nodes and open_nodes[-1] != parent:
                open_nodes.pop()
                closed += 1
            out.append(" )" * max(closed - 1, 0) if closed else "")
            out.append(" (" if node == parent + 1 else " ,")
            out.append(f" {role} = ")
        out.append(label)
        open_nodes.append(node)
    return "".join(out) + " )" * (len(open_nodes) - 1)


def same_tree(system: Tree, gold: Tree) -> bool:
    """Equality up to the order of siblings, at every level."""
    if system.form is not None and gold.form is not None:
        return same_items(system.form, gold.form)
    if sorted(system.labels) != sorted(gold.labels):
        return False
    numbers: dict[object, int] = {}
    return _canonical(system, numbers) == _canonical(gold, numbers)


def _canonical(tree: Tree, numbers: dict[object, int]) -> int:
    """A number for the tree: the same for trees that differ only in order, whose numbers agree."""
    children: list[list[tuple[str, int]]] = [[] for _ in tree.labels]
    number = 0
    for node in range(len(tree.labels) - 1, -1, -1):
        key = tree.labels[node], tuple(sorted(children[node]))
        number = numbers.setdefault(key, len(numbers))
        if tree.parents[node] >= 0:
            children[tree.parents[node]].append((tree.roles[node], number))
    return number
