"""Documents and spans as the page shows them: indented lines, or a text, with marks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from karat._native import RecordBatch
from karat.core.capabilities import Explanation
from karat.core.shown import Content, Fault, Kind, Raw, Shown, Text, utf16
from karat.records.batch import WAYS
from karat.records.calls import Number, Reader

_LONGEST = 100_000
"""Longer documents are shown as they are written."""
_NOTHING = (-1, -1)
_encode = msgspec.json.encode
_KINDS = ((Kind.MISSING, "missing"), (Kind.SURPLUS, "surplus"), (Kind.CHANGED, "changed"))


class _Lines:
    """A document on indented lines, and where the values of its pointers stand."""

    def __init__(self, value: Any) -> None:
        self.parts: list[str] = []
        self.size = 0
        self.places: dict[str, tuple[int, int]] = {}
        self._write(value, "", "\n")
        self.text = "".join(self.parts)
        if (units := utf16(self.text)) is not None:
            self.places = {at: (units[b], units[e]) for at, (b, e) in self.places.items()}

    def _write(self, value: Any, at: str, margin: str, before: str = "") -> None:
        """Writes a value after what stands before it; `margin` begins a line."""
        begin = self.size + len(before)
        if value and isinstance(value, (dict, list)):
            inner = margin + "  "
            is_object = isinstance(value, dict)
            self._put(before + ("{" if is_object else "["))
            between = inner
            members = value.items() if isinstance(value, dict) else enumerate(value)
            for name, each in members:
                step = str(name)
                if "~" in step or "/" in step:
                    step = step.replace("~", "~0").replace("/", "~1")
                lead = f"{between}{_written(name)}: " if is_object else between
                self._write(each, f"{at}/{step}", inner, lead)
                between = "," + inner
            self._put(margin + ("}" if is_object else "]"))
        else:
            self._put(before + (value.text if isinstance(value, Number) else _written(value)))
        self.places.setdefault(at, (begin, self.size))

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def at(self, where: str) -> tuple[int, int]:
        """Where the value of a pointer stands, or what is around it, as in choices of gold."""
        while where not in self.places:
            where = where.rpartition("/")[0]
        return self.places[where]


def _written(value: Any) -> str:
    """A scalar, [] or {} as JSON."""
    try:
        return _encode(value).decode()
    except UnicodeEncodeError:  # half of a pair of surrogates
        return json.dumps(value, ensure_ascii=False)


def _dropped(value: Any) -> Any:
    """A value without null, [] and {}, as it is compared; None where nothing is left."""
    if isinstance(value, dict):
        return {
            k: kept for k, each in value.items() if (kept := _dropped(each)) is not None
        } or None
    if isinstance(value, list):
        return [kept for each in value if (kept := _dropped(each)) is not None] or None
    return value


def _lines(batch: RecordBatch, number: int, size: int, *, drop: bool) -> _Lines | None:
    """The lines of a document that was read; None where it is no JSON or too long."""
    parsed, extracted, *_ = batch.states()[number]
    if not (parsed or extracted) or size > _LONGEST:
        return None
    try:
        value = Reader()(batch.text(number))
        return _Lines(_dropped(value) if drop else value)
    except (ValueError, RecursionError):
        return None


def shown_documents(
    system: bytes, golds: Sequence[bytes], explanation: Explanation, *, way: str, drop: bool
) -> Shown:
    """A record diff: both sides on indented lines, with what is missing, surplus and changed.

    Where an item has several golds, the explanation does not say which one it is about.
    """
    batch = RecordBatch(False, True, False, True)
    batch.read([system], WAYS[way])
    batch.read(list(golds), WAYS["none"])
    ours, *theirs = (
        _lines(batch, i, len(text), drop=drop) for i, text in enumerate((system, *golds))
    )
    shown = Shown(
        [_content(lines, text) for lines, text in zip(theirs, golds, strict=True)],
        _content(ours, system),
        notes=[explanation["unparsed"]] if "unparsed" in explanation else [],
    )
    for note, fault in _told(explanation):
        shown.notes.append(note)
        shown.faults.append(fault)
    gold = theirs[0] if len(theirs) == 1 else None
    if gold is None:
        return shown
    marks: list[int] = []
    for kind, name in _KINDS:
        for each in explanation.get(name, ()):
            in_gold = gold.at(each["gold_at"]) if "gold_at" in each else _NOTHING
            in_system = ours.at(each["system_at"]) if "system_at" in each and ours else _NOTHING
            marks += [kind, 0, *in_gold, *in_system]
    if marks:
        shown.layers = {"fields": marks}
    return shown


def _content(lines: _Lines | None, text: bytes) -> Content:
    return Raw(text[:_LONGEST].decode(errors="replace") if lines is None else lines.text)


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


def shown_spans(tokens: Sequence[str], explanation: Explanation) -> Shown:
    """The words of a sentence, with the spans that both sides have and those of one alone."""
    text, places = " ".join(tokens), [0]
    for token in tokens:
        places.append(places[-1] + len(token) + 1)
    units = utf16(text)
    marks: list[int] = []
    faults: list[Fault] = []
    for kind, name in ((Kind.MATCHED, "matched"), *_KINDS[:2]):
        for span in explanation.get(name, ()):
            where = (places[span["begin"]], places[span["end"]] - 1)
            if units is not None:
                where = (units[where[0]], units[where[1]])
            in_gold = where if kind != Kind.SURPLUS else _NOTHING
            in_system = where if kind != Kind.MISSING else _NOTHING
            marks += [kind, 0, *in_gold, *in_system]
            if kind != Kind.MATCHED:
                sides = (span["label"], "") if kind == Kind.MISSING else ("", span["label"])
                faults.append(Fault("spans", kind, *sides))
    return Shown([Text(text)], Text(text), layers={"spans": marks} if marks else {}, faults=faults)
