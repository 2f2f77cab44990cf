"""What tracing counts of graphs with less work than measuring takes: the same figures."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.core.tracing import ROUGHLY, Pass, measured
from karat.graphs.metrics.grids.mapped import KINDS_APART
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.model import Edge, Graph, Node

EXAMPLES = Path(__file__).parents[3] / "examples" / "graphs"
ROLES = ("ARG0", "ARG1", "mod", "mod-of", "time")


def text(draw: random.Random, count: int) -> str:
    """An AMR of few concepts, so that many mappings are as good, and some triples are repeated."""

    def node(depth: int) -> str:
        nonlocal count
        count -= 1
        found = f"(x{count + 50} / {draw.choice(['dog', 'Dog', 'bark-01'])}"
        for _ in range(draw.randint(0, 3) if depth < 3 else 0):
            found += f" :{draw.choice(ROLES)} {node(depth + 1)}"
        return found + draw.choice(["", "", " :polarity -", " :polarity - :polarity -"]) + ")"

    return node(0)


def passes_with(names: list[str]) -> list[Pass]:
    return list(Smatch.tracing().passes(names))


@pytest.mark.parametrize("names", [["smatch"], ["smatch", "smatch instances"]])
def test_every_pass_of_smatch_gives_what_its_metric_gives(names: list[str]) -> None:
    draw = random.Random(7)
    pairs = [(text(draw, 20), text(draw, 20)) for _ in range(60)]
    for one in passes_with(names):
        needs = frozenset[str]().union(*(each.needs for each in one.settings))
        found = one.count(pairs, needs)
        expected = measured(one.settings[0].metric, pairs)
        for setting in one.settings:
            value, theirs = (
                setting.value(setting.columns(rows).sum(axis=0)) for rows in (found, expected)
            )
            assert float(value) == pytest.approx(float(theirs), abs=1e-12), setting


def test_a_sample_is_counted_like_all() -> None:
    draw = random.Random(8)
    pairs = [(text(draw, 12), text(draw, 12)) for _ in range(20)]
    for one in passes_with(["smatch"]):
        assert one.count(pairs, frozenset([ROUGHLY])).shape == one.count(pairs, frozenset()).shape


def graph(name: str, draw: random.Random) -> Graph:
    nodes = [Node(i, draw.choice("abc")) for i in range(6)]
    edges = [Edge(draw.randrange(i), i, draw.choice("xy")) for i in range(1, 6)]
    return Graph(id=name, framework="dm", nodes=tuple(nodes), edges=tuple(edges), tops=(0,))


def test_swapped_files_are_not_counted_again_where_that_gives_the_same() -> None:
    draw = random.Random(9)
    pairs = [(graph(str(i), draw), graph(str(i), draw)) for i in range(20)]
    swapped = [(gold, system) for system, gold in pairs]
    for one in Mrp.tracing().passes(["all"]):
        metric = one.settings[0].metric
        assert isinstance(metric, Mrp)
        assert (one.swapped is None) == metric.domination
        if one.swapped is not None:
            value = one.settings[0].value
            assert one.prepare is not None
            counted, theirs = (
                one.count(one.prepare(each) or each, frozenset()) for each in (pairs, swapped)
            )
            ours = one.swapped(counted)
            assert float(value(ours.sum(axis=0))) == pytest.approx(float(value(theirs.sum(axis=0))))
            assert np.array_equal(ours.sum(axis=1), theirs.sum(axis=1))


def test_every_pass_of_mrp_gives_what_its_metric_gives() -> None:
    """On a pair where each step of normalisation changes something, by mtool's rules other things
    than by ours; the same graphs again, shifted, are normalised as well."""
    system, gold = (
        [*karat.read(EXAMPLES / f"normalize.{side}.mrp")] for side in ("system", "gold")
    )
    pair, draw = (system[0], gold[0]), random.Random(10)
    pairs = [pair, (graph("x", draw), graph("x", draw))]
    different = set()
    for each in (pairs, [(pair[1], pair[0]), pairs[1]]):
        for one in Mrp.tracing().passes(["all", "anchors", "edges", "attributes", "labels"]):
            assert one.prepare is not None
            prepared = one.prepare(each)
            assert prepared is not None
            found = one.count(prepared, frozenset([KINDS_APART]))
            metric = one.settings[0].metric
            assert np.array_equal(found, measured(metric, each)), metric
            different.add(found.tobytes())
    assert len(different) > 16
