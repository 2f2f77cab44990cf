"""Figures of SacreROUGE 0.2.5 on the generated summarisation corpus.

Source: golden/text.json of the shared folder. Deterministic figures are equal to
their ten printed digits; resampled ones lie within the tolerance that the file
gives, since the random generators differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat.core.registry import parse
from karat.meta.comparing import conjunction, significance
from karat.meta.correlating import FIELDS, correlate
from karat.meta.scoring import Files, score_files
from karat.meta.table import ScoreTable
from karat.stats.correlation import COEFFICIENTS, fisher_interval
from karat.stats.levels import LEVELS, Correlations, Level
from karat.stats.metric_tests import paired_bootstrap, paired_permutation, williams
from karat.stats.multiplicity import partial_conjunction

LEVEL_OF: dict[str, Level] = {field: level for level, field in FIELDS.items()}


@pytest.fixture(scope="module")
def cases(shared: Path) -> dict[str, Any]:
    document = json.loads((shared / "golden" / "text.json").read_text())
    return {case["id"]: case for case in document["cases"]}


@pytest.fixture(scope="module")
def table(shared: Path) -> ScoreTable:
    folder = shared / "data" / "summ"
    return ScoreTable.read(
        [str(folder / f"{name}.jsonl") for name in ("human", "scores", "pyramid-scores")]
    )


def assert_contains(expected: Any, actual: Any, tolerance: float, path: str = "$") -> None:
    """Every leaf of `expected` is in `actual`; what is there in addition does not matter."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert_contains(value, actual[name], tolerance, f"{path}.{name}")
    elif isinstance(expected, float):
        assert actual == pytest.approx(expected, abs=tolerance), path
    else:
        assert actual == expected, path


def test_correlations_and_fisher_intervals(cases: dict[str, Any], table: ScoreTable) -> None:
    checked = 0
    for name, case in cases.items():
        if not name.startswith("corpus/corr/") or name.endswith("bootstrap"):
            continue
        asked = case["input"]
        result = correlate(
            table,
            *asked["metrics"],
            who=asked["summarizer_type"],
            method=asked["ci"],
            confidence=1 - asked["alpha"],
            two_tailed=asked["two_tailed"],
        )
        assert_contains(case["expected"], result.summary(), case["tolerance"], name)
        checked += 1
    assert checked == 15


def test_bootstrap_intervals(cases: dict[str, Any], table: ScoreTable) -> None:
    case = cases["corpus/corr/bootstrap"]
    methods = {entry["ci"] for entry in case["expected"]}
    found = {
        method: correlate(table, *case["input"]["metrics"], method=method).summary()
        for method in methods
    }
    for entry in case["expected"]:
        actual = found[entry["ci"]][entry["level"]][entry["coef"]]
        for bound in ("lower", "upper"):
            assert actual[bound] == pytest.approx(entry[bound], abs=case["tolerance"]), entry


def test_fisher_on_random_matrices(cases: dict[str, Any]) -> None:
    case = cases["micro/fisher_random_5x7"]
    pair = Correlations(np.array(case["input"]["X"]), np.array(case["input"]["Y"]))
    for field, coefficients in case["expected"].items():
        level = LEVEL_OF[field]
        values = pair.observed(level).values
        for name, expected in coefficients.items():
            value = values[COEFFICIENTS.index(name)]
            interval = fisher_interval(name, float(value), pair.size(level), 0.05)
            assert interval is not None
            assert [value, interval.low, interval.high] == pytest.approx(
                [expected["value"], *expected["ci"]], abs=case["tolerance"]
            )


def test_williams_on_random_matrices(cases: dict[str, Any]) -> None:
    case = cases["micro/williams_random_9x5"]
    x, y, z = (np.array(case["input"][name]) for name in "XYZ")
    found = {
        "one_tailed_XY": williams(x, y, z, LEVELS),
        "one_tailed_YX": williams(y, x, z, LEVELS),
        "two_tailed": williams(x, y, z, LEVELS, two_tailed=True),
    }
    for where, expected in case["expected"].items():
        field, name = where.split("/")
        for tails, value in expected.items():
            actual = found[tails][LEVEL_OF[field]].values[COEFFICIENTS.index(name)]
            assert actual == pytest.approx(value, abs=case["tolerance"]), (where, tails)


def test_resampling_tests_on_random_matrices(cases: dict[str, Any]) -> None:
    case = cases["micro/resampling_tests_random_9x5"]
    data = cases["micro/williams_random_9x5"]["input"]
    x, y, z = (np.array(data[name]) for name in "XYZ")
    tests = {"bootstrap": paired_bootstrap, "permutation": paired_permutation}
    for method, expected in case["expected"].items():
        kind, _, units = method.partition("-")
        found = tests[kind](x, y, z, ("global",), units=units)["global"].values[0]
        assert found == pytest.approx(expected, abs=case["tolerance"]), method


