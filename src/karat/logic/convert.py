"""From each notation of logical forms to the others."""

from __future__ import annotations

from karat.errors import LimitExceeded
from karat.logic.grammar import AnyDialect, DialectName
from karat.logic.labels import impossible, labels_of, roles_of
from karat.logic.model import Argument, Flaw, Form
from karat.logic.parser import try_parse
from karat.logic.recogs import arranged, from_recogs, to_recogs
from karat.logic.serializer import serialize
from karat.logic.varfree import Tree, serialize_varfree, try_parse_varfree

MOST_NODES = 100_000


def converted(
    form: Form,
    dialect: DialectName,
    into: AnyDialect,
    sentence: str | None = None,
    *,
    strict: bool = True,
) -> str:
    """A form of one dialect in the notation of another, well-formed there; or an error says why.

    >>> from karat.logic import parse
    >>> form = parse("Emma ( 0 ) ; run ( 1 ) AND agent ( 1 , 0 )", "recogs")
    >>> converted(form, "recogs", "reduced")
    'run . agent 1 Emma'
    """
    text = _converted(form, dialect, into, sentence)
    back = try_parse_varfree(text) if into == "varfree" else try_parse(text, into, strict)
    if isinstance(back, Flaw):
        raise impossible(f"{into} has no such form; {text!r} is {back}")
    return text


def _converted(form: Form, dialect: DialectName, into: AnyDialect, sentence: str | None) -> str:
    if dialect == into:
        return arranged(form) if into == "recogs" else serialize(form, dialect)
    if dialect == "recogs":
        form = from_recogs(form)
    if into == "varfree":
        return serialize_varfree(to_varfree(form))
    return to_recogs(form, sentence) if into == "recogs" else serialize(form, into)


def restore(text: str) -> str:
    """Token-reduced COGS as COGS; what is no reduced form stays as it is.

    >>> restore("* cake 4 ; give . agent 1 Emma AND give . theme 1 4")
    '* cake ( x _ 4 ) ; give . agent ( x _ 1 , Emma ) AND give . theme ( x _ 1 , x _ 4 )'
    """
    form = try_parse(text, "reduced")
    return text if isinstance(form, Flaw) else serialize(form)


def reduce(form: Form) -> str:
    """COGS without ``x``, ``_``, parentheses and commas."""
    return serialize(form, "reduced")


def to_varfree(form: Form) -> Tree:
    """The variable-free form (Qiu et al. 2022); two constants with one noun become alike.

    >>> from karat.logic import parse, serialize_varfree
    >>> form = parse("* girl ( x _ 1 ) ; cook . agent ( x _ 4 , x _ 1 )")
    >>> serialize_varfree(to_varfree(form))
    'cook ( agent = * girl )'
    """
    if form.type == "name":
        return Tree((form.name,), (-1,), ("",))
    if form.type == "lambda":
        return Tree(form=form)
    labels = labels_of(form)
    edges: dict[int, list[tuple[str, Argument]]] = {}
    for event, role, target in roles_of(form):
        edges.setdefault(event, []).append((role.replace(".", " . "), target))
    return _Render(labels, edges).tree(_root(labels, edges))


def _root(labels: dict[int, str], edges: dict[int, list[tuple[str, Argument]]]) -> int:
    targets = {target for each in edges.values() for _, target in each}
    roots = [constant for constant in edges if constant not in targets]
    if not edges and len(labels) == 1:
        return next(iter(labels))
    if len(roots) != 1:
        found = " and ".join(f"x _ {root}" for root in roots) or "none"
        raise impossible(f"a tree needs one constant that is no role's target, found {found}")
    return roots[0]


class _Render:
    """The tree below a root; a node that is on the path from the root stays bare."""

    def __init__(
        self, labels: dict[int, str], edges: dict[int, list[tuple[str, Argument]]]
    ) -> None:
        self.known = labels
        self.edges = edges
        self.labels: list[str] = []
        self.parents: list[int] = []
        self.roles: list[str] = []

    def tree(self, root: int) -> Tree:
        self._add(self.known[root], -1, "")
        path = {root}
        reached = {root}
        stack = [(root, 0, iter(self.edges.get(root, ())))]
        while stack:
            constant, node, edges = stack[-1]
            edge = next(edges, None)
            if edge is None:
                stack.pop()
                path.discard(constant)
                continue
            role, target = edge
            if not isinstance(target, int):
                self._add(target, node, role)
                continue
            if target not in self.known:
                raise impossible(f"x _ {target} has neither noun nor role")
            here = self._add(self.known[target], node, role)
            reached.add(target)
            if target not in path:
                path.add(target)
                stack.append((target, here, iter(self.edges.get(target, ()))))
        if lost := [constant for constant in self.known if constant not in reached]:
            raise impossible(f"x _ {lost[0]} is not connected to the rest")
        return Tree(tuple(self.labels), tuple(self.parents), tuple(self.roles))

    def _add(self, label: str, parent: int, role: str) -> int:
        if len(self.labels) >= MOST_NODES:
            raise LimitExceeded(
                f"the variable-free form has more than {MOST_NODES:,} nodes", code="K531"
            )
        self.labels.append(label)
        self.parents.append(parent)
        self.roles.append(role)
        return len(self.labels) - 1
