"""Options that reproduce packages, at figures that the packages gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import karat
from karat.core.scores import leaves

RECORDED = json.loads(
    (Path(__file__).parent / "trace" / "packages.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("figure", RECORDED["figures"])
def test_figures_of_packages(figure: str) -> None:
    expression, score, references = figure.split(" :: ")
    golds = [gold[: int(references)] for gold in RECORDED["gold"]]
    metric = karat.parse(expression)
    whole, _ = metric.evaluate(RECORDED["system"], golds)
    found = {".".join(path): value for path, value in leaves(whole)}[score]
    scale = 1 if metric.name == "gleu" else 100
    assert found / scale == pytest.approx(RECORDED["figures"][figure], abs=1e-10)
