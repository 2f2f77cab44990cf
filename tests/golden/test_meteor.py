"""METEOR against the recorded figures of its Java engine; much of it without Java."""

from __future__ import annotations

import numpy as np
import pytest

import text_cases as golden
from karat.text.metrics.meteor import COLUMNS, Meteor, figures

pytestmark = pytest.mark.usefixtures("shared")


@pytest.fixture(scope="module")
def metric(meteor_jar: str) -> Meteor:
    return Meteor(engine="java", jar=meteor_jar)


def test_the_formula_on_the_recorded_alignment() -> None:
    """Dan, to, this, morning and the full stop match, in three chunks; counted by hand."""
    case = golden.cases()["readme/meteor"]
    counts = dict.fromkeys(COLUMNS, 0.0)
    counts |= {"system_words": 8, "system_function": 4, "gold_words": 9, "gold_function": 3}
    counts |= {f"exact_{side}_content": 2 for side in ("system", "gold")}
    counts |= {f"exact_{side}_function": 3 for side in ("system", "gold")}
    counts |= {"chunks": case["expected"]["chunks"], "system_matches": 5, "gold_matches": 5}
    found = figures(np.array([counts[name] for name in COLUMNS]))
    for name, ours in (("METEOR", "score"), *((n, n) for n in ("precision", "recall", "fmean"))):
        assert float(found[ours]) == pytest.approx(case["expected"][name], abs=1e-9)
    assert float(found["penalty"]) == pytest.approx(case["expected"]["penalty"], abs=1e-9)


def test_the_native_engine_finds_the_recorded_alignment() -> None:
    """Recall has another weight for "went", which only the SMART list has."""
    case = golden.cases()["readme/meteor"]
    scores = Meteor().score(case["input"]["summary"], case["input"]["references"])
    for name in ("precision", "penalty"):
        assert scores[name] == pytest.approx(case["expected"][name], abs=1e-9)
    assert scores["recall"] == pytest.approx(2.25 / (0.75 * 5 + 0.25 * 4))


def test_the_native_engine_is_close_on_the_corpus() -> None:
    """Without paraphrases and synonyms it finds less, but ranks texts alike."""
    expected = golden.cases()["corpus/meteor"]["expected"]["per_reference"]
    theirs, ours = [], []
    for name, figures_of in expected.items():
        references = golden.references(name)
        scores = Meteor().score_all(
            [golden.text(name)] * len(references), [[r] for r in references]
        )
        theirs += figures_of
        ours += [score["METEOR"] for score in scores]
    assert np.corrcoef(ours, theirs)[0, 1] > 0.98


def test_readme(metric: Meteor) -> None:
    case = golden.cases()["readme/meteor"]
    scores = metric.score(case["input"]["summary"], case["input"]["references"])
    for name in ("METEOR", "precision", "recall", "fmean", "penalty"):
        assert scores[name] == pytest.approx(case["expected"][name], abs=1e-9)


def test_corpus(metric: Meteor) -> None:
    expected = golden.cases()["corpus/meteor"]["expected"]
    names = list(expected["per_reference"])
    for name in names:
        references = golden.references(name)
        scores = metric.score_all([golden.text(name)] * len(references), [[r] for r in references])
        ours = [score["METEOR"] for score in scores]
        assert ours == pytest.approx(expected["per_reference"][name], abs=1e-9), name
    macro, _ = metric.evaluate(
        [golden.text(name) for name in names], [golden.references(name) for name in names]
    )
    assert macro["METEOR-final"] == pytest.approx(expected["final_over_all_pairs"], abs=1e-9)
