"""The counts of a pair of logical forms, from the definitions: the judge of the kernel.

It takes forms as the package's own parser gives them, which the diagnoses of errors and the
conversions use too, and counts in plain Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeAlias

from form_meaning import same_meaning
from karat.errors import LimitExceeded
from karat.logic.metrics.base import LogicMetric
from karat.logic.model import Flaw, Form, Term, same_items
from karat.logic.parser import Tree, same_tree, strict_flaw

Items: TypeAlias = Sequence[Hashable]


def row(metric: LogicMetric, system_text: str, gold_text: str) -> list[float] | None:
    """The row of a pair; None where the gold form is ill-formed."""
    gold = metric.notation.parse(gold_text)
    if isinstance(gold, Flaw):
        return None
    system = metric.notation.parse(system_text)
    if isinstance(system, Flaw):
        system = None
    found: list[float] = [1.0]
    for component in metric.components:
        found += map(float, _columns(component.group, metric, system, gold, system_text, gold_text))
    return found


def _columns(
    group: str,
    metric: LogicMetric,
    system: Form | Tree | None,
    gold: Form | Tree,
    system_text: str,
    gold_text: str,
) -> Sequence[float]:
    ours, theirs = system_text.split(), gold_text.split()
    is_tree = metric.dialect == "varfree"
    if group == "exact":
        return system_text == gold_text, ours == theirs
    if group == "well_formed":
        if is_tree:
            return (system is not None,)
        strict = isinstance(system, Form) and not strict_flaw(system, metric.dialect)  # type: ignore[arg-type]
        return system is not None, strict
    if group in ("order", "order_set"):
        if isinstance(system, Tree) and isinstance(gold, Tree):
            return (same_tree(system, gold),)
        same = _same_sets if group == "order_set" else same_items
        return (system is not None and same(system, gold),)  # type: ignore[arg-type]
    if group == "semantic":
        return (0, 0) if system is None else _meaning(system, gold)  # type: ignore[arg-type]
    if group == "edits":
        return edit_distance(ours, theirs), len(theirs)
    if group == "bleu":
        grams = [(_grams(ours, n), _grams(theirs, n)) for n in (1, 2, 3, 4)]
        return (
            len(ours),
            len(theirs),
            *((a & b).total() for a, b in grams),
            *(a.total() for a, _ in grams),
        )
    assert group == "parts", group
    return _part_columns(metric, system, gold)


def _same_sets(system: Form, gold: Form) -> bool:
    """Equality up to order and repetition."""
    return (system.type, system.name) == (gold.type, gold.name) and all(
        set(getattr(system, part)) == set(getattr(gold, part))
        for part in ("definite", "conjuncts", "binders")
    )


def _meaning(system: Form, gold: Form) -> tuple[bool, bool]:
    try:
        return same_meaning(system, gold), False
    except LimitExceeded:
        return False, True


def edit_distance(a: Items, b: Items) -> int:
    """Levenshtein distance, row by row."""
    if a == b:
        return 0
    last = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (one != other)))
        last = row
    return last[-1]


def _grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def parts_of(form: Form | Tree) -> tuple[Items, ...]:
    """Arguments, predicates and terms, each of the whole form, its prefix and its conjunction.

    A bare name is one term without predicate or argument. Of a tree: its triples.
    """
    if isinstance(form, Tree):
        return (form.triples(),)
    is_name = form.type == "name"
    prefix = form.definite
    conjuncts = (Term(form.name, ()),) if is_name else form.conjuncts
    scopes = (prefix + conjuncts, prefix, conjuncts)
    arguments: list[Items] = [[a for term in terms for a in term.arguments] for terms in scopes]
    predicates: list[Items] = [
        [] if is_name else [term.predicate for term in terms] for terms in scopes
    ]
    return (*arguments, *predicates, *scopes)


def sizes(system: Items, gold: Items, counting: str) -> tuple[int, int, int]:
    """The numbers of common items, of the system's and of the gold's."""
    ours, theirs = Counter(system), Counter(gold)
    if counting == "set":
        ours, theirs = Counter(set(ours)), Counter(set(theirs))
    return (ours & theirs).total(), ours.total(), theirs.total()


def _part_columns(
    metric: LogicMetric, system: Form | Tree | None, gold: Form | Tree
) -> list[float]:
    legacy = bool(metric.options["legacy"])
    counting = str(metric.options["counting"] or ("set" if legacy else "multiset"))
    golds = parts_of(gold)
    systems: Sequence[Items] = [()] * len(golds) if system is None else parts_of(system)
    result: list[float] = []
    for ours, theirs in zip(systems, golds, strict=True):
        common, a, b = sizes(ours, theirs, counting)
        precision, recall = common / a if a else 0.0, common / b if b else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        if not legacy and system is not None and a == b == 0:
            precision = recall = f1 = 1.0
        if legacy and system is None:
            b = 0
        result += [common, a, b, precision, recall, f1]
    return result
