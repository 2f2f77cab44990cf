"""Conversion of logical forms from one notation to another."""

from __future__ import annotations

from collections.abc import Iterator

from karat.errors import FormatError, LimitExceeded
from karat.logic.model import (
    AnyDialect,
    Argument,
    DialectName,
    Flaw,
    Form,
    Term,
    serialize,
    term_text,
)
from karat.logic.parser import Tree, serialize_varfree, try_parse, try_parse_varfree

MOST_NODES = 100_000
_MODIFIER = "nmod"


def converted(
    form: Form,
    dialect: DialectName,
    into: AnyDialect,
    sentence: str | None = None,
    *,
    strict: bool = True,
) -> str:
    """Converts a form to another notation; an error says why where that is impossible.

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
    """Converts token-reduced COGS to COGS; ill-formed text is returned unchanged.

    >>> restore("* cake 4 ; give . agent 1 Emma AND give . theme 1 4")
    '* cake ( x _ 4 ) ; give . agent ( x _ 1 , Emma ) AND give . theme ( x _ 1 , x _ 4 )'
    """
    form = try_parse(text, "reduced")
    return text if isinstance(form, Flaw) else serialize(form)


def to_varfree(form: Form) -> Tree:
    """The variable-free form (Qiu et al. 2022); two constants with one noun become equal.

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
    return _rendered(_root(labels, edges), labels, edges)


def _root(labels: dict[int, str], edges: dict[int, list[tuple[str, Argument]]]) -> int:
    targets = {target for each in edges.values() for _, target in each}
    roots = [constant for constant in edges if constant not in targets]
    if not edges and len(labels) == 1:
        return next(iter(labels))
    if len(roots) != 1:
        found = " and ".join(f"x _ {root}" for root in roots) or "none"
        raise impossible(
            f"a tree needs one constant that is not the target of a role, found {found}"
        )
    return roots[0]


def _rendered(
    root: int, known: dict[int, str], edges: dict[int, list[tuple[str, Argument]]]
) -> Tree:
    """The tree below a root; a constant that is on the path from the root stays bare."""
    labels, parents, roles = [known[root]], [-1], [""]
    path, reached = {root}, {root}
    stack = [(root, 0, iter(edges.get(root, ())))]
    while stack:
        constant, node, left = stack[-1]
        edge = next(left, None)
        if edge is None:
            stack.pop()
            path.discard(constant)
            continue
        role, target = edge
        if isinstance(target, int) and target not in known:
            raise impossible(f"x _ {target} has neither noun nor role")
        if len(labels) >= MOST_NODES:
            raise LimitExceeded(
                f"the variable-free form has more than {MOST_NODES:,} nodes", code="K531"
            )
        labels.append(known[target] if isinstance(target, int) else target)
        parents.append(node)
        roles.append(role)
        if isinstance(target, int):
            reached.add(target)
            if target not in path:
                path.add(target)
                stack.append((target, len(labels) - 1, iter(edges.get(target, ()))))
    if lost := [constant for constant in known if constant not in reached]:
        raise impossible(f"x _ {lost[0]} is not connected to the rest")
    return Tree(tuple(labels), tuple(parents), tuple(roles))


# -- ReCOGS and COGS
#
# COGS puts the word of an event or noun before each of its roles and writes names as arguments;
# ReCOGS says the word once, as a predicate of the constant, and gives names constants too.


