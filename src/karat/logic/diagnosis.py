"""Errors of forms in words: for one pair, and counted over a corpus."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

from karat.errors import LimitExceeded
from karat.logic.model import (
    AnyDialect,
    Argument,
    DialectName,
    Flaw,
    Form,
    Grammar,
    Term,
    argument_text,
    term_text,
)
from karat.logic.parser import try_parse
from karat.logic.semantic import renaming
from karat.logic.varfree import Tree, same_tree, try_parse_varfree

Explanation: TypeAlias = dict[str, Any]
_Each = TypeVar("_Each", bound=Hashable)


class Placed(NamedTuple):
    """A term, and whether it stands in the prefix."""

    definite: bool
    term: Term

    def text(self, dialect: DialectName) -> str:
        return ("* " if self.definite else "") + term_text(self.term, dialect)


class Compared:
    """Two forms, and what only one of them has; it is found out once, where it is needed."""

    def __init__(self, system: Form, gold: Form, dialect: DialectName) -> None:
        self.dialect = dialect
        self.ours = placed_terms(system)
        self.theirs = placed_terms(gold)
        self.missing, self.extra = differences(self.ours, self.theirs)

    @cached_property
    def alignment(self) -> Alignment:
        return Alignment(self.missing, self.extra, self.dialect)


def diagnose(
    system_text: str,
    gold_text: str,
    system: Form | Flaw,
    gold: Form,
    dialect: DialectName,
    compared: Compared | None = None,
) -> Explanation:
    """The differences between a form and gold: messages, and the data behind them.

    `missing` and `extra` are the terms that only one side has. Those that differ
    in one respect are put together: constants, a predicate, an argument,
    definiteness, always in the direction gold -> system. Nothing is missing or
    extra where only the names of constants are others.
    """
    if isinstance(system, Flaw):
        return _explanation(system_text, gold_text, [str(system)], flaw=system)
    if system_text == gold_text:
        return _explanation(system_text, gold_text, [])
    if system.type != gold.type:
        found = [f"the form is of the type {system.type}, the gold of the type {gold.type}"]
    elif system.name != gold.name:
        found = [f"the name differs: {gold.name}->{system.name}"]
    elif system.binders != gold.binders:
        found = [f"binders differ: {' '.join(gold.binders)}->{' '.join(system.binders)}"]
    else:
        found = []
    compared = compared or Compared(system, gold, dialect)
    missing, extra = compared.missing, compared.extra
    if not missing and not extra and not found:
        same = system_text.split() == gold_text.split()
        found = ["only white space differs" if same else "only the order or the spelling differs"]
    if (
        (missing or extra)
        and _predicates(missing) == _predicates(extra)  # which no renaming changes
        and (names := _renamed(system, gold)) is not None
    ):
        changed = [[a, b] for a, b in names.items() if a != b]
        if changed:
            shown = ", ".join(f"{a}->{b}" for a, b in changed)
            found.append(f"constants are renamed consistently: {shown}")
        return _explanation(system_text, gold_text, found, renamed=changed)
    pairs = compared.alignment
    return _explanation(
        system_text,
        gold_text,
        found + pairs.messages(Counter(compared.theirs)),
        missing=[each.text(dialect) for each in missing],
        extra=[each.text(dialect) for each in extra],
        constants=[list(pair) for pair in dict.fromkeys(pairs.constants)],
        predicates=[list(pair) for pair in pairs.predicates],
        arguments=[list(pair) for pair in pairs.arguments],
    )


def _explanation(
    system: str,
    gold: str,
    diagnosis: list[str],
    *,
    flaw: Flaw | None = None,
    missing: Sequence[str] = (),
    extra: Sequence[str] = (),
    **confused: Sequence[Sequence[object]],
) -> Explanation:
    return {
        "diagnosis": diagnosis,
        "offset": None if flaw is None else flaw.offset,
        "expected": None if flaw is None else flaw.expected,
        "missing": list(missing),
        "extra": list(extra),
        **confused,
        "system": system,
        "gold": gold,
    }


def _renamed(system: Form, gold: Form) -> dict[int, int] | None:
    try:
        return renaming(system, gold)
    except LimitExceeded:
        return None


def _predicates(terms: Sequence[Placed]) -> list[tuple[bool, str]]:
    return sorted((each.definite, each.term.predicate) for each in terms)


def placed_terms(form: Form) -> list[Placed]:
    """All terms of a form: prefix, then conjuncts."""
    return [Placed(True, term) for term in form.definite] + [
        Placed(False, term) for term in form.conjuncts
    ]


def differences(ours: Sequence[_Each], theirs: Sequence[_Each]) -> tuple[list[_Each], list[_Each]]:
    """The terms that only gold has, and those that only the system has, in their order."""
    return _without(theirs, Counter(ours)), _without(ours, Counter(theirs))


def _without(terms: Sequence[_Each], others: Counter[_Each]) -> list[_Each]:
    left = []
    for term in terms:
        if others[term] > 0:
            others[term] -= 1
        else:
            left.append(term)
    return left


class Alignment:
    """Missing and extra terms that differ in one respect, put together, nearest first."""

    def __init__(
        self, missing: Sequence[Placed], extra: Sequence[Placed], dialect: DialectName
    ) -> None:
        self.dialect = dialect
        self.missing = list(missing)
        self.extra = list(extra)
        self.constants: list[tuple[int, int]] = []
        self.predicates: list[tuple[str, str]] = []
        self.arguments: list[tuple[Argument, Argument]] = []
        self.definiteness: list[Placed] = []
        self.pairs: list[tuple[Placed, Placed]] = []
        """All that were put together, gold first."""
        self._join(_but_prefix, lambda gold, _: self.definiteness.append(gold))
        self._join(_but_one_constant, self._constants)
        self._join(_but_constants, self._constants)
        self._join(_but_predicate, self._predicate)
        self._join(_but_arguments, self._arguments)

    def _join(
        self,
        keys: Callable[[Placed], list[Hashable]],
        note: Callable[[Placed, Placed], None],
    ) -> None:
        """Each missing term takes the first extra one that has one of its keys."""
        waiting: dict[Hashable, deque[int]] = {}
        for place, each in enumerate(self.extra):
            for key in keys(each):
                waiting.setdefault(key, deque()).append(place)
        taken: set[int] = set()
        left = []
        for gold in self.missing:
            fitting = [waiting[key] for key in keys(gold) if key in waiting]
            for places in fitting:
                while places and places[0] in taken:
                    places.popleft()
            first = min((places[0] for places in fitting if places), default=None)
            if first is None:
                left.append(gold)
                continue
            taken.add(first)
            self.pairs.append((gold, self.extra[first]))
            note(*self.pairs[-1])
        self.missing = left
        self.extra = [each for place, each in enumerate(self.extra) if place not in taken]

    def _constants(self, gold: Placed, system: Placed) -> None:
        self.constants += [
            (a, b)
            for a, b in zip(gold.term.arguments, system.term.arguments, strict=True)
            if a != b and isinstance(a, int) and isinstance(b, int)
        ]

    def _predicate(self, gold: Placed, system: Placed) -> None:
        self.predicates.append((gold.term.predicate, system.term.predicate))

    def _arguments(self, gold: Placed, system: Placed) -> None:
        for a, b in zip(gold.term.arguments, system.term.arguments, strict=True):
            if isinstance(a, int) and isinstance(b, int):
                self._constants(Placed(False, Term("", (a,))), Placed(False, Term("", (b,))))
            elif a != b:
                self.arguments.append((a, b))

    def messages(self, gold: Counter[Placed]) -> list[str]:
        result = []
        if self.constants:
            shown = ", ".join(f"{a}->{b}" for a, b in dict.fromkeys(self.constants))
            result.append(f"constants differ: {shown}")
        for old, new in self.predicates:
            result.append(f"predicate differs: {old}->{new}")
        for a, b in self.arguments:
            written = argument_text(a, self.dialect), argument_text(b, self.dialect)
            result.append("argument differs: {}->{}".format(*written))
        for placed in self.definiteness:
            change = "lost" if placed.definite else "added"
            result.append(f"definiteness {change}: {term_text(placed.term, self.dialect)}")
        result += [f"missing term {each.text(self.dialect)}" for each in self.missing]
        for each in self.extra:
            kind = "repeated" if gold[each] else "extra"
            result.append(f"{kind} term {each.text(self.dialect)}")
        return result


# What two terms share that are the same but for something. No term is wholly on both sides.


def _but_prefix(placed: Placed) -> list[Hashable]:
    return [placed.term]


def _but_one_constant(placed: Placed) -> list[Hashable]:
    definite, (predicate, arguments) = placed
    if len(arguments) != 2:
        return []
    return [
        (definite, predicate, slot, arguments[slot])
        for slot in (0, 1)
        if isinstance(arguments[1 - slot], int)
    ]


def _but_constants(placed: Placed) -> list[Hashable]:
    definite, (predicate, arguments) = placed
    return [(definite, predicate, *(None if isinstance(a, int) else a for a in arguments))]


def _but_predicate(placed: Placed) -> list[Hashable]:
    return [(placed.definite, placed.term.arguments)]


def _but_arguments(placed: Placed) -> list[Hashable]:
    return [(placed.definite, placed.term.predicate, len(placed.term.arguments))]


def diagnose_trees(
    system_text: str, gold_text: str, system: Tree | Flaw, gold: Tree
) -> Explanation:
    """The differences of two variable-free forms: edges that only one side has."""
    if isinstance(system, Flaw):
        return _explanation(system_text, gold_text, [str(system)], flaw=system)
    if system_text == gold_text:
        return _explanation(system_text, gold_text, [])
    ours, theirs = Counter(system.triples()), Counter(gold.triples())
    missing = [edge_text(*triple) for triple in (theirs - ours).elements()]
    extra = [edge_text(*triple) for triple in (ours - theirs).elements()]
    found = [f"missing edge {each}" for each in missing] + [f"extra edge {each}" for each in extra]
    if not found and same_tree(system, gold):
        found = ["only the order or the spelling differs"]
    elif not found:
        found = ["the same edges are attached to other nodes"]
        if system.labels[:1] != gold.labels[:1]:
            found = [f"the root differs: {_root(gold)}->{_root(system)}"]
    return _explanation(system_text, gold_text, found, missing=missing, extra=extra)


def edge_text(parent: str, role: str, child: str) -> str:
    """An edge of a variable-free form as it is written."""
    return f"{parent} ( {role} = {child} )"


def _root(tree: Tree) -> str:
    return tree.labels[0] if tree.labels else "LAMBDA"


class Notation(NamedTuple):
    """The parser of a dialect, and the diagnosis of a pair of its forms."""

    parse: Callable[[str], Any]
    """A form, a tree or a flaw."""
    explain: Callable[[str, str, Any, Any], Explanation]


def notation_of(dialect: AnyDialect, grammar: Grammar = "tolerant") -> Notation:
    """The notation of a dialect at a level of the grammar."""
    if dialect == "varfree":
        return Notation(try_parse_varfree, diagnose_trees)
    return Notation(
        partial(try_parse, dialect=dialect, strict=grammar == "strict"),
        partial(diagnose, dialect=dialect),
    )


# -- a whole corpus


class Counted(msgspec.Struct):
    """What a profile takes of an explanation."""

    diagnosis: list[str]
    expected: str | None
    missing: list[str]
    extra: list[str]
    predicates: list[tuple[str, str]] = []
    constants: list[tuple[int, int]] = []
    arguments: list[tuple[Any, Any]] = []


def error_profile(explanations: Iterable[Counted]) -> dict[str, Any]:
    """The most frequent errors by kind, by predicate, by role and by constant.

    A confusion has the direction gold -> system. Predicates and roles count the
    terms that are missing or extra, those that are confused included.

    >>> from karat.logic.metrics.cogs import Cogs
    >>> pairs = [("dog ( x _ 2 )", "dog ( x _ 1 )"), ("cat ( x _ 1 )", "dog ( x _ 1 )")]
    >>> found = Cogs().error_profile(Cogs().explain(*pair) for pair in pairs)
    >>> found["kinds"]
    {'constants are renamed consistently': 1, 'predicate differs': 1}
    >>> found["predicates"]["confused"]
    {'dog->cat': 1}
    """
    counts = _Counts()
    for explanation in explanations:
        counts.add(explanation)
    return counts.document()


class _Counts:
    def __init__(self) -> None:
        self.items = 0
        self.wrong = 0
        self.kinds: Counter[str] = Counter()
        self.expected: Counter[str] = Counter()
        self.tables: dict[str, dict[str, Counter[str]]] = {
            "predicates": {"missing": Counter(), "extra": Counter(), "confused": Counter()},
            "roles": {"missing": Counter(), "extra": Counter(), "confused": Counter()},
            "constants": {"confused": Counter(), "shifted by": Counter()},
            "arguments": {"confused": Counter()},
        }

    def add(self, explanation: Counted) -> None:
        self.items += 1
        self.wrong += bool(explanation.diagnosis)
        for message in explanation.diagnosis:
            self.kinds[_kind(message)] += 1
        if explanation.expected:
            self.expected[explanation.expected] += 1
        for side, texts in (("missing", explanation.missing), ("extra", explanation.extra)):
            for text in texts:
                predicate = text.partition(" ( ")[0].removeprefix("* ")
                self.tables["predicates"][side][predicate] += 1
                self._role(side, predicate.partition(" . ")[2])
        for gold, system in explanation.predicates:
            self.tables["predicates"]["confused"][f"{gold}->{system}"] += 1
            roles = [each.partition(".")[2] for each in (gold, system)]
            if all(roles) and roles[0] != roles[1]:
                self._role("confused", "->".join(roles))
        for before, after in explanation.constants:
            self.tables["constants"]["confused"][f"{before}->{after}"] += 1
            self.tables["constants"]["shifted by"][f"{after - before:+d}"] += 1
        for old, new in explanation.arguments:
            self.tables["arguments"]["confused"][f"{old}->{new}"] += 1

    def _role(self, side: str, role: str) -> None:
        if role:
            self.tables["roles"][side][role] += 1

    def document(self) -> dict[str, Any]:
        return {
            "items": self.items,
            "wrong": self.wrong,
            "kinds": dict(self.kinds.most_common()),
            "ill_formed": {"expected": dict(self.expected.most_common())},
            **{
                name: {side: dict(counter.most_common()) for side, counter in sides.items()}
                for name, sides in self.tables.items()
            },
        }


def _kind(message: str) -> str:
    """A diagnosis without its particulars."""
    for start in ("ill-formed", "missing term", "extra term", "repeated term",
                  "missing edge", "extra edge", "the form is of the type"):  # fmt: skip
        if message.startswith(start):
            return start
    return message.partition(":")[0]
