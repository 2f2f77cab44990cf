"""Tables that spreadsheets open: no text from a file is a formula there, no number is a text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from karat.cli import cli
from karat.core.files.writing import text_cell
from karat.report.meta_tables import Entry, correlation_table

HOSTILE = "=cmd|'/c calc'!A1"


def _rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text().splitlines()]


def _run(*arguments: str | Path) -> None:
    run = CliRunner().invoke(cli, list(map(str, arguments)))
    assert run.exit_code == 0, (run.output, run.exception)


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1-1", "@SUM(A1)", "\r=1", "\t=1", "＝1"])
def test_formulas_become_texts(text: str) -> None:
    assert text_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-1", "+1.5", "-2e-05", "1", "a=b", "", "x-1", "'=1"])
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert text_cell(text) == text


def test_rows_of_items_and_of_scores(tmp_path: Path) -> None:
    records = [
        {"id": HOSTILE, "summary": "a", "references": ["b"], "kind": "@x"},
        {"id": "-7", "summary": "a", "references": ["a"], "kind": "plain"},
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(each) + "\n" for each in records))
    rows, scores = tmp_path / "rows.tsv", tmp_path / "scores.tsv"
    outputs = ["--sentences", rows, "--tsv", scores, "--by", "kind", "-q"]
    _run("evaluate", "rouge", "-s", data, *outputs)
    header, *items = _rows(rows)
    assert [row[header.index("id")] for row in items] == [f"'{HOSTILE}", "-7"]
    assert [row[header.index("kind")] for row in items] == ["'@x", "plain"]
    header, *lines = _rows(scores)
    groups = {row[header.index("group")] for row in lines}
    assert "'@x" in groups
    assert not any(cell.startswith(("=", "@")) for row in (*items, *lines) for cell in row)
    assert all(float(row[header.index("value")]) >= 0 for row in lines)


def test_rows_of_ned(tmp_path: Path) -> None:
    tree = f"# sent_id = {HOSTILE}\n1\ta\t_\t_\tNN\t_\t0\troot\t_\t_\n\n"
    for name in ("gold", "system"):
        (tmp_path / f"{name}.conllu").write_text(tree)
    rows = tmp_path / "rows.tsv"
    files = ["-if", tmp_path / "system.conllu", "-gold", tmp_path / "gold.conllu"]
    _run("ned", *files, "--format", "conllu", "--gold-format", "conllu", "--tsv", rows, "-q")
    assert _rows(rows)[1][0] == f"'{HOSTILE}"


def test_tables_of_correlations() -> None:
    level = {"pearson": {"r": -0.5, "p_value": 0.5, "lower": None, "upper": None}}
    entry = Entry({"metric1": "m", "system_level": level}, "=metric", "@news")
    table = correlation_table([entry], "system_level", "tsv")
    header, row = (line.split("\t") for line in table.splitlines())
    assert header[1].startswith("'@news")
    assert row[0] == "'=metric"
    assert row[1].startswith("-0.5")
