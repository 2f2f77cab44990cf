"""MRP graphs from bytes against the reader, the normalisation and the tuples in Python."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from karat import _native
from karat.core.capabilities import LazyPairs
from karat.core.reading.items import Refs
from karat.core.reading.raw import RawChunk, RawItems
from karat.engine import evaluate
from karat.errors import KaratError
from karat.graphs.errors import UnreadableGraph
from karat.graphs.formats.base import item_of
from karat.graphs.formats.mrp import Mrp as MrpFormat
from karat.graphs.formats.mrp import decode
from karat.graphs.matching.solver import rows_of
from karat.graphs.matching.tuples import as_pair, graph_tuples, is_ordered
from karat.graphs.metrics.edm import Edm
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.metrics.sdp import Sdp
from karat.graphs.metrics.smatch import Smatch
from karat.graphs.metrics.ucca_mrp import UccaMrp
from karat.graphs.normalize import normalize


def native(system: bytes, gold: bytes) -> Any:
    """What the kernel reads of one pair; None where that is not plain."""
    spans = [np.array([[0, len(each)]]) for each in (system, gold)]
    found = _native.mrp_tuples(system, spans[0], gold, spans[1], [])
    if found[-1]:
        known = [(text, text.decode().lower().encode()) for text in found[-1]]
        found = _native.mrp_tuples(system, spans[0], gold, spans[1], known)
    plain, nodes, modes, theirs, ours, words, told, asked = found
    assert not asked
    if not plain[0]:
        return None
    tables = [table.tolist() for side in (theirs, ours) for table in (side[0], side[2])]
    return nodes[0].tolist(), int(modes[0]), tables, int(words[0]), told[0]


def twin(system: bytes, gold: bytes) -> Any:
    """The same in Python; None where something has to be put right, or cannot be read."""
    try:
        (ours, fixed), (theirs, fixed_too) = decode(system.decode()), decode(gold.decode())
    except UnreadableGraph:
        return None
    if fixed or fixed_too:
        return None
    pair = as_pair(graph_tuples(normalize(theirs)), graph_tuples(normalize(ours)))
    tables = [
        rows_of(table, columns)
        for side in (pair.gold, pair.system)
        for table, columns in ((side.features, 3), (side.edges, 4))
    ]
    words = -1 if theirs.input is None else len(theirs.input.split())
    told = theirs.framework, theirs.language, theirs.source
    return [len(theirs.nodes), len(ours.nodes)], int(is_ordered(theirs)), tables, words, told


STRINGS = st.sampled_from(
    ["", "a", "A", "mod", "ARG0", "ARG0-of", "ARG0-of-of", "consist-of", "prep-out-of", "MOD",
     "Ärger", "İ", "ΣΑΣ", "水", "remote", "Member", "False", "e\"\\/\b\f\n\r\t\x1f", "😀",
     "a label that is long"]
)  # fmt: skip
TEXTS = st.one_of(
    st.none(),
    st.sampled_from(["The dog, barks.", "“Ja” (\u2028…) 😀x", " \t\n\f", "...", "ab cd ef gh", ""]),
    st.text("ab ,.“\t\f\u00a0é😀", max_size=20),
)
VALUES = st.one_of(STRINGS, st.booleans(), st.integers(-(10**6), 10**6))
ANCHORS = st.lists(
    st.builds(lambda a, b: {"from": a, "to": b}, st.integers(0, 12), st.integers(0, 22)), max_size=3
)
IDS = st.integers(0, 4)


def _optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


NODES = st.lists(
    _optional(
        label=st.one_of(STRINGS, st.none()),
        properties=st.lists(STRINGS, max_size=2),
        values=st.lists(VALUES, max_size=2),
        anchors=ANCHORS,
        anchorings=st.lists(ANCHORS, max_size=1),
    ),
    max_size=5,
).map(lambda nodes: [{"id": i, **node} for i, node in enumerate(nodes)])
EDGES = st.lists(
    st.builds(
        lambda source, target, more: {"source": source, "target": target, **more},
        IDS,
        IDS,
        _optional(
            label=st.one_of(STRINGS, st.none()),
            id=IDS,
            normal=STRINGS,
            attributes=st.lists(STRINGS, max_size=2),
            values=st.lists(VALUES, max_size=2),
            anchors=ANCHORS,
        ),
    ),
    max_size=5,
)
FRAMEWORKS = st.sampled_from(["amr", "eds", "dm", "ucca", "ptg", None])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two records that are mostly plain, about mostly the same input."""
    framework, text = draw(FRAMEWORKS), draw(TEXTS)
    found = []
    for _ in range(2):
        nodes = draw(NODES)
        edges = [
            each
            for each in draw(EDGES)
            if max(each["source"], each["target"]) < len(nodes) or draw(st.integers(0, 9)) == 0
        ]
        record: dict[str, Any] = {
            "id": "1",
            "framework": framework,
            "input": text if draw(st.integers(0, 9)) else draw(TEXTS),
            "nodes": nodes,
            "edges": edges,
            "tops": draw(st.lists(st.integers(0, max(len(nodes) - 1, 0)), max_size=2)),
        }
        record |= draw(
            _optional(
                flavor=st.sampled_from([0, 1, 2, None]),
                version=st.sampled_from([1.1, 1, None, "1.0"]),
                time=st.sampled_from(["2019-06-23", None]),
                language=st.sampled_from(["eng", None]),
                source=st.sampled_from(["wsj", None]),
                targets=st.sampled_from([["eds"], None]),
                other=st.sampled_from([{"a": [1.5e3, None, True]}, "x"]),
            )
        )
        if not draw(st.booleans()):
            record["nodes"] = record["edges"] = record["tops"] = None
        found.append(record)
    return found[0], found[1]


