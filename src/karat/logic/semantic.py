"""Equality of meaning: the same up to order and up to a renaming of constants.

The constants of two forms correspond if a bijection between them makes the
multisets of prefix terms and of conjuncts equal. That is graph isomorphism, and is
decided as such, by native code (native/include/karat/logic/renaming.hpp).
"""

from __future__ import annotations

from karat import _native
from karat.errors import LimitExceeded
from karat.logic.model import Argument, Form

STEPS = 2_000_000
"""How many occurrences of constants may be looked at before giving up on a pair."""


def same_meaning(system: Form, gold: Form, *, steps: int = STEPS) -> bool:
    """Whether two forms are equal up to order and up to the names of constants.

    Lambda letters correspond by the position of their binder. A pair that needs
    more than so many steps is a LimitExceeded error, never a guess.

    >>> from karat.logic.parser import parse
    >>> gold = parse("boy ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )")
    >>> same_meaning(parse("run . agent ( x _ 7 , x _ 3 ) AND boy ( x _ 3 )"), gold)
    True
    >>> same_meaning(parse("run . agent ( x _ 7 , x _ 3 ) AND boy ( x _ 4 )"), gold)
    False
    """
    return renaming(system, gold, steps=steps) is not None


def renaming(system: Form, gold: Form, *, steps: int = STEPS) -> dict[int, int] | None:
    """The constant of the system for each of the gold, where the meaning is the same.

    >>> from karat.logic.parser import parse
    >>> gold = parse("boy ( x _ 1 ) AND run . agent ( x _ 2 , x _ 1 )")
    >>> renaming(parse("run . agent ( x _ 7 , x _ 3 ) AND boy ( x _ 3 )"), gold)
    {1: 3, 2: 7}
    """
    if system.type != gold.type or len(system.binders) != len(gold.binders):
        return None
    if system.type == "name":
        return {} if system.name == gold.name else None
    numbers: dict[object, int] = {}
    ours, theirs = (_numbered(form, numbers) for form in (system, gold))
    partners, decided = _native.rename_constants(ours, theirs, steps)
    if not decided:
        raise LimitExceeded(
            f"two logical forms need more than {steps:,} steps to compare",
            code="K530",
            advice="forms this regular do not occur in language; check the input",
        )
    if partners is None:
        return None
    constants = system.constants()
    return {each: constants[i] for each, i in zip(gold.constants(), partners, strict=True)}


def _numbered(form: Form, numbers: dict[object, int]) -> list[tuple[int, list[int]]]:
    """All terms with numbers: of a label its own, of a constant its place, of others below 0.

    Lambda letters are what the position of their binder is.
    """
    position: dict[Argument, object] = {letter: i for i, letter in enumerate(form.binders)}
    place = {constant: i for i, constant in enumerate(form.constants())}

    def number(key: object) -> int:
        return numbers.setdefault(key, len(numbers))

    return [
        (
            number((prefix, predicate)),
            [
                place[each] if isinstance(each, int) else -1 - number(position.get(each, each))
                for each in arguments
            ],
        )
        for prefix, terms in ((True, form.definite), (False, form.conjuncts))
        for predicate, arguments in terms
    ]
