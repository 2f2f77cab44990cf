"""Equality of meaning up to order and a renaming of constants, in Python: the judge of the kernel.

Terms that look like no other force the partners of their constants; the rest is graph isomorphism,
by pieces that share no constant, colour refinement, and constants that are singled out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from karat.core.assigning import Groups
from karat.errors import LimitExceeded
from karat.logic.model import Argument, Form

STEPS = 2_000_000
"""How many occurrences of constants may be looked at before giving up on a pair."""

ROUNDS = 12

_Labelled: TypeAlias = tuple[tuple[bool, str], tuple[Argument, ...]]
"""A term with its scope: whether it is in the prefix, its predicate, its arguments."""
_Colours: TypeAlias = dict[int, int]
_Signature: TypeAlias = tuple[int, frozenset[object]]
"""The colour that a constant has, and how it occurs."""


def same_meaning(system: Form, gold: Form, *, steps: int = STEPS) -> bool:
    """What `karat.logic.semantic.same_meaning` answers, found without the kernel."""
    return renaming(system, gold, steps=steps) is not None


def renaming(system: Form, gold: Form, *, steps: int = STEPS) -> dict[int, int] | None:
    """The constant of the system for each of the gold, where the meaning is the same."""
    if system.type != gold.type or len(system.binders) != len(gold.binders):
        return None
    if system.type == "name":
        return {} if system.name == gold.name else None
    ours, theirs = _labelled(system), _labelled(gold)
    constants = gold.constants()
    found = _forced(ours, theirs)
    if found is not None and len(found) < len(constants):
        found = _partners(ours, theirs, _Budget(steps))
    return None if found is None else {constant: found[constant] for constant in constants}


def _labelled(form: Form) -> list[_Labelled]:
    """All terms, with lambda letters replaced by the position of their binder."""
    position: dict[Argument, Argument] = {
        letter: f"binder {i}" for i, letter in enumerate(form.binders)
    }
    result: list[_Labelled] = []
    for prefix, terms in ((True, form.definite), (False, form.conjuncts)):
        for predicate, arguments in terms:
            if position:
                arguments = tuple([position.get(a, a) for a in arguments])
            result.append(((prefix, predicate), arguments))
    return result


def _forced(ours: Sequence[_Labelled], theirs: Sequence[_Labelled]) -> dict[int, int] | None:
    """The partners that follow without any choice: ours for each of theirs.

    A term whose shape occurs once on each side can only go to the other; its
    constants then stand for themselves, which sets further terms apart. None
    where the forms cannot be the same; nothing where long chains take too many rounds.
    """
    if len(ours) != len(theirs):
        return None
    mine: dict[Argument, int] = {}
    yours: dict[Argument, int] = {}
    for _ in range(ROUNDS):
        left, right = _by_shape(ours, mine), _by_shape(theirs, yours)
        if left.keys() != right.keys():
            return None
        known = len(mine)
        all_unlike = True
        for shape, terms in left.items():
            others = right[shape]
            if len(terms) != len(others):
                return None
            if len(terms) > 1:
                all_unlike = False
                continue
            for a, b in zip(terms[0], others[0], strict=True):
                if isinstance(a, int):
                    number = mine.setdefault(a, len(mine))
                    if yours.setdefault(b, number) != number:
                        return None
        if len(mine) != len(yours):
            return None
        # Where no two terms are equal, each has found its partner and nothing is left to check.
        if all_unlike or len(mine) == known:
            back = {number: a for a, number in mine.items()}
            return {int(b): int(back[number]) for b, number in yours.items()}
    return {}


def _by_shape(
    terms: Sequence[_Labelled], known: dict[Argument, int]
) -> dict[object, list[tuple[Argument, ...]]]:
    """Terms by what is fixed about them: label, literals, constants that have a partner."""
    result: dict[object, list[tuple[Argument, ...]]] = {}
    for label, arguments in terms:
        # A known constant is its number, an unknown one -1, a literal stands for itself.
        shape = label, *[known.get(a, -1) if isinstance(a, int) else a for a in arguments]
        result.setdefault(shape, []).append(arguments)
    return result


def _shape(term: _Labelled) -> tuple[object, ...]:
    """The parts of a term that no renaming changes."""
    return (*term[0], *(None if isinstance(a, int) else a for a in term[1]))


class _Budget:
    def __init__(self, steps: int) -> None:
        self.total = self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise LimitExceeded(
                f"two logical forms need more than {self.total:,} steps to compare",
                code="K530",
                advice="forms this regular do not occur in language; check the input",
            )


def _partners(
    ours: list[_Labelled], theirs: list[_Labelled], budget: _Budget
) -> dict[int, int] | None:
    """Each piece of one side must find a partner; whichever it takes, the rest is the same."""
    waiting: dict[object, list[_Piece]] = {}
    for piece in _pieces(ours):
        waiting.setdefault(piece.kind(), []).append(piece)
    result: dict[int, int] = {}
    for piece in _pieces(theirs):
        candidates = waiting.get(piece.kind(), [])
        for i, candidate in enumerate(candidates):
            mapping = _mapping(candidate, piece, budget)
            if mapping is not None:
                result.update(mapping)
                del candidates[i]
                break
        else:
            return None
    return None if any(waiting.values()) else result


def _pieces(terms: Sequence[_Labelled]) -> Iterator[_Piece]:
    """Terms grouped so that no two groups share a constant; terms without any are their own."""
    joined = Groups[int]()
    for _, arguments in terms:
        constants = [a for a in arguments if isinstance(a, int)]
        for constant in constants[1:]:
            joined.join(constants[0], constant)
    groups: dict[int | None, list[_Labelled]] = {}
    for term in terms:
        first = next((a for a in term[1] if isinstance(a, int)), None)
        groups.setdefault(None if first is None else joined.leader(first), []).append(term)
    for group in groups.values():
        yield _Piece(group)


class _Piece:
    """A connected part of a form: where each constant occurs, and beside which others."""

    def __init__(self, terms: list[_Labelled]) -> None:
        self.terms = terms
        self.occurrences: dict[int, list[tuple[object, int, tuple[Argument, ...]]]] = {}
        self.neighbours: dict[int, set[int]] = {}
        for label, arguments in terms:
            constants = [a for a in arguments if isinstance(a, int)]
            for slot, argument in enumerate(arguments):
                if isinstance(argument, int):
                    self.occurrences.setdefault(argument, []).append((label, slot, arguments))
                    self.neighbours.setdefault(argument, set()).update(constants)

    def kind(self) -> object:
        """The properties that any partner must share."""
        return len(self.occurrences), tuple(sorted(map(repr, map(_shape, self.terms))))

    def size(self, constants: Iterable[int]) -> int:
        return sum([len(self.occurrences[constant]) for constant in constants])

    def signature(self, constant: int, colours: _Colours) -> _Signature:
        """The colour of a constant, how it occurs, and beside which colours."""
        seen = Counter(
            [
                (label, slot, *[colours[a] if isinstance(a, int) else a for a in arguments])
                for label, slot, arguments in self.occurrences[constant]
            ]
        )
        return colours[constant], frozenset(seen.items())


@dataclass(eq=False)
class _State:
    """A colouring of two pieces, in which partners have the same colour."""

    ours: _Piece
    theirs: _Piece
    mine: _Colours
    yours: _Colours
    fresh: int

    def __post_init__(self) -> None:
        self.sizes = Counter(self.mine.values())

    def single_out(self, one: int, other: int) -> _State:
        """A copy in which these two are set apart from all others."""
        mine, yours = {**self.mine, one: self.fresh}, {**self.yours, other: self.fresh}
        return _State(self.ours, self.theirs, mine, yours, self.fresh + 1)

    def refine(self, changed: set[int], others_changed: set[int], budget: _Budget) -> bool:
        """Splits colours until nothing changes; False when the two sides come apart.

        Only constants beside a changed one can change, so a round costs what it
        touches.
        """
        while changed or others_changed:
            budget.spend(self.ours.size(changed) + self.theirs.size(others_changed))
            mine = {c: self.ours.signature(c, self.mine) for c in changed}
            yours = {c: self.theirs.signature(c, self.yours) for c in others_changed}
            counts = Counter(mine.values())
            if counts != Counter(yours.values()):
                return False
            names = self._new_colours(counts)
            for signature, colour in names.items():
                self.sizes[signature[0]] -= counts[signature]
                self.sizes[colour] = counts[signature]
            changed = self._recolour(self.mine, mine, names, self.ours)
            others_changed = self._recolour(self.yours, yours, names, self.theirs)
        return True

    def _new_colours(self, counts: Counter[_Signature]) -> dict[_Signature, int]:
        """A colour for each part that is split off; the largest part keeps the one it has."""
        parts: dict[int, list[_Signature]] = {}
        for signature in counts:
            parts.setdefault(signature[0], []).append(signature)
        names: dict[_Signature, int] = {}
        for colour, signatures in parts.items():
            if sum(counts[each] for each in signatures) == self.sizes[colour]:
                signatures.remove(max(signatures, key=lambda each: counts[each]))
            for signature in signatures:
                names[signature] = self.fresh
                self.fresh += 1
        return names

    @staticmethod
    def _recolour(
        colours: _Colours,
        signatures: dict[int, _Signature],
        names: dict[_Signature, int],
        piece: _Piece,
    ) -> set[int]:
        """Sets the new colours; returns the neighbours of the constants that changed."""
        beside: set[int] = set()
        for constant, signature in signatures.items():
            if signature in names:
                colours[constant] = names[signature]
                beside |= piece.neighbours[constant]
        return beside

    def is_settled(self) -> bool:
        """Whether no constants that are still equal are neighbours.

        Then they are interchangeable, and any partners of the same colour will do.
        """
        return all(
            other == constant or self.sizes[self.mine[other]] == 1
            for constant, colour in self.mine.items()
            if self.sizes[colour] > 1
            for other in self.ours.neighbours[constant]
        )

    def mapping(self) -> dict[int, int] | None:
        """Our constant for each of theirs, if the terms are the same under it."""
        by_colour: dict[int, list[int]] = {}
        for constant, colour in self.mine.items():
            by_colour.setdefault(colour, []).append(constant)
        result = {constant: by_colour[colour].pop() for constant, colour in self.yours.items()}
        return result if _renamed(self.theirs.terms, result) == Counter(self.ours.terms) else None

    def branches(self, budget: _Budget) -> Iterator[_State]:
        """One of our constants is singled out, with each of theirs that could be its partner."""
        colour = min(
            (c for c, size in self.sizes.items() if size > 1), key=lambda c: (self.sizes[c], c)
        )
        chosen = next(constant for constant, c in self.mine.items() if c == colour)
        for partner in [constant for constant, c in self.yours.items() if c == colour]:
            budget.spend(len(self.mine))
            state = self.single_out(chosen, partner)
            near, far = self.ours.neighbours[chosen], self.theirs.neighbours[partner]
            if state.refine(set(near), set(far), budget):
                yield state


def _mapping(ours: _Piece, theirs: _Piece, budget: _Budget) -> dict[int, int] | None:
    """Our constant for each of theirs; a search with a stack, so that depth costs no recursion."""
    mine, yours = dict.fromkeys(ours.occurrences, 0), dict.fromkeys(theirs.occurrences, 0)
    start = _State(ours, theirs, mine, yours, 1)
    if not start.refine(set(mine), set(yours), budget):
        return None
    stack = [iter([start])]
    while stack:
        state = next(stack[-1], None)
        if state is None:
            stack.pop()
        elif not state.is_settled():
            stack.append(state.branches(budget))
        elif (found := state.mapping()) is not None:
            return found
    return None


def _renamed(terms: Iterable[_Labelled], names: dict[int, int]) -> Counter[_Labelled]:
    return Counter(
        (label, tuple(names[a] if isinstance(a, int) else a for a in arguments))
        for label, arguments in terms
    )
