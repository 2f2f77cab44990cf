"""DOT as Graphviz draws it: every node and edge is there, broken lines and colours as meant."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.reading.streams import Stream
from karat.graphs.formats.dot import Dot
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.model import Anchor, Edge, Graph, Node

pytestmark = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "graphs"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(dot: str) -> ElementTree.Element:
    """What Graphviz makes of a graph; a complaint of its is an error."""
    done = subprocess.run(
        ["dot", "-Tsvg"], input=dot.encode(), capture_output=True, timeout=300, check=False
    )
    told = done.stderr.decode().splitlines()
    complaints = [line for line in told if line.startswith(("Error", "Warning"))]
    assert (done.returncode, complaints) == (0, [])
    return ElementTree.fromstring(done.stdout)


def groups(svg: ElementTree.Element, kind: str) -> dict[str, list[ElementTree.Element]]:
    """Title → the nodes, or edges, that Graphviz drew under it."""
    found: dict[str, list[ElementTree.Element]] = {}
    for group in svg.iter(f"{SVG}g"):
        if group.get("class") == kind:
            found.setdefault(group.findtext(f"{SVG}title") or "", []).append(group)
    return found


def texts(element: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in element.iter(f"{SVG}text")]


def strokes(element: ElementTree.Element) -> set[tuple[str, str]]:
    """Colour and dashes of the lines of an edge, or of the outline of a node."""
    return {
        (each.get("stroke", ""), each.get("stroke-dasharray", ""))
        for tag in ("path", "ellipse")
        for each in element.iter(f"{SVG}{tag}")
    }


def assert_complete(graph: Graph, svg: ElementTree.Element) -> None:
    # The node above the tops is invisible.
    assert set(groups(svg, "node")) == {str(node.id) for node in graph.nodes}
    edges = [f"{edge.source}->{edge.target}" for edge in graph.edges]
    edges += [f"top->{top}" for top in graph.tops]
    found = groups(svg, "edge")
    assert {title: len(each) for title, each in found.items()} == {
        title: edges.count(title) for title in edges
    }


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("mini.amr", "amr"),
        ("mini.dm.sdp", "dm"),
        ("mini.eds", "eds"),
        ("mini.xml", "ucca"),
        ("mini.pmb", "pmb"),
        ("mini.treex", "treex"),
        ("mini.conllu", "eud"),
        ("ptg.gold.mrp", "mrp"),
        ("drg.gold.mrp", "mrp"),
    ],
)
def test_examples_of_all_frameworks(file: str, name: str) -> None:
    graphs = [item.value for item in Stream(EXAMPLES / file, ("graph",), "input", name)]
    assert graphs
    for graph in graphs:
        svg = drawn(Dot(ids=True, strings=True).text(graph))
        assert_complete(graph, svg)
        for node in graph.nodes:
            (group,) = groups(svg, "node")[str(node.id)]
            assert f"#{node.id}" in texts(group)
            if node.label is not None:
                assert node.label in texts(group)


HARD = r"""a"b\c<d>&e;#f{g}|h"""


def test_labels_of_any_characters_loops_and_parallel_edges() -> None:
    graph = Graph(
        HARD, 1, "eds", input="a<b", tops=(0, 0),
        nodes=(Node(0, HARD, (HARD,), (HARD,), (Anchor(0, 3),)), Node(1), Node(2, "")),
        edges=(
            Edge(0, 0, HARD, 0), Edge(0, 1, "x", 1), Edge(0, 1, "y", 2), Edge(1, 0, None, 3),
            Edge(1, 2, HARD, 4, attributes=(HARD,), values=("true",)), Edge(2, 0, "\\N", 5),
        ),
    )  # fmt: skip
    svg = drawn(Dot(strings=True).text(graph))
    found = groups(svg, "edge")
    assert {title: len(each) for title, each in found.items() if title != "top->0"} == {
        "0->0": 1, "0->1": 2, "1->0": 1, "1->2": 1, "2->0": 1,
    }  # fmt: skip
    assert texts(found["0->0"][0]) == [HARD]
    assert texts(found["2->0"][0]) == ["\\N"]
    assert texts(found["1->2"][0]) == [HARD, HARD]
    (node,) = groups(svg, "node")["0"]
    assert texts(node) == [HARD, "a<b", HARD, HARD]


@settings(max_examples=25)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1))
def test_any_label(label: str) -> None:
    graph = Graph("1", nodes=(Node(0, label), Node(1, "x")), edges=(Edge(0, 1, label),))
    svg = drawn(Dot().text(graph))
    assert texts(groups(svg, "edge")["0->1"][0]) == [label]
    assert texts(groups(svg, "node")["0"][0]) == [label]


def test_differences_are_broken_lines_in_colours() -> None:
    gold = Graph(
        "1", 1, "eds", tops=(1,),
        nodes=(Node(0, "dog"), Node(1, "bark"), Node(2, "a_q")),
        edges=(Edge(1, 0, "ARG1", 0), Edge(2, 0, "BV", 1), Edge(1, 2, "same", 2)),
    )  # fmt: skip
    system = Graph(
        "1", 1, "eds", tops=(8,),
        nodes=(Node(8, "bark"), Node(9, "dog"), Node(7, "loud"), Node(6, "a_q")),
        edges=(Edge(8, 9, "ARG2", 0), Edge(7, 8, "ARG1", 1), Edge(8, 6, "same", 2)),
    )  # fmt: skip
    svg = drawn(Dot().text(gold, Mrp().explain(system, gold), broken=True))
    edges = {text: group for each in groups(svg, "edge").values() for group in each
             for text in texts(group)}  # fmt: skip
    dashed, dotted = ("red", "5,2"), ("blue", "1,5")
    assert strokes(edges["bv"]) == {dashed}
    assert strokes(edges["same"]) == {("black", "")}
    assert {strokes(group).pop() for group in groups(svg, "edge")["1->0"]} == {dashed, dotted}
    (surplus,) = groups(svg, "node")["-1"]
    assert strokes(surplus) == {dotted}
    assert texts(surplus) == ["+ loud"]
    fewer = Graph("1", 1, "eds", tops=(1,), nodes=gold.nodes[:2], edges=gold.edges[:1])
    svg = drawn(Dot().text(gold, Mrp().explain(fewer, gold), broken=True))
    (missing,) = groups(svg, "node")["2"]
    assert strokes(missing) == {dashed}
