"""Edits that are found in lines of MRP, and rows after some of them, against those of graphs."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.reading.items import Refs
from karat.core.reading.raw import RawChunk, RawItems
from karat.errors import KaratError
from karat.graphs.formats.mrp import Mrp, decode
from karat.graphs.metrics.repairing import RepairsByIdentity

TEXT = "(Ää, b) cc «d» ee.  Ff"
EMPTY = Refs(*[np.empty(0, np.int64)] * 4)


def spans(rng: random.Random) -> list[dict[str, int]]:
    """Anchors of a node: none, one or several, of words, parts of them, or punctuation."""
    starts = [rng.randrange(len(TEXT)) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
    return [{"from": at, "to": at + rng.choice((0, 1, 2, 2, 5))} for at in starts]


def node(rng: random.Random, number: int) -> dict[str, Any]:
    made: dict[str, Any] = {"id": number}
    if rng.random() < 0.9:
        made["label"] = rng.choice(("a", "A", "b", "ß", "İx", ""))
    names = [rng.choice(("pos", "POS", "carg", "Ö")) for _ in range(rng.choice((0, 0, 1, 2)))]
    if names:
        made |= {"properties": names, "values": [value(rng) for _ in names]}
    if rng.random() < 0.8 and (found := spans(rng)):
        made["anchors"] = found
    return made


def value(rng: random.Random) -> Any:
    return rng.choice(("x", "X", "true", True, False, 3, -12, "é"))


def edge(rng: random.Random, ids: list[int], framework: str) -> dict[str, Any]:
    labels = ("ARG1", "arg1", "mod", "ARG0-of", "consist-of", "BV")
    made: dict[str, Any] = {"source": rng.choice(ids), "target": rng.choice(ids)}
    if rng.random() < 0.9:
        made["label"] = rng.choice(labels[:2] if framework == "ucca" else labels)
    if rng.random() < 0.1:
        made["normal"] = rng.choice(("ARG2", "arg2"))
    names = [rng.choice(("remote", "Remote", "member")) for _ in range(rng.choice((0, 0, 0, 1, 2)))]
    if names:
        made |= {"attributes": names, "values": [value(rng) for _ in names]}
    return made


def record(rng: random.Random, framework: str) -> dict[str, Any]:
    size = rng.randint(0, 7)
    ids = rng.sample(range(12), size)
    nodes = [node(rng, number) for number in ids]
    edges: dict[tuple[int, int, str], dict[str, Any]] = {}
    for _ in range(rng.randint(0, 10) if ids else 0):
        made = edge(rng, ids, framework)
        edges[made["source"], made["target"], made.get("label", "")] = made
    return {
        "id": "1",
        "flavor": 1,
        "framework": framework,
        "input": TEXT,
        "tops": rng.sample(ids, min(size, rng.choice((0, 1, 1, 2)))),
        "nodes": nodes,
        "edges": list(edges.values()),
    }


def damaged(rng: random.Random, gold: dict[str, Any], framework: str) -> dict[str, Any]:
    """Nodes, edges and tops changed, dropped, added and shuffled; rarely another text."""
    nodes = [node(rng, n["id"]) if rng.random() < 0.2 else n for n in gold["nodes"]]
    nodes = [n for n in nodes if rng.random() > 0.1]
    nodes += [node(rng, 20 + i) for i in range(rng.choice((0, 0, 1, 3)))]
    rng.shuffle(nodes)
    ids = [n["id"] for n in nodes]
    edges: dict[tuple[int, int, str], dict[str, Any]] = {}
    for each in gold["edges"]:
        made = edge(rng, ids, framework) if ids and rng.random() < 0.25 else dict(each)
        if ids and rng.random() < 0.1:
            made["target"] = rng.choice(ids)
        if made["source"] in ids and made["target"] in ids and rng.random() > 0.1:
            edges[made["source"], made["target"], made.get("label", "")] = made
    made = gold | {"nodes": nodes, "edges": list(edges.values())}
    made["tops"] = [top for top in gold["tops"] if top in ids] or ids[:1]
    if rng.random() < 0.03:
        made["framework"] = "other"
    if rng.random() < 0.03:
        del made["input"]
    return made


def chunk_of(*sides: bytes) -> RawChunk:
    items = [
        RawItems(EMPTY, side, np.array([0]), np.array([len(side)]), Mrp(), "made") for side in sides
    ]
    return RawChunk(items[0], items[1:], "auto")


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("mrp", "ptg"),
        ("mrp", "amr"),
        ("edm", "eds"),
        ("edm(constants=True)", "eds"),
        ("ucca-mrp", "ucca"),
    ],
)
def test_edits_of_lines_are_those_of_graphs(text: str, framework: str) -> None:
    metric: Any = karat.parse(text)
    rng = random.Random(text + framework)
    native = counted = adding_up = 0
    for _ in range(500):
        gold = record(rng, framework)
        lines = [json.dumps(each).encode() for each in (damaged(rng, gold, framework), gold)]
        pair = tuple(decode(line.decode())[0] for line in lines)
        chunk, mappings = chunk_of(*lines), [b""]
        try:
            if text == "mrp":
                _, mappings = metric.measure_mapped([pair])
                (item,) = metric.repairs_mapped([pair], mappings)
            else:
                (item,) = metric.repairs([pair])
        except KaratError:  # nothing is anchored
            assert metric.edits_of_bytes(chunk, mappings) is None
            continue
        found = metric.edits_of_bytes(chunk, mappings)
        if found is None:
            continue
        native += 1
        ((edits, once),) = found
        assert edits == item.edits("kind"), lines
        if not isinstance(metric, RepairsByIdentity):
            continue
        assert once == item.adds_up, lines
        adding_up += once and len(edits) > 1
        choices = [[i for i in range(len(edits)) if rng.random() < 0.5] for _ in range(3)]
        choices = [each for each in choices if 0 < len(each) < len(edits)]
        rows = metric.rows_of_repaired(chunk, [choices])
        if rows is None:
            continue
        counted += len(choices)
        again = [metric.measure(item.apply(each), pair[1]) for each in choices]
        assert rows.tolist() == [list(row) for row in again], (lines, choices)
    assert native > 300
    if text != "mrp":
        assert counted > 300
    assert adding_up or not text.startswith("edm")


def test_lines_that_are_not_plain_are_left_to_the_reader() -> None:
    """Here a node that two others are called by."""
    line = b'{"id": "1", "input": "a", "nodes": [{"id": 0}, {"id": 0}]}'
    for text in ("mrp", "edm", "ucca-mrp", "sdp"):
        metric: Any = karat.parse(text)
        assert metric.edits_of_bytes(chunk_of(line, line), [b""]) is None
