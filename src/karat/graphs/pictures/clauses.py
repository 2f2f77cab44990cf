"""Structures in clause form as the page takes them: clauses side by side, and errors to count."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Explanation
from karat.core.shown import Fault, Form, Kind, Shown
from karat.graphs.drs.clauses import Clause, is_constant, title, written

LAYER = "clauses"


def shown_clauses(
    system: Sequence[Clause], gold: Sequence[Clause], explanation: Explanation
) -> Shown:
    """The clauses that were compared, each beside the one that it corresponds to.

    A missing and a surplus clause of the same box and referents are one that changed.
    """
    partner: dict[str, str] = dict(explanation["correspondences"])
    lost, new = set(explanation["missing"]), set(explanation["surplus"])
    place = {clause: i for i, clause in enumerate(system)}
    left: dict[tuple[str | None, ...], list[int]] = {}
    for i, clause in enumerate(system):
        if written(clause) in new:
            left.setdefault(_ends(clause), []).append(i)
    marks: list[int] = []
    faults: list[Fault] = []
    for i, clause in enumerate(gold):
        same = left.get(_ends(clause, partner))
        if written(clause) not in lost:
            j = place[_image(clause, partner)]
            marks += [Kind.MATCHED, 0, i, i + 1, j, j + 1]
        elif same:
            j = same.pop(0)
            marks += [Kind.CHANGED, 0, i, i + 1, j, j + 1]
            faults.append(Fault("clauses", Kind.CHANGED, title(clause), title(system[j])))
        else:
            marks += [Kind.MISSING, 0, i, i + 1, -1, -1]
            faults.append(Fault("clauses", Kind.MISSING, title(clause), ""))
    for j in sorted(j for found in left.values() for j in found):
        marks += [Kind.SURPLUS, 0, -1, -1, j, j + 1]
        faults.append(Fault("clauses", Kind.SURPLUS, "", title(system[j])))
    other = [f"{mine} is {theirs}" for mine, theirs in partner.items() if mine != theirs]
    notes = [f"variables of gold in the system's structure: {', '.join(other)}"] if other else []
    return Shown(
        [Form([written(clause) for clause in gold])],
        Form([written(clause) for clause in system]),
        layers={LAYER: marks},
        notes=notes,
        faults=faults,
    )


def _image(clause: Clause, partner: dict[str, str]) -> Clause:
    """A clause of gold with the system's variables."""
    arguments = tuple(partner.get(each, each) for each in clause.arguments)
    return Clause(partner.get(clause.box, ""), clause.name, arguments)


def _ends(clause: Clause, partner: dict[str, str] | None = None) -> tuple[str | None, ...]:
    """Box and referents, of gold's clauses as the system calls them; a sense is none of them."""
    arguments = clause.arguments[1:] if clause.kind == "concepts" else clause.arguments
    if partner is None:
        return clause.box, *arguments
    named = (each if is_constant(each) else partner.get(each) for each in arguments)
    return partner.get(clause.box), *named
