"""Documents and spans as the page shows them: indented lines, or a text, with marks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from karat._native import record_lines
from karat.core.capabilities import Explanation, WantedOutputs
from karat.core.reading.strings import utf16
from karat.core.shown import CachedOutputs, Fault, Kind, Raw, Shown, ShownPairs, Text
from karat.records.batch import WAYS
from karat.records.spans import Words

if TYPE_CHECKING:
    from karat.records.metrics.json import Work

_LONGEST = 100_000
"""Longer documents are shown as they are written."""
_NOTHING = (-1, -1)
_KINDS = ((Kind.MISSING, "missing"), (Kind.SURPLUS, "surplus"), (Kind.CHANGED, "changed"))


def shown_documents(
    system: bytes, golds: Sequence[bytes], explanation: Explanation, *, way: str, drop: bool
) -> Shown:
    """A record diff: both sides on indented lines, with what is missing, surplus and changed.

    Where an item has several golds, the explanation does not say which one it is about.
    """
    told = [(kind, each) for kind, name in _KINDS for each in explanation.get(name, ())]
    ours, in_system = _lines(system, WAYS[way], drop, told, "system_at")
    theirs = [_lines(gold, WAYS["none"], drop, told, "gold_at") for gold in golds]
    shown = Shown(
        [Raw(text) for text, _ in theirs],
        Raw(ours),
        notes=[explanation["unparsed"]] if "unparsed" in explanation else [],
    )
    for note, fault in _told(explanation):
        shown.notes.append(note)
        shown.faults.append(fault)
    in_gold = theirs[0][1] if len(theirs) == 1 else None
    if told and in_gold is not None:
        places = zip(told, in_gold, in_system or [_NOTHING] * len(told), strict=True)
        shown.layers = {"fields": [n for (kind, _), g, s in places for n in (kind, 0, *g, *s)]}
    return shown


Places = list[tuple[int, int]]


def _lines(
    text: bytes, way: int, drop: bool, told: Sequence[tuple[Kind, Explanation]], side: str
) -> tuple[str, Places | None]:
    """A document on indented lines, and where what is told of it stands.

    As it is written, and nowhere, where it is no JSON or too long.
    """
    pointers = [each.get(side) for _, each in told]
    given = [at.encode("utf-8", "surrogatepass") for at in pointers if at is not None]
    found = record_lines(text, way, drop, given) if len(text) <= _LONGEST else None
    if found is None:
        return text[:_LONGEST].decode(errors="replace"), None
    lines, places = found
    following = iter(places)
    shown = msgspec.json.decode(lines, type=str)
    return shown, [_NOTHING if at is None else next(following) for at in pointers]


def _told(explanation: Explanation) -> Iterator[tuple[str, Fault]]:
    """Each difference in words, and as a fault that those of other items are counted with."""
    for kind, name in _KINDS:
        for each in explanation.get(name, ()):
            values = [repr(each[side]) for side in ("gold", "system") if side in each]
            at = each.get("gold_at") or each.get("system_at") or "/"
            path = each["path"] or "/"
            theirs = "" if kind == Kind.SURPLUS else path
            ours = "" if kind == Kind.MISSING else "other value" if theirs else path
            yield f"{name} {at}: {' → '.join(values)}", Fault("fields", kind, theirs, ours)


class DocumentOutputs(CachedOutputs):
    """Many pairs of documents with one gold each, compared once, for item files and the page."""

    def __init__(self, work: Work, drop: bool, outputs: WantedOutputs) -> None:
        super().__init__(outputs)
        self._work = work
        self._drop = drop

    def look(self, told: bool, shown: bool) -> tuple[list[bytes] | None, ShownPairs | None]:
        work, batch = self._work, self._work.batch
        # What could not be read is explained by itself, with the reason.
        failed = work.failed()
        number = np.arange(len(work.systems), dtype=np.int32)
        patterns = [each.encode("utf-8", "surrogatepass") for each in batch.patterns()]
        explanations, pairs = batch.native.look_at(
            np.column_stack([work.first_gold + number, number]),
            patterns, self._printable(), self._drop, told, shown,
        )  # fmt: skip
        for i in failed if told else ():
            explanations[i] = b""
        if not shown:
            return explanations, None
        found = ShownPairs(*pairs)
        views = list(found.views)
        for i in failed:
            views[i] = b""
        kept = ~np.isin(found.fault_rows, failed)
        return explanations, found._replace(
            views=views, fault_rows=found.fault_rows[kept], fault_numbers=found.fault_numbers[kept]
        )

    def _printable(self) -> npt.NDArray[np.uint8] | None:
        """Which characters repr() shows, where there are some that are not ASCII."""
        if not self._work.batch.foreign:
            return None
        table = np.zeros(0x110000, np.uint8)
        known = set("".join(self._work.batch.foreign))
        table[[ord(mark) for mark in known if mark.isprintable()]] = 1
        return table


def shown_spans(words: Words, explanation: Explanation) -> Shown:
    """A text, with the spans that both sides have and those of one alone.

    Without a text that has all of them, the spans of each side on lines of their own.
    """
    last = max((end for _, _, end, _, _ in _compared(explanation)), default=0)
    if last > len(words.units) or not words.units:
        return _listed_spans(explanation)
    text, gap = words.separator.join(words.units), len(words.separator)
    places = list(accumulate((len(unit) + gap for unit in words.units), initial=0))
    units = utf16(text)
    marks: list[int] = []
    faults: list[Fault] = []
    labels: list[str] = []
    for kind, begin, end, gold, system in _compared(explanation):
        where = (places[begin], places[end] - gap)
        if units is not None:
            where = (units[where[0]], units[where[1]])
        in_gold = where if kind != Kind.SURPLUS else _NOTHING
        in_system = where if kind != Kind.MISSING else _NOTHING
        marks += [kind, 0, *in_gold, *in_system]
        labels.append(f"{gold} → {system}" if kind == Kind.CHANGED else gold or system)
        if kind != Kind.MATCHED:
            faults.append(Fault("spans", kind, gold, system))
    layers = {"spans": marks} if marks else {}
    return Shown([Text(text)], Text(text), layers=layers, faults=faults, labels=labels)


def _compared(explanation: Explanation) -> Iterator[tuple[Kind, int, int, str, str]]:
    """Spans with gold's label and the system's; two labels of the same words are one change."""
    matched, missing, surplus = (
        [(each["begin"], each["end"], each["label"]) for each in explanation.get(name, ())]
        for name in ("matched", "missing", "surplus")
    )
    for begin, end, label in matched:
        yield Kind.MATCHED, begin, end, label, label
    others: dict[tuple[int, int], deque[str]] = {}
    for begin, end, label in surplus:
        others.setdefault((begin, end), deque()).append(label)
    for begin, end, label in missing:
        if found := others.get((begin, end)):
            yield Kind.CHANGED, begin, end, label, found.popleft()
        else:
            yield Kind.MISSING, begin, end, label, ""
    for (begin, end), left in others.items():
        for label in left:
            yield Kind.SURPLUS, begin, end, "", label


def _listed_spans(explanation: Explanation) -> Shown:
    matched, missing, surplus = (
        explanation.get(name, []) for name in ("matched", "missing", "surplus")
    )
    gold = _span_lines([*matched, *missing])
    system = _span_lines([*matched, *surplus]) if missing or surplus else gold
    faults = [
        Fault("spans", kind, ours, theirs)
        for kind, _, _, ours, theirs in _compared(explanation if gold is not system else {})
        if kind != Kind.MATCHED
    ]
    return Shown([Raw(gold)], Raw(system), faults=faults)


def _span_lines(spans: list[dict[str, Any]]) -> str:
    """Spans in order, one on each line."""
    places = sorted((span["begin"], span["end"], span["label"]) for span in spans)
    return "\n".join([f"{begin} {end} {label}" for begin, end, label in places])
