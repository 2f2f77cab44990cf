"""Figures of golden/dependencies.json for the CoNLL 2018 metrics, from Python and the shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karat.engine import evaluate


def _check(scores: Any, expected: Any) -> None:
    for name, figures in expected.items():
        found = {key: scores[name][key] for key in figures}
        assert found == pytest.approx(figures, abs=1e-9), name


def test_figures(shared: Path) -> None:
    cases = json.loads((shared / "golden" / "dependencies.json").read_text())["ud"]
    data = shared / "data" / "dependencies"
    assert len(cases) == 2
    for case in cases:
        result = evaluate(
            "ud", system=data / case["test"], gold=data / case["gold"], facets=["deprel", "upos"]
        )
        _check(result.scores(), case["expected"])
        command = [
            str(Path(sys.executable).parent / "karat"), "evaluate", "ud", "--json", "-",
            "-g", str(data / case["gold"]), "-s", str(data / case["test"]),
        ]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        _check(json.loads(run.stdout)["scores"], case["expected"])
        for facet in ("deprel", "upos"):
            groups = result.by(facet).values()
            for name in ("LAS", "MLAS", "Words"):
                for count in ("correct", "gold", "system"):
                    total = sum(group[name][count] for group in groups)
                    assert total == case["expected"][name][count]
