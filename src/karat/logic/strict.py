"""The strict level: what a COGS form must also satisfy to be one the corpus could hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karat.logic.grammar import DialectName
from karat.logic.model import LETTERS, Flaw, Form, Term


def strict_flaw(
    form: Form, dialect: DialectName, offsets: Callable[[], Sequence[int]] | None = None
) -> Flaw | None:
    """The first thing that a well-formed form has and a strict one must not have.

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
