"""The metrics edm and ucca-mrp against mtool (`graphs.json`), edm against PyDelphin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graph_figures import DATA, entries, named
from karat.core.plugins import FORMATS, rows
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.errors import FormatError, PairingError
from karat.graphs.metrics.edm import Edm

# A system graph that says `eng` meets a gold graph that says no language (spec, section
# 7): item 4 is scored and not lost.
PAIRED = {"edm/handmade/pairing", "ucca/handmade/pairing"}
# Two nodes have the id 4. An edge to it means the first, anchored one; mtool took the last.
SAME_ID = {"edm/ucca/koller", "ucca/ucca/koller"}
# mtool cannot read this gold file (spec, 14.14) and scored nothing.
UNREADABLE = {"edm/eds/wsj-pet-native"}
# No graph has a counterpart of its framework: mtool gave zeros, which here is an error.
OTHER_FRAMEWORK = {"edm/cross/dm-vs-eds"}


def run(name: str, metric: str, file: str = "graphs.json", **reading: Any) -> Evaluation:
    entry = entries(file)[name]
    options = entry["options"]
    files = entry.get("files", entry)
    for key in ("n", "text"):
        if key in options:
            reading[key] = options[key] if key == "n" else str(DATA / options[key])
    if "framework" in options:
        reading["framework"] = (options["framework"],)
    return evaluate(
        parse(metric),
        system=DATA / files["system"],
        gold=DATA / files["gold"],
        format=options.get("read", "eds"),
        gold_format=options.get("read", "eds"),
        format_options=reading,
    )


def readable(name: str) -> bool:
    return entries()[name]["options"]["read"] in rows(FORMATS) and "injected" not in name


@pytest.mark.parametrize("name", [name for name in named("edm/") if readable(name)])
def test_edm_of_mtool(name: str) -> None:
    if name in PAIRED | SAME_ID | UNREADABLE:
        return
    if name in OTHER_FRAMEWORK:
        with pytest.raises(PairingError, match="gold has 'eds', the system has 'dm'"):
            run(name, "edm(compat='mtool')")
        return
    expected = entries()[name]["expected"]
    found = run(name, "edm(compat='mtool')")
    scores = found.scores()
    assert scores["n"] == expected["n"]
    for kind in ("names", "arguments", "tops", "properties", "all"):
        assert scores[kind] == pytest.approx(expected[kind], abs=1e-12)
    items = dict(zip(found.ids, found.per_item(), strict=True))
    for item, parts in expected.get("scores", {}).items():
        for kind, counts in parts.items():
            assert {key: items[item][kind][key] for key in counts} == counts


def test_native_files_score_as_mrp(shared: Path) -> None:
    """The system's native file has properties that the MRP file lacks; the rest is equal."""
    native = run("edm/eds/wsj-pet-native", "edm").scores()
    mrp = run("edm/eds/wsj-pet", "edm").scores()
    for kind in ("names", "arguments", "tops"):
        assert native[kind] == mrp[kind]
    assert native["properties"]["g"] == mrp["properties"]["g"]


def test_edm_across_frameworks(shared: Path) -> None:
    expected = entries()["edm/cross/dm-injected-as-eds"]["expected"]
    whole = evaluate(
        Edm(compat="mtool"),
        system=DATA / "sample/dm/wsj.mrp",
        gold=DATA / "sample/eds/wsj.mrp",
        format_options={"inject": '{"framework": "eds"}'},
    ).scores()
    assert whole["n"] == expected["n"]
    for kind in ("names", "arguments", "tops", "properties", "all"):
        assert whole[kind] == pytest.approx(expected[kind], abs=1e-12)


def test_edm_needs_anchors(shared: Path) -> None:
    with pytest.raises(FormatError, match="has no anchors"):
        run("edm/amr/lpps-perturbed", "edm")


WEIGHTED = {
    "default": "",
    "EDMna": "properties_weight=0.0, constants_weight=0.0, tops_weight=0.0",
    "EDMn": "arguments_weight=0.0, properties_weight=0.0, constants_weight=0.0, tops_weight=0.0",
    "EDMa": "names_weight=0.0, properties_weight=0.0, constants_weight=0.0, tops_weight=0.0",
    "no_properties": "properties_weight=0.0",
    "half_properties": "properties_weight=0.5",
}


@pytest.mark.skipif("eds" not in rows(FORMATS), reason="there is no reader of EDS")
@pytest.mark.parametrize("name", named("edm/", "graph-scorers.json"))
def test_edm_of_delphin(name: str) -> None:
    expected = entries("graph-scorers.json")[name]["expected"]
    scores = run(name, "edm(compat='delphin')", "graph-scorers.json").scores()
    assert scores["n"] == expected["n"]
    for kind in ("names", "arguments", "properties", "constants", "tops"):
        assert scores[kind] == pytest.approx(expected[kind], abs=1e-9)
    for variant, figures in expected["weighted"].items():
        which, _, missing = variant.partition(" ")
        options = ["compat='delphin'", WEIGHTED[which], "ignore_missing='system'" * bool(missing)]
        metric = f"edm({', '.join(filter(None, options))})"
        found = run(name, metric, "graph-scorers.json").scores()["all"]
        assert {key: found[key] for key in "prf"} == pytest.approx(figures, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in named("ucca/") if readable(name)])
def test_ucca_of_mtool(name: str) -> None:
    if name in PAIRED | SAME_ID:
        return
    entry = entries()[name]
    expected = entry.get("closure") or entry["expected"]
    found = run(name, "ucca-mrp(compat='mtool')")
    scores = found.scores()
    for one in ("labeled", "unlabeled"):
        for part in ("primary", "remote"):
            assert {key: scores[one][part][key] for key in "gsc"} == {
                key: expected[one][part][key] for key in "gsc"
            }
    cyclic = set(entry.get("cyclic_items", ()))
    items = dict(zip(found.ids, found.per_item(), strict=True))
    for item, parts in entry["expected"].get("scores", {}).items():
        if item not in cyclic:
            for one, halves in parts.items():
                for part, counts in halves.items():
                    assert {key: items[item][one][part][key] for key in counts} == counts
