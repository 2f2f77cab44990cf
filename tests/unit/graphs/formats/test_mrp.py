"""The MRP reader and writer: what is fixed, what is refused, and where."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from karat.core.reading.items import Item
from karat.core.reading.selection import Selection
from karat.core.reading.streams import Stream
from karat.graphs.formats.mrp import OUTDATED, SAME_ID, TWICE, UNKNOWN, Mrp, decode, encode
from karat.graphs.model import Anchor, Edge, Node


def read(tmp_path: Path, *lines: str, **options: object) -> list[Item]:
    path = tmp_path / "a.mrp"
    path.write_text("\n".join(lines), "utf-8")
    return list(Stream(path, ["graph"], "input", "mrp", options))


def test_all_fields() -> None:
    line = (
        '{"id":"1","flavor":1,"framework":"ptg","version":1.1,"time":"2024-01-01","language":"ces",'
        '"source":"pdt","provenance":"me","targets":["ptg"],"input":"Ř b","tops":[1],"nodes":['
        '{"id":1,"label":"a","properties":["p"],"values":[true],"anchorings":[[{"from":0,"to":1}]],'
        '"anchors":[{"from":0,"to":1}]}],"edges":[{"id":4,"source":1,"target":1,"label":"x",'
        '"normal":"y","attributes":["member"],"values":["t"],"anchors":[{"from":2,"to":3}]}]}'
    )
    graph, notices = decode(line)
    assert notices == []
    assert encode(graph).decode() == line
    assert graph.nodes == (Node(1, "a", ("p",), (True,), (Anchor(0, 1),), ((Anchor(0, 1),),)),)
    assert graph.edges[0] == Edge(1, 1, "x", 4, "y", ("member",), ("t",), (Anchor(2, 3),))


@pytest.mark.parametrize(
    ("line", "notice"),
    [
        (
            '{"id":"1","nodes":[{"id":0}],"edges":[{"source":0,"target":0,"properties":["remote"],'
            '"values":[true]}]}',
            OUTDATED,
        ),
        (
            '{"id":"1","nodes":[{"id":0}],"edges":[{"source":0,"target":0,"label":"a"},'
            '{"source":0,"target":0,"label":"a"}]}',
            TWICE,
        ),
        ('{"id":"1","nodes":[{"id":3},{"id":3,"label":"b"}]}', SAME_ID),
    ],
)
def test_put_right_with_a_notice(line: str, notice: str) -> None:
    _, notices = decode(line)
    assert notices == [notice]


@pytest.mark.parametrize(
    "line",
    [
        '{"id":17,"version":"","tops":null,"nodes":null,"edges":null}',
        '{"id":"17","version":"1.0","nodes":[],"edges":[]}',
        '{"id":"17"}',
    ],
)
def test_empty_graphs(line: str) -> None:
    graph, _ = decode(line)
    assert (graph.id, graph.tops, graph.nodes, graph.edges) == ("17", (), (), ())


def test_null_and_empty_labels_and_missing_edge_ids() -> None:
    graph, _ = decode(
        '{"id":"1","nodes":[{"id":0,"label":null,"anchors":null},{"id":1,"label":7}],'
        '"edges":[{"source":0,"target":1,"label":""},{"source":1,"target":0}]}'
    )
    assert graph.nodes == (Node(0), Node(1, "7"))
    assert graph.edges == (Edge(0, 1, None, 0), Edge(1, 0, None, 1))


def test_overlay() -> None:
    line = (
        '{"id":"1","flavor":-1,"framework":"anchoring","version":1.1,"nodes":'
        '[{"id":0,"anchors":[{"#":3},{"#":4}]}],"edges":[{"id":2,"anchors":[{"#":1}]}]}'
    )
    graph, _ = decode(line)
    assert encode(graph).decode() == line


def test_robust_adds_what_is_named() -> None:
    line = '{"id":"1","tops":[9],"nodes":[{"id":0}],"edges":[{"source":0,"target":5}]}'
    graph, notices = decode(line, robust=True)
    assert [node.id for node in graph.nodes] == [0, 9, 5]
    assert notices == [UNKNOWN]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "FormatError K120: this is not JSON"),
        ("[1]", "FormatError K120: expected a JSON object"),
        ("[" * 100_000, "FormatError K120: this"),
        ('{"nodes":[]}', "FormatError K121: object missing required field `id`"),
        ('{"id":"1","nodes":[{"id":"x"}]}', "FormatError K121: item '1': $.nodes[0].id: expected"),
        (
            '{"id":"1","nodes":[{"id":1,"anchors":[{"to":1}]}]}',
            "K121: item '1': $.nodes[0].anchors",
        ),
        ('{"id":"1","nodes":[{"id":1,"anchors":[{"from":NaN,"to":1}]}]}', "K120: this is not JSON"),
        ('{"id":"1","tops":[2]}', "FormatError K123: item '1': top 2 is not a node"),
        (
            '{"id":"1","nodes":[{"id":0}],"edges":[{"source":0,"target":5,"label":"A"}]}',
            "K123: item '1': edge 0 -> 5 (A): 5 is not a node",
        ),
        ('{"id":"1","input":"\\ud800"}', "K120: this is not JSON"),
    ],
)
def test_refused_at_its_place_and_the_rest_goes_on(tmp_path: Path, line: str, message: str) -> None:
    first, bad, last = read(tmp_path, '{"id":"a"}', line, '{"id":"b"}\r')
    assert (first.value.id, last.value.id) == ("a", "b")
    assert bad.error is not None
    assert f"a.mrp:2: {'' if message.startswith('Format') else 'FormatError '}{message}" in str(
        bad.error
    )


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({}, "a b a c"),
        ({"id": ("b", "c")}, "b c"),
        ({"i": 1}, "b"),
        ({"n": 2}, "a b"),
        ({"i": 3, "n": 2}, "c"),  # id over i over n
        ({"id": ("c",), "n": 1}, "c"),
        ({"framework": ("dm",)}, "a c"),
        ({"framework": ("dm",), "i": 1}, "c"),
        ({"framework": ("eds",), "n": 1}, "b"),
        ({"unique": True}, "a b a c"),
    ],
)
def test_selection(tmp_path: Path, options: dict[str, object], ids: str) -> None:
    lines = [
        f'{{"id":"{name}","framework":"{framework}"}}'
        for name, framework in (("a", "dm"), ("b", "eds"), ("a", "eds"), ("c", "dm"))
    ]
    assert " ".join(item.value.id for item in read(tmp_path, *lines, **options)) == ids


def test_filter_with_and_without_tabs(tmp_path: Path) -> None:
    (tmp_path / "ids").write_text("a\tanything\nc\n\n")
    lines = ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}']
    found = read(tmp_path, *lines, filter=str(tmp_path / "ids"))
    assert [item.value.id for item in found] == ["a", "c"]


def test_selection_says_what_it_ignores() -> None:
    assert Selection(id=("a",), i=1, n=2).warnings == [
        "i is ignored, since id is given",
        "n is ignored, since id is given",
    ]


def test_writing_many(tmp_path: Path) -> None:
    graphs = [item.value for item in read(tmp_path, '{"id":"a"}', '{"id":"b"}')]
    stream = io.BytesIO()
    Mrp(version=1.0).write(graphs, stream)
    assert stream.getvalue() == b'{"id":"a","version":1.0}\n{"id":"b","version":1.0}\n'
