"""Options that name fields say what a file is, where its own names do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.engine import evaluate
from karat.errors import OptionError


def lines(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return str(path)


def test_json_records_with_names_of_their_own(tmp_path: Path) -> None:
    gold = lines(tmp_path / "g.jsonl", {"doc": 1, "truth": {"a": 1}}, {"doc": 2, "truth": {"a": 2}})
    system = lines(
        tmp_path / "s.jsonl", {"doc": 2, "out": '{"a": 2}'}, {"doc": 1, "out": '{"a": 0}'}
    )
    fields = {"text_field": "out", "gold_field": "truth"}
    # By position no leaf is the same; by the named id the second item is.
    assert evaluate("json", system, gold, format_options=fields).scores()["f"] == 0.0
    by_id = evaluate("json", system, gold, format_options={**fields, "id_field": "doc"})
    assert by_id.scores()["f"] == 0.5
    assert "json-records" in by_id.signature()


def test_both_sides_in_one_record(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"key": 1, "mine": {"a": 1}, "right": {"a": 1}})
    fields = {"text_field": "mine", "gold_field": "right"}
    assert evaluate("json", path, format_options=fields).scores()["f"] == 1.0
    assert evaluate("json", path, path, format="json-documents").scores()["f"] == 1.0
    with pytest.raises(OptionError, match="K338"):
        evaluate("json", path, format_options={**fields, "gold_field": "rihgt"})


def test_documents_stay_documents_where_options_are_of_the_other_side(tmp_path: Path) -> None:
    gold = lines(tmp_path / "g.jsonl", {"a": 1})
    system = lines(tmp_path / "s.jsonl", {"out": {"a": 1}})
    run = evaluate("json", system, gold, format_options={"text_field": "out"})
    assert run.scores()["f"] == 1.0
    assert "gold:json-documents" in run.signature()


def test_a_table_whose_columns_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("src\tmt\tref\nx\tthe cat\tthe cat\ny\ta dog\ta bird\n")
    path = str(tmp_path / "a.tsv")
    run = evaluate("exact", path, format_options={"text_field": "mt", "gold_field": "ref"})
    assert run.scores()["accuracy"] == 0.5


def test_an_option_of_another_format_names_the_formats_that_have_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    path = str(tmp_path / "a.txt")
    with pytest.raises(
        OptionError, match=r"K301: the format lines has no option 'text_field'"
    ) as e:
        evaluate("exact", path, path, format_options={"text_field": "x"})
    assert "jsonl" in e.value.advice
    assert "csv" in e.value.advice


def test_scores_made_elsewhere_take_no_gold(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"id": "1", "acc": 1}, {"id": "2", "acc": 0})
    with pytest.raises(OptionError, match="K309: scores takes no gold"):
        evaluate("scores", path, path)
