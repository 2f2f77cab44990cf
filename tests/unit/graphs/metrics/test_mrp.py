"""The metric mrp: what it counts, and how it behaves at the edges."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.registry import parse
from karat.graphs import match
from karat.graphs.amr.penman import penman_of_text, triples_of
from karat.graphs.matching.tuples import KINDS
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.normalize import BLANK, PUNCTUATION, normalize

TEXT = "Is this, (a) text?"


def counted(gold: Graph, system: Graph, mapping: dict[int, int]) -> dict[str, int]:
    """Matches by kind, from the definition (spec, 8.1): gold renamed, sets intersected."""
    ours, theirs = _sets(normalize(gold), mapping), _sets(normalize(system), None)
    return {kind: len(ours[kind] & theirs[kind]) for kind in KINDS}


def positions(anchors: Iterable[Anchor], text: str) -> frozenset[int]:
    """The characters that anchors cover: no blanks, no punctuation at the ends of a span."""
    found: set[int] = set()
    for anchor in anchors:
        inner = [i for i in range(anchor.start, anchor.end) if 0 <= i < len(text)]
        while inner and text[inner[0]] in PUNCTUATION:
            del inner[0]
        while inner and text[inner[-1]] in PUNCTUATION:
            del inner[-1]
        found.update(i for i in inner if text[i] not in BLANK)
    return frozenset(found)


def _sets(graph: Graph, mapping: dict[int, int] | None) -> dict[str, set[Any]]:
    def name(node: int) -> Any:
        return node if mapping is None else mapping.get(node, ("gold", node))

    def cover(node: Node) -> Any:
        if graph.input is None:
            return tuple((anchor.start, anchor.end) for anchor in node.anchors)
        return positions(node.anchors, graph.input)

    def pairs(names: Any, values: Any) -> Any:
        return zip(names, values, strict=True)

    return {
        "tops": {name(top) for top in graph.tops},
        "labels": {(name(n.id), n.label) for n in graph.nodes if n.label is not None},
        "properties": {
            (name(n.id), *pair) for n in graph.nodes for pair in pairs(n.properties, n.values)
        },
        "anchors": {(name(n.id), cover(n)) for n in graph.nodes if n.anchors},
        "edges": {(name(e.source), name(e.target), e.label) for e in graph.edges},
        "attributes": {
            (name(e.source), name(e.target), e.label, *pair)
            for e in graph.edges
            for pair in pairs(e.attributes, e.values)
        },
    }


labels = st.sampled_from([None, "a", "b", "C"])


@st.composite
def graphs(draw: Any, flavor: int = 1) -> Graph:
    size = draw(st.integers(0, 6))
    node = st.integers(0, max(0, size - 1))
    nodes = []
    for i in range(size):
        names = draw(st.lists(st.sampled_from(["p", "q"]), max_size=2))
        span = draw(st.tuples(st.integers(0, 18), st.integers(0, 18)))
        anchors = (Anchor(min(span), max(span)),) if draw(st.booleans()) else ()
        values = tuple(draw(st.sampled_from(["X", "y", 1, True])) for _ in names)
        nodes.append(Node(i, draw(labels), tuple(names), values, anchors))
    edges = []
    for number in range(draw(st.integers(0, 8)) if size else 0):
        remote = ("remote",) if draw(st.booleans()) else ()
        edges.append(
            Edge(
                draw(node),
                draw(node),
                draw(labels),
                number,
                attributes=remote,
                values=("true",) * len(remote),
            )
        )
    tops = tuple(draw(st.lists(node, max_size=2))) if size else ()
    text = draw(st.sampled_from([TEXT, None]))
    return Graph("1", flavor, None, input=text, tops=tops, nodes=tuple(nodes), edges=tuple(edges))


@settings(max_examples=300, deadline=None)
@given(graphs(), graphs(), st.sampled_from([0, 1]))
def test_the_mapping_is_worth_what_is_reported(gold: Graph, system: Graph, flavor: int) -> None:
    gold = msgspec.structs.replace(gold, flavor=flavor)
    found = match(gold, system)
    scores = Mrp().score(system, gold)
    counts = counted(gold, system, found.mapping)
    assert found.proven
    assert sum(counts.values()) == found.value == scores["all"]["c"]
    assert {kind: scores[kind]["c"] for kind in KINDS} == counts
    for side, graph in (("g", gold), ("s", system)):
        sizes = {kind: len(each) for kind, each in _sets(normalize(graph), None).items()}
        assert {kind: scores[kind][side] for kind in KINDS} == sizes
    if flavor == 0:
        order = [node.id for node in system.nodes]
        partners = [order.index(found.mapping[n.id]) for n in gold.nodes if n.id in found.mapping]
        assert partners == sorted(partners)


@settings(max_examples=200, deadline=None)
@given(graphs(), graphs())
def test_swapping_the_sides_swaps_precision_and_recall(gold: Graph, system: Graph) -> None:
    one, other = Mrp().score(system, gold), Mrp().score(gold, system)
    for kind in (*KINDS, "all"):
        assert one[kind]["c"] == other[kind]["c"]
        assert (one[kind]["p"], one[kind]["r"]) == (other[kind]["r"], other[kind]["p"])


@settings(max_examples=200, deadline=None)
@given(graphs(), graphs(), st.randoms(use_true_random=False))
def test_names_and_order_of_nodes_do_not_matter(
    gold: Graph, system: Graph, rng: random.Random
) -> None:
    assert (
        Mrp().score(shuffled(system, rng), shuffled(gold, rng))["all"]
        == (Mrp().score(system, gold)["all"])
    )


def shuffled(graph: Graph, rng: random.Random) -> Graph:
    new = list(range(100, 100 + len(graph.nodes)))
    rng.shuffle(new)
    nodes = [msgspec.structs.replace(node, id=new[node.id]) for node in graph.nodes]
    edges = [
        msgspec.structs.replace(edge, source=new[edge.source], target=new[edge.target])
        for edge in graph.edges
    ]
    rng.shuffle(nodes)
    rng.shuffle(edges)
    tops = tuple(new[top] for top in graph.tops)
    return msgspec.structs.replace(graph, nodes=tuple(nodes), edges=tuple(edges), tops=tops)


@settings(max_examples=200, deadline=None)
@given(graphs(), st.sampled_from([0, 1, 2]))
def test_a_graph_is_its_own_best_match(graph: Graph, flavor: int) -> None:
    graph = msgspec.structs.replace(graph, flavor=flavor)
    scores = Mrp().score(graph, graph)
    assert scores["all"]["g"] == scores["all"]["s"] == scores["all"]["c"]
    assert scores["exact"] == 1


def make(*nodes: Node, edges: Any = (), tops: Any = (), **other: Any) -> Graph:
    return Graph("x", 1, "eds", nodes=nodes, edges=tuple(edges), tops=tuple(tops), **other)


A, B = Node(0, "a"), Node(1, "b")
BARE = make(A, B, edges=[Edge(0, 1, "x")], tops=[0])

# What is compared, and (gold, system, common) of all tuples.
CASES = {
    "empty gold": (make(), BARE, (0, 4, 0)),
    "empty system": (BARE, make(), (4, 0, 0)),
    "both empty": (make(), make(), (0, 0, 0)),
    "unlabelled nodes earn nothing": (make(Node(0)), make(Node(5)), (0, 0, 0)),
    "unlabelled edges are edges": (
        make(A, B, edges=[Edge(0, 1)]),
        make(A, B, edges=[Edge(0, 1)]),
        (3, 3, 3),
    ),
    "an edge without label is not one with": (
        make(A, B, edges=[Edge(0, 1)]),
        make(A, B, edges=[Edge(0, 1, "x")]),
        (3, 3, 2),
    ),
    "a loop matches a loop only": (
        make(A, B, edges=[Edge(0, 0, "x")]),
        make(A, B, edges=[Edge(0, 1, "x")]),
        (3, 3, 2),
    ),
    "loops": (make(A, edges=[Edge(0, 0, "x")]), make(A, edges=[Edge(0, 0, "x")]), (2, 2, 2)),
    "parallel edges": (
        make(A, B, edges=[Edge(0, 1, "x"), Edge(0, 1, "y")]),
        make(A, B, edges=[Edge(0, 1, "y"), Edge(0, 1, "z")]),
        (4, 4, 3),
    ),
    "direction counts": (
        make(A, B, edges=[Edge(0, 1, "x")]),
        make(A, B, edges=[Edge(1, 0, "x")]),
        (3, 3, 2),
    ),
    "what is there twice counts once": (
        make(Node(0, "a", ("p", "p"), ("v", "v")), tops=[0, 0]),
        make(Node(0, "a", ("p",), ("v",)), tops=[0]),
        (3, 3, 3),
    ),
    "anchors without input are spans": (
        make(Node(0, "a", anchors=(Anchor(0, 3),))),
        make(Node(0, "a", anchors=(Anchor(0, 4),))),
        (2, 2, 1),
    ),
    "punctuation and blanks do not count": (
        make(Node(0, "a", anchors=(Anchor(0, 4),)), input="(ab) cd"),
        make(Node(0, "a", anchors=(Anchor(1, 3),)), input="(ab) cd"),
        (2, 2, 2),
    ),
    "a side without input": (
        make(Node(0, "a", anchors=(Anchor(0, 2),)), input="ab"),
        make(Node(0, "a", anchors=(Anchor(0, 2),))),
        (2, 2, 1),
    ),
    "other inputs, same places": (
        make(Node(0, "a", anchors=(Anchor(0, 2),)), input="ab"),
        make(Node(0, "a", anchors=(Anchor(0, 2),)), input="cd ef"),
        (2, 2, 2),
    ),
    "an attribute needs its edge's label": (
        make(A, B, edges=[Edge(0, 1, "x", attributes=("remote",), values=("true",))]),
        make(A, B, edges=[Edge(0, 1, "y", attributes=("remote",), values=("true",))]),
        (4, 4, 2),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    gold, system, expected = CASES[name]
    scores = Mrp().score(system, gold)
    assert tuple(scores["all"][count] for count in "gsc") == expected
    assert scores["null"] == (not system.nodes)


def test_large_documents_and_hopeless_pairs_end_with_a_certified_interval() -> None:
    rng = random.Random(5)

    def tangle(size: int) -> Graph:
        edges = {(rng.randrange(size), rng.randrange(size)) for _ in range(3 * size)}
        nodes = tuple(Node(i, "same") for i in range(size))
        return Graph("x", 2, "amr", nodes=nodes, edges=tuple(Edge(a, b, "e") for a, b in edges))

    gold, system = tangle(60), tangle(60)
    scores = Mrp(budget=3_000_000).score(system, gold)
    assert scores["exact"] == 0
    assert scores["all"]["c"] < scores["bound"]["c"] <= min(scores["all"]["g"], scores["all"]["s"])
    assert scores["all"]["f"] < scores["bound"]["f"]
    assert Mrp(budget=3_000_000).score(system, gold) == scores
    found = match(gold, system, budget=3_000_000)
    assert (found.value, found.bound) == (scores["all"]["c"], scores["bound"]["c"])
    assert not found.proven


@pytest.mark.parametrize(
    "metric", ["mrp", "smatch", "smatchpp", "s2match", "amr-fine", "sbn", "sbn-fine"]
)
def test_a_budget_decides_what_is_proven(metric: str) -> None:
    """Circles of different sizes, all alike: the first look finds neither mapping nor proof."""
    sizes = ((3, 4, 5), (5, 7))
    gold: Any
    system: Any
    gold, system = ("(t / x" + "".join(map(_ring, each)) + ")" for each in sizes)
    if metric.startswith("sbn"):
        rings = [
            ["x.n.01 Of +1\n" * (n - 1) + f"x.n.01 Of -{n - 1}\n" for n in each] for each in sizes
        ]
        gold, system = map("".join, rings)
    if metric == "mrp":
        gold, system = map(_graph_of, (gold, system))
    short, long = (parse(f"{metric}(budget={budget})") for budget in (0, 10**9))
    assert long.score(system, gold)["exact"] == 1
    assert short.score(system, gold)["exact"] == 0


def _ring(size: int) -> str:
    nodes = "".join(f" :e (r{size}n{i} / x" for i in range(size))
    return f"{nodes} :e r{size}n0" + ")" * size


def _graph_of(text: str) -> Graph:
    triples = triples_of(penman_of_text(text))
    number = {name: i for i, name in enumerate(triples.instances)}
    edges = (
        Edge(number[source], number[target], role) for role, source, target in triples.relations
    )
    nodes = tuple(Node(i, label) for i, label in enumerate(triples.instances.values()))
    return Graph("1", 2, "amr", tops=(0,), nodes=nodes, edges=tuple(edges))


def test_documents_of_two_thousand_nodes() -> None:
    size = 2000
    nodes = tuple(Node(i, f"w{i % 700}", anchors=(Anchor(3 * i, 3 * i + 2),)) for i in range(size))
    edges = tuple(Edge(i // 2, i, f"r{i % 5}", i) for i in range(1, size))
    gold = Graph("doc", 1, "eds", input="ab " * size, tops=(0,), nodes=nodes, edges=edges)
    system = msgspec.structs.replace(gold, nodes=nodes[:-100], edges=edges[:-100])
    scores = Mrp().score(system, gold)
    assert scores["all"]["c"] == scores["all"]["s"] == 1 + 3 * (size - 100) - 1
    assert scores["exact"] == 1


def test_values_of_properties_have_no_case_even_as_they_are() -> None:
    gold, system = make(Node(0, "x", ("n",), ("PL",))), make(Node(0, "X", ("n",), ("pl",)))
    scores = Mrp(normalize=()).score(system, gold)
    assert [scores["properties"][count] for count in "gsc"] == [1, 1, 1]
    assert [scores["labels"][count] for count in "gsc"] == [1, 1, 0]


@pytest.mark.parametrize("options", [(), ("anchors", "case", "edges", "attributes")])
@pytest.mark.parametrize(
    ("span", "same"),
    [
        ((0, 3), True),
        ((0, 2), True),
        ((1, 3), True),
        ((1, 4), True),
        ((1, 2), True),
        ((4, 7), False),
    ],
)
def test_anchors_lose_blanks_and_punctuation_even_as_they_are(
    options: Any, span: tuple[int, int], same: bool
) -> None:
    gold, system = (
        msgspec.structs.replace(make(Node(0, "x", anchors=(Anchor(*each),))), input="(a) dog,")
        for each in ((1, 2), span)
    )
    scores = Mrp(normalize=options).score(system, gold)
    assert [scores["anchors"][count] for count in "gsc"] == [1, 1, same]


def test_of_equally_good_correspondences_labels_come_first() -> None:
    """Then edges, anchors, properties, tops: one of two that exclude each other."""
    text, here, there = "a b", (Anchor(0, 1),), (Anchor(2, 3),)

    def chosen(gold: Graph, system: Graph) -> list[str]:
        graphs = [msgspec.structs.replace(each, input=text) for each in (system, gold)]
        scores = Mrp().score(*graphs)
        assert scores["all"]["c"] == 1
        return [kind for kind in KINDS if scores[kind]["c"]]

    pair = [Node(1, "u"), Node(2, "v")]
    edge = [Edge(1, 2, "e")]
    node = Node(0, "x", ("p",), ("1",), here)
    labelled, anchored = Node(0, "x", anchors=there), Node(1, "y", anchors=here)
    given, other = Node(2, "z", ("p",), ("1",)), Node(3, "w")
    # Of one node: the partner with its label, its anchor, its property, or the one that is a top.
    assert chosen(make(node), make(anchored, labelled)) == ["labels"]
    assert chosen(make(node), make(given, anchored)) == ["anchors"]
    assert chosen(make(node, tops=[0]), make(other, given, tops=[3])) == ["properties"]
    # Of an edge: its own partner, or one that a node at its end has alone.
    start = Node(8, "x", anchors=here)
    gold = make(start, Node(9, "q"), edges=[Edge(8, 9, "e")])
    assert chosen(gold, make(labelled, *pair, edges=edge)) == ["labels"]
    assert chosen(gold, make(anchored, *pair, edges=edge)) == ["edges"]


def test_domination_can_only_cost() -> None:
    nodes = [Node(i, name, ("p",), (name,)) for i, name in enumerate("abc")]
    gold = msgspec.structs.replace(
        make(*nodes, edges=[Edge(0, 1, "x"), Edge(1, 2, "x")]), framework="ucca"
    )
    system = msgspec.structs.replace(gold, edges=(Edge(1, 0, "x"), Edge(0, 2, "x")))
    assert Mrp().score(system, gold)["all"]["c"] == 6
    # b lies above a in the system: only one of them stays, or they swap for two edges.
    assert Mrp(domination=True).score(system, gold)["all"]["c"] == 4


def test_explanations_name_both_sides() -> None:
    gold = make(Node(3, "bark"), Node(4, "dog"), edges=[Edge(3, 4, "ARG1")], tops=[3])
    system = make(Node(7, "dog"), Node(8, "bark"), Node(9, "cat"), edges=[Edge(8, 9, "ARG1")])
    assert Mrp().explain(system, gold) == {
        "framework": "eds",
        "correspondences": [[3, 8], [4, 7]],
        "tops": {"missing": [3]},
        "labels": {"surplus": [[9, "cat"]]},
        "edges": {"missing": [[3, 4, "arg1"]], "surplus": [[8, 9, "arg1"]]},
    }


def test_counts_can_be_split_by_what_tuples_are() -> None:
    gold = make(Node(3, "bark"), Node(4, "dog"), edges=[Edge(3, 4, "ARG1")], tops=[3])
    system = make(Node(7, "cat"), Node(8, "bark"), edges=[Edge(8, 7, "ARG2")], tops=[8])
    metric = Mrp()
    pairs = [(system, gold), (gold, gold), (make(), make())]
    split = metric.split("tuple", pairs)
    rows = metric.measure_many(pairs)
    columns = list(metric.columns)
    for place in range(len(pairs)):
        mine = [row for pair, row in zip(split.pairs, split.rows, strict=True) if pair == place]
        total = sum(mine, 0 * rows[0])
        for part in KINDS:
            for count in "gsc":
                at = columns.index(f"{part}.{count}")
                assert total[at] == rows[place][at]
        assert total[columns.index("bound")] == rows[place][columns.index("bound")]
    first = [i for i, pair in enumerate(split.pairs) if pair == 0]
    named = {split.values[i]: split.rows[i] for i in first}
    assert named["label bark"][columns.index("labels.c")] == 1
    assert named["edge arg1"][columns.index("edges.g")] == 1
    assert named["edge arg2"][columns.index("edges.s")] == 1


def test_profile_of_errors() -> None:
    gold = make(Node(3, "bark"), Node(4, "dog"), edges=[Edge(3, 4, "ARG1")], tops=[3])
    system = make(Node(7, "cat"), Node(8, "bark"), edges=[Edge(8, 7, "ARG1")], tops=[8])
    metric = Mrp()
    found = metric.error_profile([metric.explain(system, gold)] * 2)
    assert found["confusions"]["labels"] == [{"gold": "dog", "system": "cat", "count": 2}]
    assert found["missing"] == {"labels": [{"what": "dog", "count": 2}]}
    assert found["surplus"] == {"labels": [{"what": "cat", "count": 2}]}


def test_profile_of_properties() -> None:
    """Values of the same name at corresponding nodes; what has no partner is no confusion."""
    names = ("num", "pers", "tense")
    gold = make(Node(3, "dog", names, ("sg", "3", "past")))
    system = make(Node(7, "dog", ("pers", "num"), ("3", "pl")), Node(8, "x", ("tense",), ("pres",)))
    metric = Mrp()
    found = metric.error_profile([metric.explain(system, gold)])
    assert found["confusions"]["properties"] == [{"gold": "num sg", "system": "num pl", "count": 1}]
    assert found["confusions"]["edges"] == []


def test_profiles_hold_all_confusions() -> None:
    """A hundred nodes with a label of their own that is another one in the system's graph."""
    nodes = [Node(i, f"g{i}", ("p",), (str(i),)) for i in range(100)]
    gold = make(*nodes)
    system = make(*(msgspec.structs.replace(node, label=f"s{node.id}") for node in nodes))
    found = Mrp().error_profile([Mrp().explain(system, gold)])
    assert {(each["gold"], each["system"]) for each in found["confusions"]["labels"]} == {
        (f"g{i}", f"s{i}") for i in range(100)
    }
    assert len(found["missing"]["labels"]) == 100


