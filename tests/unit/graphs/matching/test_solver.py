"""The typed side of the matcher: tables in, matchings out, wrong calls refused."""

from __future__ import annotations

import _thread
import random
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from karat.graphs.matching.solver import Climb, GraphPair, Kind, Mode, Side, check_many, match_many

LABEL, EDGE = 0, 1
TASKS = Path("/proc/self/task")
KINDS = [Kind(), Kind()]


def chain(nodes: int, labels: int = 1) -> Side:
    return Side(
        nodes,
        features=[(i, LABEL, i % labels) for i in range(nodes)],
        edges=[(i, i + 1, EDGE, 0) for i in range(nodes - 1)],
    )


def test_no_pairs() -> None:
    matchings = match_many([], KINDS)
    assert len(matchings) == 0
    assert matchings.counts.shape == (0, 3, 2)
    assert check_many([], KINDS, [], []).valid.tolist() == []


@pytest.mark.parametrize(
    ("gold", "system", "value"),
    [
        (Side(0), Side(0), 0),
        (Side(0), chain(3), 0),
        (chain(3), Side(0), 0),
        (Side(2), Side(2), 0),
        (chain(3), chain(3), 5),
        (chain(3), chain(2), 3),
    ],
)
def test_small_and_empty_graphs(gold: Side, system: Side, value: int) -> None:
    matching = match_many([GraphPair(gold, system)], KINDS)[0]
    assert matching.value == matching.bound == value
    assert matching.proven
    assert len(matching.mapping) == gold.nodes


def test_tables_may_be_nested_flat_or_arrays() -> None:
    nested = Side(2, [(0, 0, 5), (1, 0, 6)], [(0, 1, 1, 7)])
    flat = Side(2, [0, 0, 5, 1, 0, 6], [0, 1, 1, 7])
    arrays = Side(2, np.array([[0, 0, 5], [1, 0, 6]]), np.array([[0, 1, 1, 7]]))
    pairs = [GraphPair(a, b) for a in (nested, flat, arrays) for b in (nested, flat, arrays)]
    matchings = match_many(pairs, KINDS)
    assert matchings.value.tolist() == [3] * 9
    assert all(matching.mapping.tolist() == [0, 1] for matching in matchings)


def test_duplicates_count_once() -> None:
    twice = Side(2, [(0, LABEL, 1)] * 2, [(0, 1, EDGE, 1)] * 2)
    matching = match_many([GraphPair(twice, twice)], KINDS)[0]
    assert matching.gold.tolist() == matching.system.tolist() == matching.matched.tolist() == [1, 1]


def test_a_loop_matches_a_loop_only() -> None:
    loop, edge = Side(2, (), [(0, 0, EDGE, 1)]), Side(2, (), [(0, 1, EDGE, 1)])
    pairs = [GraphPair(loop, loop), GraphPair(loop, edge), GraphPair(edge, loop)]
    assert match_many(pairs, KINDS).value.tolist() == [1, 0, 0]


def test_pairs_that_match_nothing_are_left_out() -> None:
    gold, system = Side(2, [(0, LABEL, 1), (1, LABEL, 2)]), Side(2, [(1, LABEL, 1), (0, LABEL, 3)])
    assert match_many([GraphPair(gold, system)], KINDS)[0].mapping.tolist() == [1, -1]


def test_ranks_choose_among_equally_good_mappings() -> None:
    gold = Side(1, [(0, 0, 1), (0, 1, 1)])
    system = Side(2, [(0, 0, 1), (1, 1, 1)])
    pair = GraphPair(gold, system)
    first = match_many([pair], [Kind(rank=1), Kind(rank=2)])[0]
    second = match_many([pair], [Kind(rank=2), Kind(rank=1)])[0]
    assert first.settled
    assert second.settled
    assert (first.mapping.tolist(), second.mapping.tolist()) == ([0], [1])
    assert first.value == second.value == 1


def test_modes() -> None:
    gold = Side(3, [(0, LABEL, 1), (1, LABEL, 2), (2, LABEL, 3)], below=[(0, 1)])
    system = Side(3, [(2, LABEL, 1), (1, LABEL, 2), (0, LABEL, 3)], below=[(2, 0)])
    pairs = [GraphPair(gold, system, mode) for mode in ("free", "ordered", "dominated")]
    assert match_many(pairs, KINDS).value.tolist() == [3, 1, 2]