def to_recogs(form: Form, sentence: str | None) -> str:
    """ReCOGS with positional indices; names get the position they have in the sentence.

    >>> from karat.logic import parse
    >>> to_recogs(parse("eat . agent ( x _ 1 , Emma )"), "Emma ate .")
    'Emma ( 0 ) ; eat ( 1 ) AND agent ( 1 , 0 )'
    """
    if form.type != "iota":
        return serialize(form)
    labels = labels_of(form)
    nouns = [term for term in form.conjuncts if len(term.arguments) == 1]
    named = {term.arguments[0] for term in (*form.definite, *nouns)}
    positions = _Positions(sentence, {*named, *labels, *form.constants()})
    terms: list[Term] = []
    events: set[int] = set()
    for event, role, target in roles_of(form):
        place = positions.of(target) if isinstance(target, str) else target
        if not _is_modifier(role) and event not in events:
            if event in named:
                raise impossible(f"x _ {event} is both a noun and an event")
            events.add(event)
            terms.append(Term(labels[event], (event,)))
        terms.append(Term(role, (event, place)))
    for event, role, _ in roles_of(form):
        if event not in events and event not in named:
            raise impossible(
                f"ReCOGS would lose {labels[event]!r}: x _ {event} has {role!r}, but no noun"
            )
    names = [Term(name, (place,)) for name, place in positions.used.items()]
    return arranged(Form("iota", (*nouns, *names, *terms), form.definite))


class _Positions:
    """The positions of names in the sentence, none of which may be that of a constant."""

    def __init__(self, sentence: str | None, taken: set[Argument]) -> None:
        self.sentence = sentence
        self.first: dict[str, int] = {}
        for i, token in enumerate((sentence or "").split()):
            self.first.setdefault(token, i)
        self.taken = taken
        self.used: dict[str, int] = {}

    def of(self, name: str) -> int:
        if name == "?":
            raise impossible("ReCOGS has no '?'")
        if self.sentence is None:
            raise impossible(f"the position of {name!r} needs the sentence of the form")
        if name not in self.first:
            raise impossible(f"{name!r} is not in the sentence {self.sentence!r}")
        place = self.first[name]
        if place in self.taken:
            raise impossible(f"{name!r} stands at {place} in the sentence, where x _ {place} is")
        return self.used.setdefault(name, place)


def arranged(form: Form) -> str:
    """A ReCOGS form in the order of the published files.

    Nouns and names sorted by their constants, then events with their roles, then modifiers.

    >>> from karat.logic import parse
    >>> arranged(parse("run ( 2 ) AND agent ( 2 , 1 ) AND * dog ( 1 )", "recogs"))
    '* dog ( 1 ) ; run ( 2 ) AND agent ( 2 , 1 )'
    """
    if form.type != "iota":
        return serialize(form, "recogs")
    events = _events(form)
    entities = [(term, "* ") for term in form.definite]
    roles: list[str] = []
    modifiers: list[str] = []
    for term in form.conjuncts:
        if len(term.arguments) == 1 and term.arguments[0] not in events:
            entities.append((term, ""))
        elif len(term.arguments) == 2 and _is_modifier(term.predicate):
            modifiers.append(term_text(term, "recogs"))
        else:
            roles.append(term_text(term, "recogs"))
    entities.sort(key=lambda each: _order(each[0].arguments[0]))
    texts = [star + term_text(term, "recogs") for term, star in entities]
    conjunction = " AND ".join(roles + modifiers)
    return " ; ".join(texts + ([conjunction] if conjunction else []))


def _order(argument: Argument) -> tuple[int, str]:
    return (argument, "") if isinstance(argument, int) else (-1, argument)


def _is_modifier(role: str) -> bool:
    return role.split(".")[0] == _MODIFIER


def _events(form: Form) -> set[Argument]:
    """The constants that have roles other than modifiers."""
    return {
        term.arguments[0]
        for term in form.conjuncts
        if len(term.arguments) == 2 and not _is_modifier(term.predicate)
    }


def from_recogs(form: Form) -> Form:
    """The COGS form of a ReCOGS form; one that COGS cannot express is an error.

    >>> from karat.logic import parse
    >>> form = parse("Emma ( 0 ) ; * dog ( 3 ) ; see ( 1 ) AND agent ( 1 , 0 ) AND theme ( 1 , 3 )",
    ...     "recogs")
    >>> serialize(from_recogs(form))
    '* dog ( x _ 3 ) ; see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , x _ 3 )'
    """
    return _FromRecogs(form).form() if form.type == "iota" else form


