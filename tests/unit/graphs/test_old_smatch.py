"""Smatch as it was before 1.0.2: the figures that it gave, and those of the tools built on it."""

from __future__ import annotations

import json
from pathlib import Path

import karat

OLD = "smatch(compat='smatch-1.0.1')"
PAIRS = [
    ("(w / want-01 :ARG0 (b / boy))", "(w / want-01 :ARG0 (g / girl))"),
    ("(d / dog :mod (b / big) :mod (b2 / big))", "(d / dog :mod (b / big))"),
    ("(b / boy :ARG0-of (s / sleep-01 :polarity -))", "(s / sleep-01 :ARG0 (b / boy))"),
    (
        '(c / city :name (n / name :op1 "New" :op2 "York"))',
        '(c / city :name (n / name :op1 "York"))',
    ),
]


def test_equal_to_the_row_of_amr_evaluation() -> None:
    systems, golds = zip(*PAIRS, strict=True)
    own = karat.parse(OLD).score_all(list(systems), list(golds))
    row = karat.parse("amr-fine(compat='amr-evaluation')").score_all(list(systems), list(golds))
    assert [each["f"] for each in own] == [each["smatch"]["f"] for each in row]
    assert "standardize:smatch-1.0.1" in karat.parse(OLD).signature()


def test_the_figure_of_version_1_0_1(shared: Path) -> None:
    figures = json.loads((shared / "golden/trace.json").read_bytes())["figures"]
    (found,) = [e for e in figures if (e["tool"], e["version"]) == ("smatch", "1.0.1")]
    folder = shared / "golden/trace_files"
    result = karat.evaluate(OLD, folder / found["system"], folder / found["gold"][0])
    assert round(result.scores()["f"], 10) == found["value"]
