"""Normalisation: what the specification says, and that twice is once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.graphs.matching.tuples import Coverage
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.normalize import ALL, normal_anchors, normalize, turned, uninverted

TEXT = 'The "Big" dog, and (cat) barked - loudly.'


def anchors(*pairs: tuple[int, int]) -> tuple[Anchor, ...]:
    return tuple(Anchor(*pair) for pair in pairs)


@pytest.mark.parametrize(
    ("given_spans", "expected"),
    [
        ([(4, 9), (10, 13)], [(5, 13)]),  # a blank does not part what belongs together
        ([(4, 14)], [(5, 13)]),
        ([(10, 13), (0, 4)], [(0, 3), (10, 13)]),  # order
        ([(0, 2), (1, 3)], [(0, 3)]),  # overlap
        ([(13, 14)], [(13, 14)]),  # punctuation alone stays, with no positions
        ([(13, 15)], [(13, 14)]),  # but not the blank after it
        ([(5, 5)], []),  # nothing
        ([], []),
        ([(30, 99)], [(30, 40)]),  # cut to the text
        ([(60, 70)], [(60, 70)]),  # outside, but an anchor
    ],
)
def test_anchors(given_spans: list[tuple[int, int]], expected: list[tuple[int, int]]) -> None:
    assert normal_anchors(anchors(*given_spans), TEXT) == anchors(*expected)


def test_differently_split_anchors_cover_the_same() -> None:
    split, whole = anchors((4, 9), (10, 13)), anchors((4, 14))
    assert normal_anchors(split, TEXT) == normal_anchors(whole, TEXT)
    assert normal_anchors(split, TEXT, "mtool") != normal_anchors(whole, TEXT, "mtool")


def test_punctuation_covers_nothing() -> None:
    assert Coverage(TEXT)(normal_anchors(anchors((13, 15)), TEXT)) == 0


@pytest.mark.parametrize(
    ("label", "normal", "mtool"),
    [
        ("ARG0-of", "ARG0", "ARG0"),
        ("ARG0-of-of", "ARG0-of", "ARG0-of"),
        ("mod", "domain", "domain"),
        ("prep-out-of", None, None),
        ("PREP-out-of", None, "PREP-out"),
        ("consist-of", None, "consist"),
        ("subset-of", None, "subset"),
        ("ARG1-OF", "ARG1", None),
        ("ARG1", None, None),
    ],
)
def test_inverted_labels(label: str, normal: str | None, mtool: str | None) -> None:
    assert uninverted(label) == normal
    assert uninverted(label, "mtool") == mtool


def test_only_amr_is_turned_by_its_labels() -> None:
    edge = Edge(0, 1, "ARG0-of", 0)
    assert turned(edge, "amr") == Edge(1, 0, "ARG0", 0)
    assert turned(edge, "eds") == edge
    assert turned(edge, "eds", "mtool") == Edge(1, 0, "ARG0", 0)
    assert turned(Edge(0, 1, "loves", 0, "loved"), "eds") == Edge(1, 0, "loved", 0)


def test_inversion_of_inversion() -> None:
    assert turned(Edge(0, 1, "ARG0-of-of"), "amr") == Edge(0, 1, "ARG0")
    assert turned(Edge(0, 1, "ARG0-of-of"), "amr", "mtool") == Edge(1, 0, "ARG0-of")


def test_attributes_that_say_no() -> None:
    edge = Edge(0, 1, "A", 0, None, ("Remote", "member", "other"), (False, "False", False))
    graph = Graph("1", nodes=(Node(0), Node(1)), edges=(edge,))
    (alone,) = normalize(graph, ["attributes"]).edges
    assert alone.attributes == ("other",)
    (old,) = normalize(graph, ["attributes"], "mtool").edges
    assert old == edge


spans = st.lists(
    st.tuples(st.integers(0, 45), st.integers(0, 45)).map(lambda pair: Anchor(*pair)), max_size=5
).map(tuple)
words = st.sampled_from(["ARG0", "ARG0-of", "Mod", "x-of-of", "consist-of", "PREP-by-of", None])
edges = st.lists(
    st.builds(
        Edge,
        st.integers(0, 2),
        st.integers(0, 2),
        words,
        st.none(),
        words,
        st.just(("Remote", "x")),
        st.tuples(st.sampled_from([True, False, "FALSE", 1]), st.sampled_from(["A", 2])),
    ),
    max_size=4,
).map(tuple)
graphs = st.builds(
    lambda anchoring, edge_list, framework, text: Graph(
        "1",
        1,
        framework,
        input=text,
        nodes=tuple(
            Node(i, "Label", ("P",), ("V",), anchoring[i] if i < len(anchoring) else ())
            for i in range(3)
        ),
        edges=edge_list,
    ),
    st.lists(spans, max_size=3),
    edges,
    st.sampled_from(["amr", "ucca", None]),
    st.sampled_from([TEXT, "", '., "" ,. a', None]),
)


@given(graphs, st.sets(st.sampled_from(ALL)))
def test_twice_is_once(graph: Graph, steps: set[str]) -> None:
    once = normalize(graph, steps)  # type: ignore[arg-type]
    assert normalize(once, steps) == once  # type: ignore[arg-type]


@given(spans, st.sampled_from([TEXT, '., "" ,. a']))
def test_normalisation_keeps_an_anchored_node_anchored(
    given_spans: tuple[Anchor, ...], text: str
) -> None:
    filled = any(anchor.end > anchor.start for anchor in given_spans)
    assert bool(normal_anchors(given_spans, text)) == filled