class _FromRecogs:
    def __init__(self, form: Form) -> None:
        self.source = form
        self.events = _events(form)
        self.words: dict[int, list[str]] = {}
        """The nouns and verbs of each constant."""
        self.names: dict[int, str] = {}
        for term in form.terms:
            if len(term.arguments) == 1:
                self._add(term)
        for term in form.definite:
            if term.arguments[0] in self.events:
                raise impossible(f"{term_text(term, 'recogs')!r} is definite, but has roles")

    def _add(self, term: Term) -> None:
        constant = _constant(term.arguments[0], term)
        if term.predicate[0].isupper():
            if self.names.setdefault(constant, term.predicate) != term.predicate:
                raise impossible(f"{constant} has two names")
        else:
            self.words.setdefault(constant, []).append(term.predicate)
        if constant in self.names and constant in self.words:
            raise impossible(f"{constant} has the name {self.names[constant]!r} and a noun or verb")

    def form(self) -> Form:
        conjuncts = sorted(self._conjuncts(), key=lambda term: _order(term.arguments[0]))
        definite = sorted(self.source.definite, key=lambda term: _order(term.arguments[0]))
        targets = {a for term in self.source.conjuncts for a in term.arguments[1:]}
        for constant, name in self.names.items():
            if constant not in targets:
                raise impossible(f"COGS has no place for {name!r}, which has no role")
        return Form("iota", tuple(conjuncts), tuple(definite))

    def _conjuncts(self) -> Iterator[Term]:
        """Nouns first, so that each comes before what modifies it."""
        for term in self.source.conjuncts:
            constant = term.arguments[0]
            if len(term.arguments) == 1 and constant in self.words and constant not in self.events:
                yield term
        for term in self.source.conjuncts:
            if len(term.arguments) == 2:
                constant, target = (_constant(each, term) for each in term.arguments)
                predicate = f"{self._word(constant, term)}.{term.predicate}"
                yield Term(predicate, (constant, self.names.get(target, target)))

    def _word(self, constant: int, term: Term) -> str:
        if constant in self.names:
            raise impossible(f"{self.names[constant]!r} is a name, and in COGS names have no roles")
        words = self.words.get(constant, [])
        if len(set(words)) != 1 or (constant in self.events and len(words) > 1):
            found = " and ".join(map(repr, words)) or "none"
            text = term_text(term, "recogs")
            raise impossible(f"{text!r} needs one noun or verb of {constant}, found {found}")
        return words[0]


def _constant(argument: Argument, term: Term) -> int:
    if not isinstance(argument, int):
        raise impossible(f"{term_text(term, 'recogs')!r} has a letter where a constant should be")
    return argument


# -- the constants of a COGS form


def impossible(why: str) -> FormatError:
    """The error for a form that another notation cannot express."""
    return FormatError(f"the form cannot be converted: {why}", code="K171")


def labels_of(form: Form) -> dict[int, str]:
    """The label of each constant: its noun (``* noun`` in the prefix), else its verb."""
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
                raise impossible(f"x _ {event} is called both {nouns[event]!r} and {word!r}")
            labels.setdefault(event, word)
    return labels


def _name(labels: dict[int, str], nouns: dict[int, str], term: Term, label: str) -> None:
    constant = term.arguments[0]
    if not isinstance(constant, int) or "." in term.predicate:
        raise impossible(f"{term_text(term)!r} is not a noun with its constant")
    if labels.setdefault(constant, label) != label:
        raise impossible(f"x _ {constant} is called both {labels[constant]!r} and {label!r}")
    nouns[constant] = term.predicate


def roles_of(form: Form) -> Iterator[tuple[int, str, Argument]]:
    """Of each binary conjunct the constant, the role (its parts joined by dots) and the target."""
    for term in form.conjuncts:
        if len(term.arguments) == 2:
            event, target = term.arguments
            role = ".".join(term.parts[1:])
            if not isinstance(event, int) or not role:
                raise impossible(f"{term_text(term)!r} is not a role of a constant")
            yield event, role, target
