"""Formats are guessed, and every example goes to every picture with one command."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pytest

from karat.core.commands import Job, kinds_of
from karat.core.files.opener import Source
from karat.core.reading.streams import Stream
from karat.core.registry import format_class, guess_format, guess_kind
from karat.engine import evaluate
from karat.errors import FormatError, KaratError, OptionError
from karat.graphs.draw import DrawGraphs
from karat.graphs.model import Edge, Graph, Node

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "graphs"
FORMATS = {
    "mini.amr": "amr",
    "mini.camr": "camr",
    "mini.dm.sdp": "dm",
    "mini.dm14.sdp": "dm",
    "mini.dm.mrp": "mrp",
    "mini.eds": "eds",
    "mini.xml": "ucca",
    "mini.pmb": "pmb",
    "mini.treex": "treex",
    "mini.norec.json": "norec",
}


@pytest.mark.parametrize("file", FORMATS)
def test_guessed_by_name(file: str) -> None:
    assert guess_format("graph", Source(EXAMPLES / file)).name == FORMATS[file]
    assert guess_kind(kinds_of("draw"), Source(EXAMPLES / file)).name == FORMATS[file]


@pytest.mark.parametrize("file", FORMATS)
def test_guessed_by_content(file: str, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / file, tmp_path / "nameless")
    assert guess_format("graph", Source(tmp_path / "nameless")).name == FORMATS[file]


def test_basic_and_enhanced_dependencies_are_told_apart(tmp_path: Path) -> None:
    text = (EXAMPLES / "mini.conllu").read_text("utf-8")
    assert guess_format("graph", Source(EXAMPLES / "mini.conllu")).name == "eud"
    rows = [line.split("\t") for line in text.splitlines()]
    basic = [
        "\t".join([*row[:8], "_", row[9]]) if len(row) == 10 else "\t".join(row) for row in rows
    ]
    (tmp_path / "basic.conllu").write_text("\n".join(basic), "utf-8")
    assert guess_format("graph", Source(tmp_path / "basic.conllu")).name == "ud"


def test_lists_and_folders_of_passages(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "mini.xml", tmp_path / "a.xml")
    (tmp_path / "files").write_text("a.xml\n")
    for path in (tmp_path, tmp_path / "files"):
        assert guess_format("graph", Source(path)).name == "ucca"
        assert guess_kind(kinds_of("draw"), Source(path)).name == "ucca"
        (item,) = Stream(path, ("graph",), "input")
        assert item.value.id == "p.1"
    (tmp_path / "files").write_text("a.xml\nmissing.xml\n")
    with pytest.raises(KaratError, match=r"files:2: .*there is no such file: 'missing\.xml'"):
        list(Stream(tmp_path / "files", ("graph",), "input"))


def test_graphs_in_other_formats_are_not_taken_for_names_of_files(tmp_path: Path) -> None:
    path = tmp_path / "graphs.mrp"
    for line in ('{"id": "1", "nodes": []}', "(b / bark-01)"):
        path.write_text(f"{line}\n")
        with pytest.raises(FormatError, match=r"graphs\.mrp:1: FormatError K128: expected XML"):
            evaluate("ucca", system=str(path), gold=str(path))


@pytest.mark.parametrize(
    ("choice", "warning"),
    [
        ({"id": ("karat.2",)}, "none of its 4 items is chosen: there is no id 'karat.2'; did you"),
        ({"framework": ("eds",)}, "none of its 4 items is chosen"),
        ({"i": 4}, "none of its 4 items is chosen"),
    ],
)
def test_to_choose_nothing_is_a_warning(choice: dict[str, Any], warning: str) -> None:
    stream = Stream(EXAMPLES / "mini.amr", ("graph",), "input", options=choice)
    assert list(stream) == []
    (found,) = stream.warnings()
    assert warning in found


def test_to_choose_some_is_none() -> None:
    choices: list[dict[str, Any]] = [{"id": ("karat.1",)}, {"i": 3}, {"n": 0}, {}]
    for choice in choices:
        stream = Stream(EXAMPLES / "mini.amr", ("graph",), "input", options=choice)
        assert len(list(stream)) == (1 if choice.keys() & {"id", "i"} else 0 if choice else 4)
        assert stream.warnings() == []


def test_what_cannot_be_guessed(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello\n")
    with pytest.raises(OptionError, match="cannot be guessed"):
        guess_kind(["graph"], Source(tmp_path / "x"))


@pytest.mark.parametrize("file", [*FORMATS, "mini.conllu"])
def test_pictures(file: str) -> None:
    stream = Stream(EXAMPLES / file, ("graph",), "input")
    drawings = list(DrawGraphs(ids=True, strings=True).draw(Job([stream])))
    assert drawings
    assert all(drawing.svg.startswith("<svg") for drawing in drawings)


WRITERS = ["mrp", "amr", "camr", "dm", "eds", "ucca", "ud", "eud", "pmb", "treex", "norec"]
WRITERS += ["dot", "tikz", "displacy", "txt", "id", "source", "targets", "evaluation"]


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize("writer", WRITERS)
def test_every_format_is_written_or_refused(file: str, writer: str) -> None:
    """Never another exception than the one that says why a format cannot hold a graph."""
    for item in Stream(EXAMPLES / file, ("graph",), "input"):
        code = None
        try:
            format_class(writer)().write([item.value], io.BytesIO())
        except KaratError as error:
            code = error.code
        assert code in (None, "K126")


@pytest.mark.parametrize("first", [0, 1, 7])
@pytest.mark.parametrize("name", ["ud", "eud"])
def test_words_of_dependencies_count_from_one(name: str, first: int, tmp_path: Path) -> None:
    nodes = tuple(Node(first + i, form) for i, form in enumerate(("We", "go")))
    edges = (Edge(first, first + 1, "conj", 0),)
    graph = Graph("1", 0, name, input="We go", tops=(first,), nodes=nodes, edges=edges)
    with (tmp_path / "out").open("wb") as stream:
        format_class(name)().write([graph], stream)
    (item,) = format_class(name)().read(Source(tmp_path / "out"))
    assert item.error is None
    assert [(node.id, node.label) for node in item.value.nodes] == [(1, "We"), (2, "go")]
    assert [(e.source, e.target, e.label) for e in item.value.edges] == [(1, 2, "conj")]
    assert item.value.tops == (1,)


@pytest.mark.parametrize("value", ["", "\u00a0", "a b", "a,b", "{"])
def test_what_eds_cannot_hold_is_not_written(value: str) -> None:
    graph = Graph("1", 1, "eds", nodes=(Node(0, "_rain_v_1", ("SF",), (value,)),))
    with pytest.raises(KaratError, match=r"K126: .*EDS cannot hold this graph"):
        format_class("eds")().write([graph], io.BytesIO())


def test_words_without_a_range_are_searched_for_after_those_with_one(tmp_path: Path) -> None:
    rows = [("Go", "_"), ("go", "TokenRange=3:5"), ("go", "_")]
    lines = [
        f"{i}\t{form}\t_\t_\t_\t_\t{i - 1}\tx\t_\t{misc}\n"
        for i, (form, misc) in enumerate(rows, 1)
    ]
    path = tmp_path / "a.ud"
    path.write_text("# text = Go go go\n" + "".join(lines) + "\n")
    (item,) = format_class("ud")().read(Source(path))
    found = [(anchor.start, anchor.end) for node in item.value.nodes for anchor in node.anchors]
    assert found == [(0, 2), (3, 5), (6, 8)]


def test_metrics_that_stand_in_for_mtool_read_as_it_does() -> None:
    path = EXAMPLES / "mini.conllu"
    kept, read = (
        evaluate(metric, system=path, gold=path, format="ud", gold_format="ud").scores()["labels"]
        for metric in ("mrp", "mrp(compat='mtool')")
    )
    rows = [line.split("\t")[0] for line in path.read_text("utf-8").splitlines()]
    words = [row for row in rows if row.isdecimal()]
    tokens = [row for row in rows if row[:1].isdecimal()]
    assert len(words) < len(tokens)  # multiword tokens and empty nodes, which mtool has as nodes
    assert (kept["g"], read["g"]) == (len(words), len(tokens))


def test_semantic_dependencies_in_ten_columns_are_no_trees(tmp_path: Path) -> None:
    """Four predicates and no column of frames: as wide as CoNLL-U."""
    rows = [
        f"{i}\ta\ta\tVB\t-\t+\t" + "\t".join("ARG1" if i == 4 else "_" for _ in range(4))
        for i in range(1, 5)
    ]
    (tmp_path / "nameless").write_text("\n".join(["#1", *rows, "", ""]), encoding="utf-8")
    assert guess_format("graph", Source(tmp_path / "nameless")).name == "dm"


def test_eds_in_one_line(tmp_path: Path) -> None:
    text = "{e2: _1:_the_q<0:3>[BV x3] x3:_dog_n_1<4:7>[] e2:_bark_v_1<8:13>[ARG1 x3]}\n"
    (tmp_path / "nameless").write_text(text, encoding="utf-8")
    assert guess_format("graph", Source(tmp_path / "nameless")).name == "eds"
