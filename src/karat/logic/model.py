"""A logical form: its prefix, its conjuncts, and what may be wrong with a text."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import msgspec

from karat.errors import FormatError, Place

Argument: TypeAlias = int | str
"""A constant ``x _ 3`` is the int 3; a lambda letter, a name and ``?`` are strings."""
FormType: TypeAlias = Literal["name", "lambda", "iota"]

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
    """Why a text is no form: where, what the grammar expects there, what stands there."""

    offset: int
    expected: str
    found: str

    def __str__(self) -> str:
        return f"ill-formed at offset {self.offset}: expected {self.expected}, found {self.found}"

    def error(self, place: Place | None = None, subject: str = "") -> IllFormedError:
        """The flaw as an exception."""
        return IllFormedError(self, place, subject)


class IllFormedError(FormatError):
    """A text that is no logical form; `flaw` says where and why."""

    code = "K170"

    def __init__(self, flaw: Flaw, place: Place | None = None, subject: str = "") -> None:
        super().__init__(f"{subject}{flaw}", code=self.code, place=place)
        self.flaw = flaw
        self.subject = subject

    def __reduce__(self) -> tuple[object, ...]:
        return IllFormedError, (self.flaw, self.place, self.subject)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of a file: a form, what else the line holds, and where it stood.

    `gold` is set where the line holds both the system's form and the gold.
    """

    form: str | None
    gold: str | None = None
    sentence: str | None = None
    file: str = ""
    line: int = 0
    type: str = ""
