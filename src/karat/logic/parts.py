"""The parts of a form that precision and recall count: terms, predicates, arguments."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, TypeAlias

from karat.logic.model import Form, Term

KINDS = ("arguments", "predicates", "terms")
SCOPES = ("all", "prefix", "conjunction")
Counting: TypeAlias = Literal["multiset", "set"]
Items: TypeAlias = Sequence[Hashable]
Parts: TypeAlias = tuple[Items, ...]
"""One list of items for each kind and scope, kinds first, in the order of KINDS and SCOPES."""


def parts_of(form: Form) -> Parts:
    """The items of a form: a bare name is one term without predicate or argument."""
    prefix = form.definite
    conjuncts = (Term(form.name, ()),) if form.type == "name" else form.conjuncts
    result: list[Items] = []
    before: Items = [a for _, arguments in prefix for a in arguments]
    after: Items = [a for _, arguments in conjuncts for a in arguments]
    result += [[*before, *after], before, after]
    if form.type == "name":
        result += [(), (), ()]
    else:
        before, after = [predicate for predicate, _ in prefix], [p for p, _ in conjuncts]
        result += [[*before, *after], before, after]
    return (*result, prefix + conjuncts, prefix, conjuncts)


def overlap(system: Items, gold: Items) -> int:
    """The size of the intersection of two multisets."""
    if system == gold:
        return len(gold)
    left: dict[Hashable, int] = {}
    for item in gold:
        left[item] = left.get(item, 0) + 1
    common = 0
    for item in system:
        count = left.get(item, 0)
        if count:
            left[item] = count - 1
            common += 1
    return common


def sizes(system: Items, gold: Items, counting: Counting) -> tuple[int, int, int]:
    """How many items are common, the system's, the gold's."""
    if not system and not gold:
        return 0, 0, 0
    if counting == "multiset":
        return overlap(system, gold), len(system), len(gold)
    ours, theirs = set(system), set(gold)
    return len(ours & theirs), len(ours), len(theirs)


def same_items(system: Form, gold: Form, counting: Counting = "multiset") -> bool:
    """Equality up to order: prefixes as multisets, conjuncts as multisets, or both as sets."""
    if system.type != gold.type or system.name != gold.name:
        return False
    sides = zip(
        (system.definite, system.conjuncts, system.binders),
        (gold.definite, gold.conjuncts, gold.binders),
        strict=True,
    )
    if counting == "set":
        return all(set(ours) == set(theirs) for ours, theirs in sides)
    return all(
        len(ours) == len(theirs) and overlap(ours, theirs) == len(theirs) for ours, theirs in sides
    )
