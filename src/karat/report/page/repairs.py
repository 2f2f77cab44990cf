"""A repair as the page shows it: its classes and plan, and the edits of each item."""

from __future__ import annotations

from math import isnan

from karat.core.repairs import Drawn
from karat.engine.repair import EditClass, Repair
from karat.report.contract import Edit, RepairClass, RepairStep, RepairView
from karat.report.page.making import RepairedRun


def repaired_run(repair: Repair) -> RepairedRun:
    """What the page takes of a repair; the page itself says which metric and system it is of."""
    document = repair.to_dict()
    view = RepairView(
        metric=0,
        system=0,
        partition=document["partition"],
        rank=repair.rank,
        before=_number(repair.before.f),
        after=_number(repair.repaired.f),
        scores=document["before"],
        repaired=document["repaired"],
        classes=[_class(each) for each in repair.classes],
        plan=[
            RepairStep(each["classes"], _number(each["f"]), each["remeasured"])
            for each in document["plan"]
        ],
        exact=repair.exact,
        warnings=[each.replace("``", "") for each in repair.notes()],
    )
    edits: dict[int, list[Edit]] = {}
    drawn: dict[int, list[tuple[Drawn, ...]]] = {}
    for position, found in repair.edits_with_gains():
        edits[position] = [
            Edit(each.edit.kind, each.group, each.edit.system, each.edit.gold, gain)
            for each, gain in found
        ]
        drawn[position] = [each.edit.drawn for each, _ in found]
    return RepairedRun(repair.evaluation, view, edits, drawn)


def _class(each: EditClass) -> RepairClass:
    delta = {name: value for name, value in each.delta._asdict().items() if value is not None}
    return RepairClass(
        each.name,
        each.edits,
        each.items,
        {name: _number(value) for name, value in delta.items()},
        each.interval or (None, None),
        _number(each.per_edit),
        each.remeasured,
    )


def _number(value: float | None) -> float | None:
    return None if value is None or isnan(value) else value
