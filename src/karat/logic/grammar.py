"""The grammars of the dialects: patterns of terms, prefixes and binders, and the strict rules.

Every pattern is linear on any input: no two repetitions in a row can match the
same characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from karat.logic.model import LETTERS, DialectName, Flaw, Form, Term

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
    """The notation of a dialect as patterns.

    Groups of `term`: predicate, two arguments, what follows.
    """

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

_OF_DIALECTS: dict[DialectName, Callable[[], Dialect]] = {
    "cogs": partial(_dialect, "cogs", arguments="'x _ number', a letter (a, b, e) or a name"),
    "slog": partial(
        _dialect,
        "slog",
        word=_ANY_CASE,
        literals=rf"{_NAME}|\?",
        arguments="'x _ number', a letter (a, b, e), a name or '?'",
    ),
    "recogs": partial(
        _dialect,
        "recogs",
        predicate=rf"{_NAME}|{_LOWER}(?:{BLANKS}\.{BLANKS}{_LOWER}){{0,2}}",
        constant=_INTEGER,
        literals="",
        arguments="a number, or a letter (a, b, e)",
        mixed=True,
    ),
    "reduced": partial(
        _dialect,
        "reduced",
        constant=_INTEGER,
        arguments="a number, a letter (a, b, e) or a name",
        bracketed=False,
    ),
}


@cache
def dialect_of(name: DialectName) -> Dialect:
    """The notation of a dialect; kernels do without, and its patterns take 3 ms to compile."""
    return _OF_DIALECTS[name]()


def strict_flaw(
    form: Form, dialect: DialectName, offsets: Callable[[], Sequence[int]] | None = None
) -> Flaw | None:
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
            return Flaw(offsets()[number] if offsets else 0, *problem)
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
