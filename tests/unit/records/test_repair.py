"""Repairs of documents whose keys or lists are unusual."""

from __future__ import annotations

from typing import Any

import pytest

from karat.records.metrics.json import Json


@pytest.mark.parametrize(
    ("options", "system", "gold", "repaired"),
    [
        ({}, '{"e\u0301": 1, "a": 2}', '{"\u00e9": 3}', '{"\\u00e9":3}'),
        ({}, '{"\u00e9": 1, "e\u0301": 2}', '{"\u00e9": 2, "b": 1}', '{"\\u00e9":2,"b":1}'),
        # What is optional and there keeps its place in the order of gold.
        ({"lists": "ordered"}, "[9, 1, 2]", '[1, {"$optional": 2}, 3]', "[1,2,3]"),
    ],
)
def test_what_is_repaired_is_exact(options: Any, system: str, gold: str, repaired: str) -> None:
    metric = Json(**options)
    (item,) = metric.repairs([(system, gold)])
    found = item.apply(range(len(item.edits("kind"))))
    assert found.decode() == repaired
    assert metric.score(found, gold)["exact"] == 1
