"""Tables for terminals, papers and spreadsheets: nothing is cut, and marks mean what they say."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from karat.core.registry import parse
from karat.core.runs.comparison import Ranking
from karat.core.runs.evaluation import Evaluation
from karat.report import exports, tables
from karat.report.layout import Console, Medium

STATISTICS = {"level": 0.95, "resamples": 100, "seed": 0, "method": "auto"}
IDS = [str(i) for i in range(30)]


def run(name: str, right: int) -> Evaluation:
    rows = np.array([[1.0, float(i < right)] for i in range(30)])
    return Evaluation(parse("exact"), IDS, rows, system=name)


RUNS = [run("first_a&b", 28), run("second|b", 27), run("poor", 3)]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_tables_fit_and_nothing_is_cut(width: int) -> None:
    long = [run("a/very/long/path/of/a/system/" * 2 + str(i), 10 + i) for i in range(3)]
    for table in (tables.scores(long, STATISTICS), tables.ranking(Ranking(long))):
        whole, narrow = io.StringIO(), io.StringIO()
        Console(whole).print(table)
        Console(narrow, Medium(width, emphasis=True)).print(table)
        text = re.sub(r"\x1b\[[0-9;]*m", "", narrow.getvalue())
        assert "…" not in text
        numbers = re.findall(r"[+-]?\d\.\d{4}", whole.getvalue())
        assert numbers
        assert set(numbers) <= set(re.findall(r"[+-]?\d\.\d{4}", text))


def test_latex_has_intervals_and_escapes() -> None:
    text = exports.latex(RUNS, [], STATISTICS)
    assert r"exact & first\_a\&b & 95 \% interval & second|b &" in text
    assert r"accuracy & 0.9333 & [0.7793, 0.9918] & 0.9000 &" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1


def test_metrics_of_one_name_are_told_apart() -> None:
    """By their options, in tables of their own: bleu in two ways has two figures for a system."""
    folded = run("folded", 30)
    folded.metric = parse("exact(ignore_case=True)")
    both = [RUNS[0], folded]
    text = exports.latex(both, [], STATISTICS)
    headers = [line for line in text.splitlines() if line.startswith("exact")]
    assert [each.partition(" & ")[::2] for each in headers] == [
        ("exact()", r"first\_a\&b & 95 \% interval \\"),
        (r"exact(ignore\_case=True)", r"folded & 95 \% interval \\"),
    ]
    table = exports.markdown(both, [], STATISTICS)
    assert "| exact() | first_a&b |" in table
    assert "| exact(ignore_case=True) | folded |" in table
    rows = [line.split("\t") for line in exports.tsv(both, [], STATISTICS).splitlines()]
    assert {tuple(row[:2]) for row in rows[1:]} == {
        ("exact()", "first_a&b"),
        ("exact(ignore_case=True)", "folded"),
    }
    rankings = [Ranking(RUNS[:2]), Ranking([folded, folded])]
    names = [line.partition("\t")[0] for line in exports.ranking_tsv(rankings).splitlines()]
    assert names == ["metric", "exact()", "exact(ignore_case=True)"]


def test_comparisons_mark_what_is_significant() -> None:
    ranking = Ranking(RUNS)
    text = exports.ranking_markdown([ranking])
    assert "| first_a&b - second\\|b | +0.0333 |" in text
    assert re.search(r"\| first_a&b - poor \| \+0\.8333\* \| \[", text)
    assert "\n\\* significant at level 0.05, paired " in text
    assert "+0.8333*" in exports.ranking_latex([ranking])
    header, *rows = (line.split("\t") for line in exports.ranking_tsv([ranking]).splitlines())
    found = [dict(zip(header, row, strict=True)) for row in rows]
    assert [each["significant"] for each in found] == ["false", "true", "true"]
    assert float(found[1]["difference"]) == pytest.approx(25 / 30)


def test_markdown_and_tsv_have_intervals() -> None:
    assert "| accuracy | 0.9333 [0.7793, 0.9918] |" in exports.markdown(RUNS[:1], (), STATISTICS)
    _, row = exports.tsv(RUNS[:1], (), STATISTICS).splitlines()
    low, high = map(float, row.split("\t")[-2:])
    assert (round(low, 4), round(high, 4)) == (0.7793, 0.9918)
