"""Suspects in gold, as tables for a terminal and as a view of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from karat.core.capabilities import Explains, Shows, has
from karat.core.files.writing import whole_output
from karat.core.reading.doors import native_pairs
from karat.core.runs.notebook import short_names
from karat.engine.audit import Audit, Finding
from karat.errors import counted, part_of
from karat.report import contract
from karat.report.layout import Note, Shown, Table
from karat.report.numbers import NOTHING, shown

_MOST_PICTURES = 100


def tables(found: Audit, document: dict[str, Any]) -> Iterator[Shown]:
    """The findings, then the systems and what they have in common."""
    listed = document["findings"]
    if listed:
        headers = ("rank", "item", "part", "where", "gold", "suggestion", "who", "evidence")
        table = Table("", *headers, together=2)
        table.left = set(range(1, len(headers) - 1))
        names = dict(zip(found.names, short_names(found.names), strict=True))
        for rank, each in enumerate(listed, 1):
            everyone = len(each["systems"]) == len(names)
            table.add_row(
                str(rank), each["id"], each["part"]["kind"], each["part"]["where"],
                each["gold"] or NOTHING, each["suggestion"] or NOTHING,
                "all" if everyone else ", ".join(names[name] for name in each["systems"]),
                f"{each['evidence']:.1f}",
            )  # fmt: skip
        yield table
    more = len(found.findings) - len(listed)
    yield Note(
        part_of(len(found.findings), found.parts, "part")
        + " more evidence against gold than for it, in "
        + f"{len(found.items)} of {counted(len(found.runs[0]), 'item')}"
        + (f"; {counted(more, 'is', 'are')} not shown" if more else "")
    )
    kinds, short = found.kinds, short_names(found.names)
    table = Table("", "system", *kinds, "counts as")
    for name, system in zip(short, document["systems"], strict=True):
        cells = (shown(system["accuracy"][kind], 1.0) for kind in kinds)
        table.add_row(name, *cells, f"{system['weight']:.2f}")
    yield table
    table = Table("errors in common, beyond chance", "", *short)
    for name, row in zip(short, document["shared_errors"], strict=True):
        table.add_row(name, *(f"{share:.2f}" for share in row))
    yield table
    if "precision" in document:
        yield from _judged(found, document)
    yield Note(f"{counted(len(found.runs[0]), 'item')}  {document['signature']}")


def _judged(found: Audit, document: dict[str, Any]) -> Iterator[Shown]:
    precision = document["precision"]
    yield Note(
        f"{counted(document['judged'], 'finding')} judged: {100 * precision['value']:.0f} % right "
        f"(95 % interval {100 * precision['low']:.0f} to {100 * precision['high']:.0f} %)"
    )
    changed = document["corrected"]
    accepted = sum(bool(each.accepted) for each in found.judged)
    if changed["applied"] < accepted:
        yield Note(
            f"{changed['applied']} of {counted(accepted, 'accepted finding')} could be put into "
            "gold: no single edit makes the others"
        )
    if changed["applied"]:
        table = Table("", changed["score"], "gold as it is", "with accepted findings")
        names = short_names([each["name"] for each in changed["systems"]])
        for name, each in zip(names, changed["systems"], strict=True):
            table.add_row(name, shown(each["before"], 1.0), shown(each["after"], 1.0))
        yield table


def view_of(found: Audit, top: int | None = None) -> contract.AuditView:
    """The audit as the page shows it, with drawings of the items whose evidence is strongest."""
    findings = found.findings[:top]
    more = len(found.findings) - len(findings)
    unlisted = [f"{counted(more, 'weaker finding is', 'weaker findings are')} not on this page"]
    precision = found.precision()
    return contract.AuditView(
        metric=0,
        systems=[
            contract.AuditSystem(
                name,
                dict(found.accuracies(s)),
                float(found.evidence.weights[s]),
                any(value >= 0.5 for value in found.accuracies(s).values()),
            )
            for s, name in enumerate(found.names)
        ],
        shared_errors=found.evidence.shared.tolist(),
        findings=[_finding(each) for each in findings],
        items=_items(found, findings),
        parts=found.parts,
        # The page itself says that findings are hints.
        warnings=[*(unlisted if more else []), *found.notes()[1:]],
        precision=precision,
        judged=len(found.judged),
    )


def _finding(each: Finding) -> contract.Finding:
    verdict = {None: "", True: "yes", False: "no"}[each.accepted]
    return contract.Finding(
        each.position, each.id, contract.AuditPart(each.kind, each.where), each.gold or "",
        each.suggestion or "", each.systems, each.evidence, verdict,
    )  # fmt: skip


def _items(found: Audit, findings: list[Finding]) -> list[contract.AuditItem]:
    places: dict[int, list[int]] = {}
    for place, each in enumerate(findings):
        places.setdefault(each.position, []).append(place)
    drawn = dict(_pictures(found, findings, list(places)[:_MOST_PICTURES]))
    return [
        contract.AuditItem(
            position, found.runs[0].ids[position], findings[own[0]].evidence, own,
            *drawn.get(position, (None, None)),
        )
        for position, own in places.items()
    ]  # fmt: skip


def _pictures(
    found: Audit, findings: list[Finding], positions: list[int]
) -> Iterator[tuple[int, tuple[contract.Picture, contract.Picture]]]:
    """Gold, and gold with what is suggested; else the output of a system that says so."""
    metric = found.metric
    if not (has(metric, Shows) and has(metric, Explains)):
        return
    pairs = found.pairs(positions)
    for position in positions:
        own = [each[position] for each in pairs]
        listed = [each for each in findings if each.position == position]
        gold = own[0].gold
        changed, made = found.suggested(own, listed)
        if not made:
            changed = own[found.names.index(listed[0].systems[0])].system
        (itself, other) = (
            metric.shown(*pair, metric.explain(*pair))
            for pair in native_pairs(metric, [gold, changed], [gold, gold])
        )
        content = other.golds[0] if other.golds else None  # with what is in question marked
        yield (
            position,
            (
                contract.Picture(content, itself.overlay),
                contract.Picture(other.system, other.overlay),
            ),
        )


def write_page(found: Audit, path: str | IO[bytes], top: int | None = None) -> None:
    """Writes the page of the runs with the audit in it."""
    from karat.report.page.making import write

    with whole_output(path) as stream:
        write(stream, found.runs, audit=view_of(found, top))
