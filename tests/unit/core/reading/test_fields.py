"""Tables with long cells, which leave the csv module of the user's program as it is."""

from __future__ import annotations

import csv
from pathlib import Path

import karat
from karat.core.reading.fields import csv_rows


def test_long_cells_are_read_without_changing_the_limit_of_the_process(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    text = "word " * 40_000
    assert len(text) > before
    (tmp_path / "a.csv").write_text(f'id,hypothesis,reference\n1,"{text}","{text}"\n')
    assert karat.evaluate("exact", system=tmp_path / "a.csv").scores()["accuracy"] == 1
    assert csv.field_size_limit() == before


def test_rows_are_those_of_the_usual_module() -> None:
    lines = ['a;"b', 'c";d', "", '"e ""f""";g', "h"]
    usual = csv.reader([f"{line}\n" for line in lines], delimiter=";")
    assert list(csv_rows(lines, delimiter=";")) == list(usual)
