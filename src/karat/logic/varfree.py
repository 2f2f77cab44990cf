"""Variable-free forms: trees, stored flat so that depth needs no recursion."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from karat.logic.model import Flaw, Form, same_items, serialize
from karat.logic.parser import LONG, try_parse

Triple = tuple[str, str, str]

_TOKEN = re.compile(r"[ \t\r\n\f]*(?:([A-Za-z]+)|([*().,=?]))")
_BLANKS = re.compile(r"[ \t\r\n\f]*")
_NAME = re.compile(r"[A-Z][a-z]+\Z")


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
    if text.lstrip(" \t\r\n\f").startswith("LAMBDA"):
        form = try_parse(text, "cogs")
        return form if isinstance(form, Flaw) else Tree(form=form)
    return _Reader(text).read()


class _Reader:
    """Node by node, with the open nodes on a stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.start = 0
        self.labels: list[str] = []
        self.parents: list[int] = []
        self.roles: list[str] = []

    def read(self) -> Tree | Flaw:
        open_nodes: list[int] = []
        role = ""
        while True:
            node = len(self.labels)
            may_open = self._node(open_nodes[-1] if open_nodes else -1, role)
            if isinstance(may_open, Flaw):
                return may_open
            mark = self._next()
            if mark == "(":
                if not may_open:
                    return self._flaw('"," or ")"' if open_nodes else "the end")
                open_nodes.append(node)
            else:
                while mark == ")" and open_nodes:
                    open_nodes.pop()
                    mark = self._next()
                    may_open = False
                if not open_nodes:
                    if mark is None and self._at_end():
                        return Tree(tuple(self.labels), tuple(self.parents), tuple(self.roles))
                    return self._flaw('"(" or the end' if may_open else "the end")
                if mark != ",":
                    return self._flaw('"(", "," or ")"' if may_open else '"," or ")"')
            found = self._role()
            if isinstance(found, Flaw):
                return found
            role = found

    def _node(self, parent: int, role: str) -> bool | Flaw:
        """Adds a node; returns whether it may have children."""
        word = self._next()
        star = word == "*"
        if star:
            word = self._next()
        is_name = word is not None and _NAME.match(word) is not None
        if word == "?" and not star:
            may_open = False
        elif not _is_word(word) or (star and is_name):
            return self._flaw("a word" if star else 'a word, a name, "*" or "?"')
        else:
            may_open = not is_name
        self.labels.append(f"* {word}" if star else str(word))
        self.parents.append(parent)
        self.roles.append(role)
        return may_open

    def _role(self) -> str | Flaw:
        first = self._next()
        if not _is_word(first):
            return self._flaw("a role")
        mark = self._next()
        role = str(first)
        if mark == ".":
            second = self._next()
            if not _is_word(second):
                return self._flaw("a word")
            role = f"{first} . {second}"
            mark = self._next()
        return role if mark == "=" else self._flaw('"="' if " " in role else '"." or "="')

    def _next(self) -> str | None:
        """The next terminal; None at the end and before a character that begins none."""
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self.start = self.position
            return None
        self.start = match.start(match.lastindex or 0)
        self.position = match.end()
        return match[1] or match[2]

    def _skip(self, position: int) -> int:
        match = _BLANKS.match(self.text, position)
        assert match is not None
        return match.end()

    def _at_end(self) -> bool:
        return self._skip(self.position) == len(self.text)

    def _flaw(self, expected: str) -> Flaw:
        offset = self._skip(self.start)
        match = _TOKEN.match(self.text, offset)
        found = (match[1] or match[2])[:40] if match else self.text[offset : offset + 1]
        return Flaw(offset, expected, repr(found) if found else "the end")


def _is_word(token: str | None) -> bool:
    return token is not None and len(token) > 1 and token not in ("AND", "LAMBDA")


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
