"""The dialects as data: the shapes of terms, prefixes and binders, as regular expressions.

Every pattern is linear on any input: no two repetitions in a row can match the
same characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

DialectName: TypeAlias = Literal["cogs", "slog", "recogs", "reduced"]
AnyDialect: TypeAlias = DialectName | Literal["varfree"]

BLANKS = r"[ \t\r\n\f]*"
_SOME_BLANKS = r"[ \t\r\n\f]+"
_LOWER = r"[a-z]{2,}"
_ANY_CASE = r"(?!(?:AND|LAMBDA)(?![A-Za-z]))[A-Za-z]{2,}"
_NAME = r"[A-Z][a-z]+"
_LETTER = r"[abe]"
_CONSTANT = rf"x{BLANKS}_{BLANKS}[0-9]+"
_INTEGER = r"[0-9]+"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a dialect writes terms; groups of `term`: predicate, two arguments, what follows."""

    name: DialectName
    word: re.Pattern[str]
    """One part of a predicate."""
    argument: re.Pattern[str]
    arguments: str
    """What an argument may be, in words."""
    variable: re.Pattern[str]
    variables: str
    term: re.Pattern[str]
    lambda_term: re.Pattern[str]
    """A term below lambda binders."""
    definite: re.Pattern[str]
    """A prefix term; groups: word, variable, what follows."""
    bracketed: bool
    """Whether arguments stand in parentheses, separated by commas."""
    mixed: bool
    """Whether prefix terms and conjuncts may come in any order, and names are predicates."""


def _dialect(
    name: DialectName,
    *,
    word: str = _LOWER,
    predicate: str = "",
    constant: str = _CONSTANT,
    literals: str = _NAME,
    arguments: str,
    bracketed: bool = True,
    mixed: bool = False,
) -> Dialect:
    b, dotted = BLANKS, rf"{word}(?:{BLANKS}\.{BLANKS}{word}){{0,2}}"
    variable = rf"{constant}|{_LETTER}"
    argument = rf"{variable}|{literals}" if literals else variable
    if bracketed:
        one = rf"{b}\({b}({variable}){b}\){b}"
        some = rf"{b}\({b}({argument}){b}(?:,{b}({argument}){b})?\){b}"
    else:
        one = rf"{_SOME_BLANKS}({variable}){b}"
        some = rf"{_SOME_BLANKS}({argument})(?:{_SOME_BLANKS}({argument}))?{b}"
    link = r"(AND|;|\Z)" if mixed else r"(AND|\Z)"
    return Dialect(
        name,
        word=re.compile(word),
        argument=re.compile(argument),
        arguments=arguments,
        variable=re.compile(variable),
        variables=arguments.partition(",")[0] + " or a letter (a, b, e)",
        term=re.compile(rf"{b}({predicate or dotted}){some}{link}"),
        lambda_term=re.compile(rf"{b}({dotted}){some}(AND|\Z)"),
        definite=re.compile(rf"{b}\*{b}({word}){one}{link if mixed else '(;)'}"),
        bracketed=bracketed,
        mixed=mixed,
    )


NAME = re.compile(_NAME)
LETTER = re.compile(_LETTER)
BINDER = re.compile(rf"{BLANKS}LAMBDA{BLANKS}({_LETTER}){BLANKS}\.")
NAME_FORM = re.compile(rf"{BLANKS}({_NAME}){BLANKS}\Z")

DIALECTS: dict[DialectName, Dialect] = {
    "cogs": _dialect("cogs", arguments="'x _ number', a letter (a, b, e) or a name"),
    "slog": _dialect(
        "slog",
        word=_ANY_CASE,
        literals=rf"{_NAME}|\?",
        arguments="'x _ number', a letter (a, b, e), a name or '?'",
    ),
    "recogs": _dialect(
        "recogs",
        predicate=rf"{_NAME}|{_LOWER}(?:{BLANKS}\.{BLANKS}{_LOWER}){{0,2}}",
        constant=_INTEGER,
        literals="",
        arguments="a number, or a letter (a, b, e)",
        mixed=True,
    ),
    "reduced": _dialect(
        "reduced",
        constant=_INTEGER,
        arguments="a number, a letter (a, b, e) or a name",
        bracketed=False,
    ),
}
