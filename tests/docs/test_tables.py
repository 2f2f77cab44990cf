"""The tables of the documentation: every row has the columns of its head."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_TABLES = runpy.run_path(str(ROOT / "benchmarks" / "tables.py"))
cells, put_rows = _TABLES["cells"], _TABLES["put_rows"]

PAGE = """# Speed

<!-- growth: written by benchmarks/growth.py -->

| metric | pairs | CPU |
|---|---:|---:|
| `exact` | 1,000 | 1 s |
| `bleu` | 1,000 | 2 s |

<!-- end of growth -->

The end.
"""
HEAD = "| metric | pairs | CPU |"


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: page.name)
def test_rows_have_the_columns_of_their_table(page: Path) -> None:
    columns, is_code = 0, False
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        is_code ^= line.lstrip().startswith("```")
        if is_code or not line.startswith("|"):
            columns = 0
            continue
        columns = columns or len(cells(line))
        assert len(cells(line)) == columns, f"{page.name}:{number}: {line}"


def test_some_rows_are_measured_again(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    put_rows("growth", HEAD, ["| `exact` | 10,000 | 3 s |", "| `bleu` | 1,000 | 4 s |"], 2, page)
    rows = "| `exact` | 1,000 | 1 s |\n| `exact` | 10,000 | 3 s |\n| `bleu` | 1,000 | 4 s |\n"
    begin, end = PAGE.index("| `exact`"), PAGE.index("\n<!-- end")
    assert page.read_text() == PAGE[:begin] + rows + PAGE[end:]


@pytest.mark.parametrize(
    ("name", "row"), [("growth", "| `bleu` | 1,000 | 4 s | 5 s |"), ("items", "| a | 1 | 2 |")]
)
def test_what_does_not_fit_is_not_written(tmp_path: Path, name: str, row: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    with pytest.raises(SystemExit):
        put_rows(name, HEAD, [row], 2, page)
    assert page.read_text() == PAGE
