"""Documents and spans as the page shows them: indented lines, or a text, with marks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from karat._native import RecordBatch
from karat.core.capabilities import Explanation
from karat.core.shown import Content, Fault, Kind, Raw, Shown, Text, utf16
from karat.records.batch import WAYS
from karat.records.calls import Number, Reader
from karat.records.settings import pointer

_LONGEST = 100_000
"""Longer documents are shown as they are written."""
_NOTHING = (-1, -1)
_KINDS = ((Kind.MISSING, "missing"), (Kind.SURPLUS, "surplus"), (Kind.CHANGED, "changed"))


class _Lines:
    """A document on indented lines, and where the values of its pointers stand."""

    def __init__(self, value: Any) -> None:
        self.parts: list[str] = []
        self.size = 0
        self.places: dict[str, tuple[int, int]] = {}
        self._write(value, (), "")
        self.text = "".join(self.parts)
        if (units := utf16(self.text)) is not None:
            self.places = {at: (units[b], units[e]) for at, (b, e) in self.places.items()}

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def _write(self, value: Any, path: tuple[str, ...], margin: str) -> None:
        begin = self.size
        if isinstance(value, (dict, list)) and value:
            self._put("{" if isinstance(value, dict) else "[")
            inner = margin + "  "
            members = value.items() if isinstance(value, dict) else enumerate(value)
            for number, (name, each) in enumerate(members):
                self._put(("," if number else "") + "\n" + inner)
                if isinstance(value, dict):
                    self._put(json.dumps(name, ensure_ascii=False) + ": ")
                self._write(each, (*path, str(name)), inner)
            self._put("\n" + margin + ("}" if isinstance(value, dict) else "]"))
        else:
            number_text = value.text if isinstance(value, Number) else None
            self._put(number_text or json.dumps(value, ensure_ascii=False))
        self.places.setdefault(pointer(path), (begin, self.size))

    def at(self, where: str) -> tuple[int, int]:
        """Where the value of a pointer stands, or what is around it, as in choices of gold."""
        while where not in self.places:
            where = where.rpartition("/")[0]
        return self.places[where]


def _dropped(value: Any) -> Any:
    """A value without null, [] and {}, as it is compared; None where nothing is left."""
    if isinstance(value, dict):
        return {
            k: kept for k, each in value.items() if (kept := _dropped(each)) is not None
        } or None
    if isinstance(value, list):
        return [kept for each in value if (kept := _dropped(each)) is not None] or None
    return value


def _lines(text: bytes, way: str, *, drop: bool) -> _Lines | None:
    """The lines of a document; None where it is no JSON or too long."""
    batch = RecordBatch(False, True, False, True)
    batch.read([text], WAYS[way])
    parsed, extracted, *_ = batch.states()[0]
    if not (parsed or extracted) or len(text) > _LONGEST:
        return None
    try:
        value = Reader()(batch.text(0))
        return _Lines(_dropped(value) if drop else value)
    except (ValueError, RecursionError):
        return None


def shown_documents(
    system: bytes, golds: Sequence[bytes], explanation: Explanation, *, way: str, drop: bool
) -> Shown:
    """A record diff: both sides on indented lines, with what is missing, surplus and changed.

    Where an item has several golds, the explanation does not say which one it is about.
    """
    ours = _lines(system, way, drop=drop)
    theirs = [_lines(gold, "none", drop=drop) for gold in golds]
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
