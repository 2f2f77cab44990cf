"""The native matcher against the definition: every mapping tried, or a general solver."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat.graphs.matching.solver import (
    Kind,
    Matching,
    Matchings,
    Mode,
    check_many,
    match_many,
)
from matching_cases import (
    KINDS,
    MODES,
    PLAIN,
    Case,
    Graph,
    best_preference,
    legal,
    matched,
    perturbed,
    preference,
    random_case,
    random_graph,
    value,
)


def solve(cases: Sequence[Case], kinds: Sequence[Kind] = KINDS, threads: int = 1) -> Matchings:
    return match_many([case.pair() for case in cases], kinds, threads=threads)


def assert_best(case: Case, matching: Matching, kinds: Sequence[Kind]) -> None:
    mapping = matching.mapping.tolist()
    counts = matched(case, mapping, kinds)
    best = best_preference(case, kinds)
    assert legal(case, mapping)
    assert matching.matched.tolist() == counts
    assert matching.value == value(counts, kinds) == matching.bound == best[0]
    assert matching.settled
    assert preference(counts, kinds) == best


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("most", "cases"), [(4, 1200), (5, 100)])
def test_tiny_pairs_against_all_mappings(mode: Mode, most: int, cases: int) -> None:
    rng = random.Random(f"{mode} {most}")
    batch = [random_case(rng, most, mode) for _ in range(cases)]
    for case, matching in zip(batch, solve(batch), strict=True):
        assert_best(case, matching, KINDS)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = draw(st.integers(0, 4))
    if nodes == 0:
        return Graph(0)
    node, label = st.integers(0, nodes - 1), st.integers(0, 1)
    features = draw(st.lists(st.tuples(node, st.integers(0, 1), label), max_size=6))
    edges = draw(st.lists(st.tuples(node, node, st.integers(2, 3), label), max_size=6))
    below = draw(st.lists(st.tuples(node, node), max_size=6))
    return Graph(nodes, tuple(features), tuple(edges), tuple(below))


@settings(max_examples=drawn(300), deadline=None)
@given(gold=graphs(), system=graphs(), mode=st.sampled_from(MODES))
def test_any_pair_against_all_mappings(gold: Graph, system: Graph, mode: Mode) -> None:
    case = Case(gold, system, mode)
    assert_best(case, solve([case])[0], KINDS)


def test_interchangeable_nodes_against_all_mappings() -> None:
    """Leaves that only differ by number, below nodes that only differ by number."""
    rng = random.Random(5)

    def forest() -> Graph:
        nodes = rng.randint(2, 5)
        roots = rng.randint(1, 2)
        edges = [(rng.randrange(roots), v, 2, rng.randrange(2)) for v in range(roots, nodes)]
        edges += [
            (v, rng.randrange(roots), 3, 0) for v in range(roots, nodes) if rng.random() < 0.3
        ]
        features = [(v, 0, 0) for v in range(nodes) if rng.random() < 0.7]
        return Graph(nodes, tuple(features), tuple(edges))

    batch = [Case(forest(), forest()) for _ in range(150)]
    for case, matching in zip(batch, solve(batch), strict=True):
        assert_best(case, matching, KINDS)


def integer_programme(case: Case, kinds: Sequence[Kind]) -> int:
    """The greatest value by a general solver: x for pairs of nodes, y for pairs of edges."""
    optimize = pytest.importorskip("scipy.optimize")
    sparse = pytest.importorskip("scipy.sparse")
    reward: dict[tuple[int, int], int] = {}
    gain: dict[tuple[tuple[int, int], tuple[int, int]], int] = {}
    for n, k, v in set(case.gold.features):
        for m, k2, v2 in set(case.system.features):
            if (k, v) == (k2, v2):
                reward[n, m] = reward.get((n, m), 0) + kinds[k].weight
    for s, t, k, v in set(case.gold.edges):
        for s2, t2, k2, v2 in set(case.system.edges):
            if (k, v) != (k2, v2) or (s == t) != (s2 == t2):
                continue
            if s == t:
                reward[s, s2] = reward.get((s, s2), 0) + kinds[k].weight
            else:
                ends = min(((s, s2), (t, t2)), ((t, t2), (s, s2)))
                gain[ends] = gain.get(ends, 0) + kinds[k].weight
                for end in ends:
                    reward.setdefault(end, 0)
    x = {pair: at for at, pair in enumerate(reward)}
    objective = [*reward.values(), *gain.values()]
    rows: list[dict[int, int]] = []
    rows += [{x[p]: 1 for p in x if p[0] == i} for i in range(case.gold.nodes)]
    rows += [{x[p]: 1 for p in x if p[1] == j} for j in range(case.system.nodes)]
    if case.mode == "ordered":
        crossing = [(p, q) for p in x for q in x if p[0] < q[0] and p[1] >= q[1]]
        rows += [{x[p]: 1, x[q]: 1} for p, q in crossing]
    limits = [1] * len(rows)
    for at, ends in enumerate(gain, len(x)):
        rows += [{at: 1, x[end]: -1} for end in ends]
        limits += [0, 0]
    if not objective:
        return 0
    matrix = sparse.lil_matrix((len(rows), len(objective)))
    for r, row in enumerate(rows):
        for column, coefficient in row.items():
            matrix[r, column] = coefficient
    result = optimize.milp(
        -np.array(objective),
        constraints=optimize.LinearConstraint(matrix.tocsr(), ub=np.array(limits)),
        integrality=np.array([1] * len(x) + [0] * len(gain)),
        bounds=optimize.Bounds(0, 1),
        options={"mip_rel_gap": 0},
    )
    assert result.status == 0
    return round(-result.fun)


@pytest.mark.parametrize("mode", ["free", "ordered"])
def test_middle_sized_pairs_against_integer_programming(mode: Mode) -> None:
    rng = random.Random(f"milp {mode}")
    batch = []
    for nodes, labels in [(10, 2), (14, 4), (18, 8), (25, 12)] * 4:
        gold = random_graph(rng, nodes, labels, 1.3)
        system = perturbed(rng, gold, labels)
        batch.append(
            Case(gold, system if mode == "free" else replace(gold, edges=system.edges), mode)
        )
    for case, matching in zip(batch, solve(batch), strict=True):
        assert matching.proven
        assert legal(case, matching.mapping.tolist())
        assert matching.value == value(matched(case, matching.mapping.tolist(), KINDS), KINDS)
        assert matching.value == integer_programme(case, KINDS)


def cycles(rng: random.Random, nodes: int) -> Graph:
    """Unlabelled cycles of several lengths, with interchangeable leaves on some nodes."""
    edges: list[tuple[int, ...]] = []
    start = 0
    while start < nodes - 1:
        length = min(rng.choice([2, 3, 3, 4, 5, 6]), nodes - start)
        edges += [(start + i, start + (i + 1) % length, 2, 0) for i in range(length) if length > 1]
        start += length
    hubs = [rng.randrange(nodes), rng.randrange(nodes)]
    edges += [(rng.choice(hubs), nodes + i, 3, 0) for i in range(rng.randint(0, 3))]
    everything = nodes + 3
    return Graph(everything, (), tuple(edges)).renumbered(rng.sample(range(everything), everything))


def test_pairs_that_need_branching_against_integer_programming() -> None:
    rng = random.Random(17)
    batch = [
        Case(cycles(rng, rng.randint(5, 8)), cycles(rng, rng.randint(5, 8))) for _ in range(24)
    ]
    matchings = solve(batch)
    pairs = [case.pair() for case in batch]
    mappings = [m.mapping for m in matchings]
    verdicts = check_many(pairs, KINDS, mappings, [m.certificate for m in matchings])
    assert (verdicts.bound > matchings.bound).sum() >= 5  # else nothing was branched on
    for case, matching in zip(batch, matchings, strict=True):
        assert matching.proven
        assert matching.value == integer_programme(case, KINDS)


def test_value_does_not_depend_on_numbering_or_side() -> None:
    rng = random.Random(11)
    for _ in range(60):
        gold = random_graph(rng, 14, 3, 1.2)
        case = Case(gold, perturbed(rng, gold, 3))
        renumbered = Case(
            case.gold.renumbered(rng.sample(range(14), 14)),
            case.system.renumbered(rng.sample(range(14), 14)),
        )
        swapped = Case(case.system, case.gold)
        first, second, third = solve([case, renumbered, swapped])
        assert first.proven
        assert second.proven
        assert third.proven
        assert first.value == second.value == third.value
        # settled ties fix the split over kinds as well
        assert first.settled
        assert second.settled
        assert third.settled
        assert first.matched.tolist() == second.matched.tolist() == third.matched.tolist()


def test_order_preserving_value_does_not_depend_on_side() -> None:
    rng = random.Random(12)
    batch = [random_case(rng, 12, "ordered") for _ in range(60)]
    there = solve(batch)
    back = solve([Case(case.system, case.gold, "ordered") for case in batch])
    assert there.proven.all()
    assert back.proven.all()
    assert there.value.tolist() == back.value.tolist()


def test_a_graph_matches_itself_completely() -> None:
    rng = random.Random(13)
    for mode in MODES:
        for labels in (1, 5):
            graph = random_graph(rng, 20, labels, 1.2)
            matching = solve([Case(graph, graph, mode)], PLAIN)[0]
            assert matching.proven
            assert matching.matched.tolist() == matching.gold.tolist() == matching.system.tolist()
            assert matching.value == len(set(graph.features)) + len(set(graph.edges))


def test_threads_do_not_matter() -> None:
    rng = random.Random(14)
    batch = [random_case(rng, 12) for _ in range(200)]
    one, many = solve(batch), solve(batch, threads=4)
    for name in Matchings.__slots__:
        assert np.array_equal(getattr(one, name), getattr(many, name)), name


@pytest.mark.parametrize("budget", [0, 100, 3000])
def test_a_short_budget_still_gives_a_true_interval(budget: int) -> None:
    rng = random.Random(15)
    batch = [random_case(rng, 4) for _ in range(300)]
    pairs = [case.pair() for case in batch]
    for case, matching in zip(batch, match_many(pairs, KINDS, budget=budget), strict=True):
        mapping = matching.mapping.tolist()
        best = best_preference(case, KINDS)[0]
        assert legal(case, mapping)
        assert matching.value == value(matched(case, mapping, KINDS), KINDS)
        assert matching.value <= best <= matching.bound


def test_certificates_prove_value_and_bound_and_nothing_else() -> None:
    rng = random.Random(16)
    batch = [random_case(rng, 4) for _ in range(400)]
    pairs = [case.pair() for case in batch]
    matchings = match_many(pairs, KINDS)
    mappings = [m.mapping for m in matchings]
    certificates = [m.certificate for m in matchings]
    verdicts = check_many(pairs, KINDS, mappings, certificates)
    assert verdicts.valid.all()
    assert verdicts.value.tolist() == matchings.value.tolist()
    assert (verdicts.bound >= matchings.value).all()
    assert (verdicts.bound == matchings.value).mean() > 0.9

    def tampered(certificate: np.ndarray) -> np.ndarray:
        changed = certificate.copy()
        if len(changed):
            changed[rng.randrange(len(changed))] = rng.choice([0, 1, 4096, 4097, -1, 1 << 40])
        return changed

    changed = [tampered(certificate) for certificate in certificates]
    random_maps = [
        [rng.randrange(-1, case.system.nodes) for _ in range(case.gold.nodes)] for case in batch
    ]
    verdicts = check_many(pairs, KINDS, random_maps, changed)
    assert 0 < verdicts.valid.sum() < len(batch)
    for i, (case, mapping) in enumerate(zip(batch, random_maps, strict=True)):
        if not legal(case, mapping):
            assert not verdicts.valid[i]
        elif verdicts.valid[i]:
            assert verdicts.value[i] == value(matched(case, mapping, KINDS), KINDS)
            assert verdicts.bound[i] >= matchings.value[i]


#: Nodes with the same partners and tuples that domination tells apart: a search which takes them
#: for interchangeable, as it may where nothing constrains mappings, misses the best one.
ALIKE_BUT_CONSTRAINED = [
    Case(
        Graph(
            4,
            ((1, 0, 0), (2, 0, 0), (3, 0, 0)),
            ((1, 2, 2, 0), (0, 3, 2, 1), (3, 3, 3, 0)),
            ((2, 0), (3, 3), (2, 1)),
        ),
        Graph(
            6,
            ((1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)),
            ((0, 1, 2, 0), (0, 2, 2, 1), (0, 3, 2, 1), (0, 4, 2, 1), (0, 5, 2, 1), (1, 3, 3, 0)),
            ((2, 4), (5, 4), (1, 1)),
        ),
        "dominated",
    ),
    Case(
        Graph(
            6,
            ((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)),
            ((0, 2, 2, 0), (1, 3, 2, 1), (0, 4, 2, 0), (0, 5, 2, 0)),
            ((3, 3), (2, 4), (3, 0), (0, 1)),
        ),
        Graph(
            4,
            ((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)),
            ((1, 2, 2, 1), (1, 3, 2, 1), (2, 2, 3, 0)),
            ((0, 1), (3, 1)),
        ),
        "dominated",
    ),
]


@pytest.mark.parametrize("case", ALIKE_BUT_CONSTRAINED)
def test_nodes_that_constraints_tell_apart_are_not_interchangeable(case: Case) -> None:
    assert_best(case, solve([case])[0], KINDS)


@pytest.mark.parametrize(("nodes", "labels"), [(300, 3), (3000, 40)])
def test_a_renumbered_copy_is_proven_to_match_whole(nodes: int, labels: int) -> None:
    """Every tuple of a graph is in its copy, however few labels tell the nodes apart."""
    rng = random.Random(nodes)
    features = {(node, 0, rng.randrange(labels)) for node in range(nodes)}
    edges = {(rng.randrange(max(1, v)), v, 2, rng.randrange(4)) for v in range(1, nodes)}
    edges |= {(rng.randrange(nodes), rng.randrange(nodes), 3, 0) for _ in range(nodes // 10)}
    gold = Graph(nodes, tuple(sorted(features)), tuple(sorted(edges)))
    order = rng.sample(range(nodes), nodes)
    (found,) = match_many([Case(gold, gold.renumbered(order)).pair()], PLAIN)
    assert found.settled
    assert found.value == found.bound == len(features) + len(edges)
