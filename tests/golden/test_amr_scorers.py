"""smatchpp, amr-fine and sembleu against the figures of their tools (`graph-scorers.json`)."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from graph_figures import DATA, entries, named
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate

SCORERS = "graph-scorers.json"


@cache
def run(name: str, metric: str) -> Evaluation:
    files = entries(SCORERS)[name]["files"]
    return evaluate(
        parse(metric), system=DATA / files["system"], gold=DATA / files["gold"], pair="position"
    )


def smatchpp(name: str) -> str:
    options = entries(SCORERS)[name]["options"]
    found = [f"style={options['graph_type'] or 'none'!r}", "compat='smatchpp'"]
    if options.get("lossless_graph_compression"):
        found.append("compress=True")
    dimension = options.get("score_dimension")
    if dimension:
        found.append(f"aspects={'apart' if 'multi' in dimension else 'together'!r}")
        if not name.endswith("no-frames"):
            found.append(f"frames={str(frame_table())!r}")
    return f"smatchpp({', '.join(found)})"


def frame_table() -> Path:
    """PropBank's descriptions of roles, which come with smatch++."""
    found = find_spec("smatchpp")
    if found is None or found.origin is None:
        pytest.skip("the frame table comes with smatchpp, which is not installed")
    folder = Path(found.origin).parent / "formalism" / "amr" / "resource"
    return folder / "propbank-amr-frames-arg-descr.txt"


def expected_keys(name: str) -> list[str]:
    return list(entries(SCORERS)[name]["expected"])


SMATCHPP = [name for name in named("smatchpp/", SCORERS) if not name.endswith("bootstrap")]


@pytest.mark.parametrize("name", [name for name in SMATCHPP if "align" not in name])
def test_smatchpp(name: str) -> None:
    expected = entries(SCORERS)[name]["expected"]
    found = run(name, smatchpp(name))
    scores, macro = found.scores(), found.macro()
    assert [scores[key] for key in "csg"] == [expected["main"]["counts"][key] for key in "ctg"]
    items = [[item[key] for key in "csg"] for item in found.per_item()]
    assert items == expected["items"]
    for key in "prf":
        assert scores[key] == pytest.approx(expected["main"]["micro"][key], abs=1e-6)
        assert macro[key] == pytest.approx(expected["main"]["macro"][key], abs=1e-6)
    assert found.inexact == 0


@pytest.mark.parametrize("name", [name for name in SMATCHPP if "align" in name])
def test_aspects(name: str) -> None:
    expected = entries(SCORERS)[name]["expected"]
    found = run(name, smatchpp(name))
    scores, macro = found.scores(), found.macro()
    for aspect, figures in expected.items():
        ours = scores[aspect]
        # Equally good mappings of the whole share differently among its parts.
        loose = "onealign" in name
        assert ours["c"] == pytest.approx(figures["counts"]["c"], abs=5 if loose else 0)
        assert (ours["s"], ours["g"]) == (figures["counts"]["t"], figures["counts"]["g"])
        assert ours["pairs"] == figures["pairs"]
        if not loose:
            for key in "prf":
                assert _same(ours[key], figures["micro"][key])
                assert _same(macro[aspect][key], figures["macro"][key])


def _same(ours: Any, theirs: Any) -> bool:
    return ours is None if theirs is None else bool(ours == pytest.approx(theirs, abs=1e-6))


def test_smatchpp_by_itself_differs_only_where_quotes_hide_constants(shared: Path) -> None:
    ours = run("smatchpp/quirks/generic", "smatchpp(style='generic')").per_item()
    theirs = entries(SCORERS)["smatchpp/quirks/generic"]["expected"]["items"]
    changed = {i + 1: item["c"] for i, item in enumerate(ours) if item["c"] != theirs[i][0]}
    # q.06: alignments are not part of names; q.08: a quoted constant is no variable.
    assert changed == {6: 8, 8: 4}


@pytest.mark.parametrize("name", [n for n in named("smatchpp/", SCORERS) if n.endswith("strap")])
def test_intervals(name: str) -> None:
    entry = entries(SCORERS)[name]
    found = run(name, f"smatchpp(style={entry['options']['graph_type']!r}, compat='smatchpp')")
    scores, intervals = found.scores(), found.confidence(resamples=5000, method="bca")
    for key, label in (("f", "F1"), ("p", "Precision"), ("r", "Recall")):
        figures = entry["expected"]["micro"][label]
        assert round(scores[key], 2) == figures["result"]
        interval = intervals[(key,)]
        assert interval is not None
        assert [interval.low, interval.high] == pytest.approx(figures["ci"], abs=0.3)


