"""Drawings of large graphs: their work grows with the graph, not with its edges times its layers.

Work is the number of calls and of lines that Python runs, so that no clock is needed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from karat.drawing import arcs, layering
from karat.drawing.arcs import Arc, Word, arc_diagram
from karat.drawing.layers import Arrow, Box, Line, layered


def work_of(run: Callable[[], object]) -> int:
    """How many lines are run."""
    steps = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return steps


def chain_with_reentrancies(nodes: int, more: int) -> tuple[list[Box], list[Arrow]]:
    """As deep as can be, with edges over any number of layers."""
    draw = random.Random(nodes)
    ends = [(i, i + 1) for i in range(nodes - 1)]
    ends += [(a, b) for a, b in (draw.sample(range(nodes), 2) for _ in range(more))]
    return [Box((Line(f"n{i}"),)) for i in range(nodes)], [Arrow(a, b, "ARG") for a, b in ends]


@pytest.fixture
def few_bends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layering, "_MANY", 400)


@pytest.mark.usefixtures("few_bends")
def test_layers_take_linear_work() -> None:
    small, large = (
        work_of(lambda n=n: layered(*chain_with_reentrancies(n, 2 * n))) for n in (100, 400)
    )
    # Bends in each layer that an edge passes would make 16 times the work of it.
    assert large < 6 * small


@pytest.mark.usefixtures("few_bends")
def test_short_edges_bend_and_long_ones_run_straight() -> None:
    boxes, arrows = chain_with_reentrancies(60, 60)
    figure = layered(boxes, arrows)
    assert figure.svg.count("<path") == figure.svg.count(">ARG<") == len(arrows)
    assert layering.bent([1, 399, 1, 2, 1]) == {0, 2, 3, 4}
    assert layering.bent([100] * 4) == {0, 1, 2, 3}
    assert layering.bent([1] * 1000) == set(range(1000))


def test_arcs_take_linear_work() -> None:
    def draw(count: int) -> None:
        heads = random.Random(count)
        words = [Word(f"w{i}") for i in range(count)]
        arc_diagram(words, [Arc(heads.randrange(count), i, "dep") for i in range(1, count)])

    small, large = work_of(lambda: draw(200)), work_of(lambda: draw(800))
    assert large < 6 * small


def test_levels_of_arcs() -> None:
    """The definition, slowly: above all that it spans, short arcs first."""
    draw = random.Random(3)
    for _ in range(300):
        count = draw.randint(1, 9)
        drawn = [
            Arc(draw.randrange(count), draw.randrange(count)) for _ in range(draw.randint(0, 14))
        ]
        ends = [tuple(sorted((arc.source, arc.target))) for arc in drawn]
        levels: dict[int, int] = {}
        for i in sorted(range(len(ends)), key=lambda i: ends[i][1] - ends[i][0]):
            low, high = ends[i]
            touching = [
                level
                for j, level in levels.items()
                if (ends[j][0] < high and low < ends[j][1]) or ends[j] == ends[i]
            ]
            levels[i] = max(touching, default=0) + 1
        assert arcs._levels(drawn) == [levels[i] for i in range(len(ends))]
