"""COGS to its variable-free form and to ReCOGS; token-reduced COGS back to COGS."""

from __future__ import annotations

from collections.abc import Iterator

from karat.errors import FormatError, LimitExceeded
from karat.logic.model import Argument, Flaw, Form, Term
from karat.logic.parser import try_parse
from karat.logic.serializer import serialize, term_text
from karat.logic.varfree import Tree

MOST_NODES = 100_000


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
    labels = _labels(form)
    edges: dict[int, list[tuple[str, Argument]]] = {}
    for event, role, target in _edges(form):
        edges.setdefault(event, []).append((role, target))
    return _Render(labels, edges).tree(_root(labels, edges))


def _labels(form: Form) -> dict[int, str]:
    """What each constant is called: its noun, else its verb."""
    labels: dict[int, str] = {}
    nouns: dict[int, str] = {}
    for term in form.definite:
        _name(labels, nouns, term, "* " + term.predicate)
    for term in form.conjuncts:
        if len(term.arguments) == 1:
            _name(labels, nouns, term, term.predicate)
    for term in form.conjuncts:
        event, word = term.arguments[0], term.parts[0]
        if len(term.arguments) == 2 and isinstance(event, int):
            if nouns.setdefault(event, word) != word:
                raise _impossible(f"x _ {event} is called both {nouns[event]!r} and {word!r}")
            labels.setdefault(event, word)
    return labels


def _name(labels: dict[int, str], nouns: dict[int, str], term: Term, label: str) -> None:
    constant = term.arguments[0]
    if not isinstance(constant, int) or "." in term.predicate:
        raise _impossible(f"{term_text(term)!r} is no noun with its constant")
    if labels.setdefault(constant, label) != label:
        raise _impossible(f"x _ {constant} is called both {labels[constant]!r} and {label!r}")
    nouns[constant] = term.predicate


def _edges(form: Form) -> Iterator[tuple[int, str, Argument]]:
    for term in form.conjuncts:
        if len(term.arguments) == 2:
            event, target = term.arguments
            role = " . ".join(term.parts[1:])
            if not isinstance(event, int) or not role:
                raise _impossible(f"{term_text(term)!r} is no role of a constant")
            yield event, role, target


def _root(labels: dict[int, str], edges: dict[int, list[tuple[str, Argument]]]) -> int:
    targets = {target for each in edges.values() for _, target in each}
    roots = [constant for constant in edges if constant not in targets]
    if not edges and len(labels) == 1:
        return next(iter(labels))
    if len(roots) != 1:
        found = " and ".join(f"x _ {root}" for root in roots) or "none"
        raise _impossible(f"a tree needs one constant that is no role's target, found {found}")
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
                raise _impossible(f"x _ {target} has neither noun nor role")
            here = self._add(self.known[target], node, role)
            reached.add(target)
            if target not in path:
                path.add(target)
                stack.append((target, here, iter(self.edges.get(target, ()))))
        if lost := [constant for constant in self.known if constant not in reached]:
            raise _impossible(f"x _ {lost[0]} is not connected to the rest")
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


def to_recogs(form: Form, sentence: str) -> str:
    """ReCOGS with positional indices; names get the position they have in the sentence.

    >>> from karat.logic import parse
    >>> to_recogs(parse("eat . agent ( x _ 1 , Emma )"), "Emma ate .")
    'Emma ( 0 ) ; eat ( 1 ) AND agent ( 1 , 0 )'
    """
    if form.type != "iota":
        return serialize(form)
    position: dict[Argument, int] = {}
    for i, token in enumerate(sentence.split()):
        position.setdefault(token, i)
    entities: dict[int, str] = {}
    for term in form.terms:
        if len(term.arguments) == 1:
            star = "* " if term in form.definite else ""
            entities[_constant(term)] = f"{star}{term_text(term, 'recogs')}"
    roles: list[str] = []
    modifiers: list[str] = []
    events: set[int] = set()
    for event, role, target in _edges(form):
        if isinstance(target, str):
            if target not in position:
                raise _impossible(f"{target!r} is not in the sentence {sentence!r}")
            entities.setdefault(position[target], f"{target} ( {position[target]} )")
            target = position[target]
        if role.startswith("nmod"):
            modifiers.append(f"{role} ( {event} , {target} )")
            continue
        if event not in events:
            events.add(event)
            roles.append(f"{_verb(form, event)} ( {event} )")
        roles.append(f"{role} ( {event} , {target} )")
    nouns = [entities[i] for i in sorted(entities)]
    conjunction = " AND ".join(roles + modifiers)
    return " ; ".join(nouns + ([conjunction] if conjunction else []))


def _constant(term: Term) -> int:
    (constant,) = term.arguments
    if not isinstance(constant, int):
        raise _impossible(f"{term_text(term)!r} has no constant")
    return constant


def _verb(form: Form, event: int) -> str:
    return next(
        term.parts[0]
        for term in form.conjuncts
        if len(term.arguments) == 2 and term.arguments[0] == event and term.parts[1] != "nmod"
    )


def _impossible(why: str) -> FormatError:
    return FormatError(f"the form cannot be converted: {why}", code="K171")