def test_williams_and_conjunction_on_the_corpus(cases: dict[str, Any], table: ScoreTable) -> None:
    case = cases["corpus/sig/williams"]
    one_tailed = []
    for expected in case["expected"]:
        result = significance(
            table,
            case["input"]["dependent"],
            expected["metric_A"],
            expected["metric_B"],
            method="williams",
            two_tailed=expected["two_tailed"],
        ).summary()
        assert_contains(expected, result, case["tolerance"])
        if not expected["two_tailed"]:
            one_tailed.append(result)
    expected = cases["corpus/sig/partial-conjunction"]["expected"]
    found = conjunction(one_tailed, expected["names"], alpha=expected["alpha"])
    assert_contains(expected, found, 0)


def test_resampling_tests_on_the_corpus(cases: dict[str, Any], table: ScoreTable) -> None:
    case = cases["corpus/sig/resampling"]
    methods = {entry["test"] for entry in case["expected"]}
    found = {
        method: significance(
            table, "responsiveness", "python-rouge-2_f1", "python-rouge-1_recall", method=method
        ).summary()
        for method in methods
    }
    for entry in case["expected"]:
        actual = found[entry["test"]][entry["level"]][entry["coef"]]["pvalue"]
        assert actual == pytest.approx(entry["p"], abs=case["tolerance"]), entry


def test_partial_conjunction(cases: dict[str, Any]) -> None:
    for expected in cases["micro/partial_conjunction"]["expected"]:
        found = partial_conjunction(expected["p"], expected["alpha"])
        assert found.k == expected["k"]
        assert list(found.rejected) == expected["rejected_indices"]


@pytest.mark.parametrize(
    ("case_id", "metric"),
    [
        (
            "corpus/rouge155/score_jk",
            "rouge(max_ngram=2, compute_rouge_l=True, skip_bigram_gap_length=4)",
        ),
        ("corpus/python-rouge/score", "rouge(profile='python-rouge', compute_rouge_l=True)"),
    ],
)
def test_jackknifed_scores(cases: dict[str, Any], shared: Path, case_id: str, metric: str) -> None:
    """Outputs of systems and humans, plain and jackknifed; no other names."""
    case = cases[case_id]
    files = Files([str(shared / case["input"]["data"])])
    found = {
        f"{record.instance_id}/{record.summarizer_id}": record.metrics
        for record in score_files([parse(metric)], files).records
    }
    assert len(found) == 316
    assert len(case["expected"]) > 30
    for name, expected in case["expected"].items():
        assert_contains(expected, found[name], 1e-6, name)
        assert found[name].keys() == expected.keys(), name


def test_all_scores_equal_the_published_file(shared: Path) -> None:
    """scores.jsonl was written by SacreROUGE; records, their order and all figures are the same."""
    folder = shared / "data" / "summ"
    metric = parse("rouge(profile='python-rouge', compute_rouge_l=True)")
    found = score_files([metric], Files([str(folder / "summaries.jsonl")])).records
    lines = (folder / "scores.jsonl").read_text().splitlines()
    assert len(found) == len(lines)
    for record, line in zip(found, map(json.loads, lines), strict=True):
        ids = record.instance_id, record.summarizer_id, record.summarizer_type
        assert ids == (line["instance_id"], line["summarizer_id"], line["summarizer_type"])
        assert record.metrics.approx_equal(line["metrics"], abs=1e-9)


def test_jackknifed_pyramids_equal_the_published_file(shared: Path) -> None:
    """pyramid-scores.jsonl was written by SacreROUGE: systems and humans, plain and jackknifed."""
    folder = shared / "data" / "summ"
    files = Files(
        [str(folder / "pyramid-annotations.jsonl")],
        format="pyramid-based",
        format_options={"pyramids": str(folder / "pyramids.jsonl")},
    )
    found = score_files([parse("pyramid-score")], files).records
    lines = (folder / "pyramid-scores.jsonl").read_text().splitlines()
    assert len(found) == len(lines)
    for record, line in zip(found, map(json.loads, lines), strict=True):
        ids = record.instance_id, record.summarizer_id, record.summarizer_type
        assert ids == (line["instance_id"], line["summarizer_id"], line["summarizer_type"])
        for name, value in line["metrics"].items():
            assert record.metrics[name] == pytest.approx(value, abs=1e-9)
