"""What is wrong with a logical form, by the definition: term by term, in no clever way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from karat.core.shown import Fault, Kind
from karat.errors import LimitExceeded
from karat.logic.model import DialectName, Form, Term, argument_text, term_text
from karat.logic.semantic import renaming


class _At(NamedTuple):
    """A term of a form, whether it is in the prefix, and its place among all terms."""

    definite: bool
    term: Term
    place: int

    def same(self, other: _At) -> bool:
        return self[:2] == other[:2]


class Diagnosis:
    """The explanation of two well-formed forms of which the texts differ, its marks and faults."""

    def __init__(
        self, texts: tuple[str, str], system: Form, gold: Form, dialect: DialectName
    ) -> None:
        self.dialect = dialect
        ours, theirs = _terms(system), _terms(gold)
        missing, extra = _left(theirs, ours), _left(ours, theirs)
        words = _heads(system, gold)
        if not (missing or extra or words):
            same = texts[0].split() == texts[1].split()
            words = [
                "only white space differs" if same else "only the order or the spelling differs"
            ]
        try:
            names = renaming(system, gold) if missing or extra else None
        except LimitExceeded:
            names = None
        told: dict[str, Any] = {"missing": [], "extra": []}
        if names is None:
            told = {
                "missing": list(map(self._text, missing)),
                "extra": list(map(self._text, extra)),
            }
        self._align(missing, extra)
        if names is None:
            told |= {
                "constants": list(map(list, self.constants)),
                "predicates": list(map(list, self.predicates)),
                "arguments": list(map(list, self.arguments)),
            }
            words += self._messages(theirs)
        else:
            told["renamed"] = [[a, b] for a, b in names.items() if a != b]
            if told["renamed"]:
                shown = ", ".join(f"{a}->{b}" for a, b in told["renamed"])
                words.append(f"constants are renamed consistently: {shown}")
        told = {"diagnosis": words, "offset": None, "expected": None, **told}
        self.explanation = {**told, "system": texts[0], "gold": texts[1]}
        self.marks = self._marks(ours, theirs)

    def _text(self, each: _At) -> str:
        return ("* " if each.definite else "") + term_text(each.term, self.dialect)

    def _align(self, missing: list[_At], extra: list[_At]) -> None:
        """Each missing term takes the first extra one that is nearest to it."""
        self.constants: list[tuple[int, int]] = []
        self.predicates: list[tuple[str, str]] = []
        self.arguments: list[tuple[Any, Any]] = []
        self.definiteness: list[_At] = []
        self.pairs: list[tuple[_At, _At]] = []
        self.missing, self.extra = list(missing), list(extra)
        for fits in (_in_other_part, _one_constant, _constants, _predicate, _arguments):
            for gold in list(self.missing):
                system = next((each for each in self.extra if fits(gold, each)), None)
                if system is None:
                    continue
                self.missing.remove(gold)
                self.extra.remove(system)
                self.pairs.append((gold, system))
                if fits is _in_other_part:
                    self.definiteness.append(gold)
                elif fits is _predicate:
                    self.predicates.append((gold.term.predicate, system.term.predicate))
                else:
                    self._note(gold, system)

    def _note(self, gold: _At, system: _At) -> None:
        for a, b in zip(gold.term.arguments, system.term.arguments, strict=True):
            if isinstance(a, int) and isinstance(b, int):
                if a != b and (a, b) not in self.constants:
                    self.constants.append((a, b))
            elif a != b:
                self.arguments.append((a, b))

    def _messages(self, golds: list[_At]) -> list[str]:
        dialect = self.dialect
        constants = ", ".join(f"{a}->{b}" for a, b in self.constants)
        found = [f"constants differ: {constants}"] if constants else []
        found += [f"predicate differs: {a}->{b}" for a, b in self.predicates]
        found += [
            f"argument differs: {argument_text(a, dialect)}->{argument_text(b, dialect)}"
            for a, b in self.arguments
        ]
        for each in self.definiteness:
            change = "lost" if each.definite else "added"
            found.append(f"definiteness {change}: {term_text(each.term, dialect)}")
        found += [f"missing term {self._text(each)}" for each in self.missing]
        for each in self.extra:
            repeated = any(each.same(gold) for gold in golds)
            found.append(f"{'repeated' if repeated else 'extra'} term {self._text(each)}")
        return found

    def _marks(self, ours: list[_At], theirs: list[_At]) -> list[int]:
        """Of equal terms, the last ones are marked, whichever of them were left."""
        marks: list[int] = []
        free = list(theirs), list(ours)
        for gold, system in self.pairs:
            g, s = _last(free[0], gold), _last(free[1], system)
            marks += [Kind.CHANGED, 0, g, g + 1, s, s + 1]
        free = list(theirs), list(ours)
        for each in self.missing:
            g = _last(free[0], each)
            marks += [Kind.MISSING, 0, g, g + 1, -1, -1]
        for each in self.extra:
            s = _last(free[1], each)
            marks += [Kind.SURPLUS, 0, -1, -1, s, s + 1]
        return marks

    def faults(self) -> list[Fault]:
        """The errors that a page counts."""
        changed: list[tuple[str, str, str]] = [("predicates", *each) for each in self.predicates]
        for pair in self.predicates:
            roles = [each.partition(".")[2] for each in pair]
            if all(roles) and roles[0] != roles[1]:
                changed.append(("roles", *roles))
        changed += [("constants", str(a), str(b)) for a, b in self.constants]
        for pair in self.arguments:
            changed.append(("arguments", *(argument_text(each, self.dialect) for each in pair)))
        for each in self.definiteness:
            changed.append(("definiteness", *(("*", "") if each.definite else ("", "*"))))
        return [
            *(Fault(part, Kind.CHANGED, gold, system) for part, gold, system in changed),
            *(Fault("terms", Kind.MISSING, each.term.predicate, "") for each in self.missing),
            *(Fault("terms", Kind.SURPLUS, "", each.term.predicate) for each in self.extra),
        ]


def _terms(form: Form) -> list[_At]:
    count = len(form.definite)
    return [_At(place < count, term, place) for place, term in enumerate(form.terms)]


def _left(terms: list[_At], others: list[_At]) -> list[_At]:
    """The terms that the others do not have, or not so often."""
    rest, left = list(others), []
    for term in terms:
        found = next((each for each in rest if each.same(term)), None)
        if found is None:
            left.append(term)
        else:
            rest.remove(found)
    return left


def _last(terms: list[_At], term: _At) -> int:
    found = [each for each in terms if each.same(term)][-1]
    terms.remove(found)
    return found.place


def _heads(system: Form, gold: Form) -> list[str]:
    if system.type != gold.type:
        return [f"the form is of the type {system.type}, the gold of the type {gold.type}"]
    if system.name != gold.name:
        return [f"the name differs: {gold.name}->{system.name}"]
    if system.binders != gold.binders:
        return [f"binders differ: {' '.join(gold.binders)}->{' '.join(system.binders)}"]
    return []


# What two terms may differ in; those that differ in less were put together before.


def _in_other_part(a: _At, b: _At) -> bool:
    return a.term == b.term and a.definite != b.definite


def _one_constant(a: _At, b: _At) -> bool:
    differing = sum(x != y for x, y in zip(a.term.arguments, b.term.arguments, strict=False))
    return len(a.term.arguments) == 2 and differing == 1 and _constants(a, b)


def _constants(a: _At, b: _At) -> bool:
    fits: Callable[[Any, Any], bool] = lambda x, y: (  # noqa: E731
        x == y or (isinstance(x, int) and isinstance(y, int))
    )
    return _arguments(a, b) and all(map(fits, a.term.arguments, b.term.arguments))


def _predicate(a: _At, b: _At) -> bool:
    return a.definite == b.definite and a.term.arguments == b.term.arguments


def _arguments(a: _At, b: _At) -> bool:
    same = a.definite == b.definite and a.term.predicate == b.term.predicate
    return same and len(a.term.arguments) == len(b.term.arguments)