@settings(max_examples=drawn(120), deadline=None)
@given(pairs(), st.booleans())
def test_random_graphs(pair: tuple[dict[str, Any], dict[str, Any]], escaped: bool) -> None:
    system, gold = (json.dumps(each, ensure_ascii=escaped).encode() for each in pair)
    found = native(system, gold)
    if found is not None:
        assert found == twin(system, gold)
    elif twin(system, gold) is not None:
        # The only things that are not plain, but have nothing wrong about them.
        inputs = {each["input"] for each in pair} - {None}
        odd = any(isinstance(each.get("version"), str) for each in pair)
        assert odd or len(inputs) > 1


# -- what looking at pairs shows ---------------------------------------------------------------


EMPTY = Refs(*[np.empty(0, np.int64)] * 4)


def chunk_of(*sides: bytes) -> RawChunk:
    items = [
        RawItems(EMPTY, side, np.array([0]), np.array([len(side)]), MrpFormat(), "made")
        for side in sides
    ]
    return RawChunk(items[0], items[1:], "auto")


def as_shown(metric: Any, pair: tuple[Any, Any], told: dict[str, Any]) -> Any:
    """What the page takes of a pair, from its parts in Python."""
    found = metric.shown(*pair, told)
    encode = msgspec.json.encode
    golds = encode(found.source) + b"," + encode(found.golds)
    return (
        golds,
        encode(found.system),
        b"{},%b,[]" % encode(found.overlay),
        [tuple(each) for each in found.faults],
    )


METRICS = {
    "mrp": Mrp(),
    "smatch": Smatch(),
    "smatch with concepts": Smatch(top="concept"),
    "edm": Edm(),
    "edm with constants": Edm(constants=True),
    "ucca-mrp": UccaMrp(),
    "sdp": Sdp(),
}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("read", ["lines", "values"])
@settings(max_examples=drawn(150), deadline=None)
@given(pair=pairs(), escaped=st.booleans(), outdated=st.booleans())
def test_explanations_and_overlays(
    name: str,
    read: str,
    pair: tuple[dict[str, Any], dict[str, Any]],
    escaped: bool,
    outdated: bool,
) -> None:
    metric: Any = METRICS[name]
    for edge in (edge for each in pair for edge in each["edges"] or ()):
        if outdated and "attributes" in edge:
            edge["properties"] = edge.pop("attributes")
    system, gold = (json.dumps(each, ensure_ascii=escaped).encode() for each in pair)
    if _is_unreadable(pair):
        if name in ("mrp", "sdp"):  # others would have to be told its mapping
            look = metric.look_at(LazyPairs(lambda: chunk_of(system, gold), list))
            assert look.explanations() == look.shown().views == [b""]
        return
    graphs = decode(system.decode())[0], decode(gold.decode())[0]
    lines = chunk_of(system, gold) if read == "lines" else None
    look = metric.look_at(LazyPairs(lambda: lines, lambda: [graphs]))
    assert look is not None
    (explanation,), shown = look.explanations(), look.shown()
    inputs = [each["input"] for each in pair]
    if not explanation:
        odd = read == "lines" and any(isinstance(each.get("version"), str) for each in pair)
        mixed = name.startswith("edm") and (inputs[0] is None) != (inputs[1] is None)
        bare = name in ("edm", "edm with constants", "ucca-mrp", "sdp") and any(
            each.nodes and not each.is_anchored for each in graphs
        )
        assert odd or mixed or bare or len({*inputs} - {None}) > 1
        assert shown.views == [b""]
        return
    if name in ("edm", "edm with constants", "ucca-mrp"):
        assert metric.measure_many([graphs]).tolist() == [list(metric.measure(*graphs))]
    told = metric.explain(*graphs)
    assert explanation == msgspec.json.encode(told)
    if not shown.views[0]:  # words are told from marks in Python, where they are not ASCII
        assert pair[1].get("flavor") == 0
        assert not pair[1]["input"].isascii()
        return
    faults = [shown.faults[number] for number in shown.fault_numbers.tolist()]
    made = shown.golds[0], shown.systems[0], shown.views[0], faults
    assert made == as_shown(metric, graphs, told)


