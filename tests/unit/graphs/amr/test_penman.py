"""PENMAN notation: errors know their place, and what is read is what penman reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.files.opener import Source
from karat.graphs.amr.penman import Block, blocks, parse
from karat.graphs.errors import UnreadableGraph
from karat.graphs.formats.amr import Amr, converted_id


def block(text: str) -> Block:
    return Block(1, {}, text, 1)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a / b", "expected '(' to begin", 1, 1),
        ("( / b)", "expected a variable after '('", 1, 3),
        ("(a / )", "expected a concept after '/'", 1, 6),
        ("(a / b\n  :ARG0 )", "the role :ARG0 has no value", 2, 3),
        ("(a / b :ARG0 :ARG1 c)", "the role :ARG0 has no value", 1, 8),
        ("(a / b\n :x (a / c))", "the variable 'a' is introduced twice", 2, 6),
        ("(a / b c)", "expected a role or ')', found 'c'", 1, 8),
        ("(a / b) (c / d)", "the graph ended before '('", 1, 9),
        ('(a / b :x "open)', "the role :x has no value", 1, 8),
    ],
)
def test_errors_know_their_place(text: str, message: str, line: int, column: int) -> None:
    with pytest.raises(UnreadableGraph) as caught:
        parse(block(text))
    assert (str(caught.value), caught.value.line, caught.value.column) == (message, line, column)


@pytest.mark.parametrize(
    ("text", "warning"),
    [("(a / b", "lack ')' at the end"), ("(a / b))", "have a ')' too many at the end")],
)
def test_unbalanced_parentheses(text: str, warning: str) -> None:
    assert parse(block(text)).warnings == (warning,)
    with pytest.raises(UnreadableGraph):
        parse(block(text), strict=True)


def test_alignments_constants_and_forward_references() -> None:
    found = parse(block('(w~e.1 / want-01~e.1,2 :ARG0~e.2 b :op1 "New \\"York\\"" :x (b / boy~3))'))
    assert (found.variables, found.concepts) == (["w", "b"], ["want-01", "boy"])
    assert found.roles == [
        (0, "ARG0", "b", "variable", False),
        (0, "op1", 'New "York"', "string", False),
        (0, "x", "b", "variable", True),
    ]


def test_comments() -> None:
    lines = [
        "# a file",
        "",
        "# ::date 2020 ::id x.1 ::annotator me",
        "# ::snt A :: b ::id no",
        "(a / b)",
        "  ",
        "   # ::id second",
        "(c / d",
        "# between",
        "  :e f)",
    ]
    first, second = blocks(enumerate(lines, 1))
    assert first.metadata == {
        "date": "2020",
        "id": "x.1",
        "annotator": "me",
        "snt": "A :: b ::id no",
    }
    assert (first.line, first.text_line) == (3, 5)
    assert (second.metadata["id"], second.text_line) == ("second", 8)
    assert [value for _, _, value, _, _ in parse(second).roles] == ["f"]


def test_penman_agrees(shared: Path) -> None:
    """Instances, attributes and relations as the library finds them, inverted edges turned."""
    penman = pytest.importorskip("penman")
    path = shared / "data/graphs/sample/amr/wsj.amr"
    theirs = {}
    from penman.models.amr import model

    for graph in penman.load(path, model=model):
        concepts = {i.source: i.target for i in graph.instances()}
        theirs[converted_id(graph.metadata["id"])] = (
            sorted(concepts.values()),
            sorted(
                (concepts[a.source], a.role[1:], a.target.strip('"')) for a in graph.attributes()
            ),
            sorted((concepts[e.source], e.role[1:], concepts[e.target]) for e in graph.edges()),
            concepts[graph.top],
        )
    for item in Amr(full=True).read(Source(path)):
        graph = item.value
        label = {node.id: node.label for node in graph.nodes}
        edges = []
        for edge in graph.edges:
            ends = (edge.source, edge.label, edge.target)
            if edge.label.endswith("-of") and edge.normal:  # the library leaves `mod` alone
                ends = (edge.target, edge.normal, edge.source)
            edges.append((label[ends[0]], ends[1], label[ends[2]]))
        mine = (
            sorted(label.values()),
            sorted(
                (node.label, name, value)
                for node in graph.nodes
                for name, value in zip(node.properties, node.values, strict=True)
            ),
            sorted(edges),
            label[graph.tops[0]],
        )
        assert mine == theirs[graph.id]
