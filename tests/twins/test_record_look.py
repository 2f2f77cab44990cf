"""The kernel that explains and shows many documents at once, against what Python makes of each."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from karat.core.capabilities import LazyPairs, WantedOutputs
from karat.core.shown import Shown, ShownPairs
from karat.records.metrics.json import Json

TEXTS = st.sampled_from(
    ["a", "", "it's", "\"q\" 'r'", "back\\slash", "tab\t\n\x01", "é", "東", "\U0001f600", "\u200b"]
)
NUMBERS = st.sampled_from([0, 1, -7, 1.5, 0.1, 123456.789, 1e-3, 1e20, 1e300, -0.0, 10**18, 10**25])
LEAVES = TEXTS | NUMBERS | st.booleans() | st.none()
KEYS = st.sampled_from(["a", "b", "c/d", "e~f", "é"])
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
OUTPUTS = DOCUMENTS.map(msgspec.json.encode) | st.sampled_from([b"", b"no JSON", b'{"a":'])
METRICS = st.sampled_from(
    [Json(), Json(empty="leaf", lists="index"), Json(strings="fuzzy", types="loose", threshold=0.2)]
)


def looked(metric: Json, pairs: list[tuple[Any, Any]]) -> Any:
    found = metric.look_at(
        LazyPairs(lambda: None, lambda: pairs, outputs=WantedOutputs(shown=True))
    )
    assert found is not None
    return found


@given(
    METRICS,
    st.lists(st.tuples(OUTPUTS, DOCUMENTS.map(msgspec.json.encode)), min_size=1, max_size=3),
)
def test_documents_are_told_and_shown_as_each_is(
    metric: Json, pairs: list[tuple[Any, Any]]
) -> None:
    found = looked(metric, pairs)
    expected = metric.explain_many(pairs)
    for own, told in zip(found.explanations(), expected, strict=True):
        assert not own or own == msgspec.json.encode(told)
    shown = ShownPairs(*found.shown())
    layers: set[str] = set()
    for i, ((system, gold), told) in enumerate(zip(pairs, expected, strict=True)):
        if not shown.views[i]:
            assert i not in shown.fault_rows.tolist()
            continue
        one: Shown = metric.shown(system, gold, told)
        layers |= one.layers.keys()
        assert b"[%b]" % shown.golds[i] == msgspec.json.encode([one.source, one.golds])
        assert shown.systems[i] == msgspec.json.encode(one.system)
        assert not one.labels  # which the kernel does not write
        assert b"[%b]" % shown.views[i] == msgspec.json.encode([one.layers, None, one.notes])
        faults = [
            shown.faults[number]
            for row, number in zip(shown.fault_rows, shown.fault_numbers, strict=True)
            if row == i
        ]
        assert faults == one.faults
    assert layers <= set(shown.layers)


def test_what_is_usual_is_not_left_to_python() -> None:
    pairs = [
        (b'{"a": 1, "b": ["x", "\xc3\xa9"], "c": 0.25}', b'{"a": 2, "b": ["y"], "c": null}'),
        (b"[true]", b"[true]"),
    ]
    found = looked(Json(), pairs)
    assert all(found.explanations())
    assert all(ShownPairs(*found.shown()).views)
