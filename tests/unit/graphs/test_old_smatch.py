"""Smatch as it was before 1.0.2: the figures that it gave, and those of the tools built on it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np

import karat
from karat.core.tracing import measured
from karat.graphs.metrics.amr_fine import AmrFine
from karat.graphs.metrics.smatch import Smatch

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


def test_what_tracing_counts_of_amr_evaluation() -> None:
    """Where nothing but Smatch is wanted of the tool, its rows are found without its other rows."""
    pairs = [*PAIRS, ('(p / page :wiki "a:b" :mod (b / big))', "(p / page :mod-of (b / big))")]
    metric = AmrFine(compat="amr-evaluation")
    (one,) = AmrFine.tracing().passes(["smatch"])
    expected = measured(metric, pairs)
    found = one.count(pairs, frozenset())
    smatch = ["n", *(name for name in metric.columns if name.startswith("smatch."))]
    columns = [list(metric.columns).index(name) for name in smatch]
    assert np.array_equal(found[:, columns], expected[:, columns])
    assert one.swapped is not None
    swapped = one.count([(gold, system) for system, gold in pairs], frozenset())
    assert np.array_equal(one.swapped(found)[:, columns], swapped[:, columns])


def test_what_climbing_reaches_at_the_most_and_at_the_least() -> None:
    draw = random.Random(5)

    def graph(size: int) -> str:
        names = [f"x{i}" for i in range(size)]
        concepts = [draw.choice("abc") for _ in names]
        text = f"({names[0]} / {concepts[0]}"
        for name, concept in zip(names[1:], concepts[1:], strict=True):
            text += f" :{draw.choice('rst')} ({name} / {concept} :u {draw.choice(names)})"
        return text + ")"

    pairs = [(graph(6), graph(7)) for _ in range(400)]
    one = Smatch.tracing().passes(["smatch"])[0]
    rows = one.count(pairs, frozenset())
    for setting in one.random[:3]:
        spread = setting.spread(rows, pairs, 0)
        assert setting.limits is not None
        low, high = setting.limits(rows, pairs, 0)
        assert 0 < low <= spread.low < spread.high <= high
