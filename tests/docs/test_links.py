"""Nothing is missing on the pages that list things, and no link leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from karat.core.catalog import FORMATS, METRICS, Row

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
HOME = re.search(
    r'^Homepage = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
)
REPOSITORY = HOME.group(1) if HOME else ""


def targets(page: Path) -> list[tuple[str, Path]]:
    """The files of the repository that a page links to, by path or by address."""
    found = []
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        place = re.match(rf"{re.escape(REPOSITORY)}/(?:blob|tree|raw)/main/(.+)", target)
        if place:
            found.append((target, ROOT / place.group(1)))
        elif ":" not in target:
            found.append((target, (page.parent / target).resolve()))
    return found


@pytest.mark.parametrize(("folder", "rows"), [("metrics", METRICS), ("formats", FORMATS)])
def test_the_index_names_all(folder: str, rows: tuple[Row, ...]) -> None:
    text = (ROOT / "docs" / folder / "README.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[\w+-]+", text))
    assert {row.name for row in rows} - words == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    assert [target for target, path in targets(page) if not path.exists()] == []


def test_the_design_names_modules_that_there_are() -> None:
    """By path, or by name where the path is clear."""
    package = ROOT / "src" / "karat"
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_/*]+\.py)`", text)
    assert len(named) > 20
    missing = [name for name in named if not any(package.glob(f"**/{name}"))]
    assert missing == []
    folders = re.findall(r"`((?:core|engine|report|stats|cli|tracing)/[a-z_/]*)`", text)
    assert [name for name in folders if not (package / name).is_dir()] == []


def test_the_readme_has_absolute_links() -> None:
    """It is also the page of the package index, which knows no other files."""
    assert REPOSITORY
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)", text)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_every_page_is_linked_from_another() -> None:
    linked = {path for page in PAGES for _, path in targets(page)}
    docs = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]
    assert [str(page) for page in docs if page not in linked] == []


def test_one_address_of_the_project() -> None:
    """The repository has the address that pyproject.toml names, wherever it is linked."""
    for page in [*PAGES, ROOT / "CITATION.cff"]:
        text = page.read_text(encoding="utf-8")
        for address in re.findall(r"https://github\.com/[\w-]+/karat\b", text):
            assert address == REPOSITORY, page


def test_badges_are_true() -> None:
    """The Pythons are those of the workflow that the first badge is about, and of the package."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    workflow = f"{REPOSITORY}/actions/workflows/"
    (file,) = set(re.findall(rf"{re.escape(workflow)}([\w.-]+)/badge\.svg", readme))
    tested = (ROOT / ".github" / "workflows" / file).read_text(encoding="utf-8")
    classified = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    matrix = re.search(r"python: \[(.*)\]", tested)
    assert matrix
    assert re.findall(r"3\.\d+", matrix.group(1)) == classified
    assert f"badge/python-{classified[0]}_to_{classified[-1]}-" in readme
    assert "badge/licence-MIT-" in readme
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")
