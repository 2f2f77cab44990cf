"""Pairs for the metrics of structured output."""

from __future__ import annotations

from typing import Any

DOCUMENTS = [
    ('{"a": 1, "b": ["x", "y"]}', '{"b": ["y", "x"], "a": 1}'),
    ('{"items": [{"n": "pen", "p": 2}]}', '{"items": [{"p": 2.5, "n": "pen"}, {"n": "ink"}]}'),
    ("no JSON at all", '{"a": [1, 2, 3]}'),
    ("[[1, 2], [3]]", "[[3, 4], [2, 1]]"),
    ('{"a": "5", "b": null}', '{"a": 5, "b": []}'),
]
CALLS = [
    ('[{"name": "f", "arguments": {"x": 1}}]', '[{"name": "f", "arguments": {"x": 1}}]'),
    ('{"name": "f", "arguments": {"x": [1, 2]}}', '[{"name": "f", "arguments": {"x": [2, 1]}}]'),
    (
        '[{"name": "f", "arguments": {"x": [{"y": 1}, {"z": [2]}]}}]',
        '[{"name": "f", "arguments": {"x": [{"y": 1}, {"z": [2]}]}}]',
    ),
    ("I cannot do that.", '[{"name": "g", "arguments": {}}]'),
    ('[{"name": "g", "arguments": {}}]', '[{"name": "f", "arguments": {"y": true}}]'),
]
SPANS = [
    (["B-A", "I-A", "O", "B-B"], ["B-A", "I-A", "O", "B-B"]),
    (["B-A", "O", "O", "B-A"], ["B-A", "I-A", "O", "B-B"]),
    ([["A", 0, 3], ["B", 5, 9]], [["A", 1, 3], ["A", 5, 9]]),
    ([], [["A", 0, 2]]),
]


def _same(gold: Any) -> Any:
    return gold


EXAMPLES = {
    "json": (
        ["json", "json(strings='fuzzy', types='loose')", "json(lists='ordered', abs='0.5')",
         "json(empty='leaf', paths='{\"/a\":{\"weight\":3}}')", "json(compat='anls')"],
        DOCUMENTS, _same,
    ),
    "tool-calls": (["tool-calls", "tool-calls(order='ordered')"], CALLS, _same),
    "spans": (["spans", "spans(match='partial')", "spans(compat='nervaluate')"], SPANS, _same),
}  # fmt: skip