@pytest.mark.parametrize(
    ("name", "framework"),
    [("mrp", "ptg"), ("smatch", "amr"), ("smatch", "eds"), ("smatch with concepts", "dm"),
     ("edm", "eds"), ("edm with constants", "eds"), ("ucca-mrp", "ucca"), ("sdp", "dm"),
     ("sdp", "psd"), ("mrp", "psd")],
)  # fmt: skip
def test_real_graphs_are_looked_at_natively(shared: Path, name: str, framework: str) -> None:
    metric: Any = METRICS[name]
    if framework == "ptg":
        files = [f"handmade/ptg.{side}.mrp" for side in ("system", "gold")]
    else:
        files = [f"perturbed/{framework}.wsj.mrp", f"sample/{framework}/wsj.mrp"]
    lines = [
        (shared / "data" / "graphs" / each).read_bytes().strip().split(b"\n") for each in files
    ]
    golds = {json.loads(line)["id"]: line for line in lines[1]}
    told_natively = 0
    for system in lines[0]:
        gold = golds[json.loads(system)["id"]]
        graphs = decode(system.decode())[0], decode(gold.decode())[0]
        raw = chunk_of(system, gold)
        look = metric.look_at(LazyPairs(lambda: raw, lambda: [graphs]))  # noqa: B023
        told = metric.explain(*graphs)
        shown = look.shown()
        assert look.explanations() == [msgspec.json.encode(told)]
        if shown.views[0]:
            told_natively += 1
            faults = [shown.faults[number] for number in shown.fault_numbers.tolist()]
            made = shown.golds[0], shown.systems[0], shown.views[0], faults
            assert made == as_shown(metric, graphs, told)
    assert told_natively >= 0.9 * len(lines[0])


def _is_unreadable(pair: tuple[dict[str, Any], dict[str, Any]]) -> bool:
    try:
        for each in pair:
            decode(json.dumps(each))
    except UnreadableGraph:
        return True
    return False


def test_mappings_of_other_graphs_show_nothing() -> None:
    line = json.dumps(PLAIN).encode()
    for mapping in ([0], [0, 2], [1, 1], [-2, 0], [0, 1, 1]):
        known = [np.array(mapping, np.int32).tobytes()]
        look = Mrp().look_at(LazyPairs(lambda: chunk_of(line, line), list, known))
        assert look is not None
        assert look.explanations() == [b""]
        assert look.shown().views == [b""]


PLAIN = {
    "id": "1", "flavor": 1, "framework": "eds", "version": 1.1, "time": "2019-06-23",
    "input": "A dog “barks”.", "tops": [1], "nodes": [
        {"id": 0, "label": "dog", "anchors": [{"from": 2, "to": 5}]},
        {"id": 1, "label": "_bark_v_1", "properties": ["TENSE"], "values": ["PRES"],
         "anchors": [{"from": 6, "to": 13}, {"from": 14, "to": 15}]},
    ],
    "edges": [
        {"source": 1, "target": 0, "label": "ARG1", "attributes": ["remote"], "values": [True]},
    ],
}  # fmt: skip


