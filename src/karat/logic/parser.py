"""Logical forms from their texts, which native code reads, and the strict rules of the grammar.

Variable-free forms are trees, stored flat so that depth needs no recursion.

Where a text is ill-formed, the reader (native/include/karat/logic) tells what it expected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from karat import _native
from karat.logic.model import LETTERS, DialectName, Flaw, Form, Term, same_items, serialize

LONG = 20_000
"""Results of longer texts are not cached."""
_LETTERS = re.compile(r"[A-Za-z]{1,40}")
_DIGITS = "a number of at most "


def parse(text: str, dialect: DialectName = "cogs", *, strict: bool = False) -> Form:
    """Parses a text; a FormatError says where it is ill-formed.

    >>> parse("* cat ( x _ 1 ) ; run . agent ( x _ 2 , x _ 1 )").conjuncts
    (Term(predicate='run.agent', arguments=(2, 1)),)
    >>> parse("run . agent ( x _ 2 x _ 1 )")
    Traceback (most recent call last):
        ...
    karat.logic.model.IllFormedError: ...ill-formed at offset 20: expected "," or ")", found 'x'
    """
    form = try_parse(text, dialect, strict)
    if isinstance(form, Flaw):
        raise form.error()
    return form


def try_parse(text: str, dialect: DialectName = "cogs", strict: bool = False) -> Form | Flaw:
    """The form, or the flaw of an ill-formed text; recent results are cached."""
    return (_parse if len(text) < LONG else _parse.__wrapped__)(text, dialect, strict)


@lru_cache(maxsize=4096)
def _parse(text: str, dialect: DialectName, strict: bool) -> Form | Flaw:
    data = encoded(text)
    flaw, parts, places = _native.read_form(data, dialect)
    if parts is None:
        return flaw_at(text, data, *flaw)
    form = form_of(parts)
    if not strict or places is None:
        return form
    # A well-formed text is ASCII, so that places in its bytes are offsets.
    return strict_flaw(form, dialect, places) or form


def encoded(text: str) -> bytes:
    """A text as the reader takes it."""
    return text.encode("utf-8", "surrogatepass")


def form_of(parts: tuple[Any, ...]) -> Form:
    """A form as the reader gives it."""
    kind, conjuncts, definite, binders, name = parts
    return Form(
        kind,
        tuple(map(Term._make, conjuncts)),
        tuple(map(Term._make, definite)),
        tuple(binders),
        name,
    )


def flaw_at(text: str, data: bytes, place: int, expected: str) -> Flaw:
    """The flaw at a byte of a text, with what stands there."""
    offset = _characters(data, place)
    if offset == len(text):
        found = "the end"
    elif expected.startswith(_DIGITS):
        found = "a longer one"
    else:
        match = _LETTERS.match(text, offset)
        found = repr(match[0] if match else text[offset])
    return Flaw(offset, expected, found)


def _characters(data: bytes, place: int) -> int:
    """How many characters come before a byte."""
    return len(data[:place].decode("utf-8", "surrogatepass"))


# -- the strict rules -------------------------------------------------------------------


def strict_flaw(form: Form, dialect: DialectName, offsets: Sequence[int] = ()) -> Flaw | None:
    """The first violation of the strict rules by a well-formed form; None if there is none.

    `offsets` tells where in the text the terms begin.
    """
    found = _binder_problem(form)
    if found:
        return Flaw(0, *found)
    seen: set[object] = set()
    for number, term in enumerate(form.terms):
        definite = number < len(form.definite)
        problem = _shape_problem(term, definite, form, dialect) or _argument_problem(term, form)
        if not problem and definite:
            if term.arguments[0] in seen:
                problem = "one prefix term per constant", "a second one"
            seen.add(term.arguments[0])
        if problem:
            return Flaw(offsets[number] if offsets else 0, *problem)
    return None


def _binder_problem(form: Form) -> tuple[str, str] | None:
    if len(set(form.binders)) < len(form.binders):
        return "distinct binders", "LAMBDA " + " ".join(form.binders)
    if form.type != "lambda":
        return None
    used = {argument for term in form.conjuncts for argument in term.arguments}
    unused = [letter for letter in form.binders if letter not in used]
    return (f"a use of the bound letter {unused[0]!r}", "none") if unused else None


def _shape_problem(
    term: Term, definite: bool, form: Form, dialect: DialectName
) -> tuple[str, str] | None:
    if definite:
        return None
    parts, count = term.parts, len(term.arguments)
    if dialect == "recogs" and form.type == "iota":
        if len(parts) > 1 and (len(parts) > 2 or parts[0] != "nmod"):
            return "a one-part predicate or 'nmod . word'", repr(" . ".join(parts))
        wanted = 2 if len(parts) > 1 else 1 if parts[0][0].isupper() else count
    else:
        if len(parts) == 3 and parts[1] != "nmod":
            return "'nmod' in the middle of a three-part predicate", repr(parts[1])
        wanted = 1 if len(parts) == 1 else 2
    if count != wanted:
        noun = "argument" if wanted == 1 else "arguments"
        return f"{wanted} {noun} of {term.predicate!r}", str(count)
    return None


def _argument_problem(term: Term, form: Form) -> tuple[str, str] | None:
    for slot, argument in enumerate(term.arguments):
        if form.type == "lambda":
            if argument not in form.binders:
                return "bound letters only", repr(argument)
        elif argument in LETTERS:
            return "no lambda letter without LAMBDA", repr(argument)
        elif slot == 0 and not isinstance(argument, int):
            return "a constant as first argument", repr(argument)
    return None


Triple = tuple[str, str, str]


# -- variable-free forms ----------------------------------------------------------------


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
    return (_parse_tree if len(text) < LONG else _parse_tree.__wrapped__)(text)


@lru_cache(maxsize=4096)
def _parse_tree(text: str) -> Tree | Flaw:
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
