"""Figures of golden/dependencies.json for DERP and DTED, from Python and from the shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karat.core.files.opener import Source
from karat.engine import evaluate
from karat.trees.formats.conll import ConllU
from karat.trees.metrics.derp import Derp
from karat.trees.metrics.dted import Dted
from karat.trees.word_aligners import align

VARIANTS = ("aligned", "strict", "structure", "label", "core")


@pytest.fixture(scope="module")
def cases(shared: Path) -> Any:
    return json.loads((shared / "golden" / "dependencies.json").read_text())["trees"]


def _alignment(data: Path, case: dict[str, Any]) -> tuple[str, ...]:
    return () if case["align"] == "auto" else (str(data / case["align"]),)


def test_derp(shared: Path, cases: Any) -> None:
    data = shared / "data" / "dependencies"
    assert len(cases) == 7
    for case in cases:
        result = evaluate(
            Derp(alignment=_alignment(data, case)),
            system=data / case["hyp"],
            gold=data / case["ref"],
        )
        scores = result.scores()
        figures = case["expected"]["derp"]
        assert {name: scores[name] for name in figures} == pytest.approx(figures, abs=1e-9)
        for found, row in zip(result.per_item(), case["expected"]["rows"], strict=True):
            assert [found[name] for name in ("nodes", "L", "Lmax")] == [
                row[name] for name in ("nodes", "L", "Lmax")
            ]
            assert found["micro"] == found["macro"] == pytest.approx(row["score"], abs=1e-9)
            assert found["coverage"] == pytest.approx(row["coverage"], abs=1e-9)
            assert found["base"][row["base"]] == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_dted(shared: Path, cases: Any, variant: Any) -> None:
    data = shared / "data" / "dependencies"
    for case in cases:
        result = evaluate(
            Dted(variant=variant, alignment=_alignment(data, case)),
            system=data / case["hyp"],
            gold=data / case["ref"],
        )
        scores = result.scores()
        figures = case["expected"]["dted"][variant]
        assert {name: scores[name] for name in figures} == pytest.approx(figures, abs=1e-9)
        for found, row in zip(result.per_item(), case["expected"]["rows"], strict=True):
            assert [found["distance"], found["normaliser"]] == row["dted"][variant]


def test_the_links_of_the_built_in_aligner(shared: Path, cases: Any) -> None:
    data = shared / "data" / "dependencies"
    automatic = [case for case in cases if case["align"] == "auto"]
    assert len(automatic) == 2
    for case in automatic:
        hypotheses, references = (
            [item.value for item in ConllU().read(Source(data / case[side]))]
            for side in ("hyp", "ref")
        )
        for row, hyp, ref in zip(case["expected"]["rows"], hypotheses, references, strict=True):
            links = align("built-in", hyp, ref)
            assert " ".join(f"{h}-{r}" for h, r in links) == row["links"]


def test_from_the_shell(shared: Path, cases: Any) -> None:
    data = shared / "data" / "dependencies"
    case = cases[4]
    for metric, options, figures in (
        ("derp", [], case["expected"]["derp"]),
        ("dted", ["--variant", "core"], case["expected"]["dted"]["core"]),
    ):
        command = [
            str(Path(sys.executable).parent / "karat"), "evaluate", metric, *options,
            "-g", str(data / case["ref"]), "-s", str(data / case["hyp"]),
            "--alignment", str(data / case["align"]), "--json", "-",
        ]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        scores = json.loads(run.stdout)["scores"]
        assert {name: scores[name] for name in figures} == pytest.approx(figures, abs=1e-9)