@settings(max_examples=drawn(600), deadline=None)
@given(st.integers(0, 2**32))
def test_damaged_lines_are_never_taken_for_others(seed: int) -> None:
    """Whatever happens to a line: where the kernel reads it, the reader in Python agrees."""
    rng = random.Random(seed)
    line = json.dumps(PLAIN, ensure_ascii=rng.random() < 0.5)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(line))
        piece = rng.choice(
            ["", "0", "1", "-", ".5", "e9", '"', "\\", "\\u00e9", "\\ud800", ",", ":", "{", "}",
             "[", "]", "null", "true", " ", "\t", "x", "é", '"id": 0,', '"label": "a",',
             "[[", '"edges": [],']
        )  # fmt: skip
        line = line[:at] + piece + line[at + rng.choice([0, 0, 1, 1, 5]) :]
    found = native(line.encode(), line.encode())
    if found is not None:
        assert found == twin(line.encode(), line.encode())


def changed(**fields: Any) -> bytes:
    return json.dumps({**PLAIN, **fields}).encode()


NOT_PLAIN = {
    "unknown top": changed(tops=[7]),
    "unknown node": changed(edges=[{"source": 0, "target": 7}]),
    "edge twice": changed(edges=[{"source": 0, "target": 1}] * 2),
    "node twice": changed(nodes=[{"id": 0}, {"id": 0}], edges=[], tops=[]),
    "no id of a node": changed(nodes=[{"label": "a"}], edges=[], tops=[]),
    "outdated": changed(edges=[{"source": 0, "target": 1, "properties": ["a"], "values": ["b"]}]),
    "overlay": changed(flavor=-1),
    "number as id": changed(id=1),
    "number as label": changed(nodes=[{"id": 0, "label": 1}], edges=[], tops=[]),
    "float as value": changed(
        nodes=[{"id": 0, "properties": ["a"], "values": [1.0]}], edges=[], tops=[]
    ),
    "negative anchor": changed(
        nodes=[{"id": 0, "anchors": [{"from": -3, "to": 2}]}], edges=[], tops=[]
    ),
    "too deep": changed(other=json.loads("[" * 100 + "]" * 100)),
    "far too deep": b'{"id": "1", "other": ' + b"[" * 100_000,
    "twice": b'{"id": "1", "id": "2"}',
    "not JSON": b'{"id": "1"',
    "rest": b'{"id": "1"} x',
    "list": b"[]",
    "nothing": b"",
}


