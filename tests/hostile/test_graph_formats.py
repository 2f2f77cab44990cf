"""Files that are broken on purpose: a clear error or the right graph, and soon."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.files.opener import Source
from karat.core.plugins import FORMATS, rows
from karat.core.registry import format_class
from karat.errors import FormatError, KaratError, LimitExceeded
from karat.graphs.checks import CHECKS, check_record
from karat.graphs.drs.rules import kinds
from karat.graphs.formats.mrp import decode
from karat.graphs.metrics.ucca import Ucca
from karat.graphs.model import Graph, Node
from karat.graphs.normalize import normalize
from karat.graphs.pictures.layout import drawing_of
from karat.graphs.shape import shape_of

READERS = [row.name for row in rows(FORMATS).values() if row.kind == "graph" and row.reads]
DEEP = 10_000


@pytest.fixture(autouse=True)
def _soon() -> Iterator[None]:
    begin = time.process_time()
    yield
    assert time.process_time() - begin < 20


def read(name: str, path: Path) -> tuple[list[Graph], list[KaratError]]:
    graphs: list[Graph] = []
    errors: list[KaratError] = []
    try:
        for item in format_class(name)().read(Source(path)):
            if item.error is not None:
                errors.append(item.error)
            else:
                graphs.append(item.value)
    except KaratError as error:
        errors.append(error)
    for error in errors:
        assert str(path.parent) in str(error)
    return graphs, errors


def written(folder: Path, text: str | bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def test_deep_penman(tmp_path: Path) -> None:
    text = "".join(f"(x{i} / c :ARG0 " for i in range(DEEP)) + "(y / end)" + ")" * DEEP
    (graph,), errors = read("amr", written(tmp_path, text))
    assert errors == []
    assert len(graph.nodes) == DEEP + 1
    assert shape_of(graph).treewidth == 1
    assert len(normalize(graph).edges) == DEEP
    output = tmp_path / "again"
    with output.open("wb") as stream:
        format_class("amr")().write([graph], stream)
    assert read("amr", output)[0] == [graph]


def test_deep_json(tmp_path: Path) -> None:
    for name in ("mrp", "norec"):
        graphs, errors = read(name, written(tmp_path, "[" * 200_000))
        assert graphs == []
        assert errors


def test_deep_xml(tmp_path: Path) -> None:
    for name, text in (
        ("ucca", '<root passageID="x">' + "<layer>" * DEEP),
        ("treex", "<treex_document>" + "<bundles>" * DEEP),
    ):
        graphs, (error,) = read(name, written(tmp_path, text))
        assert graphs == []
        assert "nested more than" in str(error)


BILLION = """<?xml version="1.0"?>
<!DOCTYPE root [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<root passageID="&b;"></root>
"""
EXTERNAL = """<?xml version="1.0"?>
<!DOCTYPE root [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<root passageID="&x;"></root>
"""


@pytest.mark.parametrize("text", [BILLION, EXTERNAL])
@pytest.mark.parametrize("name", ["ucca", "treex"])
def test_entities(name: str, text: str, tmp_path: Path) -> None:
    graphs, errors = read(name, written(tmp_path, text))
    assert graphs == []
    assert "K128: document types and entities are not allowed" in str(errors[0])


def test_a_million_attributes(tmp_path: Path) -> None:
    attributes = " ".join(f'a{i}="1"' for i in range(1_000_000))
    graphs, errors = read("ucca", written(tmp_path, f'<root passageID="x" {attributes}></root>'))
    assert len(graphs) + len(errors) == 1


LONG = "9" * 5000
"""More digits than Python converts."""
LONG_NUMBERS = {
    "amr": [f"# ::id wsj_{LONG}.1\n(a / b)", f"# ::id lpp_1943.{LONG}\n(a / b)"],
    "camr": [f"# ::wid x1_a\n(x{LONG} / b)", f"# ::wid x1_a\n(x1_{LONG} / b)"],
    "eds": [f"{{e1: e1:_a<0:{LONG}>[]}}", f"{{e1: e1:_a<{LONG}:1>[]}}"],
    "ud": [
        f"{LONG}\ta\ta\t_\t_\t_\t0\troot\t_\t_",
        f"1-{LONG}\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\t_\t_\t_\t0\troot\t_\t_",
        f"1\ta\ta\t_\t_\t_\t0\troot\t_\tTokenRange=0:{LONG}",
        f"1\ta\ta\t_\t_\t_\t{LONG}\troot\t_\t_",
    ],
    "eud": [f"1\ta\ta\t_\t_\t_\t_\t_\t{LONG}:root\t_"],
    "ucca": [
        f'<root passageID="p"><layer layerID="0"><node ID="0.{LONG}"/></layer></root>',
        f'<root passageID="p"><layer layerID="1"><node ID="1.1"><edge toID="{LONG}.1"/></node>'
        "</layer></root>",
    ],
    "pmb": [f"b1 REF x1 % a [0...{LONG}]", f"%%% bin/boxer p{LONG}/d1/\nb1 REF x1"],
    "norec": [
        f'[{{"sent_id": "1", "text": "a", "opinions": [{{"Polar_expression": '
        f'[["a"], ["0:{LONG}"]]}}]}}]'
    ],
}


@pytest.mark.parametrize("name", LONG_NUMBERS)
def test_numbers_beyond_what_python_converts(tmp_path: Path, name: str) -> None:
    for number, text in enumerate(LONG_NUMBERS[name]):
        read(name, written(tmp_path, text + "\n", f"file{number}"))


@pytest.mark.parametrize("name", ["ucca", "ucca-xml", "treex"])
@pytest.mark.parametrize("encoding", ["no-such", "shift_jis", "utf-7"])
def test_encodings_that_cannot_be_read(tmp_path: Path, name: str, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><root passageID="p"></root>'
    path = written(tmp_path, text)
    try:
        (error,) = [item.error for item in format_class(name)().read(Source(path))]
    except KaratError as raised:
        error = raised
    assert "the declared encoding cannot be read" in str(error)


def _passage(terminal: str = "0.1", layer: str = "0", attributes: str = 'text="a"') -> str:
    return (
        f'<root passageID="p"><layer layerID="{layer}"><node ID="0.1" type="Word"><attributes '
        f'{attributes}/></node></layer><layer layerID="1"><node ID="1.1" type="FN"><edge '
        'toID="1.2" type="H"><attributes/></edge></node><node ID="1.2" type="FN"><edge '
        f'toID="{terminal}" type="Terminal"><attributes/></edge></node></layer></root>'
    )


@pytest.mark.parametrize("name", ["ucca", "ucca-xml"])
@pytest.mark.parametrize(
    "text",
    [_passage(attributes='s=""'), _passage(terminal="1.1"), _passage(layer="7"), _passage("0.9")],
)
def test_passages_that_are_none(tmp_path: Path, name: str, text: str) -> None:
    items = list(format_class(name)().read(Source(written(tmp_path, text))))
    assert len(items) == 1
    for item in items:
        if item.error is None and name == "ucca-xml":
            Ucca().score(item.value, item.value)


def _units(children: dict[int, list[tuple[str, str]]], words: int) -> str:
    """A passage from the edges of each unit: where they lead, and their category."""
    terminals = "".join(
        f'<node ID="0.{i}" type="Word"><attributes paragraph="1" paragraph_position="{i}" '
        'text="a"/></node>'
        for i in range(1, words + 1)
    )
    units = "".join(
        f'<node ID="1.{unit}" type="FN"><attributes/>'
        + "".join(
            f'<edge toID="{target}" type="{category}"><attributes{remote}/></edge>'
            for target, category, remote in (
                (target, category.strip("*"), ' remote="True"' if "*" in category else "")
                for target, category in edges
            )
        )
        + "</node>"
        for unit, edges in children.items()
    )
    return (
        f'<root passageID="p"><layer layerID="0">{terminals}</layer>'
        f'<layer layerID="1">{units}</layer></root>'
    )


def test_a_star_of_function_words(tmp_path: Path) -> None:
    """Every child changes the root's edges when it is normalised: 15 s when all were sorted."""
    size = 3_000
    children = {1: [(f"1.{i}", "F") for i in range(2, size + 2)]}
    for i in range(size):
        below = size + 2 + 2 * i
        children[i + 2] = [(f"1.{below}", "C"), (f"1.{below + 1}", "F")]
        children[below] = [(f"0.{2 * i + 1}", "Terminal")]
        children[below + 1] = [(f"0.{2 * i + 2}", "Terminal")]
    path = written(tmp_path, _units(children, 2 * size))
    begin = time.process_time()
    (item,) = format_class("ucca-xml")().read(Source(path))
    assert Ucca().score(item.value, item.value)["average"]["labeled"]["f"] == 1
    assert time.process_time() - begin < 8


def test_normalising_odd_passages(tmp_path: Path) -> None:
    """Passages with edges of all categories, also to units themselves, can be normalised."""
    rng = random.Random(1)
    categories = [*"APSFHCULEDNRG", "A*", "C*"]
    for _ in range(150):
        size = rng.randrange(2, 14)
        children: dict[int, list[tuple[str, str]]] = {i: [] for i in range(1, size + 1)}
        for i in range(2, size + 1):
            children[rng.randrange(max(1, i - 4), i)].append((f"1.{i}", rng.choice(categories)))
            if rng.random() < 0.2:
                children[i].append((f"1.{rng.randrange(1, size + 1)}", "A*"))
        for i in range(1, size + 1):
            children[rng.randrange(1, size + 1)].append((f"0.{i}", "Terminal"))
        path = written(tmp_path, _units(children, size))
        (item,) = format_class("ucca-xml")().read(Source(path))
        if item.error is None:
            assert Ucca().score(item.value, item.value)["average"]["labeled"]["f"] in (0, 1)


def test_clauses_of_many_boxes(tmp_path: Path) -> None:
    """Twice the boxes take twice the time, and not four times."""
    text = "".join(f"b{i} REF x{i}\nb{i} NEGATION b{i + 1}\n" for i in range(120_000))
    (graph,), errors = read("pmb", written(tmp_path, text))
    assert errors == []
    assert len(graph.nodes) == 240_001
    assert sum(kind == "box" for kind in kinds(graph).values()) == 120_001


@pytest.mark.parametrize("name", ["amr", "penman", "camr", "eds", "ud", "pmb", "dm", "clf", "sbn"])
def test_an_item_that_has_no_end(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KARAT_MAX_BLOCK_BYTES", "100000")
    path = written(tmp_path, "{(a / b :ARG0 c\n" * 100_000)
    with pytest.raises(LimitExceeded, match="K504"):
        list(format_class(name)().read(Source(path)))


def test_a_tree_that_has_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_BLOCK_BYTES", "100000")
    path = written(tmp_path, "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n" * 50_000)
    for name in ("conllu", "conllx", "ned"):
        with pytest.raises(LimitExceeded, match="K504"):
            list(format_class(name)().read(Source(path)))


def test_long_files_whose_lines_end_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is one of an item: what separates items may be written in several ways."""
    monkeypatch.setenv("KARAT_MAX_BLOCK_BYTES", "3000000")
    for separator in ("\n\n", "\r\n\r\n", "\n  \n"):
        path = written(tmp_path, f"(a / b :ARG0 (c / d)){separator}" * 200_000)
        assert sum(1 for _ in format_class("penman")().read(Source(path))) == 200_000


_BOMBS = {
    "ucca": (b'<root passageID="p"><layer layerID="0">', b'<node ID="0.1" type="Word"/>'),
    "ucca-xml": (b'<root passageID="p"><layer layerID="0">', b'<node ID="0.1" type="Word"/>'),
    "treex": (b"<treex_document><bundles>", b'<bundle id="a"/>'),
    "ducview": (b"<pyramid><text>", b"<line/>"),
    "norec": (b'[{"sent_id": "1", "text": "a"}', b",{}"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems count in bytes")
@pytest.mark.parametrize("name", _BOMBS)
@pytest.mark.parametrize("size", [48 << 20, 80 << 20])
def test_what_is_read_whole_takes_little_memory(tmp_path: Path, name: str, size: int) -> None:
    """Below the limit it is the number of elements or values that is limited."""
    head, body = _BOMBS[name]
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", 1) as stream:
        stream.write(head)
        block = body * (1 << 16)
        for _ in range(size // len(block)):
            stream.write(block)
    program = (
        "import resource, sys\n"
        "from karat.core.files.opener import Source\n"
        "from karat.core.registry import format_class\n"
        "from karat.errors import KaratError\n"
        "try:\n"
        "    errors = [i.error for i in format_class(sys.argv[1])().read(Source(sys.argv[2]))]\n"
        "except KaratError as error:\n"
        "    errors = [error]\n"
        "assert errors and all(errors)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    # A shell between us: the peak of a process begins with that of the one it was made from.
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", program, name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(name, size, done.stdout)
    assert int(done.stdout) < 400_000


@pytest.mark.parametrize(
    "changes",
    [
        {"tops": True},
        {"tops": 5},
        {"tops": [[]]},
        {"framework": []},
        {"framework": {}, "flavor": "x"},
        {"nodes": [{"id": [], "properties": 5, "values": True, "anchors": "x"}]},
        {"nodes": [{"id": {}, "anchorings": [5]}], "edges": [{"source": [], "target": {}}]},
        {"edges": [{"source": 0, "target": 0, "attributes": 7, "values": 7, "anchors": 7}]},
    ],
)
@pytest.mark.parametrize("framework", ["amr", "eds", "dm", "ucca"])
def test_records_of_any_shape(framework: str, changes: dict[str, Any]) -> None:
    record = {"id": "1", "flavor": 1, "framework": framework, "input": "a", "nodes": [{"id": 0}]}
    assert list(check_record(record | changes, CHECKS))


def test_names_longer_than_eds_reads() -> None:
    for node in (Node(0, "a" * 1001), Node(0, "a", ("CARG",), ("b" * 2001,))):
        with pytest.raises(FormatError, match="K126"):
            format_class("eds")().write([Graph("1", 1, "eds", nodes=(node,))], io.BytesIO())


def test_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_LINE_BYTES", "1000000")
    monkeypatch.setenv("KARAT_MAX_FILE_BYTES", "1000000")
    path = written(tmp_path, bz2.compress(b"\0" * 200_000_000))
    for name in READERS:
        graphs, errors = read(name, path)
        assert graphs == []
        assert errors[-1].code in ("K501", "K502")


OVERLAY = (
    '{"id": "1", "flavor": -1, "framework": "anchors", "nodes": [{"id": 0, "label": "a", '
    '"anchors": [{"#": 0}]}], "edges": [{"id": 0, "label": "r", "anchors": [{"#": 1}]}]}'
)


@pytest.mark.parametrize("name", ["mrp", "smatch", "sdp", "edm", "ucca-mrp"])
def test_overlays_have_nothing_to_compare(name: str, tmp_path: Path) -> None:
    """Their edges have no ends, and their anchors are tokens: any figure would be wrong."""
    path = written(tmp_path, f"{OVERLAY}\n", "overlay.mrp")
    metric = karat.parse(name)
    graph = decode(OVERLAY)[0]
    with pytest.raises(FormatError) as from_file:
        karat.evaluate(metric, str(path), str(path))
    with pytest.raises(FormatError) as from_memory:
        metric.score(graph, graph)
    assert from_file.value.code == from_memory.value.code == "K223"
    assert "'1'" in from_file.value.headline
    assert drawing_of(graph).startswith("<svg")


def test_cyclic_ucca(tmp_path: Path) -> None:
    def unit(number: int, target: int) -> str:
        return (
            f'<node ID="1.{number}" type="FN"><attributes/><edge toID="1.{target}" type="A">'
            "<attributes/></edge></node>"
        )

    text = (
        '<root passageID="p"><layer layerID="0"/><layer layerID="1">'
        + unit(1, 2) + unit(2, 3) + unit(3, 1) + "</layer></root>"
    )  # fmt: skip
    (graph,), errors = read("ucca", written(tmp_path, text))
    assert errors == []
    assert graph.tops == ()
    assert shape_of(graph).cyclic
    output = tmp_path / "again"
    with output.open("wb") as stream:
        format_class("ucca")().write([graph], stream)
    assert len(read("ucca", output)[0][0].edges) == 3


@pytest.mark.parametrize(
    "text",
    [
        '<root passageID="p"><layer layerID="1"><node ID="1.1"><edge toID="9.9" type="A"/></node>'
        "</layer></root>",
        '<root passageID="p"><layer layerID="1"><node ID="1.1"/><node ID="1.1"/></layer></root>',
        '<root passageID="p"><layer layerID="1"><node ID="x"/></layer></root>',
        '<root passageID="p"><layer',
    ],
)
def test_broken_ucca(text: str, tmp_path: Path) -> None:
    graphs, errors = read("ucca", written(tmp_path, text))
    assert graphs == []
    assert len(errors) == 1


MANGLED = {
    "mrp": '{"id":"a","input":"x","nodes":[{"id":0,"anchors":[{"from":0,"to":1}]}]}\n',
    "amr": "# ::id a\n# ::snt x\n(a / b)\n\n",
    "eds": "#1\n{e1:\n e1:_x_v<0:1>[]\n}\n\n",
    "dm": "#SDP 2015\n#1\n1\tx\tx\tN\t+\t+\tf\t_\n2\ty\ty\tN\t-\t-\t_\tARG1\n\n",
    "ud": "# sent_id = a\n# text = x\n1\tx\tx\tN\t_\t_\t0\troot\t_\t_\n\n",
    "pmb": "%%% ::id a\n%%% 'x'\nb1 REF x1 % x [0...1]\nb1 x \"n.01\" x1 % x [0...1]\n\n",
}


@pytest.mark.parametrize("name", MANGLED)
def test_line_ends_marks_and_blank_lines(name: str, tmp_path: Path) -> None:
    """CRLF, a byte-order mark, no final newline, doubled blank lines: all the same graph."""
    good, errors = read(name, written(tmp_path, MANGLED[name]))
    assert errors == []
    assert len(good) == 1
    for text in (
        MANGLED[name].replace("\n", "\r\n"),
        "\ufeff" + MANGLED[name],
        MANGLED[name].rstrip("\n"),
        MANGLED[name] + "\n\n\n",
    ):
        assert read(name, written(tmp_path, text)) == (good, [])


@pytest.mark.parametrize("sign", ['("a', '<1:2>("a', '("'])
def test_an_endless_predicate_takes_no_endless_time(sign: str, tmp_path: Path) -> None:
    """Read with no limit to names and constants, these would take hours."""
    graphs, errors = read("eds", written(tmp_path, "#1\n{e:\n x:" + sign * 200_000 + "\n}\n"))
    assert graphs == []
    assert len(errors) == 1


@pytest.mark.parametrize("name", MANGLED)
def test_every_truncation(name: str, tmp_path: Path) -> None:
    """Cut anywhere, a file gives graphs or errors, never another exception."""
    data = MANGLED[name].encode()
    for end in range(len(data)):
        read(name, written(tmp_path, data[:end]))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"\0\1\2",
        b"\xff\xfe\xfd",
        b"\xed\xa0\x80",
        b"(" * 5000,
        b"{" * 5000,
        b"#",
        b"\t\t",
    ],
    ids=["empty", "blank", "zeros", "latin", "surrogate", "parens", "braces", "hash", "tabs"],
)
def test_garbage(name: str, data: bytes, tmp_path: Path) -> None:
    graphs, _ = read(name, written(tmp_path, data))
    assert all(isinstance(graph, Graph) for graph in graphs)


def test_offsets_beyond_the_text_are_drawn_and_normalised() -> None:
    graph, _ = decode(
        '{"id":"a","flavor":0,"framework":"dm","input":"ab","tops":[1],"nodes":[{"id":0,"anchors":'
        '[{"from":-5,"to":999999999999}]},{"id":1,"anchors":[{"from":50,"to":40}]}],'
        '"edges":[{"source":0,"target":1}]}'
    )
    normalize(graph)
    normalize(graph, compat="mtool")
    assert drawing_of(graph).startswith("<svg")


def test_huge_node_ids_do_not_fill_the_memory() -> None:
    graph, _ = decode(
        '{"id":"a","flavor":0,"framework":"dm","nodes":[{"id":4000000000},{"id":1}],'
        '"edges":[{"source":4000000000,"target":1}]}'
    )
    assert drawing_of(graph).startswith("<svg")
    for name in ("dm", "ud", "tikz"):
        with pytest.raises(KaratError, match="no word can have the number 4000000000"):
            format_class(name)().write([graph], io.BytesIO())


def test_dense_graphs_end() -> None:
    nodes = ",".join(f'{{"id":{i}}}' for i in range(60))
    edges = ",".join(
        f'{{"source":{i},"target":{j}}}' for i in range(60) for j in range(60) if (i * j + i) % 3
    )
    graph, _ = decode(f'{{"id":"a","flavor":0,"nodes":[{nodes}],"edges":[{edges}]}}')
    assert shape_of(graph).treewidth >= 10
    assert drawing_of(graph).startswith("<svg")


def test_large_graphs_with_many_cycles_end() -> None:
    """Their treewidth would take for ever to prove: then it is an upper bound, and said to be."""
    size = 1200
    nodes = ",".join(f'{{"id":{i}}}' for i in range(size))
    edges = ",".join(
        f'{{"source":{i},"target":{(i * i * 7 + i * k + 1) % size}}}'
        for i in range(size)
        for k in (1, 13, 101)
    )
    graph, _ = decode(f'{{"id":"a","flavor":1,"nodes":[{nodes}],"edges":[{edges}]}}')
    shape = shape_of(graph)
    assert shape.treewidth >= 10
    assert not shape.treewidth_proven


def test_a_long_line_of_json_is_no_amr_and_that_is_soon_known() -> None:
    from karat.graphs.formats.amr import Amr, Camr

    text = '{"a":' * 200_000  # in quadratic time this would take minutes
    assert not Amr.recognizes(text)
    assert not Camr.recognizes(text)


def test_a_hub_has_too_many_paths() -> None:
    """A star of so many edges in and out has 25 million paths through its middle."""

    def star(size: int) -> str:
        into = " ".join(f":ARG0-of (i{i} / in)" for i in range(size))
        out = " ".join(f":ARG1 (o{i} / out)" for i in range(size))
        return f"(h / hub {into} {out})"

    sembleu = karat.parse("sembleu")
    assert sembleu.score(star(50), star(50))["3"]["paths"] == 50 * 50
    with pytest.raises(LimitExceeded, match="1,000,000 paths of up to 3 nodes") as found:
        sembleu.score(star(5000), star(5000))
    assert found.value.code == "K503"


def test_products_of_repeated_triples_are_bounded() -> None:
    repeated = "(a / x {})".format(' :mod "y"' * 100_000)
    product = karat.parse("smatch(counting='product')")
    # (1 instance + 1 top + 10 * 10 attributes) / (1 + 1 + 10)
    few = "(a / x {})".format(' :mod "y"' * 10)
    assert product.score(few, few)["f"] == 102 / 12
    with pytest.raises(LimitExceeded, match="match 10,000,000,002 times") as found:
        product.score(repeated, repeated)
    assert found.value.code == "K503"
    assert karat.parse("smatch(counting='min')").score(repeated, repeated)["f"] == 1


def chain(size: int) -> dict[str, object]:
    """A passage in which each unit holds a word and the unit of all words that follow."""
    starts = [8 * i for i in range(size)]
    words = [{"id": i, "anchors": [{"from": at, "to": at + 7}]} for i, at in enumerate(starts)]
    edges = [
        {"source": size + i, "target": target, "label": "A"}
        for i in range(size)
        for target in (i, size + i + 1)[: 1 + (i + 1 < size)]
    ]
    return {
        "id": "1", "framework": "ucca", "flavor": 1, "version": 1.1, "time": "2026-01-01",
        "input": " ".join(f"w{i:06}" for i in range(size)), "tops": [size],
        "nodes": [*words, *({"id": size + i} for i in range(size))], "edges": edges,
    }  # fmt: skip


def test_a_long_chain_of_units_takes_memory_by_its_length(tmp_path: Path) -> None:
    """What stands below a unit is a stretch of the text, not each of its words."""
    path = tmp_path / "chain.mrp"
    path.write_text(json.dumps(chain(4000)) + "\n", encoding="utf-8")
    code = (
        "import karat, resource\n"
        "def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "metric = karat.parse('ucca-mrp')\n"
        "before = most()\n"
        f"run = karat.evaluate(metric, {str(path)!r}, {str(path)!r})\n"
        "print(run.scores()['labeled']['primary']['f'], most() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    f, megabytes = map(float, done.stdout.split())
    assert f == 1
    assert megabytes < 64
