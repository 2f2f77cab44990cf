"""Errors of forms in words: for one pair, and counted over a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np

from karat import _native
from karat.core.reading.strings import decoded_json
from karat.logic.model import AnyDialect, DialectName, Flaw, Form, Grammar, Term, term_text
from karat.logic.parser import Tree, encoded, same_tree, try_parse, try_parse_varfree

Explanation: TypeAlias = dict[str, Any]
_Each = TypeVar("_Each", bound=Hashable)


class PlacedTerm(NamedTuple):
    """A term, and whether it stands in the prefix."""

    definite: bool
    term: Term

    def text(self, dialect: DialectName) -> str:
        return ("* " if self.definite else "") + term_text(self.term, dialect)


def diagnose(
    system_text: str, gold_text: str, system: Form | Flaw, _gold: Form, dialect: DialectName
) -> Explanation:
    """The differences between a form and gold: messages, and the data behind them.

    `missing` and `extra` are the terms that only one side has. Those that differ
    in one respect are put together: constants, a predicate, an argument,
    definiteness, always in the direction gold -> system. Nothing is missing or
    extra where only the names of constants are others.
    """
    if isinstance(system, Flaw):
        return _explanation(system_text, gold_text, [str(system)], flaw=system)
    (explanation,), _ = look_at_pair(system_text, gold_text, dialect, told=True)
    return decoded_json(explanation)


def look_at_pair(
    system: str, gold: str, dialect: DialectName, *, told: bool = False, shown: bool = False
) -> Any:
    """The explanation of two well-formed forms as JSON, and how a page shows them: lists of one."""
    ours, theirs = encoded(system), encoded(gold)
    sides = ours, np.array([[0, len(ours)]]), theirs, np.array([[0, len(theirs)]])
    return _native.look_at_forms(*sides, dialect=dialect, strict=False, told=told, shown=shown)


def _explanation(
    system: str,
    gold: str,
    diagnosis: list[str],
    *,
    flaw: Flaw | None = None,
    missing: Sequence[str] = (),
    extra: Sequence[str] = (),
) -> Explanation:
    return {
        "diagnosis": diagnosis,
        "offset": None if flaw is None else flaw.offset,
        "expected": None if flaw is None else flaw.expected,
        "missing": list(missing),
        "extra": list(extra),
        "system": system,
        "gold": gold,
    }


def placed_terms(form: Form) -> list[PlacedTerm]:
    """All terms of a form: prefix, then conjuncts."""
    return [PlacedTerm(True, term) for term in form.definite] + [
        PlacedTerm(False, term) for term in form.conjuncts
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


class CountedErrors(msgspec.Struct):
    """What a profile takes of an explanation."""

    diagnosis: list[str]
    expected: str | None
    missing: list[str]
    extra: list[str]
    predicates: list[tuple[str, str]] = []
    constants: list[tuple[int, int]] = []
    arguments: list[tuple[Any, Any]] = []


def error_profile(explanations: Iterable[CountedErrors]) -> dict[str, Any]:
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

    def add(self, explanation: CountedErrors) -> None:
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