@pytest.mark.parametrize("name", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_the_reader(name: str) -> None:
    line, plain = NOT_PLAIN[name], changed()
    assert native(plain, plain) == twin(plain, plain) is not None
    assert native(line, plain) is None
    assert native(plain, line) is None


def test_long_graphs() -> None:
    """Many nodes over a long input of blanks and dots take no more than their size."""
    size = 20_000
    graph = {
        "id": "1",
        "input": " ." * size,
        "nodes": [
            {"id": i, "label": f"n{i}", "anchors": [{"from": 0, "to": 2 * size}]}
            for i in range(size)
        ],
        "edges": [{"source": i, "target": i + 1, "label": "a"} for i in range(size - 1)],
        "tops": [0],
    }
    line = json.dumps(graph).encode()
    nodes, _, tables, _, _ = native(line, line)
    assert nodes == [size, size]
    assert [len(table) for table in tables] == [2 * size + 1, size - 1] * 2


def test_files(shared: Path) -> None:
    """Every graph of the shared files, beside a perturbed one, is read as in Python."""
    data = shared / "data" / "graphs"
    golds: dict[tuple[str, str], bytes] = {}
    for path in [data / "score" / "lpps.mrp", *data.glob("sample/*/*.mrp")]:
        for line in path.read_bytes().splitlines():
            record = json.loads(line)
            golds[record["id"], record["framework"]] = line
    count = 0
    for path in sorted(data.glob("perturbed/*.mrp")):
        for system in path.read_bytes().splitlines()[::3]:
            record = json.loads(system)
            gold = golds.get((record["id"], record["framework"]))
            if gold is not None:
                found = native(system, gold)
                count += found is not None
                assert found is None or found == twin(system, gold)
    assert count > 250


@pytest.mark.parametrize("broken", [False, True])
def test_a_run_is_that_of_parsing(
    broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Mrp, "chunk_size", 4)
    rng = random.Random(3)
    gold = [changed(id=str(i), language="eng" if i > 5 else None) for i in range(11)]
    system = [
        changed(
            id=str(i),
            nodes=PLAIN["nodes"][:1] if i % 3 else [],
            edges=[],
            tops=[],
            source="Ärger" if i == 2 else None,
        )
        for i in range(11)
    ]
    rng.shuffle(system)
    if broken:
        system[6] = system[6].replace(b'"edges": []', b'"edges": [{"source": 0, "target": 9}]')
    (tmp_path / "gold.mrp").write_bytes(b"\n".join(gold))
    (tmp_path / "system.mrp").write_bytes(b"\n".join(system))
    whole = Mrp.measure_bytes
    told: list[bool] = []

    def noted(self: Mrp, chunk: Any) -> Any:
        found = whole(self, chunk)
        told.append(found is not None)
        return found

    results = []
    for function in (noted, lambda self, chunk: None):
        monkeypatch.setattr(Mrp, "measure_bytes", function)
        run = evaluate("mrp", system=tmp_path / "system.mrp", gold=tmp_path / "gold.mrp")
        results.append((run.counts.tolist(), run.ids, run.groups, run.warnings, run.keys))
    assert results[0] == results[1]
    assert told.count(False) == broken
    assert len(told) == 3


@pytest.mark.parametrize(
    "options",
    [
        "compat='mtool'",
        "domination=True",
        "characters=True",
        "search='mtool'",
        "normalize=('case',)",
    ],
)
def test_other_options_are_for_python(options: str, tmp_path: Path) -> None:
    path = tmp_path / "a.mrp"
    path.write_bytes(changed())
    found = evaluate(f"mrp({options})", system=path, gold=path)
    assert found.scores()["all"]["f"] == 1


def test_what_the_system_left_out_or_empty(tmp_path: Path) -> None:
    for name, line in (("gold", changed()), ("system", b'{"id": "1"}')):
        (tmp_path / name).write_bytes(line)
    with pytest.raises(KaratError, match="K241"):
        evaluate("mrp", system=tmp_path / "system", gold=tmp_path / "gold", format="mrp")


def test_fields() -> None:
    graph, _ = decode(changed(language="eng", source="wsj").decode())
    assert item_of(graph, 1).fields == {
        "framework": "eds", "language": "eng", "source": "wsj", "nodes": "00-09", "words": "00-09",
    }  # fmt: skip


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="a span is not inside the data"):
        _native.mrp_tuples(b"", np.array([[0, 1]]), b"", np.array([[0, 0]]), [])
    with pytest.raises(ValueError, match="as many gold as system items"):
        _native.mrp_tuples(b"", np.array([[0, 0]]), b"", np.empty((0, 2), np.int64), [])


@settings(max_examples=drawn(300), deadline=None)
@given(
    size=st.integers(1, 9),
    ends=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.booleans()), max_size=20),
    anchored=st.sets(st.integers(0, 8)),
)
def test_yields_of_graphs_with_cycles(
    size: int, ends: list[tuple[int, int, bool]], anchored: set[int]
) -> None:
    """Nodes of one cycle have one yield, which is found once for all of them."""
    graph = {
        "id": "1", "framework": "ucca", "flavor": 1, "input": "abcdefghi", "tops": [0],
        "nodes": [
            {"id": i, "anchors": [{"from": i, "to": i + 1}] if i in anchored or i == 0 else []}
            for i in range(size)
        ],
        "edges": [
            {"source": a % size, "target": b % size, "label": f"{a % size}",
             "attributes": ["remote"] * remote, "values": [True] * remote}
            for a, b, remote in {(a % size, b % size, remote) for a, b, remote in ends}
        ],
    }  # fmt: skip
    other = {**graph, "edges": [{**each, "label": "x"} for each in graph["edges"]]}  # type: ignore[attr-defined]
    graphs = tuple(decode(json.dumps(each))[0] for each in (other, graph))
    metric = UccaMrp()
    for pair in (graphs, graphs[::-1], (graphs[1], graphs[1])):
        assert metric.measure_many([pair]).tolist() == [list(metric.measure(*pair))]
        look = metric.look_at(LazyPairs(lambda: None, lambda pair=pair: [pair]))  # type: ignore[misc]
        assert look is not None
        (explanation,) = look.explanations()
        assert explanation in (b"", msgspec.json.encode(metric.explain(*pair)))
