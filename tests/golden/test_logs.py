"""Logs of other tools: the cases of statistics.json, and logs that the tools themselves wrote.

`logs/make_logs.py` says how the logs of inspect_ai and of the LM evaluation harness were made;
`logs/figures.json` has what the tools themselves say of them. Those of promptfoo, COMET and
lighteval are laid out as their writers do. `scripts/logs` runs this file on logs that the newest
versions write, in the folder that KARAT_LOGS names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.runs.evaluation import Evaluation
from karat.errors import KaratError, PairingError

HERE = Path(__file__).parent
LOGS = Path(os.environ.get("KARAT_LOGS") or HERE / "logs")
FIGURES = json.loads((LOGS / "figures.json").read_text(encoding="utf-8"))
CASES = [
    case
    for case in json.loads((HERE / "statistics.json").read_text(encoding="utf-8"))["cases"]
    if case["kind"] == "scores_file"
]


def read(path: Path, **options: Any) -> Evaluation:
    return karat.evaluate("scores", system=str(path), **options)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_files_of_scores(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / case["input"]["name"]
    path.write_text(case["input"]["content"], encoding="utf-8")
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(KaratError) as caught:
            read(path)
        assert type(caught.value).__name__ == expected["error"]
        assert caught.value.exit_code == expected["exit"]
        if "line" in expected:
            assert caught.value.place is not None
            assert caught.value.place.line == expected["line"]
        if "advice" in expected:
            assert "``cluster='id'``" in caught.value.advice  # shown as the flag
        return
    cluster = expected.get("cluster")
    run = read(path, pair="samples" if cluster == "id" else "auto")
    assert run.inputs is not None
    assert run.inputs.files[0].format.removeprefix("scores-") == expected["format"]
    assert (len(run), run.ids) == (expected["n"], expected["ids"])
    scores = {name: value for name, value in run.scores().items() if name != "items"}
    assert scores == pytest.approx(expected["scores"], abs=case["tolerance"])
    for name, values in expected.get("fields", {}).items():
        assert run.groups[name] == values
    if cluster:
        assert run.cluster_count(cluster) == expected["clusters"]
        assert run.confidence(cluster=cluster)
    if "warning" in expected:
        assert run.remarks == [expected["warning"]]


@pytest.mark.parametrize("name", ["inspect.eval", "inspect.json"])
def test_inspect_ai(name: str) -> None:
    """Means and standard errors of samples in two epochs are those that the tool reports."""
    told = FIGURES[name]
    run = read(LOGS / name, pair="samples")
    scores = run.scores()
    assert scores["match"] == pytest.approx(told["match"]["accuracy"])
    assert scores["judged.length"] == pytest.approx(told["length"]["mean"])
    assert scores["judged.close"] == pytest.approx(told["close"]["mean"])
    errors = run.standard_errors("id")
    assert errors["match",] == pytest.approx(told["match"]["stderr"], abs=1e-12)
    assert set(run.groups) == {"epoch", "unit"}
    assert run.clusters("unit").tolist() == [int(name[1:]) // 3 for name in run.ids]
    with pytest.raises(PairingError, match="'q0' occurs twice"):
        read(LOGS / name)
    with pytest.raises(PairingError, match="several, dependent samples"):
        run.confidence()
    # Whole inputs may be clustered further.
    assert run.confidence(cluster="unit").keys() == {
        ("match",), ("judged.length",), ("judged.close",),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["lm-eval-a.jsonl", "lm-eval-b.jsonl"])
def test_lm_evaluation_harness(name: str) -> None:
    told = FIGURES[name]
    run = read(LOGS / name)
    assert run.ids == [str(i) for i in range(12)]
    errors = run.standard_errors()
    for score in ("acc", "acc_norm"):
        assert run.scores()[score] == pytest.approx(told[f"{score},none"])
        assert errors[score,] == pytest.approx(told[f"{score}_stderr,none"])
    assert run.confidence().methods["acc",] == "exact"
    assert run.groups["unit"] == [str(i // 3) for i in range(12)]


def test_two_models_are_compared_by_their_logs() -> None:
    first, second = (read(LOGS / f"lm-eval-{name}.jsonl") for name in "ab")
    difference = first.compare(second, test="mcnemar")["acc"]
    assert difference.difference == pytest.approx(1 / 3 - 2 / 3)
    assert difference.p_value is not None
    other = read(LOGS / "lm-eval-b.jsonl")
    other.gold_marks[3] = b"another document"
    with pytest.raises(PairingError, match="different gold for 1 of 12 items: '3'") as caught:
        first.compare(other)
    assert caught.value.code == "K216"


def test_archive_and_json_agree() -> None:
    """The first three samples are the same in both logs."""
    archive, whole = (read(LOGS / f"inspect.{kind}", pair="samples") for kind in ("eval", "json"))
    chosen = archive.taken([i for i, name in enumerate(archive.ids) if name in whole.ids])
    assert chosen.keys == whole.keys
    assert chosen.compare(whole, cluster="id")["match"].difference == 0.0
