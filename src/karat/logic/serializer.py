"""Form to text: one blank between any two terminals."""

from __future__ import annotations

from karat.logic.grammar import DialectName
from karat.logic.model import Argument, Form, Term


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
