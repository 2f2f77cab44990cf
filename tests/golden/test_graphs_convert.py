"""Readers and conversion against mtool's output, graph by graph."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from karat.core.opener import Source
from karat.core.pairing import Report
from karat.core.reading import Stream
from karat.core.registry import format_class
from karat.core.verbs import Job
from karat.graphs.formats.base import GraphFormat
from karat.graphs.formats.mrp import as_record
from karat.graphs.verbs.convert import ConvertGraphs

sys.path.insert(0, str(Path(__file__).parent))
from graph_figures import DATA, FILES, SHARED, entries, named

# The options of mtool that have the same name in karat's readers.
READING = ("full", "reify", "strict", "n", "id", "prefix")
FILES_READ = ("text", "alignment", "anchors")
# Formats of mtool's whose word became the framework; karat reads them as `ud`.
RENAMED = {"conllu": "ud"}

# Graphs that are not as in mtool, by entry and position, with what differs.
BY_DESIGN: dict[str, dict[int, dict[str, Any]]] = {
    # mtool's sentence of one graph leaks into the next that has none (spec, 14.17),
    # and its ids for graphs without one are numbers.
    name: {3: {"id": "0", "input": None}}
    for name in ("convert/handmade/amr", "convert/handmade/amr-full", "convert/handmade/amr-reify")
}


def reader(options: dict[str, Any]) -> GraphFormat:
    name = options["read"]
    chosen: dict[str, Any] = {key: options[key] for key in READING if key in options}
    if "id" in chosen:
        chosen["id"] = (chosen["id"],)
    chosen |= {key: str(DATA / options[key]) for key in FILES_READ if key in options}
    if name in ("amr", "camr"):
        chosen["compat"] = "mtool"
    made = format_class(RENAMED.get(name, name))(**chosen)
    assert isinstance(made, GraphFormat)
    return made


def converted(entry: dict[str, Any]) -> list[dict[str, Any]]:
    options = entry["options"]
    made = reader(options)
    stream = Stream(DATA / entry["input"], "graph", "input", made.name)
    stream.format = made
    steps = options.get("normalize")
    inject = {"framework": options["read"]} if options["read"] in RENAMED else {}
    verb = ConvertGraphs(
        normalize=(steps,) if steps else (), compat="mtool", inject=json.dumps(inject)
    )
    return [plain(as_record(graph)) for graph in verb.convert(Job([stream], report=Report("skip")))]


def plain(record: dict[str, Any]) -> dict[str, Any]:
    import msgspec

    result: dict[str, Any] = json.loads(msgspec.json.encode(record))
    result.pop("time", None)
    return result


def expected_graphs(entry: dict[str, Any]) -> list[dict[str, Any]]:
    name = entry["expected_file"]
    path = SHARED / name if name.startswith("data/") else SHARED / "golden" / name
    graphs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for graph in graphs:
        graph.pop("time", None)
    return graphs


NAMES = [name for name in named("convert/") if "overlay" not in name]
LATER = ("eds", "eud", "ucca/wsj", "ud", "conllu", "norec", "pmb", "treex", "reanchor")
NAMES = [name for name in NAMES if not any(f"/{word}" in name for word in LATER)]


@pytest.mark.parametrize("name", NAMES)
def test_convert(name: str) -> None:
    entry = entries()[name]
    found, expected = converted(entry), expected_graphs(entry)
    for position, changes in BY_DESIGN.get(name, {}).items():
        expected[position] |= changes
        expected[position] = {k: v for k, v in expected[position].items() if v is not None}
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        assert mine == theirs


def test_overlay(shared: Path) -> None:
    made = reader(entries()["convert/handmade/amr-overlay"]["options"])
    assert len(list(made.read(Source(DATA / "handmade/mini.amr")))) == 4
    found = [plain(as_record(graph)) for graph in made.overlays]  # type: ignore[attr-defined]
    # The last of mtool's is an artefact, as the entry says.
    lines = (FILES / "handmade-amr-overlay.mrp").read_text("utf-8").splitlines()[:-1]
    assert found == [json.loads(line) for line in lines]
