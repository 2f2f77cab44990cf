"""The version stands in one place; a release writes it into the others."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from karat.version import VERSION
from releasing import changelog, places

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in {place.path for place in places.PLACES} | {"CHANGELOG.md"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "changelog.d", tmp_path / "changelog.d")
    (tmp_path / "changelog.d/one-more.fixed.md").write_text("One more.\n", encoding="utf-8")
    return tmp_path


def state(tree: Path) -> dict[str, str]:
    files = [path for path in tree.rglob("*") if path.is_file()]
    return {str(path.relative_to(tree)): path.read_text(encoding="utf-8") for path in files}


def test_all_places_follow_and_again_nothing_changes(tree: Path) -> None:
    assert places.prepare(tree, "9.8.7", "2031-02-03") == "2031-02-03"
    assert places.current(tree) == "9.8.7"
    after = state(tree)
    assert "version: 9.8.7\n" in after["CITATION.cff"]
    assert "date-released: 2031-02-03\n" in after["CITATION.cff"]
    assert changelog.files(tree / "changelog.d") == []
    assert "- One more.\n" in changelog.section(after["CHANGELOG.md"], "9.8.7")
    assert places.prepare(tree, "9.8.7", "2032-01-01") == "2031-02-03"
    assert state(tree) == after


@pytest.mark.parametrize(
    ("version", "said"), [("next", "no version"), ("v9", "should be written"), ("0.0.1", "older")]
)
def test_a_wrong_version_changes_nothing(tree: Path, version: str, said: str) -> None:
    before = state(tree)
    with pytest.raises(places.VersionError, match=said):
        places.prepare(tree, version, "2031-02-03")
    assert state(tree) == before


def test_no_other_file_states_the_version() -> None:
    """Else it would be wrong after the next release."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no clone")
    # What a page says a figure was made with stays true.
    own = re.compile(
        rf"(?<!Made with )karat\W{{1,5}}{re.escape(VERSION)}(?![\d.])|VERSION = \"{VERSION}"
    )
    known = {place.path for place in places.PLACES} | {"CHANGELOG.md"}
    found = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if name in known or path.suffix in (".svg", ".png", ".gz") or not path.is_file():
            continue  # pictures show what a command once printed
        if own.search(path.read_text(encoding="utf-8", errors="replace")):
            found.append(name)
    assert found == []
