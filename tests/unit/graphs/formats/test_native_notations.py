"""What native files hold beyond their examples: optional parts, other orders, other spellings."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from karat.core.files.opener import Source
from karat.core.reading.streams import Stream
from karat.core.registry import format_class
from karat.errors import FormatError
from karat.graphs.formats.eds import Eds
from karat.graphs.formats.mrp import decode, encode
from karat.graphs.model import Anchor, Edge, Graph, Node
from karat.graphs.normalize import normalize


def graphs_of(
    name: str, content: str, folder: Path, file: str = "in", **options: Any
) -> list[Graph]:
    path = folder / file
    path.write_text(content, "utf-8")
    items = list(format_class(name)(**options).read(Source(path)))
    for item in items:
        if item.error is not None:
            raise item.error
    return [item.value for item in items]


def triples(graph: Graph) -> list[tuple[int, int, str | None]]:
    return [(edge.source, edge.target, edge.label) for edge in graph.edges]


# -- EDS ------------------------------------------------------------------------------


def test_all_parts_of_a_predication_but_its_name_and_roles_are_optional(tmp_path: Path) -> None:
    text = '#1\n{e2:\n _1:_the_q[BV x3]\n x3:_cat_n_1{x PERS 3}[]\n e2:named("Kim")[ARG1 x3]\n}\n'
    (graph,) = graphs_of("eds", text, tmp_path)
    assert [node.label for node in graph.nodes] == ["_the_q", "_cat_n_1", "named"]
    assert [node.properties for node in graph.nodes] == [(), ("PERS",), ("CARG",)]
    assert not graph.is_anchored
    assert triples(graph) == [(0, 1, "BV"), (2, 1, "ARG1")]


def test_a_predicate_may_hold_brackets_before_its_span(tmp_path: Path) -> None:
    (graph,) = graphs_of("eds", "#1\n{e2:\n e2:_a[b]_n<0:1>[]\n}\n", tmp_path)
    assert graph.nodes[0].label == "_a[b]_n"


def test_edges_without_a_label_come_back_without_one(tmp_path: Path) -> None:
    nodes = (Node(0, "a", anchors=(Anchor(0, 1),)), Node(1, "b", anchors=(Anchor(2, 3),)))
    graph = Graph("1", 1, "eds", tops=(0,), nodes=nodes, edges=(Edge(0, 1, None, 0),))
    stream = io.BytesIO()
    Eds().write([graph], stream)
    assert graphs_of("eds", stream.getvalue().decode(), tmp_path) == [graph]


def test_a_label_that_reads_as_none_cannot_be_written() -> None:
    graph = Graph("1", 1, "eds", nodes=(Node(0, "a"),), edges=(Edge(0, 0, "_", 0),))
    with pytest.raises(FormatError, match="role that does not fit"):
        Eds().write([graph], io.BytesIO())


@pytest.mark.parametrize("file", ["20001.eds", "20001.eds.gz", "20001"])
def test_without_an_id_the_number_of_the_file_counts(tmp_path: Path, file: str) -> None:
    (graph,) = graphs_of("eds", "{e2:\n e2:a<0:1>[]\n}\n", tmp_path, file)
    assert graph.id == "20001"


# -- PMB ------------------------------------------------------------------------------

HEADER = "%%% by\n%%% bin/boxer --input p12/d0102/en.drs.xml --resolve\n%%% 'A b.' \n"


def test_lines_of_a_comment_alone_may_be_indented(tmp_path: Path) -> None:
    text = HEADER + "b1 REF x1 % A [0...1]\n          % . [3...4]\n % . [3...4]\n"
    (graph,) = graphs_of("pmb", text, tmp_path)
    assert (graph.id, graph.input) == ("120102", "A b.")
    assert len(graph.nodes) == 2


def test_a_name_with_a_sense_is_a_concept_also_in_upper_case(tmp_path: Path) -> None:
    text = HEADER + 'b1 REF x1 % A [0...1]\nb1 Sunday "n.01" x1 % A [0...1]\n'
    (graph,) = graphs_of("pmb", text, tmp_path)
    assert graph.nodes[1] == Node(1, "Sunday", ("sense",), ("n.01",), (Anchor(0, 1),))
    assert triples(graph) == [(0, 1, "∈")]


def test_boxes_are_numbered_where_they_come_up(tmp_path: Path) -> None:
    text = HEADER + 'b3 PRESUPPOSITION b1 %\nb2 TPR t1 "now" % b [2...3]\n'
    (plain,) = graphs_of("pmb", text, tmp_path)
    # b1 and b3 (the lower first), t1, "now"
    assert triples(plain) == [(1, 0, "PRESUPPOSITION"), (2, 3, "≺")]
    (reified,) = graphs_of("pmb", text, tmp_path, reify=True)
    # the same, then the box of the condition before the condition
    assert [node.label for node in reified.nodes] == [None, None, None, '"now"', None, "≺"]
    assert (4, 5, "∈") in triples(reified)


def test_the_box_of_a_concept_counts_where_no_box_introduces_the_referent(tmp_path: Path) -> None:
    text = HEADER + 'b1 run "v.01" e1 % b [2...3]\nb1 Agent e1 x1 % b [2...3]\n'
    (graph,) = graphs_of("pmb", text, tmp_path, reify=True)
    assert "∈" not in {edge.label for edge in graph.edges}


# -- others ---------------------------------------------------------------------------

ROW = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t{}\t_\n"


def test_the_top_of_enhanced_dependencies_is_the_word_with_head_0(tmp_path: Path) -> None:
    text = ROW.format(1, "a", 0, "root", "0:root") + ROW.format(2, "b", 1, "conj", "0:root|1:conj")
    (graph,) = graphs_of("eud", text + "\n", tmp_path)
    assert graph.tops == (1,)
    assert triples(graph) == [(1, 2, "conj")]
    (without,) = graphs_of("eud", ROW.format(1, "a", "_", "_", "0:root"), tmp_path)
    assert without.tops == (1,)


@pytest.mark.parametrize(
    ("sentence", "text"),
    [("中国人来", "中国人 来"), ("中国人 来", "中国人来"), ("中国人 来", "中国人 来")],
)
def test_chinese_variables_number_the_words_of_whichever_text_is_split(
    tmp_path: Path, sentence: str, text: str
) -> None:
    (tmp_path / "text").write_text(f"z\t{text}\n", "utf-8")
    amr = f"# ::id z\n# ::snt {sentence}\n(x2 / 来-01\n  :arg0() (x1_1_2 / 国家))\n"
    (graph,) = graphs_of("camr", amr, tmp_path, text=str(tmp_path / "text"))
    begin = text.index("来")
    assert graph.nodes[0].anchors == (Anchor(begin, begin + 1),)
    assert graph.nodes[1].anchors == (Anchor(0, 1), Anchor(1, 2))


def test_a_byte_order_mark_before_a_list(tmp_path: Path) -> None:
    text = '\ufeff[{"sent_id": "1", "text": "a", "opinions": []}]'
    assert graphs_of("norec", text, tmp_path)[0].input == "a"


def test_tops_count_once() -> None:
    graph, _ = decode('{"id": "1", "tops": [1, 0, 1], "nodes": [{"id": 0}, {"id": 1}]}')
    assert graph.tops == (1, 0)


def test_the_hour_and_what_is_empty_are_not_written() -> None:
    line = (
        '{"id": "1", "time": "2019-04-10 (20:10)", "input": "", "nodes": [{"id": 0, "label": ""}]}'
    )
    graph, _ = decode(line)
    assert encode(graph) == b'{"id":"1","version":1.1,"time":"2019-04-10","nodes":[{"id":0}]}'
    assert b'"time":"2019-04-10 (20:10)"' in encode(graph, 0.9)


def test_graphs_without_a_framework_are_of_none(tmp_path: Path) -> None:
    text = '{"id": "1"}\n{"id": "2", "framework": "eds"}\n'
    (tmp_path / "in").write_text(text, "utf-8")
    chosen = Stream(tmp_path / "in", ("graph",), "input", "mrp", {"framework": ("eds",)})
    assert [item.value.id for item in chosen] == ["2"]


# -- what cannot be written so that it comes back ------------------------------------


@pytest.mark.parametrize(
    ("name", "graph", "message"),
    [
        ("dm", Graph(" ", 0, "dm"), "its id is empty, or has several lines"),
        ("dm", Graph("a\nb", 0, "dm"), "its id is empty, or has several lines"),
        ("eds", Graph("a\tb", 1, "eds"), "its id has a tab, several lines"),
        (
            "eud",
            Graph("1", 0, "eud", nodes=(Node(1, "a"),), edges=(Edge(1, 1, "x|y", 0),)),
            "word 1 has a label with a '|'",
        ),
        (
            "ud",
            Graph("1", 1, "amr", input="a b", tops=(0,), nodes=(Node(0, "want-01"),)),
            "the form 'want-01' is not in the text",
        ),
        (
            "pmb",
            Graph("1", 2, "drg", nodes=(Node(0),), edges=(Edge(0, 0, "a b", 0),)),
            "the label 'a b' has blanks in it",
        ),
    ],
)
def test_graphs_that_would_not_come_back_are_refused(name: str, graph: Graph, message: str) -> None:
    with pytest.raises(FormatError, match="K126") as caught:
        format_class(name)().write([graph], io.BytesIO())
    assert message in str(caught.value)


@pytest.mark.parametrize("span", ["<0:1", "<0:x>", "<:3>", "<0:>", "<0,3>"])
def test_half_a_span_is_no_part_of_a_predicate(span: str, tmp_path: Path) -> None:
    text = f"#1\n{{e2:\n e2:_bark_v_1{span}[ARG1 e2]\n}}\n"
    with pytest.raises(FormatError, match="expected a span") as caught:
        graphs_of("eds", text, tmp_path)
    assert (caught.value.place.line, caught.value.place.column) == (3, 14)


def test_a_predicate_may_have_any_sign_before_its_span(tmp_path: Path) -> None:
    text = "#1\n{e2:\n e2:_</nn_u<0:1>[]\n e3:_a<3[]\n e4:<3:<0:1>[]\n}\n"
    with pytest.raises(FormatError, match="found '<3'"):
        graphs_of("eds", text, tmp_path)
    (graph,) = graphs_of("eds", text.replace("_a<3", "_a<b"), tmp_path)
    assert [node.label for node in graph.nodes] == ["_</nn_u", "_a<b", "<3:"]


# -- what writers say of graphs of other frameworks ------------------------------------


@pytest.mark.parametrize(
    ("name", "graph", "told"),
    [
        (
            "eud",
            Graph("1", 0, "dm", nodes=(Node(0, "go", anchors=(Anchor(0, 4),)),), input="went"),
            "labels that are not the words",
        ),
        (
            "eud",
            Graph("1", 0, "ud", nodes=(Node(1, "a"), Node(2, "b")), edges=(Edge(1, 2),)),
            "without a label",
        ),
        (
            "eds",
            Graph("1", 2, "amr", nodes=(Node(0, "a"),), edges=(Edge(0, 0, "mod"),)),
            "inverted",
        ),
        ("amr", Graph("1", 1, "eds", nodes=(Node(0, "a"),)), "no top"),
        (
            "amr",
            Graph("1", 1, "eds", tops=(0,), nodes=(Node(0, "a"),), edges=(Edge(0, 0, "mod"),)),
            "inverted",
        ),
        (
            "ucca",
            Graph("1", 1, tops=(0,), nodes=(Node(0, anchors=(Anchor(0, 1),)),), input="a b"),
            "words that no node is anchored to",
        ),
        (
            "pmb",
            Graph(
                "1", 2, "drg", tops=(0,), nodes=(Node(0, anchors=(Anchor(0, 1),)), Node(1)),
                edges=(Edge(0, 1, "∈"),), input="a b",
            ),
            "anchors of boxes",
        ),
    ],
)  # fmt: skip
def test_a_writer_tells_what_comes_back_as_something_else(
    name: str, graph: Graph, told: str
) -> None:
    writer = format_class(name)()
    writer.write([graph], io.BytesIO())
    assert told in str(writer.warnings)


def test_labels_of_words_become_lemmas(tmp_path: Path) -> None:
    node = Node(0, "go", anchors=(Anchor(0, 4),))
    stream = io.BytesIO()
    format_class("ud")().write([Graph("1", 0, "dm", nodes=(node,), input="went")], stream)
    (found,) = graphs_of("ud", stream.getvalue().decode(), tmp_path)
    assert (found.nodes[0].label, found.nodes[0].property("lemma")) == ("went", "go")


def test_clauses_do_not_begin_with_a_comment() -> None:
    boxes = Graph("1", 2, "drg", nodes=(Node(0), Node(1)), edges=(Edge(0, 1, "%"),))
    with pytest.raises(FormatError, match="begins with %"):
        format_class("pmb")().write([boxes], io.BytesIO())


def test_an_edge_without_a_label_may_be_inverted(tmp_path: Path) -> None:
    (found,) = graphs_of("amr", "# ::id 1\n(a / b :-of (c / d))\n", tmp_path)
    assert triples(normalize(found)) == [(1, 0, None)]
