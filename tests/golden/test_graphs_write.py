"""Writers against what mtool wrote."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from graph_figures import DATA, FILES, SHARED, entries, named
from karat.core.commands import Job
from karat.core.reading.streams import Stream
from karat.core.registry import format_class
from karat.graphs.commands import ConvertGraphs


def written(entry: dict[str, Any]) -> str:
    options = entry["options"]
    reading: dict[str, Any] = {k: options[k] for k in ("n", "inverse") if k in options}
    if "id" in options:
        reading["id"] = (options["id"],)
    if "text" in options:
        reading["text"] = str(DATA / options["text"])
    stream = Stream(DATA / entry["input"], ("graph",), "input", options["read"], reading)
    writer = format_class(options["write"])
    made = writer(**{k: options[k] for k in ("ids", "strings") if k in options})
    verb = ConvertGraphs(source=options.get("source", ""), targets=options.get("targets", ""))
    output = io.BytesIO()
    made.write(verb.convert(Job([stream], writer=made)), output)
    return output.getvalue().decode()


def expected(entry: dict[str, Any]) -> str:
    return (SHARED / "golden" / entry["expected_file"]).read_text("utf-8")


@pytest.mark.parametrize("name", [name for name in named("write/dot/") if "errors" not in name])
def test_dot(name: str) -> None:
    """Edges have no order in mtool: the lines of each node are compared as sets."""
    entry = entries()[name]
    found, theirs = (_by_graph(text) for text in (written(entry), expected(entry)))
    for mine, other in zip(found, theirs, strict=True):
        # A node with nothing to show has no line in mtool, and is a point in karat.
        assert {line for line in mine if "shape=point" not in line} == other


def _by_graph(text: str) -> list[set[str]]:
    return [set(part.splitlines()) for part in text.strip().split("\n\n")]


def test_dot_with_errors(shared: Path) -> None:
    """What mtool's errors say, laid over the gold graph as mtool did."""
    entry = entries()["write/dot/errors-lpps-102990"]
    errors = FILES / "lpps-peking.errors.json"
    reading = {"framework": ("eds",), "id": ("102990",)}
    stream = Stream(DATA / entry["gold"], ("graph",), "input", "mrp", reading)
    output = io.BytesIO()
    format_class("dot")(errors=str(errors)).write((item.value for item in stream), output)
    found = _by_graph(output.getvalue().decode())
    assert found == _by_graph(expected(entry))


@pytest.mark.parametrize("name", named("write/tikz/"))
def test_tikz(name: str) -> None:
    """Edges into a word have no order in mtool."""
    entry = entries()[name]
    found, theirs = (_documents(text) for text in (written(entry), expected(entry)))
    assert found == theirs


def _documents(text: str) -> list[tuple[list[str], list[str]]]:
    result = []
    for part in text.split("\\end{document}"):
        lines = part.strip().splitlines()
        edges = sorted(line for line in lines if line.startswith("\\dep"))
        result.append(([line for line in lines if not line.startswith("\\dep")], edges))
    return result


def test_ucca(shared: Path) -> None:
    entry = entries()["write/ucca/wsj"]
    found, theirs = (_passages(text) for text in (written(entry), expected(entry)))
    assert found == theirs


def _passages(text: str) -> list[str]:
    parts = [part + "</root>" for part in text.split("</root>") if part.strip()]
    return [ElementTree.canonicalize(part, strip_text=True) for part in parts]


@pytest.mark.parametrize("name", ["write/evaluation/explicit", "write/evaluation/lpps"])
def test_evaluation(name: str, shared: Path) -> None:
    """The order of gathered targets is arbitrary in mtool."""
    entry = entries()[name]
    assert _records(written(entry)) == _records(expected(entry))


def _records(text: str) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in text.splitlines()]
    for record in records:
        record.pop("time", None)
        record["targets"] = sorted(record["targets"])
    return records


def test_targets(shared: Path) -> None:
    entry = entries()["write/targets/gather"]
    assert sorted(written(entry).splitlines()) == sorted(expected(entry).splitlines())


@pytest.mark.parametrize(
    "name", ["write/id/dm", "write/source/dm", "write/txt/dm", "write/txt/inverse"]
)
def test_lines(name: str, shared: Path) -> None:
    entry = entries()[name]
    assert written(entry).splitlines() == entry["expected"]


def test_selection(shared: Path) -> None:
    """Where mtool's options got into each other's way, karat takes id over i over n."""
    recorded = entries()["select/precedence"]
    path = DATA / recorded["input"]

    def ids(**options: Any) -> list[str]:
        return [item.value.id for item in Stream(path, ("graph",), "input", "mrp", options)]

    assert ids(id=("20001002",), n=2) == recorded["expected"]["--id 20001002 --n 2"]
    assert ids(id=("20001002",), n=1) == ["20001002"]  # mtool: nothing
    assert len(ids(i=3, n=2)) == 1  # mtool: nothing
    assert re.fullmatch(r"\d{8}", ids(i=3)[0])
