"""Of two columns with one name, none is lost silently: not in a file, not in a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.errors import FormatError, KaratError

TEXTS = (["hypothesis", "hypothesis", "reference"], [["a b", "x", "a b"]])
SCORES = (["id", "acc", "acc"], [["1", 1.0, 0.0], ["2", 1.0, 0.0]])
TABLES = {"exact": TEXTS, "scores": SCORES}


def arrow(names: list[str], rows: list[list[Any]]) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    columns = [pyarrow.array(list(column)) for column in zip(*rows, strict=True)]
    return pyarrow.table(columns, names=names)


def written(way: str, names: list[str], rows: list[list[Any]], folder: Path) -> Any:
    if way in ("csv", "tsv"):
        between = {"csv": ",", "tsv": "\t"}[way]
        lines = [between.join(map(str, each)) for each in [names, *rows]]
        path = folder / f"table.{way}"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path
    if way == "pandas":
        return pytest.importorskip("pandas").DataFrame(rows, columns=names)
    table = arrow(names, rows)
    if way == "arrow":
        return table
    path = folder / f"table.{way}"
    if way == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(table, path, "uncompressed")
    return path


@pytest.mark.parametrize("metric", TABLES)
@pytest.mark.parametrize("way", ["csv", "tsv", "parquet", "feather", "pandas", "arrow"])
def test_two_columns_with_one_name(metric: str, way: str, tmp_path: Path) -> None:
    options = {"format": "tsv-records"} if (metric, way) == ("exact", "tsv") else {}
    with pytest.raises(KaratError) as caught:
        karat.evaluate(metric, written(way, *TABLES[metric], tmp_path), **options)  # type: ignore[arg-type]
    assert "two columns" in caught.value.headline or "several columns" in caught.value.headline


def test_columns_of_references_may_have_one_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("hypothesis,reference,reference\na b c d,x,a b c d\n")
    assert karat.evaluate("bleu", path).scores()["bleu"] == 100
    with pytest.raises(FormatError, match="two columns have the name 'reference'"):
        karat.evaluate("bleu", path, format_options={"gold_field": "reference"})


@pytest.mark.parametrize(
    ("metric", "text", "advice"),
    [
        ("bleu", "id;hypothesis;reference\n1;a;a\n", "``delimiter=';'``"),
        ("scores", "id;acc\n1;1\n", "write the file with commas"),
        ("scores", "id;acc\n1;0,5\n", "write the file with commas"),
    ],
)
def test_another_delimiter_is_noticed(metric: str, text: str, advice: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        karat.evaluate(metric, path)
    assert advice in caught.value.advice


def test_a_field_of_gold_with_another_name_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": 1, "prediction": "a dog", "answers": {"text": ["dog"]}}\n')
    with pytest.raises(KaratError) as caught:
        karat.evaluate("squad", path)
    assert caught.value.code == "K338"
    assert "``gold_field``" in caught.value.advice
    found = karat.evaluate("squad", path, format_options={"gold_field": "answers.text"})
    assert found.scores()["em"] == 1
    lines = tmp_path / "lines.txt"
    lines.write_text("a dog\n")
    with pytest.raises(KaratError) as caught:
        karat.evaluate("squad", lines)
    assert "gold_field" not in caught.value.advice
