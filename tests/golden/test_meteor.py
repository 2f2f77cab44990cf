"""The Java engine of METEOR against its recorded figures."""

from __future__ import annotations

import shutil

import pytest
import text_cases as golden

from karat.errors import MissingExtra
from karat.text.meteor.java import find_jar
from karat.text.metrics.meteor import Meteor

pytestmark = pytest.mark.usefixtures("shared")


@pytest.fixture(scope="module")
def metric() -> Meteor:
    try:
        jar = find_jar()
    except MissingExtra:
        pytest.skip("meteor-1.5.jar is not there")
    if shutil.which("java") is None:
        pytest.skip("java is not there")
    return Meteor(engine="java", jar=str(jar))


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
