"""What tracing shares between settings of graphs, beside each metric measuring by itself."""

from __future__ import annotations

import random
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest

from karat.core.tracing import Pairs, Pass, measured
from karat.errors import KaratError
from karat.graphs.matching.tuples import graph_tuples
from karat.graphs.metrics.edm import Edm
from karat.graphs.metrics.grids.mapped import KINDS_APART, Variants, is_alike_in_mtool
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.sdp import Sdp
from karat.graphs.model import Anchor, Edge, Graph, Node, Value
from karat.graphs.normalize import ALL, Compat, Step, normalize

TEXTS = ("The dog, (a big one) barked.", "Mr. X  ran; she 'sat' !", "... , a", None)
LABELS = ("Dog", "dog", "_bark_v_1", "X", None)
EDGES = ("ARG1", "arg1", "ARG1-of", "mod", "consist-of", "BV", "prep-out-of", None)
VALUES: tuple[Value, ...] = ("NN", ".", ",", "vb", 3, True, "False", False)
STEPS = [
    frozenset(each)
    for each in chain.from_iterable(combinations(ALL, n) for n in range(len(ALL) + 1))
]
COMPATS: tuple[Compat | None, ...] = (None, "mtool")


def anchors(draw: random.Random, most: int) -> tuple[Anchor, ...]:
    """Stretches of all kinds: of punctuation, empty, side by side, beyond the text."""
    found = []
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        start = draw.randint(0, most)
        found.append(Anchor(start, start + draw.randint(0, 6)))
    return tuple(found)


def graph(draw: random.Random, framework: str, text: str | None, *, anchored: bool = True) -> Graph:
    size = draw.randint(1, 6)
    nodes = []
    for i in range(size):
        names = draw.sample(("pos", "POS", "frame", "CARG"), draw.randint(0, 3))
        nodes.append(
            Node(
                i, draw.choice(LABELS), tuple(names), tuple(draw.choice(VALUES) for _ in names),
                anchors(draw, len(text or "") or 20) if anchored else (),
            )
        )  # fmt: skip
    if anchored:
        nodes.append(Node(size, "anchored", anchors=(Anchor(0, 3),)))
    edges = []
    for _ in range(draw.randint(0, 7)):
        names = draw.sample(("remote", "Remote", "effective", "x"), draw.choice((0, 0, 1, 2)))
        edges.append(
            Edge(
                draw.randrange(size), draw.randrange(size), draw.choice(EDGES), None,
                draw.choice((None, None, None, "ARG2")), tuple(names),
                tuple(draw.choice(VALUES) for _ in names),
            )
        )  # fmt: skip
    tops = tuple(draw.sample(range(size), min(size, draw.randint(0, 2))))
    flavor = 0 if framework == "dm" else 1
    return Graph("1", flavor, framework, input=text, tops=tops, nodes=tuple(nodes),
                 edges=tuple(edges))  # fmt: skip


def pairs_of(draw: random.Random, count: int, **options: Any) -> list[tuple[Graph, Graph]]:
    found = []
    for _ in range(count):
        framework, text = draw.choice(("dm", "eds", "amr", "ucca")), draw.choice(TEXTS)
        found.append(
            (graph(draw, framework, text, **options), graph(draw, framework, text, **options))
        )
    return found


def rows(one: Pass, pairs: Pairs) -> Any:
    prepared = None if one.prepare is None else one.prepare(pairs)
    return one.count(pairs if prepared is None else prepared, frozenset([KINDS_APART]))


def test_tuples_are_those_of_normalised_graphs() -> None:
    draw = random.Random(1)
    kinds = set()
    for system, gold in pairs_of(draw, 150):
        for each in (system, gold):
            made = {}
            for steps in draw.sample(STEPS, len(STEPS)):
                for compat in COMPATS:
                    found = Variants.of(each).after(steps, compat)
                    expected = graph_tuples(normalize(each, steps, compat))
                    assert found.graph is each
                    assert found.tuples.nodes == expected.nodes
                    assert found.tuples.features == expected.features, (steps, compat, each)
                    assert found.tuples.links == expected.links, (steps, compat, each)
                    made[id(found)] = found
            # Equal ones are the same, so that they are matched once.
            every = [(tuple(f.tuples.features), tuple(f.tuples.links)) for f in made.values()]
            assert len(set(every)) == len(every)
            kinds.add(len(every))
    assert max(kinds) > 8 > 4 > min(kinds)


def test_graphs_that_mtool_normalises_alike() -> None:
    draw = random.Random(2)
    steps: tuple[Step, ...] = ALL
    alike = 0
    for each in chain.from_iterable(pairs_of(draw, 400)):
        if is_alike_in_mtool(each):
            alike += 1
            assert normalize(each, steps) == normalize(each, steps, "mtool")
    assert alike > 50


@pytest.mark.parametrize("metric", [Mrp, Edm, Sdp])
def test_every_pass_gives_what_its_metric_measures(metric: type[Mrp | Edm | Sdp]) -> None:
    draw = random.Random(3)
    pairs = pairs_of(draw, 60)
    different = set()
    for one in metric.tracing().passes(metric.tracing().all_names()):
        own = one.settings[0].metric
        assert one.applies is None or one.applies(pairs), own
        found = rows(one, pairs)
        assert np.array_equal(found, measured(own, pairs)), own
        if one.swapped is not None:
            other = [(gold, system) for system, gold in pairs]
            swapped = one.swapped(found).sum(axis=0)
            assert swapped.tolist() == pytest.approx(measured(own, other).sum(axis=0).tolist())
        different.add(found.tobytes())
    assert len(different) > 4


@pytest.mark.parametrize("metric", [Edm, Sdp])
def test_graphs_without_anchors_are_left_to_those_who_compare_them(metric: type[Edm | Sdp]) -> None:
    draw = random.Random(4)
    pairs = [*pairs_of(draw, 5), *pairs_of(draw, 5, anchored=False)]
    applied = 0
    for one in metric.tracing().passes(metric.tracing().all_names()):
        own = one.settings[0].metric
        try:
            expected = measured(own, pairs)
        except KaratError:
            assert one.applies is not None
            assert not one.applies(pairs), own
            continue
        assert one.applies is not None
        assert one.applies(pairs), own
        assert np.array_equal(rows(one, pairs), expected), own
        applied += 1
    assert 0 < applied < len(metric.tracing().passes(metric.tracing().all_names()))
