"""Nothing is missing on the pages that list things, and no link leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from karat.core.catalog import FORMATS, METRICS, Row

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize(("folder", "rows"), [("metrics", METRICS), ("formats", FORMATS)])
def test_the_index_names_all(folder: str, rows: tuple[Row, ...]) -> None:
    text = (ROOT / "docs" / folder / "README.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[\w+-]+", text))
    assert {row.name for row in rows} - words == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)", text)
    assert [each for each in targets if not (page.parent / each).exists()] == []


def test_every_page_is_linked_from_another() -> None:
    linked = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:\s]+)", page.read_text(encoding="utf-8"))
    }
    assert [str(page) for page in PAGES[2:] if page not in linked] == []
