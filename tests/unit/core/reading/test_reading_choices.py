"""How files are read: the same whether a format is named or guessed, and always told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate, verify
from karat.errors import OptionError, PairingError

# A wiki that differs, and a role that only mtool leaves as it is written.
GOLD = '# ::id a\n(p / person :wiki "Ann" :name (n / name :op1 "Ann") :subset-of (g / group))\n'
SYSTEM = GOLD.replace('"Ann" :name', '"Bob" :name')
MRP = json.dumps(
    {
        "id": "a", "framework": "amr", "flavor": 2, "tops": [0],
        "nodes": [
            {"id": 0, "label": "person"},
            {"id": 1, "label": "name", "properties": ["op1"], "values": ["Ann"]},
            {"id": 2, "label": "group"},
        ],
        "edges": [
            {"source": 0, "target": 1, "label": "name"},
            {"source": 0, "target": 2, "label": "subset-of"},
        ],
    }
)  # fmt: skip
METRICS = ("smatch", "smatchpp", "s2match", "amr-fine", "sembleu", "sema")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "gold.amr").write_text(GOLD)
    (tmp_path / "system.amr").write_text(SYSTEM)
    return {"gold": tmp_path / "gold.amr", "system": tmp_path / "system.amr"}


def _both(name: str) -> dict[str, str]:
    return {"format": name, "gold_format": name}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "naming", [_both("amr"), _both("penman"), {"format": "amr"}, {"gold_format": "amr"}]
)
def test_named_and_guessed_are_the_same(
    metric: str, naming: dict[str, str], files: dict[str, Any]
) -> None:
    guessed, named = evaluate(metric, **files), evaluate(metric, **files, **naming)
    assert named.to_json() == guessed.to_json()
    assert guessed.signature() == parse(metric).signature() + "|format:penman"


def test_an_option_of_graphs_makes_graphs_of_them(files: dict[str, Any]) -> None:
    """The triples are the same but for what the option leaves out: here one attribute, the wiki."""
    text = evaluate("smatch", **files)
    found = {
        str(options): evaluate("smatch", **files, **naming, format_options=options)
        for options in ({"full": True}, {"full": False}, {"reify": True})
        for naming in (_both("amr"), {})
    }
    # top, wiki, op1; three instances; two relations
    assert [text.scores()[name] for name in "gsc"] == [8, 8, 7]
    assert [found["{'full': True}"].scores()[name] for name in "gsc"] == [8, 8, 7]
    assert [found["{'full': False}"].scores()[name] for name in "gsc"] == [7, 7, 7]
    # The constant is a node: an instance and a relation in place of an attribute.
    assert [found["{'reify': True}"].scores()[name] for name in "gsc"] == [8, 8, 8]
    tails = [each.signature().rpartition("|")[2] for each in (text, *found.values())]
    assert tails == ["format:penman", "format:amr(full=True)", "format:amr",
                     "format:amr(reify=True)"]  # fmt: skip


@pytest.mark.parametrize("sides", [("gold", "system"), ("system", "gold")])
def test_formats_of_both_sides_may_differ(
    sides: tuple[str, str], files: dict[str, Any], tmp_path: Path
) -> None:
    as_graph, as_text = sides
    (tmp_path / "a.mrp").write_text(MRP)
    run = evaluate("smatch", **{as_graph: tmp_path / "a.mrp", as_text: files["gold"]})
    assert [run.scores()[name] for name in "gscf"] == [7, 7, 7, 1.0]
    assert f"|{as_graph}:mrp" in run.signature()
    assert f"|{as_text}:amr" in run.signature()
    assert run.warnings == []


def test_the_json_tells_how_files_were_read(files: dict[str, Any]) -> None:
    run = evaluate("mrp", **files, format_options={"full": True}, on_error="skip", pair="id")
    assert run.summary()["reading"] == {
        "system": {"format": "amr", "options": {"full": True}},
        "gold": [{"format": "amr", "options": {"full": True}}],
        "pair": "id",
        "on_error": "skip",
    }
    assert run.signature().endswith("|format:amr(full=True)|pair:id|on-error:skip")
    assert run.summary()["signature"] == run.signature()
    assert parse(run.signature()) == run.metric


def test_what_only_one_side_is_told(files: dict[str, Any]) -> None:
    run = evaluate("mrp", **files, format_options={"inject": '{"framework": "amr"}'})
    assert '|system:amr(inject=\'{"framework": "amr"}\')|gold:amr' in run.signature()
    assert parse(run.signature()) == run.metric


@pytest.mark.parametrize("options", [{}, {"full": True}, {"full": False}, {"inject": "{}"}])
def test_saved_runs_are_read_again_in_the_same_way(
    options: dict[str, Any], files: dict[str, Any], tmp_path: Path
) -> None:
    run = evaluate("smatch", **files, format_options=options, certify=True)
    path = str(tmp_path / "a.run")
    run.save(path)
    assert Evaluation.load(path).to_json() == run.to_json()
    assert verify(path).signature == run.signature()


def test_a_saved_run_of_two_formats_is_verified(files: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.mrp").write_text(MRP)
    run = evaluate("smatch", system=tmp_path / "a.mrp", gold=files["gold"])
    run.save(str(tmp_path / "a.run"))
    assert verify(str(tmp_path / "a.run")).signature == run.signature()


def test_runs_are_compared_only_where_gold_was_read_in_the_same_way(files: dict[str, Any]) -> None:
    plain, full = (
        evaluate("mrp", **files, format_options={"full": full}) for full in (False, True)
    )
    with pytest.raises(PairingError, match=r"read differently: amr and amr\(full=True\)"):
        plain.compare(full)


def test_an_option_that_no_reading_has_is_still_refused(files: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="no option 'zone'"):
        evaluate("smatch", **files, format_options={"zone": "en"})
    with pytest.raises(OptionError, match="no option 'full'"):
        evaluate("sembleu", **files, format_options={"full": True})
