"""``karat analyze`` against mtool: every row of every entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_figures import DATA, entries, named
from karat.core.commands import Job
from karat.core.reading.streams import Stream
from karat.graphs.commands import AnalyzeGraphs
from karat.graphs.normalize import normalize
from karat.graphs.shape import Corpus, shape_of

# mtool's test of pages stops too early here, as the entry says itself (spec, 14.25).
RIGHT = {"analyze/dm/perturbed-lpps": {"22": "98.00"}}


@pytest.mark.parametrize("name", [n for n in named("analyze/") if n != "analyze/mixed-flavors"])
def test_analyze(name: str) -> None:
    entry = entries()[name]
    options = entry["options"]
    reading = {"framework": (options["framework"],)} if "framework" in options else {}
    stream = Stream(DATA / entry["input"], ("graph",), "input", "mrp", reading)
    steps = [options["normalize"]] if "normalize" in options else []
    corpus = Corpus([shape_of(normalize(item.value, steps, "mtool")) for item in stream])
    expected = {number: (text, value) for number, text, value in entry["expected"]}
    for number, value in RIGHT.get(name, {}).items():
        expected[number] = (expected[number][0], value)
    assert {number: (text, value) for number, text, value in corpus.rows()} == expected
    assert corpus.statistics()["treewidth_unproven"] == 0


def test_flavors_may_be_mixed(shared: Path) -> None:
    """mtool refuses such a file; karat gives the figures of each framework."""
    stream = Stream(DATA / "score/lpps.mrp", ("graph",), "input", "mrp")
    found = AnalyzeGraphs(per_graph=True).answer(Job([stream]))
    by_framework = {each["framework"]: each for each in found.document}
    assert list(by_framework) == ["dm", "psd", "eds", "ucca", "amr"]
    assert all(len(each["per_graph"]) == 100 for each in by_framework.values())
    assert by_framework["amr"]["statistics"]["nodes"] == 670
    assert by_framework["amr"]["statistics"]["two_pages_percent"] is None