ROWS = {
    "Smatch": "smatch",
    "Unlabeled": "unlabeled",
    "No WSD": "no_wsd",
    "Concepts": "concepts",
    "Frames": "frames",
    "Non_sense_frames": "non_sense_frames",
    "Named Ent.": "named_entities",
    "Negations": "negations",
    "Wikification": "wikification",
    "IgnoreVars": "ignore_vars",
    "Reentrancies": "reentrancies",
    "SRL": "srl",
}
# Which tool or option a figure is of; without a mark it is of amrlib.
FINE = {
    "": "amr-fine(compat='amrlib')",
    "set": "amr-fine(compat='amrlib')",
    "multiset": "amr-fine(compat='amr-evaluation')",
    "D": "amr-fine(compat='amr-evaluation')",
    "E": "amr-fine(compat='amrlib')",
    "karat": "amr-fine",
}
AMR_FINE = [(name, key) for name in named("amr-fine/", SCORERS) for key in expected_keys(name)]


@pytest.mark.parametrize(("name", "key"), AMR_FINE)
def test_fine_grained_amr(name: str, key: str) -> None:
    row, _, mark = key.partition("|")
    figures = entries(SCORERS)[name]["expected"][key]
    metrics = {FINE[mark]}
    # Where tools differ from karat in their reading only, karat has the same figures here.
    if mark in ("", "set") and row != "Unlabeled":
        metrics.add("amr-fine")
    elif mark == "multiset":
        metrics.add("amr-fine(counting='multiset')")
    elif mark == "E":
        metrics.add("amr-fine(compat='amr-evaluation-enhanced')")
    for metric in metrics:
        scores = run(name, metric).scores()
        ours = scores[ROWS[row]]
        assert [ours[count] for count in "csg"] == [figures[count] for count in "ctg"], metric
        assert [ours[share] for share in "prf"] == pytest.approx([figures[x] for x in "prf"])
        assert scores["exact"] == scores["n"]


def test_every_fine_grained_figure_is_checked(shared: Path) -> None:
    assert len(AMR_FINE) == 46


def test_unlabelled_triples_lose_names_after_they_are_turned(shared: Path) -> None:
    """By karat's definition (spec, section 3): at least as many matches as with names."""
    scores = run("amr-fine/wsj-perturbed", "amr-fine").scores()
    assert scores["unlabeled"]["c"] >= scores["smatch"]["c"]
    assert scores["unlabeled"]["bound"] == scores["unlabeled"]["c"]


@pytest.mark.parametrize("metric", ["sembleu", "sembleu(compat='sembleu')"])
@pytest.mark.parametrize("name", named("sembleu/", SCORERS))
def test_sembleu(name: str, metric: str) -> None:
    expected = entries(SCORERS)[name]["expected"]
    found = run(name, metric)
    scores = found.scores()
    assert scores["f"] == pytest.approx(expected["score"], abs=1e-9)
    paths = [[scores[i]["matched"], scores[i]["paths"]] for i in "123"]
    assert paths == expected["clipped_and_total"]
    assert (scores["s"], scores["g"]) == (expected["length_system"], expected["length_gold"])
    items = [item["f"] for item in found.per_item()]
    assert items == pytest.approx(expected["items"], abs=1e-9)


@pytest.mark.parametrize("name", named("sema/", SCORERS))
def test_sema(name: str) -> None:
    expected = entries(SCORERS)[name]["expected"]
    found = run(name, "sema(compat='sema')")
    scores = found.scores()
    assert [scores[key] for key in "csg"] == [expected[key] for key in "ctg"]
    assert [scores[key] for key in "prf"] == pytest.approx([expected[key] for key in "prf"])
    items = [[item[key] for key in "csg"] for item in found.per_item()]
    assert items == expected["items"]
    once = run(name, "sema").scores()
    assert once["c"] <= scores["c"]
    assert (once["g"], once["s"]) == (scores["g"], scores["s"])
