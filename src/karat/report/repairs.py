"""A repair as lines of text, which a terminal of 80 columns holds, and as the page shows it."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from textwrap import wrap
from typing import TYPE_CHECKING

from karat.engine.repair import EditClass, Repair
from karat.errors import counted
from karat.report.contract import Edit, RepairClass, RepairStep, RepairView
from karat.report.layout import broken

if TYPE_CHECKING:
    from karat.report.page.making import RepairedRun

_WIDTH = 80
_SHORTEST_NAME = 18


def lines(repair: Repair, width: int | None = None) -> Iterator[str]:
    """A heading, a row for each class, and notes; names are cut where a width is given."""
    run = repair.evaluation
    scale = run.metric.about.scale_of(tuple(repair.score.split(".")))
    effects = repair.measured_on
    edits, items = int(effects.left.sum()), int((effects.left > 0).sum())
    average = "" if repair.average == "micro" else ", mean of items"
    name = f"{run.metric.name} {repair.score}{average}"
    if not edits:
        size = _items(len(effects.counts))
        yield f"{name} {_value(repair.before.f, scale)}: nothing to repair in {size}"
        return
    yield (
        f"{name} {_value(repair.before.f, scale)}, {_value(repair.repaired.f, scale)} without "
        f"{counted(edits, 'edit')} in {_items(items)} of {len(effects.counts):,}"
    )
    if repair.split_half:
        others = len(run) - len(effects.counts)
        yield f"measured on one half of the items; the classes are chosen on the other {others:,}"
    yield ""
    yield from _table(repair, scale, width)
    rest = len(repair.effects.classes) - len(repair.classes)
    if rest:
        yield f"and {rest:,} more; ``top='0'`` lists all"
    for note in repair.notes():
        yield from wrap(f"note: {note}", width or _WIDTH)
    yield from broken(run.signature(), width)


def _items(number: int) -> str:
    return counted(number, "item")


def _table(repair: Repair, scale: float, width: int | None) -> Iterator[str]:
    has_rates = repair.classes[0].delta.p is not None
    checked = any(each.running_remeasured is not None for each in repair.classes)
    level = f"{100 * repair.level:g} %"
    header = ["class", "edits", "items"]
    header += ["ΔP", "ΔR", "ΔF"] if has_rates else ["Δ"]
    header += [level, "plan" if repair.rank == "plan" else "sum"]
    header += ["again"] if checked else []
    rows = [_row(each, scale, has_rates, checked) for each in repair.classes]
    sizes = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    if width is not None:
        others = sum(sizes[1:]) + len(sizes) - 1
        sizes[0] = max(_SHORTEST_NAME, min(sizes[0], width - others))
    for row in (header, *rows):
        name = _shortened(row[0], sizes[0])
        cells = [cell.rjust(size) for cell, size in zip(row[1:], sizes[1:], strict=True)]
        yield " ".join([name.ljust(sizes[0]), *cells])


def _shortened(name: str, size: int) -> str:
    """A name with its middle left out: paths differ in their ends.

    >>> _shortened("changed /items/*/price", 18), _shortened("obl→nmod", 18)
    ('changed …s/*/price', 'obl→nmod')
    """
    if len(name) <= size:
        return name
    end = size // 2
    return f"{name[: size - end - 1]}…{name[-end:]}"


def _row(each: EditClass, scale: float, has_rates: bool, checked: bool) -> list[str]:
    delta = each.delta
    changes = (delta.p, delta.r, delta.f) if has_rates else (delta.f,)
    row = [each.name, str(each.edits), str(each.items)]
    row += ["" if value is None else _change(value, scale) for value in changes]
    row.append("" if each.interval is None else " ".join(_change(e, scale) for e in each.interval))
    row.append(_value(each.running, scale))
    if checked:
        again = each.running_remeasured
        row.append("" if again is None else _value(again, scale))
    return row


def _value(value: float, scale: float) -> str:
    return f"{value:.2f}" if scale == 100 else f"{value:.4f}"


def _change(value: float, scale: float) -> str:
    """A change with its sign, without the zero before the point.

    >>> _change(0.0053, 1), _change(-1.5, 100)
    ('+.0053', '-1.50')
    """
    if scale == 100:
        return f"{value:+.2f}"
    text = f"{value:+.4f}"
    return text.replace("+0.", "+.").replace("-0.", "-.")


def repaired_run(repair: Repair) -> RepairedRun:
    """What the page takes of a repair; the page itself says which metric and system it is of."""
    from karat.report.page.making import RepairedRun

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
    for position, found in repair.edits_with_gains():
        edits[position] = [
            Edit(each.edit.kind, each.group, each.edit.system, each.edit.gold, gain)
            for each, gain in found
        ]
    return RepairedRun(repair.evaluation, view, edits, repair.drawn())


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
