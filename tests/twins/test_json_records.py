"""JSON records by their spans, against a decoder; text metrics on them, against parsing."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.reading.strings import Strings
from karat.engine import evaluate
from karat.text import raw_texts
from karat.text.records.columns import Records

_KINDS: dict[str, Any] = {
    "n": lambda value: value is None,
    "t": lambda value: value is True,
    "f": lambda value: value is False,
    "i": lambda value: type(value) is int,
    "d": lambda value: type(value) in (int, float),
    "s": lambda value: type(value) is str,
    "l": lambda value: bool(value) and {*map(type, value)} == {str},
    "z": lambda value: value == [],
    "a": lambda value: type(value) is list and not {*map(type, value)} <= {str},
    "o": lambda value: type(value) is dict,
}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
) | st.lists(st.text(max_size=5), max_size=3)
records = st.dictionaries(st.text(max_size=4), values, max_size=4)
lines = st.builds(
    lambda record, plain, gaps: json.dumps(record, ensure_ascii=plain, indent=gaps).replace(
        "\n", " "
    ),
    records,
    st.booleans(),
    st.sampled_from([None, 1]),
)
_SIGNS = ["", '"', "\\", "{", "]", ",", ":", "0", "-", "e", "\x01", "\\ud800", "\\u12"]
# A line that a sign was put into, or taken out of.
broken = st.builds(
    lambda line, at, sign: line[: at % (len(line) + 1)] + sign + line[at % (len(line) + 1) + 1 :],
    lines,
    st.integers(0, 200),
    st.sampled_from(_SIGNS),
)


@given(st.lists(lines | broken, max_size=5))
def test_what_is_taken_is_what_a_decoder_gives(each: list[str]) -> None:
    packed = Strings.of([text.encode("utf-8", "replace").decode() for text in each])
    found = Records(packed.data, packed.begin, packed.end)
    for group in found.by_class:
        decoded = [msgspec.json.decode(found.record(row)) for row in group.rows.tolist()]
        for record in decoded:
            assert tuple(record) == group.fields
            for field, kind in zip(group.fields, group.kinds, strict=True):
                assert _KINDS[kind](record[field]), (kind, record[field])
        for field, kind in zip(group.fields, group.kinds, strict=True):
            if kind == "s":
                assert found.strings(group, field).decoded() == [r[field] for r in decoded]
            elif kind == "l":
                flat, bounds = found.lists(group, field)
                texts, at = flat.decoded(), bounds.tolist()
                assert [texts[a:b] for a, b in pairwise(at)] == [r[field] for r in decoded]
            elif kind == "i":
                assert found.strings(group, field).decoded() == [str(r[field]) for r in decoded]


@given(st.lists(records, min_size=1, max_size=5))
def test_plain_records_are_taken(each: list[dict[str, Any]]) -> None:
    plain = [{"id": str(i), "text": "a\tb\u4e2d", "n": i} for i, _ in enumerate(each)]
    packed = Strings.of([json.dumps(record) for record in plain])
    found = Records(packed.data, packed.begin, packed.end)
    assert not (found.classes < 0).any()
    assert len(found.by_class) == 1


_FACE = "caf\u00e9 \U0001f600"
SYSTEM: list[dict[str, Any]] = [
    {"id": "k0", "prediction": "a dog"},
    {"id": "k1", "prediction": 'q"\\\n', "x": 1},
    {"id": "k2", "prediction": _FACE},
    {"id": "k3", "prediction": "", "x": 2.50},
    {"id": "k4", "prediction": "e"},
]
GOLD: list[dict[str, Any]] = [
    {"id": "k0", "reference": "a  dog", "domain": "news"},
    {"id": "k1", "reference": 'q"\\', "domain": ""},
    {"id": "k2", "reference": _FACE, "hard": True},
    {"id": "k3", "reference": "f", "n": 7},
    {"id": "k4", "reference": "e", "w": 1.50},
]
OWN: list[dict[str, Any]] = [
    {**s, "references": [g["reference"], "a dog", "x"][: 1 + i % 3], "domain": "d"}
    for i, (s, g) in enumerate(zip(SYSTEM, GOLD, strict=True))
]


def _outcome(metric: str, **files: Any) -> Any:
    run = evaluate(metric, **files)
    return run.ids, run.counts.tolist(), run.groups, run.keys, run.warnings, run.gold_marks


@pytest.mark.parametrize("metric", ["exact", "bleu", "chrf", "rouge"])
@pytest.mark.parametrize("escapes", [True, False])
def test_files_give_what_parsing_gives(
    metric: str, escapes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = [{**record, "references": record["references"][:1]} for record in OWN]
    for name, some in (("s", SYSTEM[::-1]), ("g", GOLD), ("own", OWN), ("one", one)):
        text = "".join(json.dumps(each, ensure_ascii=escapes) + "\n" for each in some)
        Path(f"{name}.jsonl").write_text(text, encoding="utf-8")
    cases: list[dict[str, Any]] = [
        {"system": "s.jsonl", "gold": "g.jsonl"},
        {"system": "one.jsonl" if metric == "exact" else "own.jsonl"},
    ]
    calls: list[bool] = []
    plain = raw_texts._measured
    monkeypatch.setattr(raw_texts, "_measured", lambda *sides: calls.append(True) or plain(*sides))
    found = [_outcome(metric, **case) for case in cases]
    assert len(calls) == len(cases), "nothing was parsed"
    monkeypatch.setattr(raw_texts.TextKernel, "measure_bytes", lambda self, chunk: None)
    assert found == [_outcome(metric, **case) for case in cases]
