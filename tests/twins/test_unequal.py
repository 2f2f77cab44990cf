"""Edits from the parts of two graphs that are not written alike, beside those from whole graphs."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.capabilities import MeasuresMapped, Repairs, RepairsMapped, has
from karat.graphs.metrics import repairing
from karat.graphs.model import Edge, Graph, Node
from karat.graphs.repair import identity
from karat.graphs.repair.steps import Rest, unequal
from repair_cases import CASES

METRICS = [text for text in CASES if text.partition("(")[0] in
           ("mrp", "smatch", "edm", "sdp", "ucca-mrp")]  # fmt: skip


def told(metric: Repairs, pairs: list[Any]) -> list[Any]:
    """All that repairs say of pairs, and what half of them make."""
    result: list[Any] = []
    for item in metric.repairs(pairs):
        count = len(item.edits("kind"))
        result += [item.edits(name) for name in ("kind", *metric.partitions)]
        result += [item.apply(range(0, count, 2)), item.apply(range(count))]
    return result


@pytest.mark.parametrize("text", METRICS)
def test_edits_are_those_of_whole_graphs(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = karat.parse(text)
    assert has(metric, Repairs)
    rng = random.Random(text)
    pairs = [CASES[text](rng) for _ in range(60)]
    found = told(metric, pairs)

    def whole(system: Graph, gold: Graph, *_: Any) -> tuple[Rest, Rest]:
        return Rest.whole(system), Rest.whole(gold)

    for module in (repairing, identity):
        monkeypatch.setattr(module, "unequal", whole)
    assert found == told(metric, pairs)


@pytest.mark.parametrize("text", ["mrp", "smatch"])
def test_edits_are_found_under_the_given_mappings(text: str) -> None:
    """Those of measuring give what a search gives; under another one there are more edits."""
    metric = karat.parse(text)
    assert has(metric, Repairs)
    assert has(metric, RepairsMapped)
    assert has(metric, MeasuresMapped)
    rng = random.Random(3)
    pairs = [CASES[text](rng) for _ in range(40)]
    _, mappings = metric.measure_mapped(pairs)
    searched = [each.edits("kind") for each in metric.repairs(pairs)]
    assert [each.edits("kind") for each in metric.repairs_mapped(pairs, mappings)] == searched
    nothing = [np.full(len(each) // 4, -1, np.int32).tobytes() for each in mappings]
    apart = [each.edits("kind") for each in metric.repairs_mapped(pairs, nothing)]
    singles = [[sum(edit.single for edit in each) for each in all_] for all_ in (apart, searched)]
    assert all(a >= b for a, b in zip(*singles, strict=True))
    assert singles[0] != singles[1]


def test_values_of_other_types_are_not_alike() -> None:
    """1 and true are equal to Python, and are not in a graph."""
    ours, theirs = (
        Graph("1", nodes=(Node(0, "a", ("sg",), (value,)), Node(1)), edges=(Edge(0, 1, "x"),))
        for value in (1, True)
    )
    rests = unequal(ours, theirs, [0, 1])
    assert [rest.graph.nodes[0].values for rest in rests] == [(1,), (True,)]
    assert [rest.edges for rest in rests] == [(), ()]
