"""What other libraries read in the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.files.opener import Source
from karat.graphs.formats.eds import Eds
from karat.graphs.formats.penman import penman_of
from karat.graphs.formats.ud import Eud, Ud
from karat.graphs.model import Edge, Graph, Node


def test_conllu(shared: Path) -> None:
    conllu = pytest.importorskip("conllu")
    path = shared / "data/graphs/handmade/mini.conllu"
    sentences = conllu.parse(path.read_text("utf-8"))
    for cls in (Ud, Eud):
        items = list(cls().read(Source(path)))
        assert len(items) == len(sentences)
        for item, sentence in zip(items, sentences, strict=True):
            words = [
                t
                for t in sentence
                if isinstance(t["id"], int) or (cls is Eud and t["id"][1] == ".")
            ]
            assert [node.label for node in item.value.nodes] == [t["form"] for t in words]
            number = {t["id"]: i for i, t in enumerate(words, 1)}
            if cls is Ud:
                pairs = {(t["head"], number[t["id"]], t["deprel"]) for t in words if t["head"]}
            else:
                pairs = {
                    (number[head], number[t["id"]], label)
                    for t in words
                    for label, head in t["deps"]
                    if head != 0
                }
            assert {(e.source, e.target, e.label) for e in item.value.edges} == pairs


def test_pydelphin(shared: Path) -> None:
    edsnative = pytest.importorskip("delphin.codecs.eds")
    path = shared / "data/graphs/score/eds/wsj.pet.eds"
    items = list(Eds().read(Source(path)))
    texts = [part.partition("\n")[2] for part in path.read_text("utf-8").split("#")[1:]]
    assert len(items) == len(texts)
    for item, text in zip(items, texts, strict=True):
        eds = edsnative.decode(text)
        graph = item.value
        number = {node.id: i for i, node in enumerate(eds.nodes)}
        assert [node.label for node in graph.nodes] == [node.predicate for node in eds.nodes]
        assert [(node.anchors[0].start, node.anchors[0].end) for node in graph.nodes] == [
            (node.cfrom, node.cto) for node in eds.nodes
        ]
        assert [node.property("CARG") for node in graph.nodes] == [node.carg for node in eds.nodes]
        assert graph.tops == (number[eds.top],)
        edges = {(number[s], number[t], role) for s, role, t in eds.edges}
        assert {(e.source, e.target, e.label) for e in graph.edges} == edges
        for mine, theirs in zip(graph.nodes, eds.nodes, strict=True):
            found = {k: v for k, v in zip(mine.properties, mine.values, strict=True) if k != "CARG"}
            assert found == dict(theirs.properties.items())


def test_penman() -> None:
    penman = pytest.importorskip("penman")
    values = ("4:30", "a b", "-", "3.5", 'q"t', "a/b", "x~e.1", "(", ":ARG0", "imperative", "")
    nodes = tuple(
        Node(i, label, ("op1",), (value,))
        for i, (label, value) in enumerate(zip(("a:b", "cat", "(") * 4, values, strict=False))
    )
    edges = tuple(Edge(0, node.id, f"ARG{node.id}", node.id - 1) for node in nodes[1:])
    graph = Graph("one", 2, "amr", tops=(0,), nodes=nodes, edges=edges)
    read = penman.decode(penman_of(graph))
    assert len(read.instances()) == len(nodes)
    assert len(read.edges()) == len(edges)
    shown = [
        attribute.target.removeprefix('"').removesuffix('"') for attribute in read.attributes()
    ]
    assert [text.replace('\\"', '"') for text in shown] == list(values)
