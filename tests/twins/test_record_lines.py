"""Documents on indented lines, what is told of them, and cells of numbers, against plain Python."""

from __future__ import annotations

import json
import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from drawn import drawn
from karat import _native
from karat.records.batch import WAYS
from karat.records.metrics.json import Json, Work
from karat.records.model import Number, Reader

NAMES = st.sampled_from(["a", "b", "~x", "p/q", "é", "\U0001f600", "", "0", '"', "\n"])
NUMBERS = st.sampled_from(["0", "-1.50", "1e5", "12E-3", "100000000000000000000"])


@st.composite
def documents(draw: st.DrawFn, depth: int = 0) -> str:
    """JSON as people write it: blanks, doubled keys, numbers in all notations."""
    blank = draw(st.sampled_from(["", " ", "\n"]))
    kind = draw(st.integers(0, 7 if depth < 3 else 3))
    if kind == 0:
        return draw(st.sampled_from(["null", "true", "false", "[]", "{}"]))
    if kind == 1:
        return draw(NUMBERS)
    if kind <= 3:
        ascii_only = draw(st.booleans())
        return json.dumps(draw(NAMES), ensure_ascii=ascii_only)
    parts = draw(st.lists(documents(depth + 1), max_size=4))
    if kind <= 5:
        return f"[{blank}{(',' + blank).join(parts)}]"
    keys = [json.dumps(draw(NAMES)) for _ in parts]
    members = (f"{key}:{blank}{part}" for key, part in zip(keys, parts, strict=True))
    return f"{{{blank}{(blank + ',').join(members)}}}"


class Lines:
    """A document on indented lines, and where the values of its pointers stand."""

    def __init__(self, value: Any) -> None:
        self.text = ""
        self.places: dict[str, tuple[int, int]] = {}
        self.write(value, "", "\n")

    def write(self, value: Any, at: str, margin: str) -> None:
        begin = units(self.text)
        if value and isinstance(value, (dict, list)):
            is_object = isinstance(value, dict)
            self.text += "{" if is_object else "["
            between = margin + "  "
            for name, each in value.items() if isinstance(value, dict) else enumerate(value):
                self.text += between + (f"{written(name)}: " if is_object else "")
                step = str(name).replace("~", "~0").replace("/", "~1")
                self.write(each, f"{at}/{step}", margin + "  ")
                between = f",{margin}  "
            self.text += margin + ("}" if is_object else "]")
        else:
            self.text += value.text if isinstance(value, Number) else written(value)
        self.places[at] = begin, units(self.text)


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def dropped(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: kept for k, v in value.items() if (kept := dropped(v)) is not None} or None
    if isinstance(value, list):
        return [kept for each in value if (kept := dropped(each)) is not None] or None
    return value


@settings(max_examples=drawn(300), deadline=None)
@given(documents(), st.booleans(), st.sampled_from(["{}", "```json\n{}\n```", "so: {}!"]))
def test_lines(document: str, drop: bool, around: str) -> None:
    value = Reader()(document.encode())
    expected = Lines(dropped(value) if drop else value)
    way = WAYS["none"] if around == "{}" else WAYS["first"]
    if around != "{}" and not isinstance(value, (dict, list)):
        return  # only containers are looked for in other text
    pointers = [*expected.places, "/not/there", *(f"{at}/0/a~1b" for at in expected.places)]
    found = _native.record_lines(
        around.replace("{}", document).encode(), way, drop, [each.encode() for each in pointers]
    )
    assert found is not None
    text, places = found
    assert json.loads(text) == expected.text
    for pointer, place in zip(pointers, places, strict=True):
        while pointer not in expected.places:
            pointer = pointer.rpartition("/")[0]
        assert place == expected.places[pointer]


def test_what_is_no_document_has_no_lines() -> None:
    for text in (b"no JSON", b"[" * 600 + b"]" * 600, b"\xff", b""):
        assert _native.record_lines(text, 0, True, []) is None


@settings(max_examples=drawn(100), deadline=None)
@given(documents(), documents(), st.sampled_from(["exact", "fuzzy"]))
def test_what_is_told_is_what_does_not_match(system: str, gold: str, strings: Any) -> None:
    work = Work(Json(strings=strings, duplicates="last"), [(system, gold)])
    events = work.events(0)
    both = [each for each in events if each.gold is not None and each.system is not None]
    matched, left = work.told(0)
    assert left == [each for each in events if each not in both or each.similarity != 1]
    assert math.isclose(matched, math.fsum(e.gold.weight * e.similarity for e in both if e.gold))


@given(st.lists(st.lists(st.floats() | st.integers(-9, 10**18).map(float), min_size=2, max_size=2)))
def test_cells_of_numbers(rows: list[list[float]]) -> None:
    def cell(value: float) -> str:
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)

    found = _native.number_rows(np.array(rows, float).reshape(len(rows), 2))
    assert found == ["\t".join(map(cell, row)).encode() for row in rows]
