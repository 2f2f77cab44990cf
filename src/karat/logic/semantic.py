"""Equality of meaning: the same up to order and up to a renaming of constants.

The constants of two forms correspond if a bijection between them makes the
multisets of prefix terms and of conjuncts equal. That is graph isomorphism, and
is decided as such: the forms fall apart into pieces that share no constant;
pieces are compared by colour refinement, and where colours alone do not decide,
one constant is singled out and the refinement goes on (McKay's method).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from karat.logic.model import Argument, Form, Term
from karat.errors import LimitExceeded

STEPS = 2_000_000
"""How many occurrences of constants may be looked at before giving up on a pair."""

_Labelled: TypeAlias = tuple[tuple[bool, str], tuple[Argument, ...]]
"""A term with its scope: whether it is in the prefix, its predicate, its arguments."""
_Colours: TypeAlias = dict[int, int]


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
    if system.type != gold.type or len(system.binders) != len(gold.binders):
        return False
    if system.type == "name":
        return system.name == gold.name
    ours, theirs = list(_labelled(system)), list(_labelled(gold))
    if Counter(map(_shape, ours)) != Counter(map(_shape, theirs)):
        return False
    return _equal(ours, theirs, _Budget(steps))


def _labelled(form: Form) -> Iterator[_Labelled]:
    """All terms, with lambda letters replaced by the position of their binder."""
    position: dict[Argument, Argument] = {
        letter: f"binder {i}" for i, letter in enumerate(form.binders)
    }
    for prefix, terms in ((True, form.definite), (False, form.conjuncts)):
        for term in terms:
            yield (prefix, term.predicate), tuple(position.get(a, a) for a in term.arguments)


def _shape(term: _Labelled) -> tuple[object, ...]:
    """What a renaming cannot change."""
    return (*term[0], *(None if isinstance(a, int) else a for a in term[1]))


class _Budget:
    def __init__(self, steps: int) -> None:
        self.total = self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise LimitExceeded(
                f"two logical forms need more than {self.total:,} steps to compare",
                code="K503",
                advice="forms this regular do not occur in language; check the input",
            )


def _equal(ours: list[_Labelled], theirs: list[_Labelled], budget: _Budget) -> bool:
    """Each piece of one side must find a partner; whichever it takes, the rest is the same."""
    waiting: dict[object, list[_Piece]] = {}
    for piece in _pieces(theirs):
        waiting.setdefault(piece.kind(), []).append(piece)
    for piece in _pieces(ours):
        candidates = waiting.get(piece.kind(), [])
        for i, candidate in enumerate(candidates):
            if _same_piece(piece, candidate, budget):
                del candidates[i]
                break
        else:
            return False
    return not any(waiting.values())


def _pieces(terms: Sequence[_Labelled]) -> Iterator[_Piece]:
    """Terms grouped so that no two groups share a constant; terms without any are their own."""
    leader: dict[int, int] = {}

    def find(constant: int) -> int:
        while leader[constant] != constant:
            leader[constant] = leader[leader[constant]]
            constant = leader[constant]
        return constant

    for _, arguments in terms:
        constants = [a for a in arguments if isinstance(a, int)]
        for constant in constants:
            leader.setdefault(constant, constant)
        for constant in constants[1:]:
            leader[find(constant)] = find(constants[0])
    groups: dict[int | None, list[_Labelled]] = {}
    for term in terms:
        first = next((a for a in term[1] if isinstance(a, int)), None)
        groups.setdefault(None if first is None else find(first), []).append(term)
    for group in groups.values():
        yield _Piece(group)


class _Piece:
    """A connected part of a form: which constants occur where."""

    def __init__(self, terms: list[_Labelled]) -> None:
        self.terms = terms
        self.occurrences: dict[int, list[tuple[object, int, tuple[Argument, ...]]]] = {}
        for label, arguments in terms:
            for slot, argument in enumerate(arguments):
                if isinstance(argument, int):
                    self.occurrences.setdefault(argument, []).append((label, slot, arguments))
        self.size = sum(map(len, self.occurrences.values()))

    def kind(self) -> object:
        """What any partner must have too."""
        return len(self.occurrences), tuple(sorted(map(repr, map(_shape, self.terms))))

    def refined(self, colours: _Colours, names: dict[object, int]) -> _Colours:
        """One round: the new colour of a constant says how it occurs, and beside which colours."""
        result = {}
        for constant, occurrences in self.occurrences.items():
            seen = Counter(
                (label, slot, tuple(colours[a] if isinstance(a, int) else a for a in arguments))
                for label, slot, arguments in occurrences
            )
            signature = colours[constant], frozenset(seen.items())
            result[constant] = names.setdefault(signature, len(names))
        return result


def _same_piece(ours: _Piece, theirs: _Piece, budget: _Budget) -> bool:
    """Search with a stack of colourings, so that depth costs no recursion."""
    start = _stable(ours, theirs, dict.fromkeys(ours.occurrences, 0),
                    dict.fromkeys(theirs.occurrences, 0), budget)  # fmt: skip
    stack = [iter(() if start is None else (start,))]
    while stack:
        state = next(stack[-1], None)
        if state is None:
            stack.pop()
            continue
        mine, yours = state
        if len(set(mine.values())) == len(mine):
            if _is_mapping(ours, theirs, mine, yours):
                return True
            continue
        stack.append(_branches(ours, theirs, mine, yours, budget))
    return False


def _branches(
    ours: _Piece, theirs: _Piece, mine: _Colours, yours: _Colours, budget: _Budget
) -> Iterator[tuple[_Colours, _Colours]]:
    """One of our constants is singled out, with each of theirs that could be its partner."""
    sizes = Counter(mine.values())
    colour = min((c for c in sizes if sizes[c] > 1), key=lambda c: (sizes[c], c))
    chosen = next(constant for constant, c in mine.items() if c == colour)
    fresh = max(mine.values()) + 1
    for partner in [constant for constant, c in yours.items() if c == colour]:
        state = _stable(ours, theirs, {**mine, chosen: fresh}, {**yours, partner: fresh}, budget)
        if state is not None:
            yield state


def _stable(
    ours: _Piece, theirs: _Piece, mine: _Colours, yours: _Colours, budget: _Budget
) -> tuple[_Colours, _Colours] | None:
    """Both sides refined in step until nothing splits; None when they come apart."""
    classes = len(set(mine.values()))
    while True:
        budget.spend(ours.size + theirs.size + 1)
        names: dict[object, int] = {}
        mine, yours = ours.refined(mine, names), theirs.refined(yours, names)
        if not _same_counts(mine.values(), yours.values()):
            return None
        now = len(set(mine.values()))
        if now == classes:
            return mine, yours
        classes = now


def _same_counts(a: Iterable[int], b: Iterable[int]) -> bool:
    return sorted(a) == sorted(b)


def _is_mapping(ours: _Piece, theirs: _Piece, mine: _Colours, yours: _Colours) -> bool:
    """Whether the terms are the same when constants are called by their colours."""
    return _coloured(ours.terms, mine) == _coloured(theirs.terms, yours)


def _coloured(terms: Iterable[_Labelled], colours: _Colours) -> Counter[_Labelled]:
    return Counter(
        (label, tuple(colours[a] if isinstance(a, int) else a for a in arguments))
        for label, arguments in terms
    )