def test_anchors_by_characters_count_in_part() -> None:
    """A word and a half of four: "big dog" against "dog barks", blanks aside."""
    gold = make(Node(0, "x", anchors=(Anchor(4, 11),)), input="The big dog barks")
    system = make(Node(0, "x", anchors=(Anchor(8, 17),)), input="The big dog barks")
    scores = Mrp(characters=True).score(system, gold)
    assert tuple(scores["anchors"][count] for count in "gsc") == (1, 1, 0)
    assert tuple(scores["characters"][count] for count in "gsc") == (6, 8, 3)
    assert scores["all"] == Mrp().score(system, gold)["all"]
    spans = [make(Node(0, "x", anchors=each)) for each in ((Anchor(4, 11),), (Anchor(10, 10**12),))]
    scores = Mrp(characters=True).score(spans[1], spans[0])
    assert tuple(scores["characters"][count] for count in "gsc") == (7, 10**12 - 10, 1)


@settings(max_examples=50, deadline=None)
@given(graphs(), graphs())
def test_characters_against_sets(gold: Graph, system: Graph) -> None:
    """Pairs of nodes and characters, as sets, under the correspondence that is explained."""
    scores = Mrp(characters=True).score(system, gold)
    explained = Mrp().explain(system, gold)["correspondences"]

    def covered(graph: Graph) -> dict[int, set[int]]:
        graph = normalize(graph)
        if graph.input is None:
            return {
                n.id: {i for a in n.anchors for i in range(a.start, a.end)} for n in graph.nodes
            }
        return {n.id: set(positions(n.anchors, graph.input)) for n in graph.nodes}

    ours, theirs = covered(system), covered(gold)
    assert scores["characters"]["g"] == sum(map(len, theirs.values()))
    assert scores["characters"]["s"] == sum(map(len, ours.values()))
    assert scores["characters"]["c"] == sum(len(theirs[g] & ours[s]) for g, s in explained)


def test_domination_goes_by_normalised_graphs() -> None:
    """A remote edge is one however it is spelt, and what it leads to is not below."""

    def graph(name: str) -> Graph:
        nodes = tuple(Node(i, f"n{i}") for i in range(3))
        remote = Edge(1, 2, "A", 1, None, (name,), (True,))
        return Graph("1", 1, "ucca", tops=(0,), nodes=nodes, edges=(Edge(0, 1, "H", 0), remote))

    scores = Mrp(domination=True).score(graph("remote"), graph("Remote"))
    assert scores["all"]["f"] == 1.0