def test_slices_and_negative_indices() -> None:
    matchings = match_many([GraphPair(chain(n), chain(n)) for n in (1, 2, 3)], KINDS)
    assert [m.value for m in matchings[1:]] == [3, 5]
    assert matchings[-1].value == 5
    with pytest.raises(IndexError):
        matchings[3]


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (Side(1, [(1, 0, 0)]), "node id is out of range"),
        (Side(1, [(-1, 0, 0)]), "node id is out of range"),
        (Side(1, [(0, 2, 0)]), "kind is out of range"),
        (Side(1, (), [(0, 1, 0, 0)]), "node id is out of range"),
        (Side(1, (), [(0, 0, -1, 0)]), "kind is out of range"),
        (Side(1, below=[(0, 1)]), "node id is out of range"),
        (Side(-1), "node counts must not be negative"),
        (Side(1, [0, 0]), "there are no rows of 3 in 2 numbers"),
    ],
)
def test_wrong_tables_are_refused(side: Side, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match_many([GraphPair(side, Side(1))], KINDS)
    with pytest.raises(ValueError, match=message):
        match_many([GraphPair(Side(1), side)], KINDS)


def test_wrong_kinds_and_budgets_are_refused() -> None:
    pair = GraphPair(chain(2), chain(2))
    with pytest.raises(ValueError, match="weights must lie between"):
        match_many([pair], [Kind(-1), Kind()])
    with pytest.raises(ValueError, match="ranks must not be negative"):
        match_many([pair], [Kind(rank=-1), Kind()])
    with pytest.raises(ValueError, match="budgets must not be negative"):
        match_many([pair], KINDS, budget=-1)


def test_check_refuses_mappings_of_the_wrong_size() -> None:
    pair = GraphPair(chain(2), chain(2))
    with pytest.raises(ValueError, match="one entry for each gold node"):
        check_many([pair], KINDS, [[0]], [[]])


@pytest.mark.parametrize(
    ("mapping", "valid"),
    [
        ([0, 1, 2], True),
        ([-1, -1, -1], True),
        ([0, 0, 1], False),
        ([0, 1, 3], False),
        ([0, -2, 1], False),
    ],
)
def test_check_tells_mappings_from_nonsense(mapping: list[int], valid: bool) -> None:
    verdicts = check_many([GraphPair(chain(3), chain(3))], KINDS, [mapping], [[]])
    assert verdicts.valid.tolist() == [valid]


@pytest.mark.parametrize(
    ("certificate", "valid"),
    [([], True), ([0], True), ([4096], True), ([-1], False), ([4097], False), ([2**62], False),
     ([0, 0], False)],
)  # fmt: skip
def test_check_tells_certificates_from_nonsense(certificate: list[int], valid: bool) -> None:
    """One possible match of edges, worth 1: a number from none to all of it, in 1/4096."""
    edge = Side(2, (), [(0, 1, EDGE, 0)])
    verdicts = check_many([GraphPair(edge, edge)], KINDS, [[0, 1]], [certificate])
    assert verdicts.valid.tolist() == [valid]
    assert verdicts.bound.tolist() == [valid]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_long_search_can_be_interrupted(threads: int) -> None:
    rng = random.Random(3)
    edges = [(rng.randrange(120), rng.randrange(120), EDGE, 0) for _ in range(300)]
    other = [(rng.randrange(120), rng.randrange(120), EDGE, 0) for _ in range(300)]
    pair = GraphPair(Side(120, (), edges), Side(120, (), other))
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        match_many([pair] * 4, KINDS, budget=10**15, threads=threads)
    timer.join()


@pytest.mark.skipif(not TASKS.is_dir(), reason="the threads of a process are counted on Linux")
@pytest.mark.parametrize(
    ("climb", "budget"), [(None, 30_000_000), (Climb(restarts=10**6), 200_000_000)]
)
def test_threads_work_at_once_and_python_goes_on(climb: Climb | None, budget: int) -> None:
    rng = random.Random(3)
    sides = [
        Side(60, (), [(rng.randrange(60), rng.randrange(60), EDGE, 0) for _ in range(150)])
        for _ in range(2)
    ]
    pairs, before = [GraphPair(*sides)] * 3, set(TASKS.iterdir())
    working = threading.Thread(
        target=match_many,
        args=(pairs, KINDS),
        kwargs={"budget": budget, "tie_budget": 0, "threads": 3, "climb": climb},
    )
    working.start()
    looks, seen = 0, set(before)
    while working.is_alive():
        looks += 1
        seen.update(TASKS.iterdir())
        time.sleep(0.001)
    assert len(seen - before) >= 3  # the thread that calls works too
    assert looks > 3  # else the call held the GIL to its end


def random_tree(rng: random.Random, nodes: int, labels: int) -> Side:
    features = [(i, LABEL, 0) for i in range(nodes)]
    edges = [(rng.randrange(i), i, EDGE, rng.randrange(labels)) for i in range(1, nodes)]
    return Side(nodes, features, edges)


def star(nodes: int) -> Side:
    edges = [(0, i, EDGE, i % 2) for i in range(1, nodes)]
    return Side(nodes, [(i, LABEL, 0) for i in range(nodes)], edges)


@pytest.mark.parametrize("mode", ["free", "ordered"])
@pytest.mark.parametrize(
    ("gold", "system"),
    [
        (random_tree(random.Random(1), 250, 3), random_tree(random.Random(2), 250, 3)),
        (random_tree(random.Random(3), 2000, 40), random_tree(random.Random(4), 2000, 40)),
        (random_tree(random.Random(5), 6000, 1), random_tree(random.Random(6), 6000, 1)),
        (star(600), star(500)),
    ],
    ids=["equal labels", "large", "beyond the tables", "stars"],
)
def test_the_budget_ends_hard_pairs_with_a_true_interval(
    gold: Side, system: Side, mode: Mode
) -> None:
    pair = GraphPair(gold, system, mode)
    matching = match_many([pair], KINDS, budget=20_000_000, tie_budget=1_000_000)[0]
    assert 0 < matching.value <= matching.bound
    assert matching.bound <= min(matching.gold.sum(), matching.system.sum())
    verdicts = check_many([pair], KINDS, [matching.mapping], [matching.certificate])
    assert verdicts.valid.all()
    assert verdicts.value[0] == matching.value
    assert verdicts.bound[0] >= matching.bound
