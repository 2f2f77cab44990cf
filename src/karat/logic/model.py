"""Logical forms: their parts, their text, their equality up to order, and errors in a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from karat.errors import FormatError, Place

Argument: TypeAlias = int | str
"""A constant ``x _ 3`` is the int 3; a lambda letter, a name and ``?`` are strings."""
FormType: TypeAlias = Literal["name", "lambda", "iota"]
DialectName: TypeAlias = Literal["cogs", "slog", "recogs", "reduced"]
AnyDialect: TypeAlias = DialectName | Literal["varfree"]
Grammar: TypeAlias = Literal["tolerant", "strict"]
DIALECT_HELP = "the notation of the forms"
GRAMMAR_HELP = "how much a form must satisfy to count as well-formed"
Counting: TypeAlias = Literal["multiset", "set"]

LETTERS = frozenset("abe")


class Term(NamedTuple):
    """A predicate, its parts joined by dots, and its arguments."""

    predicate: str
    arguments: tuple[Argument, ...]

    @property
    def parts(self) -> list[str]:
        """The parts of the predicate: ``cookie.nmod.beside`` has three."""
        return self.predicate.split(".")


class Form(msgspec.Struct, frozen=True, gc=False):
    """A parsed form.

    `definite` are the terms of an iota prefix, `binders` the letters of a lambda
    prefix, `name` the name that a bare name is.
    """

    type: FormType
    conjuncts: tuple[Term, ...] = ()
    definite: tuple[Term, ...] = ()
    binders: tuple[str, ...] = ()
    name: str = ""

    @property
    def terms(self) -> tuple[Term, ...]:
        """Prefix terms and conjuncts, in order."""
        return self.definite + self.conjuncts

    def constants(self) -> list[int]:
        """The constants, each once, in order of first appearance."""
        found = (each for term in self.terms for each in term.arguments if isinstance(each, int))
        return list(dict.fromkeys(found))


class Flaw(msgspec.Struct, frozen=True, gc=False):
    """A syntax error: its offset, what the grammar expects there, and what was found."""

    offset: int
    expected: str
    found: str

    def __str__(self) -> str:
        return f"ill-formed at offset {self.offset}: expected {self.expected}, found {self.found}"

    def error(self, place: Place | None = None, subject: str = "") -> IllFormedError:
        """The flaw as an exception."""
        return IllFormedError(self, place, subject)


class IllFormedError(FormatError):
    """An ill-formed text; `flaw` says where and why."""

    code = "K170"

    def __init__(self, flaw: Flaw, place: Place | None = None, subject: str = "") -> None:
        super().__init__(f"{subject}{flaw}", code=self.code, place=place)
        self.flaw = flaw
        self.subject = subject

    def __reduce__(self) -> tuple[object, ...]:
        return IllFormedError, (self.flaw, self.place, self.subject)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of a file: a form, its sentence and type, and its position.

    `gold` is set where the line holds both the system's form and the gold.
    """

    form: str | None
    gold: str | None = None
    sentence: str | None = None
    file: str = ""
    line: int = 0
    type: str = ""
    id: str = ""


def serialize(form: Form, dialect: DialectName = "cogs") -> str:
    """The canonical text of a form; ``parse(serialize(form)) == form``.

    >>> from karat.logic.parser import parse
    >>> serialize(parse("*cat(x_01);run.agent(x_2,Emma)"))
    '* cat ( x _ 1 ) ; run . agent ( x _ 2 , Emma )'
    """
    if form.type == "name":
        return form.name
    prefix = [f"LAMBDA {letter} . " for letter in form.binders]
    starred = ["* " + term_text(term, dialect) for term in form.definite]
    conjunction = " AND ".join(term_text(term, dialect) for term in form.conjuncts)
    if dialect == "recogs" and not form.conjuncts:
        return " ; ".join(starred)
    return "".join(prefix + [each + " ; " for each in starred]) + conjunction


def term_text(term: Term, dialect: DialectName = "cogs") -> str:
    """One term, in the notation of a dialect."""
    predicate = term.predicate.replace(".", " . ")
    arguments = [argument_text(argument, dialect) for argument in term.arguments]
    if dialect == "reduced":
        return " ".join([predicate, *arguments])
    return f"{predicate} ( {' , '.join(arguments)} )" if arguments else predicate


def argument_text(argument: Argument, dialect: DialectName = "cogs") -> str:
    """One argument, in the notation of a dialect."""
    if isinstance(argument, int) and dialect in ("cogs", "slog"):
        return f"x _ {argument}"
    return str(argument)


def same_items(system: Form, gold: Form) -> bool:
    """Equality up to order: prefixes as multisets, conjuncts as multisets."""
    if system.type != gold.type or system.name != gold.name:
        return False
    sides = zip(
        (system.definite, system.conjuncts, system.binders),
        (gold.definite, gold.conjuncts, gold.binders),
        strict=True,
    )
    return all(Counter[Hashable](ours) == Counter[Hashable](theirs) for ours, theirs in sides)
