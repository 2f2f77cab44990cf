"""What constants of a COGS form are called, and which roles they have."""

from __future__ import annotations

from collections.abc import Iterator

from karat.errors import FormatError
from karat.logic.model import Argument, Form, Term
from karat.logic.serializer import term_text


def impossible(why: str) -> FormatError:
    """The error for a form that another notation has no way to say."""
    return FormatError(f"the form cannot be converted: {why}", code="K171")


def labels_of(form: Form) -> dict[int, str]:
    """What each constant is called: its noun (``* noun`` in the prefix), else its verb."""
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
        raise impossible(f"{term_text(term)!r} is no noun with its constant")
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
                raise impossible(f"{term_text(term)!r} is no role of a constant")
            yield event, role, target
