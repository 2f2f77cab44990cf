"""What is missing has gold's side, what is surplus the system's: every metric that explains."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from karat.core.registry import parse
from karat.graphs.model import Anchor, Edge, Graph, Node

TEXT = "dogs bark"
DOGS, BARK = (Anchor(0, 4),), (Anchor(5, 9),)


def graph(label: str, role: str, **more: Any) -> Graph:
    nodes = Node(0, "dog", anchors=DOGS), Node(1, label, ("tense",), ("pres",), BARK)
    edges = (Edge(1, 0, role, 0),)
    return Graph("1", nodes=nodes, edges=edges, tops=(1,), input=TEXT, **more)


def test_edm() -> None:
    gold, system = graph("_bark", "ARG1"), graph("_sing", "ARG2")
    place, other = [5, 6, 7, 8], [0, 1, 2, 3]
    assert parse("edm").explain(system, gold) == {
        "names": {"missing": [[place, "_bark"]], "surplus": [[place, "_sing"]]},
        "arguments": {"missing": [[place, other, "arg1"]], "surplus": [[place, other, "arg2"]]},
    }
    # Spans as written, where PyDelphin is followed.
    assert parse("edm(compat='delphin')").explain(system, gold)["names"] == {
        "missing": [[[[5, 9]], "_bark"]],
        "surplus": [[[[5, 9]], "_sing"]],
    }


def test_edm_of_spans_numbers_and_tops() -> None:
    gold, system = graph("_bark", "ARG1"), graph("_bark", "ARG1")
    gold = replace(gold, nodes=(gold.nodes[0], replace(gold.nodes[1], values=(3,))))
    system = replace(system, tops=(0,))
    assert parse("edm(identity='spans')").explain(system, gold) == {
        "tops": {"missing": [[[5, 9]]], "surplus": [[[0, 4]]]},
        "properties": {
            "missing": [[[[5, 9]], "tense", "3"]], "surplus": [[[[5, 9]], "tense", "pres"]]
        },
    }  # fmt: skip


def test_case_counts_in_constants_for_pydelphin_only() -> None:
    """PyDelphin reads predicates, roles and values of EDS without regard to case."""

    def named(label: str, role: str, constant: str) -> Graph:
        found = graph(label, role)
        first = replace(found.nodes[0], properties=("CARG",), values=(constant,))
        return replace(found, nodes=(first, *found.nodes[1:]))

    gold, system = named("_bark", "ARG1", "Kim"), named("_BARK", "arg1", "kim")
    assert parse("edm").score(system, gold)["all"]["f"] == 1
    delphin = parse("edm(compat='delphin')").score(system, gold)
    kinds = "names", "arguments", "tops", "constants"
    assert [delphin[kind]["g"] - delphin[kind]["c"] for kind in kinds] == [0, 0, 0, 1]


def test_sdp() -> None:
    gold = graph("bark", "ARG1", flavor=0, framework="dm")
    system = graph("bark", "ARG2", flavor=0, framework="dm")
    assert parse("sdp").explain(system, gold) == {
        "matched": [(-1, 1, None)],
        "missing": [(1, 0, "arg1")],
        "surplus": [(1, 0, "arg2")],
    }


def test_ucca_mrp() -> None:
    def passage(*edges: Edge) -> Graph:
        nodes = Node(0, anchors=DOGS), Node(1, anchors=BARK), Node(2)
        return Graph("1", 1, "ucca", nodes=nodes, edges=edges, tops=(2,), input=TEXT)

    def remote(source: int, target: int, label: str) -> Edge:
        return Edge(source, target, label, attributes=("remote",), values=("true",))

    gold = passage(Edge(2, 0, "A", 0), Edge(2, 1, "P", 1), remote(2, 0, "A"))
    system = passage(Edge(2, 0, "A", 0), Edge(2, 1, "S", 1), remote(2, 1, "A"))
    whole, dogs, bark = [0, 1, 2, 3, 5, 6, 7, 8], [0, 1, 2, 3], [5, 6, 7, 8]
    assert parse("ucca-mrp").explain(system, gold) == {
        "primary": {"missing": [[whole, bark, "p"]], "surplus": [[whole, bark, "s"]]},
        "remote": {"missing": [[whole, dogs, "a"]], "surplus": [[whole, bark, "a"]]},
    }


def test_clauses_and_what_is_taken_for_what() -> None:
    gold = 'b1 REF x1\nb1 dog "n.01" x1\nb1 REF e1\nb1 bark "v.01" e1\nb1 Agent e1 x1'
    system = gold.replace("Agent", "Theme").replace("x1", "x5")
    metric = parse("counter")
    told = metric.explain(system, gold)
    assert dict(told["correspondences"])["x1"] == "x5"
    assert (told["missing"], told["surplus"]) == (["b1 Agent e1 x1"], ["b1 Theme e1 x5"])
    assert metric.error_profile([told]) == {
        "missing": [{"what": "Agent", "count": 1}],
        "surplus": [{"what": "Theme", "count": 1}],
        "confusions": [{"gold": "Agent", "system": "Theme", "count": 1}],
    }


def test_box_notation() -> None:
    told = parse("sbn").explain("dog.n.01\nbark.v.01 Theme -1", "dog.n.01\nbark.v.01 Agent -1")
    assert told["missing"] == [["agent", "bark.v.01", "dog.n.01"]]
    assert told["surplus"] == [["theme", "bark.v.01", "dog.n.01"]]


@pytest.mark.parametrize(("restarts", "limit", "matched"), [(0, 0, 2), (20, 0, 4), (0, 100, 4)])
def test_where_the_search_of_mtool_begins(restarts: int, limit: int, matched: int) -> None:
    """Anchors play no part in its first pairs, but in those that hill climbing gives it.

    With no tentative pairing allowed, what it begins with is what it finds.
    """

    def pair(*anchors: tuple[Anchor, ...]) -> Graph:
        nodes = tuple(Node(i, "x", anchors=each) for i, each in enumerate(anchors))
        return Graph("1", 1, "eds", nodes=nodes, input=TEXT)

    metric = parse(f"mrp(search='mtool', restarts={restarts}, limit={limit})")
    scores = metric.score(pair(BARK, DOGS), pair(DOGS, BARK))
    assert scores["all"]["c"] == matched
    assert scores["exact"] == (limit > 0)
