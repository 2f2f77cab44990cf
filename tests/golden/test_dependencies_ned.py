"""Figures of golden/dependencies.json for NED, from Python and from the shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karat.engine import evaluate
from karat.errors import FormatError
from karat.trees.metrics.ned import Ned, drop_in_line
from pages import WrittenPage

OPTIONS = {
    "ml": "max_length",
    "ml_punct": "length_counts_punct",
    "punct_heads": "punct_heads",
}


@pytest.fixture(scope="module")
def figures(shared: Path) -> Any:
    return json.loads((shared / "golden" / "dependencies.json").read_text())


def _metric(case: dict[str, Any]) -> Ned:
    return Ned(**{OPTIONS[name]: value for name, value in case.get("options", {}).items()})


def test_every_figure(shared: Path, figures: Any) -> None:
    data = shared / "data" / "dependencies"
    cases = [c for c in figures["ned"] + figures["ned_errors"] if "error" not in c["expected"]]
    assert len(cases) == 37
    for case in cases:
        scores = evaluate(
            _metric(case), system=data / case["test"], gold=data / case["gold"]
        ).scores()
        expected = dict(case["expected"])
        assert drop_in_line(scores["ned"], scores["total"]) == expected.pop("output"), case
        assert {name: scores[name] for name in expected} == pytest.approx(expected, abs=1e-9), case


def test_every_error(shared: Path, figures: Any) -> None:
    data = shared / "data" / "dependencies"
    cases = [c for c in figures["ned_errors"] if "error" in c["expected"]]
    assert len(cases) == 13
    for case in cases:
        with pytest.raises(FormatError) as caught:
            evaluate(_metric(case), system=data / case["test"], gold=data / case["gold"])
        place = caught.value.place
        assert place is not None
        assert place.file == str(data / case["test"])
        assert place.line >= 1
        assert place.item == "1"


def _karat(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "karat"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_drop_in_command(shared: Path, figures: Any) -> None:
    data = shared / "data" / "dependencies"
    for case in [*figures["ned"][::7], figures["ned_errors"][-1]]:
        options = case.get("options", {})
        arguments: list[object] = ["-if", data / case["test"], "-gold", data / case["gold"]]
        if "ml" in options:
            arguments += ["-ml", options["ml"]]
        if options.get("ml_punct"):
            arguments.append("--length-counts-punct")
        if "punct_heads" in options:
            arguments += ["--punct-heads", options["punct_heads"]]
        run = _karat("ned", *arguments)
        assert run.returncode == 0, run.stderr
        assert run.stdout == case["expected"]["output"] + "\n"
        run = _karat("evaluate", "ned", *arguments, "--line")
        assert (run.returncode, run.stdout) == (0, case["expected"]["output"] + "\n"), run.stderr


def test_evaluate_command(shared: Path, figures: Any, tmp_path: Path) -> None:
    data = shared / "data" / "dependencies"
    case = figures["ned"][14]
    assert case["options"] == {"ml": 10}
    run = _karat(
        "evaluate", "ned", "-g", data / case["gold"], "-s", data / case["test"],
        "--max-length", 10, "--json", "-", "--by", "pos", "--report", tmp_path / "report.html",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["scores"]["ned"] == case["expected"]["ned"]
    page = WrittenPage((tmp_path / "report.html").read_bytes())
    assert "pos" in [facet["name"] for facet in page.set()["facets"]]
    groups = result["by"]["pos"]["groups"]
    assert sum(group["ned"] for group in groups.values()) == case["expected"]["ned"]
    assert sum(group["total"] for group in groups.values()) == case["expected"]["total"]
    assert result["confidence"]["intervals"]["ned_score"]["low"] < result["scores"]["ned_score"]


def test_bad_input_ends_with_2_and_says_where(shared: Path) -> None:
    errors = shared / "data" / "dependencies" / "errors"
    run = _karat("ned", "-if", errors / "out-of-range.f2", "-gold", errors / "gold.f2")
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.splitlines()[0] == (
        f"{errors / 'out-of-range.f2'}:1: TreeError K182: item '1': "
        "the head is 9, but the sentence has 5 words"
    )
